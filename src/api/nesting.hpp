#pragma once

#include "immovable.hpp"

#include <tutti/version.hpp>

#include <mutex>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// A run of a team, and the run one of whose members has called it. All runs further out last at least as
/// long as this one.
struct Run {
    const void* team;
    const Run* outer;
};

/// The innermost run in which the calling thread has a part; null outside of all.
const Run* current_run();

/// Gives the calling thread its part in a run while this lives.
class InRun : Immovable {
public:
    explicit InRun(const Run& run);
    ~InRun();

private:
    const Run* before_;
};

/// The turns of the threads that call one team.
class Turns {
public:
    /// Takes the next turn for the calling thread. Throws Error if that would never come: the thread has
    /// a part in a run of the same team, or the run that has the turn waits, through any number of teams,
    /// for the end of one in which the thread has a part.
    std::unique_lock<std::mutex> take(const void* team);

private:
    std::mutex turn_;
};

/// Whether the calling thread has a part in a run of `team`.
bool is_in_run_of(const void* team);

} // namespace tutti::inline TUTTI_NAMESPACE::detail
