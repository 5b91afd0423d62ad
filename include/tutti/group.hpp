#pragma once

#include <tutti/member.hpp>

#include <memory>
#include <string>

namespace tutti {

/// Seats for threads that exist already: OpenMP threads, std::thread, a pool's workers.
///
/// A group is a handle; copies share the same seats. It stays usable for as many parallel regions as the
/// program has: a thread joins, calls collectives, and leaves when its Member is destroyed. When a Member is
/// destroyed by an exception, the other members are released with Aborted, and the group can be used again
/// once all have left.
class Group {
public:
    /// Throws ArgumentError unless 1 <= members <= 65535.
    explicit Group(int members, const GroupOptions& options = {});

    /// The number of seats.
    int size() const;

    /// One line that says where the choice of algorithms comes from: "built-in choice", "file tuned.txt", or
    /// why a file is not used.
    std::string tuning() const;

    /// Takes seat `rank` for the calling thread. Throws ArgumentError when rank is not in 0 .. size() - 1 or
    /// the seat is taken, and Aborted while members of a failed operation are still leaving.
    Member join(int rank);

private:
    std::shared_ptr<detail::GroupState> state_;
};

} // namespace tutti
