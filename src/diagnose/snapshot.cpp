#include "diagnose/snapshot.hpp"

#include "group/shared_memory.hpp"
#include "machine/thread_state.hpp"
#include "wait/wait_timer.hpp"

namespace tutti::engine {

Snapshot snapshot_of(const SharedMemory& memory) {
    Snapshot look{.at = clock_now()};
    look.digests.reserve(static_cast<std::size_t>(memory.members()));
    const Channels* const channels = memory.channels_if_any();
    for (int rank = 0; rank < memory.members(); ++rank) {
        Snapshot::Mark& mark = look.digests.emplace_back();
        // Acquire, though nothing is read that it makes visible.
        mark.progress = memory.board(rank).progress.observe();
        if (channels != nullptr) {
            mark.starts = channels->starts(Sequence::nonblocking, rank).count.observe() +
                          channels->starts(Sequence::persistent, rank).count.observe();
        }
        const int thread = memory.status(rank).thread.load(std::memory_order_relaxed);
        if (thread != 0) {
            mark.cpu_time = machine::thread_cpu_time(thread);
        }
    }
    return look;
}

} // namespace tutti::engine
