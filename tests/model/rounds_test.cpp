#include "explore.hpp"
#include "model_runner.hpp"

namespace tutti::model {

namespace {

using schedule::Protocol;
using AsWritten = Portable<as_written>;

/// Sums in a logarithmic number of rounds, in which members hand on what they know.
constexpr Calls sums(int members, int operations) {
    return {Collective::allreduce, census, Protocol::eager, members, operations};
}
/// The same rounds without words. Before a barrier each member writes, after it reads what the others have
/// written, and a second one lets it be written again.
constexpr Calls barriers(int members, int operations) {
    return {Collective::barrier, dissemination, Protocol::eager, members, operations};
}
/// Rounds in which members pull from each other and learn of their readers through others.
constexpr Calls pulled_sums(int members, int operations) {
    return {Collective::allreduce, circulant, Protocol::zero_copy, members, operations};
}

template <Calls calls, class Cell = AsWritten, Rule rule = Rule::kept, Looks looks = Looks::news>
using Rounds = Running<calls, Under<Cell, as_written, rule, looks>>;

} // namespace

TEST_CASE("rounds of words") {
    passes<Rounds<sums(3, 1)>>("sums, 3 members, 1 operation", {4});
    passes<Rounds<sums(3, 2)>>("sums, 3 members, 2 operations", {2});
    passes<Rounds<sums(3, 3)>>("sums, 3 members, 3 operations", {1});
    passes<Rounds<sums(3, 3), Wide<as_written>>>("sums, 3 members, 3 operations, wide cells", {1});
    passes<Rounds<sums(3, 3), Portable<as_written, Words::relaxed>>>(
        "sums, 3 members, 3 operations, relaxed words", {1});
    passes<Rounds<sums(4, 1)>>("sums, 4 members, 1 operation", {1});
    passes<Rounds<sums(4, 2)>>("sums, 4 members, 2 operations", {0});
}

TEST_CASE("rounds need the release and the acquire") {
    caught<Rounds<sums(3, 1), Portable<publish_relaxed>>>("sums, publish relaxed", rl::test_result_data_race);
    caught<Rounds<sums(3, 1), Portable<observe_relaxed>>>("sums, observe relaxed", rl::test_result_data_race);
    caught<Rounds<barriers(3, 1), Portable<publish_relaxed>>>("barriers, publish relaxed",
                                                              rl::test_result_data_race);
    caught<Rounds<barriers(3, 1), Portable<observe_relaxed>>>("barriers, observe relaxed",
                                                              rl::test_result_data_race);
}

TEST_CASE("rounds of words need two sets of slots") {
    caught<Rounds<sums(4, 2), AsWritten, Rule::one_set>>("sums, 4 members, one set of slots",
                                                         rl::test_result_data_race, {1});
}

TEST_CASE("barriers, whose bare tags need one set of slots only") {
    passes<Rounds<barriers(3, 2)>>("barriers, 3 members, 2 operations", {2});
    passes<Rounds<barriers(3, 3)>>("barriers, 3 members, 3 operations", {1});
    passes<Rounds<barriers(3, 3), AsWritten, Rule::one_set>>(
        "barriers, 3 members, 3 operations, one set of slots", {1});
    passes<Rounds<barriers(3, 1), AsWritten, Rule::kept, Looks::all>>(
        "barriers, 3 members, 1 operation, spinning", {1});
}

TEST_CASE("rounds of vectors") {
    passes<Rounds<pulled_sums(3, 1)>>("pulled sums, 3 members, 1 operation", {1});
    passes<Rounds<pulled_sums(3, 2)>>("pulled sums, 3 members, 2 operations", {0});
}

} // namespace tutti::model
