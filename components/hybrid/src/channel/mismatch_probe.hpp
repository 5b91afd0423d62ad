#pragma once

#include "hybrid/src/channel/call_trail.hpp"
#include "hybrid/src/channel/mpi_check.hpp"

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

namespace tutti::hybrid {

/// Probes of processes that wait for long: they send a summary of their calls to the processes for which they
/// wait. Messages of different calls never match, so processes in different calls find out only by this. At
/// most one probe of a process to another is under way, and a process sends one per call unless its summary
/// has changed.
class MismatchProbe {
public:
    /// Among so many processes, once it is open.
    explicit MismatchProbe(int processes);

    /// On a communicator that has `tag` for probes alone.
    void open(MPI_Comm communicator, int tag) {
        communicator_ = communicator;
        tag_ = tag;
    }

    /// Sends a probe to `peer`. Returns at once. See TrailSummary.
    void ask(int peer, const CallTrail& own, std::uint64_t begun_on_other, bool is_stuck);

    /// Receives the probes that have come, and compares. Throws MismatchError.
    void hear(int process, const CallTrail& own);
    /// Throws MismatchError if a process that has sent a probe waits here for this one to begin a call after
    /// the `begun`-th, while this one waits for it in its last call on another channel.
    void compare_crossing(int process, std::uint64_t begun, const CallTrail& other) const;

    /// The number of probes sent to each process, and received from each, by process. Nobody may free the
    /// communicator before all probes have been received.
    const int* asked() const { return kept_->asked_counts.data(); }
    int* due() { return kept_->due_counts.data(); }
    /// Receives the probes that are due and have not been received, and returns when the others have received
    /// theirs. By all processes.
    void settle();

    /// The memory that MPI may use as long as the communicator exists.
    std::shared_ptr<Keepable> memory() const { return kept_; }

private:
    struct Asked {
        MPI_Request request = MPI_REQUEST_NULL;
        TrailSummary summary;
    };
    struct Kept : Keepable {
        std::vector<int> asked_counts;
        std::vector<int> due_counts;
        /// By peer; made for the first probe.
        std::vector<Asked> asked;
    };

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int tag_ = 0;
    std::vector<int> taken_counts_;
    std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
    /// The summaries of processes that are calls ahead, with their senders.
    std::vector<std::pair<int, TrailSummary>> ahead_;
};

} // namespace tutti::hybrid
