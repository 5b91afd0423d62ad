#include "explore.hpp"
#include "model_slot.hpp"

#include <cstdint>

namespace tutti::model {

namespace {

/// What a sender makes sure of before it writes over its message of the operation before the last.
enum class Settles { entered_last, entered_before_last, never };

/// Messages to a root, several times back to back: a reduction or a gather whose senders wait for nobody and
/// run ahead. The slots of an operation are used again by the operation after the next, so a sender first
/// looks at the root's progress: who has entered the operation in between has left the one whose slots they
/// were. As in Executor::run and Executor::settle.
template <class Cell, int members, int operations, Settles settles = Settles::entered_last,
          rl::memory_order enter = rl::mo_release, rl::memory_order look = rl::mo_acquire>
struct ToTheRoot : rl::test_suite<ToTheRoot<Cell, members, operations, settles, enter, look>, members> {
    ModelSlot<Cell> slots[std::size_t{members}][2];
    rl::atomic<std::uint64_t> progress;

    void before() { progress.store(0, rl::mo_relaxed, RL_INFO); }

    static std::uint64_t value(int member, unsigned operation) {
        return 100 * (std::uint64_t{operation} + 1) + static_cast<std::uint64_t>(member);
    }

    void thread(unsigned index) { index == 0 ? receive() : send(static_cast<int>(index)); }

    /// Epochs count from 1.
    void receive() {
        for (unsigned operation = 0; operation < operations; ++operation) {
            const std::uint64_t epoch = 1 + operation;
            progress.store(epoch, enter, RL_INFO);
            for (int member = 1; member < members; ++member) {
                auto& slot = slots[member][operation % 2];
                slot.await(epoch, 1);
                RL_ASSERT(slot.word(0) == value(member, operation));
            }
        }
    }

    void send(int member) {
        for (unsigned operation = 0; operation < operations; ++operation) {
            const std::uint64_t epoch = 1 + operation;
            if (operation >= 2 && settles != Settles::never) {
                const std::uint64_t entered = settles == Settles::entered_last ? epoch - 1 : epoch - 2;
                while (progress.load(look, RL_INFO) < entered) {
                    rl::yield(1, RL_INFO);
                }
            }
            const std::uint64_t word = value(member, operation);
            slots[member][operation % 2].publish(epoch, &word, 1);
        }
    }
};

using AsWritten = Portable<as_written>;

} // namespace

TEST_CASE("senders may run ahead of the root") {
    passes<ToTheRoot<AsWritten, 2, 3>>("to the root, 2 members, 3 operations");
    passes<ToTheRoot<AsWritten, 2, 4>>("to the root, 2 members, 4 operations", {4});
    passes<ToTheRoot<AsWritten, 3, 3>>("to the root, 3 members, 3 operations", {3});
    passes<ToTheRoot<Wide<as_written>, 2, 3>>("to the root, 2 members, 3 operations, wide cells");
    passes<ToTheRoot<Wide<as_written>, 3, 3>>("to the root, 3 members, 3 operations, wide cells", {2});
}

TEST_CASE("a sender waits until the root has entered the operation before") {
    caught<ToTheRoot<AsWritten, 2, 3, Settles::never>>("to the root, nobody settles",
                                                       rl::test_result_user_assert_failed);
    caught<ToTheRoot<AsWritten, 2, 3, Settles::entered_before_last>>("to the root, settled too early",
                                                                     rl::test_result_user_assert_failed);
}

TEST_CASE("entering needs the release, and the look at it the acquire") {
    caught<ToTheRoot<AsWritten, 2, 3, Settles::entered_last, rl::mo_relaxed>>("to the root, entered relaxed",
                                                                              rl::test_result_data_race);
    caught<ToTheRoot<AsWritten, 2, 3, Settles::entered_last, rl::mo_release, rl::mo_relaxed>>(
        "to the root, looked relaxed", rl::test_result_data_race);
}

} // namespace tutti::model
