#pragma once

#include "cache_line.hpp"
#include "measure/calling.hpp"
#include "measure/problem.hpp"
#include "tasks/src/pass/pass.hpp"

#include <tutti/detail/kernels.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// The least loads and stores of member `rank`, without any synchronisation with the others. m is the longest
/// vector of a member; bytes that all p members load and store together:
///
/// - allreduce, scan, exscan, alltoall, shift: 2 p m (a block of all inputs, combined in registers, to all
///   outputs; blocks to their owners)
/// - reduce, reduce_scatter, allgather: (p + 1) m
/// - broadcast: p m, shared by all or (p - 1) 2 m, read by everybody, whichever is faster
/// - gather, scatter: 2 m
/// - barrier, alltoall and shift in place: no floor
///
/// Returns one function for each way that is worth trying for this size: storing by plain stores, rep movsb
/// or non-temporal stores, and pushing or pulling if that makes a difference.
std::vector<Calls> floors(const Problem& problem, int rank, const pass::Vectors& vectors);

/// The passes of the problem in one of these ways.
Calls in_passes(const Problem& problem, int rank, const pass::Vectors& vectors, pass::Direction direction,
                detail::StoreHints stores);

} // namespace tutti::bench
