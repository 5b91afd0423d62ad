#pragma once

#include "hybrid/channel/call_trail.hpp"
#include "hybrid/channel/mpi_check.hpp"

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

namespace tutti::hybrid {

/// What processes that wait for long say to those that they wait for: what they are calling. Messages of
/// different calls never match, so that is how processes in different calls find out. A process has one
/// question to another under way at most, and asks once in a call unless what it would say has changed.
class MismatchProbe {
public:
    /// Among so many processes, once it is open.
    explicit MismatchProbe(int processes);

    /// On a communicator that has `tag` for questions alone.
    void open(MPI_Comm communicator, int tag) {
        communicator_ = communicator;
        tag_ = tag;
    }

    /// Tells `peer`. Returns at once. See TrailSummary.
    void ask(int peer, const CallTrail& own, std::uint64_t begun_on_other, bool is_stuck);

    /// Takes the questions that have come, and compares. Throws MismatchError.
    void hear(int process, const CallTrail& own);
    /// Throws MismatchError where a process that has asked waits here for this one to begin a call after the
    /// `begun`-th, while this one waits for it in its last call on another channel.
    void compare_crossing(int process, std::uint64_t begun, const CallTrail& other) const;

    /// How many each process has been asked, and how many have asked this one, by process. Nobody may free
    /// the communicator before all that were asked have been taken.
    const int* asked() const { return kept_->asked_counts.data(); }
    int* due() { return kept_->due_counts.data(); }
    /// Takes those that are due and have not been taken, and returns when the others have taken theirs. By
    /// all processes.
    void settle();

    /// What MPI may use as long as the communicator is there.
    std::shared_ptr<Keepable> memory() const { return kept_; }

private:
    struct Asked {
        MPI_Request request = MPI_REQUEST_NULL;
        TrailSummary summary;
    };
    struct Kept : Keepable {
        std::vector<int> asked_counts;
        std::vector<int> due_counts;
        /// By peer; made when the first is asked.
        std::vector<Asked> asked;
    };

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int tag_ = 0;
    std::vector<int> taken_counts_;
    std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
    /// Those of processes that are calls ahead, and who asked.
    std::vector<std::pair<int, TrailSummary>> ahead_;
};

} // namespace tutti::hybrid
