#pragma once

#include "algorithm/registry.hpp"
#include "cache_line.hpp"
#include "immovable.hpp"
#include "mailbox/mailbox.hpp"
#include "mailbox/slot.hpp"
#include "plan/plan.hpp"
#include "record/timeline.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/observe.hpp>
#include <tutti/options.hpp>

#include <chrono>
#include <functional>
#include <list>

namespace tutti::library {

/// A clock that is read in some ns: the processor's, whose unit shows only beside another clock.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc(); // what __rdtsc() is, without the 80,000 lines of <x86intrin.h>
#else
    return static_cast<std::uint64_t>(clock_now().count());
#endif
}

/// Both clocks at one moment.
struct Moment {
    std::uint64_t ticks = 0;
    std::chrono::nanoseconds time{0};

    static Moment now() noexcept { return {library::ticks(), clock_now()}; }
};

/// Converts ticks to time by two moments: the further these are apart, the better.
class TickScale {
public:
    TickScale(const Moment& first, const Moment& last) noexcept
        : first_ticks_(first.ticks),
          ns_per_tick_(last.ticks > first.ticks ? static_cast<double>((last.time - first.time).count()) /
                                                      static_cast<double>(last.ticks - first.ticks)
                                                : 1.0) {}

    /// Since the first moment.
    std::int64_t ns_at(std::uint64_t ticks) const noexcept { return ns_of(ticks - first_ticks_); }
    std::int64_t ns_of(std::uint64_t ticks) const noexcept {
        return static_cast<std::int64_t>(static_cast<double>(ticks) * ns_per_tick_);
    }

private:
    std::uint64_t first_ticks_;
    double ns_per_tick_;
};

/// A recorded operation, step or wait of a member: so many words, which can be shown to others.
struct Event {
    static constexpr std::size_t words = 5;

    std::uint64_t begin_ticks = 0;
    std::uint64_t end_ticks = 0;
    /// Operation, step or wait.
    trace::SpanKind kind : 4 = trace::SpanKind::operation;
    Sequence sequence : 4 = Sequence::blocking;
    /// Only an operation fails.
    bool has_failed = false;
    /// The row of an operation in the registry, or the code of a step.
    std::uint16_t what = 0;
    int peer = -1;
    std::uint64_t bytes = 0;
    std::uint64_t number = 0;
};

/// The record of one member's calls. The member writes, any other thread reads at any time. Lives in pages of
/// zero bytes.
class alignas(line_bytes) MemberRecord {
public:
    /// So many events are kept, the last ones.
    static constexpr std::size_t most_events = 4095;

    /// By the member.
    void add(const Event& event) noexcept;

    struct Totals {
        std::uint64_t calls = 0;
        std::uint64_t bytes = 0;
        std::uint64_t ticks = 0;
        std::uint64_t waited_ticks = 0;
    };
    /// By the member: so much more than before, in calls by this row of the registry.
    void count(std::size_t row, const Totals& more) noexcept;
    Totals totals(std::size_t row) const;

    /// Those that were not written over meanwhile, in the order of their ends.
    std::vector<Event> events() const;

    /// The highest of the operations of which something was recorded, 0 if there was none. While the member
    /// is in no call.
    std::uint64_t last_number(Sequence sequence) const;

private:
    /// One may be under way.
    static constexpr std::size_t most_slots = most_events + 1;

    struct Counter {
        mailbox::StdWord calls;
        mailbox::StdWord bytes;
        mailbox::StdWord ticks;
        mailbox::StdWord waited_ticks;
    };

    mailbox::StdWord written_;
    std::array<mailbox::StdWord, sequence_count> last_numbers_;
    std::array<Counter, algorithm::most_rows> counters_;
    std::array<std::array<mailbox::StdWord, Event::words>, most_slots> events_;
};

/// The place and the identity of an operation in a member's record.
struct Recorded {
    MemberRecord& record;
    Trace trace;
    Sequence sequence;
    std::uint64_t number;
    /// In the registry.
    std::size_t row;
};

/// A blocking operation of a member, under way. Used by its thread only.
class OperationRecord {
public:
    OperationRecord(MemberRecord& record, Trace trace, std::uint64_t number) noexcept
        : record_(record), trace_(trace), number_(number), began_(ticks()), step_began_(began_) {}

    void looks_for(int peer) noexcept {
        awaited_ = peer;
        if (wait_began_ == 0) {
            wait_began_ = ticks();
        }
    }
    void sees(int peer) noexcept {
        if (wait_began_ != 0) {
            end_wait(peer);
        }
    }
    void has_done(const plan::Step& step, std::size_t bytes) noexcept;
    bool sees_steps() const noexcept { return trace_ >= Trace::steps; }
    /// It is complete. Its steps, if they are recorded, are all of its time.
    void end(std::size_t row, std::uint64_t bytes) noexcept;
    /// The operation fails: its time counts, including the wait, but not as a call.
    void fail(std::size_t row, std::uint64_t bytes) noexcept;

private:
    void end_wait(int peer) noexcept;
    void add(std::size_t row, std::uint64_t bytes, std::uint64_t now, bool has_failed) noexcept;

    MemberRecord& record_;
    Trace trace_;
    std::uint64_t number_;
    std::uint64_t began_;
    std::uint64_t step_began_;
    std::uint64_t wait_began_ = 0;
    int awaited_ = -1;
    std::uint64_t waited_ = 0;
};

/// An outstanding operation of a member, beside others. Used by its thread only.
class FlightRecord {
public:
    void begin() noexcept {
        began_ = ticks();
        ended_ = 0;
    }
    /// The member has waited for it, last for that peer, until its end or not as long.
    void has_waited(const Recorded& recorded, std::uint64_t since, int peer) const noexcept;
    /// It is complete, or has failed.
    void end(const Recorded& recorded, std::uint64_t bytes, bool has_failed) noexcept;

private:
    std::uint64_t began_ = 0;
    std::uint64_t ended_ = 0;
};

/// Watches a run of a member, see run::Unobserved.
class Observer {
public:
    static constexpr bool is_on = true;

    /// It must outlive the observer.
    explicit Observer(OperationRecord& record) noexcept : record_(&record) {}

    bool sees_steps() const noexcept { return record_->sees_steps(); }
    void looks_for(int peer) noexcept { record_->looks_for(peer); }
    void sees(int peer) noexcept { record_->sees(peer); }
    void has_done(const plan::Step& step, std::size_t bytes) noexcept { record_->has_done(step, bytes); }

private:
    OperationRecord* record_;
};

/// When the first group of the process was made that records its calls.
const Moment& first_moment();

/// The length of ticks, measured at the first call, which takes up to 20 ms. It is the same from then on, so
/// that times do not change from one look to the next.
const TickScale& tick_scale();

/// The records of all members of a group.
class Recorder {
public:
    Recorder(int members, Trace trace);

    Trace trace() const { return trace_; }
    MemberRecord& of(int member) const { return records_[member]; }

    /// The number in the group's whole life of the `number`-th operation of a sequence since the group has
    /// become usable.
    std::uint64_t number_in_all(Sequence sequence, std::uint64_t number) const {
        return before_[static_cast<std::size_t>(sequence)] + number;
    }
    /// The members count from 1 again, after a failure. While no member is in a call.
    void begin_anew();

    /// The events that are kept, from when the process has made its first recorder. `threads` are the
    /// members'.
    trace::Timeline timeline(std::span<const int> threads) const;
    Statistics statistics() const;

private:
    std::string name_;
    int members_;
    Trace trace_;
    /// The operations before the last failure. It is ordered by whatever orders the epochs that members
    /// resume from.
    std::array<std::uint64_t, sequence_count> before_{};
    ZeroPages pages_;
    MemberRecord* records_;
};

/// The amount of recording that the environment variable TUTTI_TRACE requests.
Trace trace_of_process();

/// A group whose trace goes into the file that TUTTI_TRACE names, as long as this lives, and as it is then at
/// the end.
class TraceListed : Immovable {
public:
    /// Lists nothing if no file is named. `timeline` may be called by any thread.
    explicit TraceListed(std::function<trace::Timeline()> timeline);
    ~TraceListed();

private:
    friend class TraceFile;

    std::function<trace::Timeline()> timeline_;
    std::list<const TraceListed*>::iterator place_;
    bool is_listed_ = false;
};

/// Writes the file that TUTTI_TRACE names, if there is something to write.
void write_trace_file() noexcept;

} // namespace tutti::library
