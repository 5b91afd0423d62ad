#pragma once

#include "group/seat.hpp"
#include "group/shared_memory.hpp"
#include "wait/failure.hpp"
#include "wait/join_timeout.hpp"

#include <tutti/detail/export.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace tutti::engine {

/// The seats of a group, and which threads that join sit there.
class Seats {
public:
    Seats(const Failure& failure, SharedMemory& memory, std::chrono::milliseconds join_timeout)
        : failure_(failure), memory_(memory), join_timeout_(join_timeout) {}
    /// Makes the seats. Once.
    void make(detail::GroupState& group, int members);

    int size() const { return static_cast<int>(seats_.size()); }
    detail::Seat& operator[](int rank) { return *seats_[static_cast<std::size_t>(rank)]; }
    const std::vector<std::unique_ptr<detail::Seat>>& all() const { return seats_; }

    /// Threads join to be the members. Before anybody does.
    void expect_joins() { members_join_ = true; }
    bool members_join() const { return members_join_; }

    /// Takes a seat for the calling thread. Throws ArgumentError when it is taken, and Aborted when the
    /// region to which the seat comes has failed before. Waits until those have left who were there when the
    /// group failed: the first to come after that makes it usable again, by recover(). Throws Aborted as well
    /// when they do not leave for `longest_leave`: then what would have been the next region has failed for
    /// everybody.
    void take(int rank, const std::function<void()>& recover);
    static constexpr std::chrono::milliseconds longest_leave{1000};
    /// Gives a seat back that has been taken.
    void leave(int rank);

    /// Throws an Error that names the seats that nobody has ever taken, where `member`, which has joined, has
    /// waited too long for one of them to be `peer`.
    void require_joined(int member, int peer);

    /// Whether the group has failed and cannot be used yet: of a group that threads join, while some are
    /// still there.
    bool is_unusable();
    /// Whether nobody has a seat. What those did who had one came before.
    TUTTI_COMPONENT_API bool is_deserted();

private:
    /// Throws Aborted to who comes to join and may not because of a failure, of which it tells.
    [[noreturn]] void throw_refused(int rank, const char* why) const;

    /// Begins anew after a failure, when all have left: lets every seat know how many regions it has missed.
    void begin_anew(const std::function<void()>& recover);

    const Failure& failure_;
    SharedMemory& memory_;
    std::vector<std::unique_ptr<detail::Seat>> seats_;
    /// guards the occupancy of the seats.
    std::mutex mutex_;
    std::condition_variable changed_;
    int taken_ = 0;
    JoinTimeout join_timeout_;
    bool members_join_ = false;
};

} // namespace tutti::engine
