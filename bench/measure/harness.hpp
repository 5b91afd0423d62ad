#pragma once

#include "cache_line.hpp"
#include "measure/calling.hpp"
#include "measure/gate.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace tutti::bench {

/// When one member entered and left one measured call, in ns of the steady clock.
struct Stamp {
    std::int64_t entry_ns = 0;
    std::int64_t exit_ns = 0;
};

/// The memory that the members of a measurement share: the gate, one word to agree on things, one counter,
/// and room for each member's stamps. It is laid out by hand because in the MPI program it lies in a window
/// that every process maps at another address.
class HarnessMemory {
public:
    /// Bytes needed for `members` members with `stamps` stamps each.
    static std::size_t bytes(int members, std::size_t stamps);

    /// Lays it out in zeroed, page-aligned `memory` of bytes(members, stamps) bytes; done by one
    /// member.
    static void create(void* memory, int members, bool crowded);

    /// A view of what has been created.
    HarnessMemory(void* memory, int members, std::size_t stamps);

    int members() const { return members_; }
    std::size_t stamps() const { return stamps_; }

    Gate& gate() const { return head_->gate; }
    std::atomic<std::uint64_t>& word() const { return head_->word; }
    std::atomic<std::uint64_t>& counter() const { return head_->counter; }

    /// Stamp `index` of `member`.
    Stamp& stamp(int member, std::size_t index) const;

private:
    struct Head {
        Gate gate;
        alignas(line_bytes) std::atomic<std::uint64_t> word{0};
        alignas(line_bytes) std::atomic<std::uint64_t> counter{0};
    };

    Head* head_;
    std::byte* first_stamps_;
    int members_;
    std::size_t stamps_;
};

/// One thing to time. The members take turns through all of a measurement's, in another order each time, so
/// that noise hits them alike.
struct Timed {
    Calls run;
    /// Called outside the timed part, before every repetition, with a number that changes each time; may be
    /// empty.
    std::function<void(std::uint64_t salt)> prepare = {};
    std::size_t calls = 1;
    /// The leader runs it alone. The others sleep meanwhile; only among threads.
    bool leader_alone = false;
};

/// How long a measurement goes on: at least `least` repetitions, then until `seconds` have passed or `most`
/// are done.
struct Limits {
    std::size_t least = 10;
    std::size_t most = 5000;
    double seconds = 3;
    /// The time of the steady clock, in ns, at which no further run begins, whatever `least` says.
    std::int64_t until_ns = std::numeric_limits<std::int64_t>::max();

    bool is_over() const { return now_ns() >= until_ns; }
};

/// One member's part in measurements that all members carry out together. Member 0 leads: it decides how long
/// they last and gets the results.
class Harness {
public:
    Harness(const HarnessMemory& memory, int rank) : shared_(memory), rank_(rank) {}

    int rank() const { return rank_; }
    int members() const { return shared_.members(); }
    bool leads() const { return rank_ == 0; }

    /// Returns when all members have come.
    void meet() { shared_.gate().meet(); }

    /// The leader's value, to all members.
    std::uint64_t agree(std::uint64_t value);

    /// The sum of all members' values, to all members.
    std::uint64_t total(std::uint64_t value);

    /// Repeats: for each of `timed`: everybody calls it once (where there are others, that have run since),
    /// prepares, meets at the gate, runs. The length of a run, from the first entry to the last exit, is
    /// divided by its calls. Returns for each of `timed` its lengths in microseconds; to the leader only,
    /// others get empty lists.
    std::vector<std::vector<double>> measure(std::span<const Timed> timed, const Limits& limits);

private:
    void repeat(std::span<const Timed> timed, std::size_t repetition);
    /// Calls what will be timed next; returns when all members are done.
    void run_once(const Timed& timed);
    /// The time that this member spends on one run.
    Stamp stamp_of(const Timed& timed, std::size_t stamp_index);
    double length_us(std::size_t stamp_index) const;

    HarnessMemory shared_;
    int rank_;
};

} // namespace tutti::bench
