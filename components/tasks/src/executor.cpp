#include "cache_line.hpp"

#include <tutti/error.hpp>
#include <tutti/executor.hpp>
#include <tutti/team.hpp>

#include <atomic>

namespace tutti::v0_1 {

Executor executor_of(Team& team) {
    return [&team](std::size_t count, const std::function<void(std::size_t)>& task) {
        if (task == nullptr) {
            throw ArgumentError("executor_of: task is empty; pass one that takes an index");
        }
        const auto members = static_cast<std::size_t>(team.size());
        const auto first_of = [&](std::size_t rank) { return count * rank / members; };
        struct alignas(line_bytes) Started {
            std::atomic<std::size_t> tasks{0};
        };
        std::vector<Started> started(members);
        team.run([&](const Member& me) {
            // After its own those of members that are late, whose threads have yet to wake up.
            for (std::size_t other = 0; other < members; ++other) {
                const std::size_t rank = (static_cast<std::size_t>(me.rank()) + other) % members;
                // Relaxed: it only shares them out; the end of the run orders what they do.
                const auto next = [&] {
                    return first_of(rank) + started[rank].tasks.fetch_add(1, std::memory_order_relaxed);
                };
                for (std::size_t index = next(); index < first_of(rank + 1); index = next()) {
                    task(index);
                }
            }
        });
    };
}

} // namespace tutti::v0_1
