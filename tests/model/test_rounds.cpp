#include "explore.hpp"
#include "model_slot.hpp"

#include <cstdint>

namespace tutti::model {

namespace {

/// Enough for three and for four members.
constexpr int rounds = 2;

constexpr int source_of(int member, int round, int members) {
    return (member + members - (1 << round)) % members;
}

/// A census in a logarithmic number of rounds, several times back to back: in round k each member hands on,
/// in that round's slot, what it knows to the member 2^k further on, and after two rounds three members know
/// all.
template <class Cell, int members, int operations, unsigned parities = 2>
struct Census : rl::test_suite<Census<Cell, members, operations, parities>, members> {
    ModelSlot<Cell> slots[std::size_t{members}][parities][std::size_t{rounds}];

    void thread(unsigned index) {
        const int member = static_cast<int>(index);
        for (unsigned operation = 0; operation < operations; ++operation) {
            const std::uint64_t first_epoch = 1 + rounds * operation;
            std::uint64_t known = std::uint64_t{operation + 1} << (8 * index);
            for (int round = 0; round < rounds; ++round) {
                const std::uint64_t epoch = first_epoch + static_cast<std::uint64_t>(round);
                slots[member][operation % parities][round].publish(epoch, &known, 1);
                auto& theirs = slots[source_of(member, round, members)][operation % parities][round];
                theirs.await(epoch, 1);
                known |= theirs.word(0);
            }
            RL_ASSERT(known == (members == 3 ? 0x010101U : 0x01010101U) * std::uint64_t{operation + 1});
        }
    }
};

/// The same rounds without words, a dissemination barrier. Before it each member writes its vector, after it
/// reads the others'; a second one lets the vectors be written again. One set of slots serves every call.
template <class Cell, int calls, Waits waits = Waits::parks>
struct Barrier : rl::test_suite<Barrier<Cell, calls, waits>, 3> {
    static constexpr int members = 3;

    ModelSlot<Cell, waits> slots[std::size_t{members}][std::size_t{rounds}];
    rl::var<std::uint64_t> vectors[std::size_t{members}];

    void thread(unsigned index) {
        const int member = static_cast<int>(index);
        for (std::uint64_t call = 0; call < calls; ++call) {
            if (call % 2 == 0) {
                vectors[member](RL_INFO).store(call);
            }
            barrier(member, 1 + rounds * call);
            for (int peer = 0; peer < members && call % 2 == 0; ++peer) {
                RL_ASSERT(vectors[peer](RL_INFO).load() == call);
            }
        }
    }

    void barrier(int member, std::uint64_t epoch) {
        for (int round = 0; round < rounds; ++round, ++epoch) {
            slots[member][round].signal(epoch);
            slots[source_of(member, round, members)][round].await(epoch, 1);
        }
    }
};

using AsWritten = Portable<as_written>;

} // namespace

TEST_CASE("census rounds") {
    passes<Census<AsWritten, 3, 1>>("census, 3 members, 1 operation", {5});
    passes<Census<AsWritten, 3, 2>>("census, 3 members, 2 operations", {3});
    passes<Census<AsWritten, 3, 3>>("census, 3 members, 3 operations", {2});
    passes<Census<Wide<as_written>, 3, 3>>("census, 3 members, 3 operations, wide cells", {1});
    passes<Census<Portable<as_written, Words::relaxed>, 3, 3>>(
        "census, 3 members, 3 operations, relaxed words", {1});
    passes<Census<AsWritten, 4, 1>>("census, 4 members, 1 operation", {1});
    passes<Census<AsWritten, 4, 2>>("census, 4 members, 2 operations", {0});
}

TEST_CASE("census rounds need the release and the acquire") {
    caught<Census<Portable<publish_relaxed>, 3, 1>>("census, publish relaxed", rl::test_result_data_race);
    caught<Census<Portable<observe_relaxed>, 3, 1>>("census, observe relaxed", rl::test_result_data_race);
}

// Three members happen to learn of their readers in time, four do not.
TEST_CASE("census rounds need two sets of slots") {
    passes<Census<AsWritten, 3, 2, 1>>("census, 3 members, one set of slots", {2});
    caught<Census<AsWritten, 4, 2, 1>>("census, 4 members, one set of slots",
                                       rl::test_result_user_assert_failed, {1});
}

TEST_CASE("barrier rounds, whose bare tags need one set of slots only") {
    passes<Barrier<AsWritten, 2>>("barrier, 3 members, 2 calls", {2});
    passes<Barrier<AsWritten, 3>>("barrier, 3 members, 3 calls", {2});
    passes<Barrier<AsWritten, 2, Waits::spins>>("barrier, 3 members, 2 calls, spinning", {1});
}

TEST_CASE("barrier rounds need the release and the acquire") {
    caught<Barrier<Portable<publish_relaxed>, 1>>("barrier, publish relaxed", rl::test_result_data_race);
    caught<Barrier<Portable<observe_relaxed>, 1>>("barrier, observe relaxed", rl::test_result_data_race);
}

} // namespace tutti::model
