#include "explore.hpp"
#include "model_runner.hpp"

namespace tutti::model {

namespace {

using schedule::Protocol;
using AsWritten = Portable<as_written>;

/// An allreduce back to back in which members show each other their vectors, read them, and store into them;
/// callers overwrite them between operations.
constexpr Calls among_all(int members, int operations) {
    return {Collective::allreduce, direct, Protocol::zero_copy, members, operations};
}
/// A broadcast that members pull from the root, which lets them.
constexpr Calls from_the_root(int members, int operations) {
    return {Collective::broadcast, flat, Protocol::zero_copy, members, operations};
}

template <Calls calls, class Cell = AsWritten, Rule rule = Rule::kept, Looks looks = Looks::news>
using Pulled = Running<calls, Under<Cell, as_written, rule, looks>>;

} // namespace

TEST_CASE("vectors of others, two members") {
    passes<Pulled<among_all(2, 1), AsWritten, Rule::kept, Looks::all>>(
        "pulled, 2 members, 1 operation, spinning", {3});
    passes<Pulled<among_all(2, 1)>>("pulled, 2 members, 1 operation", {8});
    passes<Pulled<among_all(2, 2)>>("pulled, 2 members, 2 operations", {3});
    passes<Pulled<among_all(2, 3)>>("pulled, 2 members, 3 operations", {2});
    passes<Pulled<among_all(2, 1), Portable<as_written, Words::relaxed>>>(
        "pulled, 2 members, 1 operation, relaxed words", {3});
    passes<Pulled<among_all(2, 3), Wide<as_written>>>("pulled, 2 members, 3 operations, wide cells", {3});
    passes<Pulled<from_the_root(2, 3)>>("pulled from the root, 2 members, 3 operations", {2});
}

TEST_CASE("vectors of others, three members") {
    passes<Pulled<among_all(3, 1)>>("pulled, 3 members, 1 operation", {2});
    passes<Pulled<among_all(3, 2)>>("pulled, 3 members, 2 operations", {1});
    passes<Pulled<among_all(3, 2), Wide<as_written>>>("pulled, 3 members, 2 operations, wide cells", {1});
    passes<Pulled<from_the_root(3, 2)>>("pulled from the root, 3 members, 2 operations", {1});
}

TEST_CASE("vectors of others need the release and the acquire") {
    caught<Pulled<among_all(2, 1), Portable<publish_relaxed>>>("pulled, publish relaxed",
                                                               rl::test_result_data_race);
    caught<Pulled<among_all(2, 1), Portable<observe_relaxed>>>("pulled, observe relaxed",
                                                               rl::test_result_data_race);
    caught<Pulled<among_all(2, 1), Wide<publish_relaxed>>>("pulled, publish relaxed, wide cells",
                                                           rl::test_result_data_race);
    caught<Pulled<among_all(2, 1), Wide<observe_relaxed>>>("pulled, observe relaxed, wide cells",
                                                           rl::test_result_data_race);
}

TEST_CASE("vectors are given back only when their readers are done") {
    caught<Pulled<from_the_root(2, 1), AsWritten, Rule::readers_not_awaited>>(
        "pulled from the root, readers not awaited", rl::test_result_data_race);
    caught<Pulled<among_all(2, 1), AsWritten, Rule::readers_not_awaited>>("pulled, writers not awaited",
                                                                          rl::test_result_user_assert_failed);
}

// A member that awaits all its readers could use its slots again at once. The second set is for the others:
// the eager protocol, and members that learn of their readers through others.
TEST_CASE("where all readers are awaited, one set of slots would do") {
    passes<Pulled<among_all(2, 2), AsWritten, Rule::one_set>>(
        "pulled, 2 members, 2 operations, one set of slots", {3});
}

} // namespace tutti::model
