#pragma once

#include "call/call_signature.hpp"
#include "hybrid/src/channel/mpi_check.hpp"
#include "mixed.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::hybrid {

/// The calls of a process on one channel: the last calls that differ from the one before, and a digest of
/// all.
class CallTrail {
public:
    /// The next call: its number is higher than that of the last one. `digest` is that of its call signature.
    void add(std::uint64_t number, const engine::CallSignature& call_signature, std::uint64_t digest) {
        if (digest != last_digest_) {
            last_digest_ = digest;
            log_.add({number, number, 1, call_signature});
        }
        digests_[number % digests_.size()] = mixed(this->digest(), digest);
        number_ = number;
    }

    /// The number of the last call; 0 before the first.
    std::uint64_t number() const { return number_; }
    /// The digest of all calls.
    std::uint64_t digest() const { return digests_[number_ % digests_.size()]; }
    /// The digest of all calls up to that one; empty if it is not known, or not any more.
    std::optional<std::uint64_t> digest_at(std::uint64_t number) const;
    engine::CallHistory history() const { return *log_.read(number_); }

private:
    std::uint64_t number_ = 0;
    std::uint64_t last_digest_ = 0;
    /// By number.
    std::array<std::uint64_t, 64> digests_{};
    engine::CallLog log_;
};

/// Probes of processes that wait for long: they send a summary of their calls to the processes for which they
/// wait. Messages of different calls never match, so processes in different calls find out only by this. At
/// most one probe of a process to another is under way, and a process sends one per call unless its summary
/// has changed.
class MismatchProbe {
public:
    /// The message of one process to another about its trail.
    struct Summary {
        static constexpr std::size_t most_calls = 8;
        static constexpr std::size_t most_text = 96;

        std::uint64_t number = 0;
        std::uint64_t digest = 0;
        /// How far it has come on the other channel, and whether it goes no further there before its last
        /// call here is complete.
        std::uint64_t begun_on_other = 0;
        bool is_stuck = false;
        /// The last calls that differ from the one before, in order, and the types that their signatures
        /// name, for users.
        std::uint64_t size = 0;
        std::array<engine::CallRecord, most_calls> calls{};
        std::array<std::array<char, most_text>, most_calls> types{};

        Summary() = default;
        explicit Summary(const CallTrail& trail);
        engine::CallHistory history() const;
    };

    /// Among so many processes, once it is open.
    explicit MismatchProbe(int processes);

    /// On a communicator that has `tag` for probes alone.
    void open(MPI_Comm communicator, int tag) {
        communicator_ = communicator;
        tag_ = tag;
    }

    /// Sends a probe to `peer`. Returns at once. See Summary.
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
        Summary summary;
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
    std::vector<std::pair<int, Summary>> ahead_;
};

} // namespace tutti::hybrid
