#include "explore.hpp"
#include "model_runner.hpp"

namespace tutti::model {

namespace {

using schedule::Protocol;
using AsWritten = Portable<as_written>;

/// Messages of two words to everybody, and messages of one word that go one way: nobody who sends them waits.
constexpr Calls to_all(int members, int operations) {
    return {Collective::allreduce, flat, Protocol::eager, members, operations, 2};
}
constexpr Calls to_the_root(int members, int operations) {
    return {Collective::reduce, flat, Protocol::eager, members, operations};
}
constexpr Calls from_the_root(int members, int operations) {
    return {Collective::broadcast, flat, Protocol::eager, members, operations};
}

template <Calls calls, class Cell = AsWritten, Rule rule = Rule::kept, Orders progress = as_written>
using Carried = Running<calls, Under<Cell, progress, rule>>;

} // namespace

TEST_CASE("messages of several words") {
    passes<Carried<to_all(2, 2)>>("carried, 2 members, 2 operations, 2 words", {6});
    passes<Carried<to_all(2, 4)>>("carried, 2 members, 4 operations, 2 words", {3});
    passes<Carried<to_all(2, 3), Wide<as_written>>>("carried, 2 members, 3 operations, 2 words, wide cells",
                                                    {4});
    passes<Carried<to_all(3, 3)>>("carried, 3 members, 3 operations, 2 words", {1});
}

TEST_CASE("messages need the release, the acquire and two sets of slots") {
    caught<Carried<to_all(2, 1), Portable<publish_relaxed>>>("carried, publish relaxed",
                                                             rl::test_result_data_race);
    caught<Carried<to_all(2, 1), Portable<observe_relaxed>>>("carried, observe relaxed",
                                                             rl::test_result_data_race);
    caught<Carried<to_all(2, 1), Portable<publish_relaxed, Words::relaxed>>>(
        "carried, publish relaxed, relaxed words", rl::test_result_user_assert_failed);
    caught<Carried<to_all(2, 1), Portable<observe_relaxed, Words::relaxed>>>(
        "carried, observe relaxed, relaxed words", rl::test_result_user_assert_failed);
    caught<Carried<to_all(2, 2), AsWritten, Rule::one_set>>("carried, one set of slots",
                                                            rl::test_result_user_assert_failed);
}

TEST_CASE("senders may run ahead of those that receive") {
    passes<Carried<to_the_root(2, 3)>>("to the root, 2 members, 3 operations", {5});
    passes<Carried<to_the_root(2, 4)>>("to the root, 2 members, 4 operations", {3});
    passes<Carried<to_the_root(3, 3)>>("to the root, 3 members, 3 operations", {2});
    passes<Carried<to_the_root(2, 3), Wide<as_written>>>("to the root, 2 members, 3 operations, wide cells",
                                                         {5});
    passes<Carried<from_the_root(2, 4)>>("from the root, 2 members, 4 operations", {4});
    passes<Carried<from_the_root(3, 3)>>("from the root, 3 members, 3 operations", {2});
}

TEST_CASE("a sender waits until all have entered the operation before") {
    caught<Carried<to_the_root(2, 3), AsWritten, Rule::never_settles>>("to the root, nobody settles",
                                                                       rl::test_result_user_assert_failed);
    caught<Carried<to_the_root(2, 3), AsWritten, Rule::settles_too_early>>(
        "to the root, settled too early", rl::test_result_user_assert_failed);
    caught<Carried<to_the_root(2, 3), AsWritten, Rule::one_set>>("to the root, one set of slots",
                                                                 rl::test_result_user_assert_failed);
    caught<Carried<from_the_root(3, 3), AsWritten, Rule::never_settles>>("from the root, nobody settles",
                                                                         rl::test_result_user_assert_failed);
    caught<Carried<from_the_root(3, 3), AsWritten, Rule::settles_too_early>>(
        "from the root, settled too early", rl::test_result_data_race);
}

TEST_CASE("entering needs the release, and the look at it the acquire") {
    caught<Carried<to_the_root(2, 3), AsWritten, Rule::kept, publish_relaxed>>("to the root, entered relaxed",
                                                                               rl::test_result_data_race);
    caught<Carried<to_the_root(2, 3), AsWritten, Rule::kept, observe_relaxed>>("to the root, looked relaxed",
                                                                               rl::test_result_data_race);
}

} // namespace tutti::model
