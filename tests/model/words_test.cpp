#include "explore.hpp"
#include "model_runner.hpp"

namespace tutti::model {

namespace {

using schedule::Protocol;
using AsWritten = Portable<as_written>;

/// Exchanges of single words, back to back, in which nobody says that it has read them.
constexpr Calls words(int members, int operations) {
    return {Collective::allreduce, flat, Protocol::eager, members, operations};
}

template <int members, int operations, class Cell, Rule rule = Rule::kept, Looks looks = Looks::news>
using Exchange = Running<words(members, operations), Under<Cell, as_written, rule, looks>>;

} // namespace

TEST_CASE("single words") {
    passes<Exchange<2, 2, AsWritten, Rule::kept, Looks::all>>("words, 2 members, 2 operations, spinning",
                                                              {4});
    passes<Exchange<2, 2, AsWritten>>("words, 2 members, 2 operations");
    passes<Exchange<2, 4, AsWritten>>("words, 2 members, 4 operations", {6});
    passes<Exchange<2, 3, Portable<as_written, Words::relaxed>>>(
        "words, 2 members, 3 operations, relaxed words", {4});
    passes<Exchange<2, 4, Wide<as_written>>>("words, 2 members, 4 operations, wide cells", {4});
    passes<Exchange<3, 2, AsWritten>>("words, 3 members, 2 operations", {2});
    passes<Exchange<3, 3, AsWritten>>("words, 3 members, 3 operations", {2});
    passes<Exchange<3, 3, Wide<as_written>>>("words, 3 members, 3 operations, wide cells", {2});
}

TEST_CASE("single words need the release and the acquire") {
    caught<Exchange<2, 1, Portable<publish_relaxed>>>("words, publish relaxed", rl::test_result_data_race);
    caught<Exchange<2, 1, Portable<observe_relaxed>>>("words, observe relaxed", rl::test_result_data_race);
    caught<Exchange<2, 1, Wide<publish_relaxed>>>("words, publish relaxed, wide cells",
                                                  rl::test_result_data_race);
    caught<Exchange<2, 1, Wide<observe_relaxed>>>("words, observe relaxed, wide cells",
                                                  rl::test_result_data_race);
}

TEST_CASE("single words need two sets of slots") {
    caught<Exchange<2, 2, AsWritten, Rule::one_set>>("words, one set of slots",
                                                     rl::test_result_user_assert_failed);
    caught<Exchange<2, 2, Wide<as_written>, Rule::one_set>>("words, one set of slots, wide cells",
                                                            rl::test_result_user_assert_failed);
}

} // namespace tutti::model
