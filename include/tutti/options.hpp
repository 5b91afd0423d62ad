#pragma once

#include <tutti/detail/standard.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// In what order a reduction combines the members' operands.
///
/// - any: where the library chooses, the butterfly's order. Operands come in rank order, associated as a
/// binary
///   tree that depends on their number alone: its left part has the largest power of two below it, such as
///   ((x0 x1) (x2 x3)) (x4 x5) of six. The result of a scan at rank r is associated as the r + 1 operands
///   that it has. The same bits on every member, for every size, on every machine and with every tuning file;
///   the error of a sum grows with log p. Where the call names an algorithm, as that one does, in rank order
///   where the operator is not commutative
/// - serial: in rank order from the left, as a loop over the ranks would: the same bits whichever algorithm,
///   size or number of elements is chosen
enum class Order : std::uint8_t { any, serial };

/// A line of a program.
struct SourceLine {
    /// Must last as long as the program may ask for roll calls, as string literals do.
    const char* file = nullptr;
    /// From 1 on; 0: unknown.
    unsigned line = 0;

    /// The one that calls it, also as a default argument.
    static constexpr SourceLine here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return {file, line};
    }
};

/// What a caller may choose for one collective call. Every member must choose the same algorithm and order.
struct Options {
    /// Name of the algorithm (`tutti info --algorithms` lists them); empty: the library chooses.
    std::string_view algorithm = {};
    /// In which operands are combined.
    Order order = Order::any;
    /// How long this call may wait for others; as GroupOptions::deadline, which it takes the place of. 0:
    /// that of the group.
    std::chrono::milliseconds deadline = {};
    /// Where the call is in the program, which roll calls tell: where these options are made, if with braces.
    /// A function that calls for others can take `const Options& options = {}`, and pass them on.
    SourceLine where = SourceLine::here();
};

/// How a roll call is written: some lines for people, of members at the same place together; or an object of
/// JSON that has all members, for tools.
enum class RollCallFormat : std::uint8_t { text, json };

/// What is recorded of calls: each includes what comes before it.
///
/// - off: nothing; TUTTI_TRACE may ask for more
/// - statistics: calls, bytes, time, waits and arrivals, which statistics() tells
/// - operations: the last operations and waits of each member, some thousand, which trace() tells
/// - steps: the steps of each operation that blocks as well
enum class Trace : std::uint8_t { off, statistics, operations, steps };

/// How a trace is written: an object of JSON a line, for programs and people; or Perfetto's protobuf, for
/// ui.perfetto.dev.
enum class TraceFormat : std::uint8_t { json_lines, perfetto };

/// How a member waits for another one. TUTTI_WAIT replaces `automatic`.
///
/// - automatic: adapts. If every member can have a CPU, it spins for 100 us, yields for another 100 us, and
///   then sleeps until it is woken; with more members than CPUs it yields at once, for 200 us. It yields at
///   once as well if it waits for a thread that was last seen on its own CPU. It sleeps at once if its last
///   three waits took more than 1 ms each, or if other processes want its CPU. The CPUs of the members are
///   those to which they are bound, within a control group's quota; members look again when they wait
///   long.
/// - spin: never gives up its CPU. Use it only if every member has a CPU to itself.
/// - yield: lets other threads run between two looks, and never sleeps.
/// - sleep: sleeps at once. Use it if waits are long, or others need the CPUs more.
enum class Wait : std::uint8_t { automatic, spin, yield, sleep };

/// What may be chosen for a group of threads, once for all its calls. Groups that split(), subset() and dup()
/// make of it have the same.
struct GroupOptions {
    /// How members wait for each other.
    Wait wait = Wait::automatic;
    /// A file that `tutti tune` has written on this machine, from which the library takes its choice of
    /// algorithms; empty: the one that the environment variable TUTTI_TUNING names, else the built-in choice.
    /// No result depends on it by a single bit. A file is read once in the life of a process. One that cannot
    /// be used (damaged, from another machine or version) is reported on stderr, once, and the built-in
    /// choice is used; tuning() of the team or group tells.
    std::string tuning = {};
    /// Of a Group: how long members wait in calls for seats that nobody has ever taken, until they throw an
    /// Error that names these. Begins anew with each seat that is taken for the first time; time in which the
    /// process is stopped does not count. 0: for ever.
    std::chrono::milliseconds join_deadline = std::chrono::minutes(10);
    /// How long a call of a member may wait for others, from where it begins to wait slowly, until all
    /// members throw a TimeoutError that says who is where; those that have completed that call already, in
    /// their next one. Time in which the process is stopped does not
    /// count; a member inside an operator is waited for even then. 0: as long as the environment variable
    /// TUTTI_TIMEOUT says, in seconds ("0.5"), else for ever.
    std::chrono::milliseconds deadline = {};
    /// The machine as levels of equal groups of consecutive ranks, outermost first, for the algorithms
    /// `levels-...`: {2, 8, 8} are 2 sockets of 8 L3 caches of 8 members. The product must be the number of
    /// members. Empty: the packages, NUMA nodes, L3 caches and cores to which members are pinned, as far as
    /// each has consecutive ranks; of threads that join, those to which "compact" would pin them. Sub-groups
    /// have of these groups what their members have. No result depends on it by a single bit.
    std::vector<int> levels = {};
    /// What members record of their calls. The environment variable TUTTI_TRACE names a file for the traces
    /// of all groups of the process, written when that ends, and when the signal comes that TUTTI_ROLL_CALL
    /// names: "run.pftrace" for Perfetto, else JSON lines; "%p" in it is the number of the process, and
    /// ",steps" behind it asks for steps. Off, a call takes one look at a pointer; on, a call
    /// of 8 bytes some 40 to 100 ns more.
    Trace trace = Trace::off;
};

} // namespace tutti
