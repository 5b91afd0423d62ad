// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/source_line.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tutti::v0_1 {

/// The order in which a reduction combines the members' operands.
///
/// - canonical: in rank order, associated as a binary tree that depends on the number of operands alone. The
///   left part of the tree has the largest power of two below that number.
///   For six operands: ((x0 x1) (x2 x3)) (x4 x5). A scan's result at rank r is associated as a reduction of
///   its r + 1 operands. The bits are the same on every member, for every size, on every machine and with
///   every tuning file; the error of a sum grows with log p. Exception: if the call names an algorithm, the
///   association is that algorithm's, and the algorithm may swap operands if the operator is commutative.
///   If there are several processes, each combines its members' operands in this way, and the results of the
///   processes are then combined in process order. The bits equal those of one group of all members if the
///   call is no scan, the numbers of processes and of members per process are powers of two, and all
///   processes have equally many members.
/// - serial: in rank order from the left, as in a loop over the ranks. The bits do not depend on the
///   algorithm, the size or the number of elements, nor on how the members are divided among processes. If
///   another order could change the bits, processes work one after the other.
/// - by_process: as serial among the members of each process; the results of the processes are
///   then combined as in canonical. Programs that combine by hand in a process and call MPI with the result
///   have this order, up to that of their MPI. In one process it is serial.
enum class Order : std::uint8_t { canonical, serial, by_process };

/// The timeout that never expires.
inline constexpr std::chrono::milliseconds never = std::chrono::milliseconds::max();

/// A maximum time for waiting: any std::chrono::duration, such as `30s`, `1.5s` or `250us`, or `never`. An
/// empty Timeout stands for the default that each option states.
///
/// Times are kept in milliseconds. Fractions are rounded up, so that a short timeout is not 0. Exception:
/// rounding errors of floating-point times are ignored, so `0.1s` is 100 ms. A time that is too long to be
/// kept is `never`. Calls, groups and teams reject times of 0 and less, and floating-point times that are not
/// a number, with an ArgumentError; a negative time is rounded down, so that it stays negative.
class Timeout {
public:
    /// Empty.
    constexpr Timeout() noexcept = default;
    /// Implicit, for `{.timeout = 5s}`.
    template <class Number, class Period>
    requires std::is_arithmetic_v<Number>
    constexpr Timeout(std::chrono::duration<Number, Period> time) noexcept
        : kept_(kept(milliseconds_in(time))) {}

    /// Whether a time has been given.
    constexpr bool has_value() const noexcept { return kept_ != 0; }
    /// The same as has_value().
    constexpr explicit operator bool() const noexcept { return has_value(); }

    /// The time; 0 if it is not a number, and `otherwise` if this timeout is empty.
    constexpr std::chrono::milliseconds value_or(std::chrono::milliseconds otherwise) const noexcept {
        return !has_value()                             ? otherwise
               : kept_ == zero || kept_ == not_a_number ? std::chrono::milliseconds(0)
                                                        : std::chrono::milliseconds(kept_);
    }

    /// Whether both have the same time, or none.
    friend constexpr bool operator==(const Timeout&, const Timeout&) noexcept = default;

private:
    using Milliseconds = std::chrono::milliseconds::rep;
    using Kept = std::numeric_limits<Milliseconds>;

    // Times that are rejected anyway make room for what is no number of milliseconds.
    static constexpr Milliseconds zero = Kept::min() + 1;
    static constexpr Milliseconds not_a_number = Kept::min() + 2;

    template <class Number, class Period>
    static constexpr long double milliseconds_in(std::chrono::duration<Number, Period> time) noexcept {
        const long double exact = std::chrono::duration<long double, std::milli>(time).count();
        return std::is_floating_point_v<Number> ? exact * (1 - 2.0L * std::numeric_limits<Number>::epsilon())
                                                : exact;
    }

    static constexpr Milliseconds kept(long double time) noexcept {
        if (!(time >= 0 || time < 0)) {
            return not_a_number;
        }
        if (time >= static_cast<long double>(Kept::max())) {
            return Kept::max();
        }
        if (time <= static_cast<long double>(not_a_number)) {
            return Kept::min();
        }
        const auto whole = static_cast<Milliseconds>(time);
        const auto cut = static_cast<long double>(whole);
        const Milliseconds rounded = time > cut ? whole + 1 : time < cut ? whole - 1 : whole;
        return rounded == 0 ? zero : rounded;
    }

    /// 0 if it is empty.
    Milliseconds kept_ = 0;
};

/// Options of one collective call. Every member must pass the same algorithm and order.
struct Options {
    /// Name of the algorithm (`tutti info --algorithms` lists them); empty: the library chooses. If
    /// there are several processes: the algorithm among their leaders.
    std::string_view algorithm = {};
    /// The order in which operands are combined.
    Order order = Order::canonical;
    /// Maximum time that this call may wait for other members. Default: that of the group.
    Timeout timeout = {};
    /// The source line that roll calls show for the call. By default it is the line where the options are
    /// constructed. A function that makes calls for other functions can take `const Options& options = {}`
    /// and pass it on.
    SourceLine where = SourceLine::here();
};

/// The format of a roll call. text: a few lines for people; members at the same place share a line. json: one
/// JSON object with every member, for tools.
enum class RollCallFormat : std::uint8_t { text, json };

/// How much a group records of its calls. Each value includes the values before it.
///
/// - off: nothing, unless TUTTI_TRACE requests more
/// - statistics: calls, bytes, time, waits and arrivals, for statistics()
/// - operations: the last operations and waits of each member, some thousand, for trace()
/// - steps: also the steps of each blocking operation
enum class Trace : std::uint8_t { off, statistics, operations, steps };

/// The format of a trace. json_lines: one JSON object per line, for programs and people. perfetto: Perfetto's
/// protobuf, for ui.perfetto.dev.
enum class TraceFormat : std::uint8_t { json_lines, perfetto };

/// How a member waits for another member. TUTTI_WAIT replaces `automatic`.
///
/// - automatic: adapts. If every member can have a CPU, it spins for 100 us, yields for another 100 us, and
///   then sleeps until it is woken. With more members than CPUs it yields at once, for 200 us, and then
///   sleeps. It also yields at once if it waits for a thread that was last seen on the CPU of the waiting
///   member. It sleeps at once if its last three waits took more than 1 ms each, and after 5 us if other
///   processes compete for its CPU. The CPUs of the members are the CPUs to which they are bound, within the
///   quota of a control group; members of a Group or Team check again during long waits.
/// - spin: never gives up its CPU. It should be used only if every member has a CPU to itself.
/// - yield: yields the CPU between two checks, and never sleeps.
/// - sleep: sleeps at once. It should be used if waits are long, or if other threads need the CPUs more.
enum class Wait : std::uint8_t { automatic, spin, yield, sleep };

/// Options of a group of threads, for all its calls. Groups made from the group inherit them.
struct GroupOptions {
    /// How members wait for each other.
    Wait wait = Wait::automatic;
    /// How the library chooses algorithms:
    ///
    /// - "on": blocking calls of 16 KiB or more try up to four algorithms, a much slower one once, another
    ///   three or four times, and keep the fastest (Faraj, Yuan and Lowenthal 2006), the same on all members.
    ///   Exceptions: calls with a shared result, with counts or with a named algorithm.
    /// - "off": the built-in choice.
    /// - a file that save_tuning() wrote on this machine: as "on", but the choice of the file
    ///   is tried first.
    /// - empty: the environment variable TUTTI_TUNING, and as "on" if it is not set.
    ///
    /// If this is empty or "on", and TUTTI_TUNING names no file, a file that TUTTI_TUNING_SAVE names is used
    /// if it exists. Nonblocking and persistent calls use what blocking calls of the same kind have learnt.
    ///
    /// The choice never changes a result by a single bit. A file is read once per process. If a file cannot
    /// be used (it is damaged, or from another machine or version), the library logs one warning (set_log())
    /// and begins with the built-in choice; tuning() of the team or group shows this.
    std::string tuning = {};
    /// Maximum time that members wait in calls for ranks that have never been joined. On expiry they throw an
    /// Error that names these ranks. The clock restarts whenever a rank is joined for the first time; time in
    /// which the process is stopped does not count. In a Team it has no effect, because the team's own
    /// threads are its members. Default: 10 minutes.
    Timeout join_timeout = {};
    /// Maximum time that a call may wait for other members. The clock starts when the member has waited in
    /// the call for 100 us, whether it spins or yields; if the member sleeps earlier, as with Wait::sleep,
    /// the clock starts then. On expiry every member throws TimeoutError, whose message lists where each
    /// member is. A member that has already completed the call throws from its next call. Time in which the
    /// process is stopped does not count. If a member is inside an operator, the others still wait until it
    /// leaves the operator, because it may be reading their buffers. Default: the environment variable
    /// TUTTI_TIMEOUT, in seconds ("0.5") or "never", and `never` if it is not set.
    Timeout timeout = {};
    /// After how much waiting in a call a member logs a warning (set_log()) that names the call and the late
    /// members: the first such member of each group, once. The wait goes on. Set `never` for a group that
    /// waits on purpose. Time in which the process is stopped does not count. Default: 60 s.
    Timeout report_after = {};
    /// The machine as levels of equal groups of consecutive ranks, outermost first, for the algorithms
    /// `levels-...`. For example, {2, 8, 8} is 2 sockets of 8 L3 caches with 8 members each. The product must
    /// be the number of members. If the list is empty, the levels are the packages, NUMA nodes, L3 caches and
    /// cores of the members' CPUs, as far as each has consecutive ranks. A Team uses the CPUs to which it
    /// pins its members. A Group uses the CPUs to which a Team of its size would pin them with the placement
    /// "compact" (TeamOptions::placement), because its threads have not joined yet. Sub-groups use the part
    /// of these levels that their members have. The levels never change a result by a single bit.
    std::vector<int> levels = {};
    /// How much members record of their calls. The environment variable TUTTI_TRACE names a file for the
    /// traces of all groups of the process. The file is written when the process ends, and on the signal that
    /// TUTTI_ROLL_CALL names. The name ends in ".pftrace" for Perfetto, and otherwise the file has JSON
    /// lines; "%p" in the name stands for the process ID; a suffix ",steps" also records steps. Cost: if off,
    /// one pointer check per call; if on, about 40 to 100 ns for a call of 8 bytes.
    Trace trace = Trace::off;
};

} // namespace tutti::v0_1
