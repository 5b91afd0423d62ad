#pragma once

#include "cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::bench {

/// The least that two threads which wait for each other can do: each stores its own line and spins on the
/// other's, back to back, in a plain loop. This is the least cost of any collective of two members.
class FlagExchange {
public:
    /// `calls` exchanges of member `rank` (0 or 1); both members perform the same number.
    void run(int rank, std::size_t calls) {
        Line& mine = lines_[rank];
        const Line& other = lines_[1 - rank];
        std::uint64_t turn = mine.turn.load(std::memory_order_relaxed);
        for (std::size_t call = 0; call < calls; ++call) {
            mine.turn.store(++turn, std::memory_order_release); // release: pairs with the other's acquire
            while (other.turn.load(std::memory_order_acquire) < turn) {
            }
        }
    }

private:
    struct alignas(paired_lines_bytes) Line {
        std::atomic<std::uint64_t> turn{0};
    };

    Line lines_[2];
};

} // namespace tutti::bench
