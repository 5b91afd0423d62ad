#include "explore.hpp"
#include "model_slot.hpp"

#include <cstdint>

namespace tutti::model {

namespace {

enum class Done { awaited, ignored };

/// An allreduce pulled in place, several times back to back. Each member announces its vector (point 0),
/// reads the others', says that it is done (point 1), and lets its caller overwrite the vector when everybody
/// is. Epochs count points, and operations take turns with two sets of slots, as in the executor. The board
/// is a word of which there is only one, put before point 0 and read by whoever has seen that.
template <class Cell, int members, int operations, Waits waits = Waits::parks, Done done = Done::awaited,
          unsigned parities = 2>
struct Pull : rl::test_suite<Pull<Cell, members, operations, waits, done, parities>, members> {
    static constexpr std::uint64_t points = 2;

    ModelSlot<Cell, waits> slots[std::size_t{members}][parities][points];
    rl::var<std::uint64_t> vectors[std::size_t{members}];
    rl::var<std::uint64_t> boards[std::size_t{members}];

    static std::uint64_t value(int member, unsigned operation) {
        return 100 * (operation + 1) + static_cast<std::uint64_t>(member);
    }

    /// In the place of an address.
    static std::uint64_t descriptor(int member, unsigned operation) {
        return value(member, operation) << 32U;
    }

    auto& slot(int member, unsigned operation, std::uint64_t point) {
        return slots[member][operation % parities][point];
    }

    void thread(unsigned index) {
        const int member = static_cast<int>(index);
        for (unsigned operation = 0; operation < operations; ++operation) {
            const std::uint64_t epoch = 1 + points * operation;
            vectors[member](RL_INFO).store(value(member, operation));
            boards[member](RL_INFO).store(value(member, operation));
            const std::uint64_t word = descriptor(member, operation);
            slot(member, operation, 0).publish(epoch, &word, 1);
            for (int step = 1; step < members; ++step) {
                pull((member + step) % members, operation, epoch);
            }
            slot(member, operation, 1).signal(epoch + 1);
            for (int step = 1; step < members && done == Done::awaited; ++step) {
                slot((member + step) % members, operation, 1).await(epoch + 1, 1);
            }
        }
        vectors[member](RL_INFO).store(0);
    }

    void pull(int peer, unsigned operation, std::uint64_t epoch) {
        auto& theirs = slot(peer, operation, 0);
        theirs.await(epoch, 1);
        RL_ASSERT(theirs.word(0) == descriptor(peer, operation));
        RL_ASSERT(boards[peer](RL_INFO).load() == value(peer, operation));
        RL_ASSERT(vectors[peer](RL_INFO).load() == value(peer, operation));
    }
};

using AsWritten = Portable<as_written>;

} // namespace

TEST_CASE("pulling in place, two members") {
    passes<Pull<AsWritten, 2, 1, Waits::spins>>("pull, 2 members, 1 operation, spinning");
    passes<Pull<AsWritten, 2, 2>>("pull, 2 members, 2 operations");
    passes<Pull<AsWritten, 2, 3>>("pull, 2 members, 3 operations", {8});
    passes<Pull<Portable<as_written, Words::relaxed>, 2, 1>>("pull, 2 members, 1 operation, relaxed words");
    passes<Pull<Portable<as_written, Words::relaxed>, 2, 3>>("pull, 2 members, 3 operations, relaxed words",
                                                             {4});
    passes<Pull<Wide<as_written>, 2, 2>>("pull, 2 members, 2 operations, wide cells", {8});
}

TEST_CASE("pulling in place, three members") {
    passes<Pull<AsWritten, 3, 1>>("pull, 3 members, 1 operation", {3});
    passes<Pull<AsWritten, 3, 2>>("pull, 3 members, 2 operations", {2});
    passes<Pull<AsWritten, 3, 3>>("pull, 3 members, 3 operations", {1});
    passes<Pull<Wide<as_written>, 3, 2>>("pull, 3 members, 2 operations, wide cells", {2});
}

TEST_CASE("pulling in place needs the release and the acquire") {
    caught<Pull<Portable<publish_relaxed>, 2, 1>>("pull, publish relaxed", rl::test_result_data_race);
    caught<Pull<Portable<observe_relaxed>, 2, 1>>("pull, observe relaxed", rl::test_result_data_race);
    caught<Pull<Wide<publish_relaxed>, 2, 1>>("pull, publish relaxed, wide cells", rl::test_result_data_race);
    caught<Pull<Wide<observe_relaxed>, 2, 1>>("pull, observe relaxed, wide cells", rl::test_result_data_race);
}

TEST_CASE("pulling in place needs the wait for the readers") {
    caught<Pull<AsWritten, 2, 1, Waits::parks, Done::ignored>>("pull, readers not awaited, 1 operation",
                                                               rl::test_result_data_race);
}

// Whoever awaits all its readers could use its slots again at once. The second set is for those who do not:
// the carried form, and members that learn of their readers through others.
TEST_CASE("where all readers are awaited, one set of slots would do") {
    passes<Pull<AsWritten, 2, 2, Waits::parks, Done::awaited, 1>>(
        "pull, 2 members, 2 operations, one set of slots");
}

} // namespace tutti::model
