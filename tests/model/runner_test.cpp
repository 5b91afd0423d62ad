#include "explore.hpp"
#include "model_runner.hpp"

namespace tutti::model {

namespace {

using schedule::Protocol;

/// Exchanges of single words, back to back, in which nobody says that it has read them.
constexpr Calls words(int members, int operations) {
    return {Collective::allreduce, flat, Protocol::eager, members, operations};
}
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

/// An allreduce back to back in which members show each other their vectors, read them, and store into them;
/// callers overwrite them between operations.
constexpr Calls among_all(int members, int operations) {
    return {Collective::allreduce, direct, Protocol::zero_copy, members, operations};
}
/// A broadcast that members pull from the root, which lets them.
constexpr Calls pulled_from_the_root(int members, int operations) {
    return {Collective::broadcast, flat, Protocol::zero_copy, members, operations};
}
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

} // namespace

TEST_CASE("single words") {
    passes<Running<words(2, 2), AsWritten, Rule::kept, Looks::all>>({4});
    passes<Running<words(2, 2)>>();
    passes<Running<words(2, 4)>>({6});
    passes<Running<words(2, 3), Portable<as_written, Words::relaxed>>>({4});
    passes<Running<words(2, 4), Wide<as_written>>>({4});
    passes<Running<words(3, 2)>>({2});
    passes<Running<words(3, 3)>>({2});
    passes<Running<words(3, 3), Wide<as_written>>>({2});
}

TEST_CASE("single words need the release and the acquire") {
    caught<Running<words(2, 1), Portable<publish_relaxed>>>(race);
    caught<Running<words(2, 1), Portable<observe_relaxed>>>(race);
    caught<Running<words(2, 1), Wide<publish_relaxed>>>(race);
    caught<Running<words(2, 1), Wide<observe_relaxed>>>(race);
}

TEST_CASE("single words need two sets of slots") {
    caught<Running<words(2, 2), AsWritten, Rule::one_set>>(wrong);
    caught<Running<words(2, 2), Wide<as_written>, Rule::one_set>>(wrong);
}

TEST_CASE("messages of several words") {
    passes<Running<to_all(2, 2)>>({6});
    passes<Running<to_all(2, 4)>>({3});
    passes<Running<to_all(2, 3), Wide<as_written>>>({4});
    passes<Running<to_all(3, 3)>>({1});
}

TEST_CASE("messages need the release, the acquire and two sets of slots") {
    caught<Running<to_all(2, 1), Portable<publish_relaxed>>>(race);
    caught<Running<to_all(2, 1), Portable<observe_relaxed>>>(race);
    caught<Running<to_all(2, 1), Portable<publish_relaxed, Words::relaxed>>>(wrong);
    caught<Running<to_all(2, 1), Portable<observe_relaxed, Words::relaxed>>>(wrong);
    caught<Running<to_all(2, 2), AsWritten, Rule::one_set>>(wrong);
}

TEST_CASE("senders may run ahead of those that receive") {
    passes<Running<to_the_root(2, 3)>>({5});
    passes<Running<to_the_root(2, 4)>>({3});
    passes<Running<to_the_root(3, 3)>>({2});
    passes<Running<to_the_root(2, 3), Wide<as_written>>>({5});
    passes<Running<from_the_root(2, 4)>>({4});
    passes<Running<from_the_root(3, 3)>>({2});
}

TEST_CASE("a sender waits until all have entered the operation before") {
    caught<Running<to_the_root(2, 3), AsWritten, Rule::never_settles>>(wrong);
    caught<Running<to_the_root(2, 3), AsWritten, Rule::settles_too_early>>(wrong);
    caught<Running<to_the_root(2, 3), AsWritten, Rule::one_set>>(wrong);
    caught<Running<from_the_root(3, 3), AsWritten, Rule::never_settles>>(wrong);
    caught<Running<from_the_root(3, 3), AsWritten, Rule::settles_too_early>>(race, {3});
}

TEST_CASE("entering needs the release, and the look at it the acquire") {
    caught<Running<to_the_root(2, 3), AsWritten, Rule::kept, Looks::news, publish_relaxed>>(race);
    caught<Running<to_the_root(2, 3), AsWritten, Rule::kept, Looks::news, observe_relaxed>>(race);
}

TEST_CASE("vectors of others, two members") {
    passes<Running<among_all(2, 1), AsWritten, Rule::kept, Looks::all>>({3});
    passes<Running<among_all(2, 1)>>({8});
    passes<Running<among_all(2, 2)>>({3});
    passes<Running<among_all(2, 3)>>({2});
    passes<Running<among_all(2, 1), Portable<as_written, Words::relaxed>>>({3});
    passes<Running<among_all(2, 3), Wide<as_written>>>({3});
    passes<Running<pulled_from_the_root(2, 3)>>({2});
}

TEST_CASE("vectors of others, three members") {
    passes<Running<among_all(3, 1)>>({2});
    passes<Running<among_all(3, 2)>>({1});
    passes<Running<among_all(3, 2), Wide<as_written>>>({1});
    passes<Running<pulled_from_the_root(3, 2)>>({1});
}

TEST_CASE("vectors of others need the release and the acquire") {
    caught<Running<among_all(2, 1), Portable<publish_relaxed>>>(race);
    caught<Running<among_all(2, 1), Portable<observe_relaxed>>>(race);
    caught<Running<among_all(2, 1), Wide<publish_relaxed>>>(race);
    caught<Running<among_all(2, 1), Wide<observe_relaxed>>>(race);
}

TEST_CASE("vectors are given back only when their readers are done") {
    caught<Running<pulled_from_the_root(2, 1), AsWritten, Rule::readers_not_awaited>>(race);
    caught<Running<among_all(2, 1), AsWritten, Rule::readers_not_awaited>>(wrong);
}

// A member that awaits all its readers could use its slots again at once. The second set is for the others:
// the eager protocol, and members that learn of their readers through others.
TEST_CASE("where all readers are awaited, one set of slots would do") {
    passes<Running<among_all(2, 2), AsWritten, Rule::one_set>>({3});
}

TEST_CASE("rounds of words") {
    passes<Running<sums(3, 1)>>({4});
    passes<Running<sums(3, 2)>>({2});
    passes<Running<sums(3, 3)>>({1});
    passes<Running<sums(3, 3), Wide<as_written>>>({1});
    passes<Running<sums(3, 3), Portable<as_written, Words::relaxed>>>({1});
    passes<Running<sums(4, 1)>>({1});
    passes<Running<sums(4, 2)>>({0});
}

TEST_CASE("rounds need the release and the acquire") {
    caught<Running<sums(3, 1), Portable<publish_relaxed>>>(race);
    caught<Running<sums(3, 1), Portable<observe_relaxed>>>(race);
    caught<Running<barriers(3, 1), Portable<publish_relaxed>>>(race);
    caught<Running<barriers(3, 1), Portable<observe_relaxed>>>(race);
}

TEST_CASE("rounds of words need two sets of slots") {
    caught<Running<sums(4, 2), AsWritten, Rule::one_set>>(race, {1});
}

TEST_CASE("barriers, whose bare tags need one set of slots only") {
    passes<Running<barriers(3, 2)>>({2});
    passes<Running<barriers(3, 3)>>({1});
    passes<Running<barriers(3, 3), AsWritten, Rule::one_set>>({1});
    passes<Running<barriers(3, 1), AsWritten, Rule::kept, Looks::all>>({1});
}

TEST_CASE("rounds of vectors") {
    passes<Running<pulled_sums(3, 1)>>({1});
    passes<Running<pulled_sums(3, 2)>>({0});
}

} // namespace tutti::model
