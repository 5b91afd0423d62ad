#pragma once

#include "group/seat.hpp"
#include "group/shared_memory.hpp"
#include "wait/failure.hpp"
#include "wait/join_timeout.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
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

    /// Takes a seat for the calling thread. The number of the region that begins with that. Throws Aborted if
    /// the group has failed, and ArgumentError if the seat is taken.
    std::int64_t take(int rank);

    /// Throws an Error that names the seats that nobody has ever taken, where `member`, which has joined, has
    /// waited too long for one of them to be `peer`.
    void require_joined(int member, int peer);

private:
    [[noreturn]] void throw_refused(int rank) const;

    const Failure& failure_;
    SharedMemory& memory_;
    std::vector<std::unique_ptr<detail::Seat>> seats_;
    JoinTimeout join_timeout_;
    bool members_join_ = false;
};

} // namespace tutti::engine
