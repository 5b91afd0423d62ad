#include "command/declare.hpp"

#include "measure/statistics.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace tutti::bench {

namespace {

// What stands in no help is what the options were called before.

void declare_collective(CLI::App& command, std::string& collective, const char* text) {
    command.add_option("collective", collective, text);
    command.add_option("--collective", collective)->group("");
}

template <class Members>
void declare_members(CLI::App& command, Members& members, const char* text) {
    command.add_option("-t,--members", members, text)->capture_default_str();
    command.add_option("-r,--ranks", members)->group("");
}

void declare_points(CLI::App& command, PointArguments& arguments) {
    command
        .add_option("-b,--begin", arguments.begin, "Smallest vector in bytes, with K, M, G as binary units")
        ->capture_default_str();
    command.add_option("-e,--end", arguments.end, "Largest vector in bytes")->capture_default_str();
    command.add_option("-f,--factor", arguments.factor, "From one size to the next")->capture_default_str();
    declare_members(command, arguments.members, "Numbers of members: 2,4,8 or 1:4");
    command.add_option("--placement", arguments.placement, "compact, scatter, none, or CPUs such as 0,2,4-7")
        ->capture_default_str();
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

void declare_busy(CLI::App& command, BenchArguments& arguments) {
    CLI::Option* const busy =
        command
            .add_option("--busy", arguments.busy,
                        "Instead: allreduce of 8 bytes beside so many busy loops of other processes, such as "
                        "0,2,4, by each way to wait; takes --members, --placement, --seconds, --rounds and "
                        "--quiet")
            ->delimiter(',');
    constexpr std::array taken{"collective", "--help",   "--members", "--placement",
                               "--seconds",  "--rounds", "--quiet",   "--busy"};
    for (CLI::Option* const option : command.get_options()) {
        if (std::ranges::none_of(taken, [&](const char* name) { return option->check_name(name); })) {
            busy->excludes(option);
        }
    }
}

} // namespace

void declare(CLI::App& command, BenchArguments& arguments) {
    command.add_option("collective", arguments.collectives,
                       "barrier, broadcast, allreduce, ...; all if none is named");
    declare_points(command, arguments.points);
    command.get_option("--quiet")->description("No progress on stderr, and no legend above the tables");
    command
        .add_option("-a,--algorithm", arguments.algorithm,
                    "A list of auto, all and names (see tutti info --algorithms)")
        ->capture_default_str();
    command.add_option("-d,--type", arguments.type, "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 c32 c64")
        ->capture_default_str();
    command.add_option("-o,--op", arguments.op, "sum prod min max land lor lxor band bor bxor")
        ->capture_default_str();
    command
        .add_option("--levels", arguments.levels,
                    "Groups of members for the algorithms levels-...: children of a group in each level, "
                    "outermost first, as 2,8,8; else where members are pinned")
        ->delimiter(',');
    auto* const in_place =
        command.add_flag("--in-place", arguments.in_place, "One vector is input and output");
    auto* const shared = command
                             .add_flag("--shared", arguments.shared,
                                       "The result of allreduce and allgather is one vector for all members")
                             ->excludes(in_place);
    command
        .add_option("--calling", arguments.calling,
                    "A list of blocking, started (and waited for at once), persistent (prepared before), "
                    "arriving (for ranks that are only names), one_caller (one for all): how calls are made; "
                    "blocking is among them")
        ->excludes(shared)
        ->capture_default_str();
    command
        .add_option("--in-flight", arguments.in_flight,
                    "Also with so many calls started before they are waited for; the time of one")
        ->excludes(shared)
        ->capture_default_str();
    command.add_option("-c,--check", arguments.check, "Check results before and after timing: 0 or 1")
        ->capture_default_str();
    command
        .add_option("--baseline", arguments.baseline,
                    "none, all, or a list of openmpi, mpich, openmp, openmp_clang, openmp_array, "
                    "std_barrier, tbb, gloo; those that are not there are skipped")
        ->capture_default_str();
    command.add_option("--seconds", arguments.points.seconds, "Time limit for a point of one provider")
        ->capture_default_str();
    command.add_option("-n,--repetitions", arguments.repetitions, "Repetitions at most")
        ->capture_default_str();
    command
        .add_option("--rounds", arguments.rounds,
                    "How often those with threads or processes of their own take turns with Tutti")
        ->capture_default_str();
    command
        .add_option("--format", arguments.format,
                    "table; nccl: the columns of nccl-tests; benchmark: the JSON of Google Benchmark. The "
                    "last two go to stdout, and text for readers then goes to stderr")
        ->capture_default_str();
    command.add_option("--json", arguments.json,
                       "Write all points to this file; - is stdout, text for readers then goes to stderr");
    command.add_flag("--resume", arguments.resume,
                     "Go on with the file of --json that the same command has left where it was interrupted");
    command.add_option("--csv", arguments.csv, "The same as comma-separated values, without the samples");
    command.add_option("--html", arguments.html, "A report of them in one file for a browser");
    command.footer(fmt::format(
        "A time with ~ is unstable: the 95 % interval of the median is wider than {:.0f} % of it.\n"
        "algbw: bytes of the longest vector of a member over the median, in GB/s; busbw: times the "
        "factor of nccl-tests.",
        100 * widest_interval));
    declare_busy(command, arguments);
    command.add_flag("--hybrid", std::function<void(std::int64_t)>(),
                     "Under mpirun: clusters of processes; has options of its own, see --hybrid --help");
}

void declare(CLI::App& command, laboratory::VerifyArguments& arguments) {
    declare_collective(command, arguments.collective, "Only this collective");
    declare_members(command, arguments.ranks,
                    "Numbers of members: 1:1024, 22, or 2,4,8:16. Above 128 one root by turns, and one form "
                    "where each member has a program of its own");
    command.add_option("-a,--algorithm", arguments.algorithm, "Only algorithms of this name");
    command.add_option("--expression", arguments.expression,
                       "MEMBERS:RANK: print what that member computes instead (by default in the circulant "
                       "reduce_scatter)");
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

void declare(CLI::App& command, laboratory::DrawArguments& arguments) {
    declare_collective(command, arguments.collective, "barrier, broadcast, allreduce, ...");
    command.add_option("-a,--algorithm", arguments.algorithm, "A name (see tutti info --algorithms)");
    CLI::Option* const machine =
        command
            .add_option_function<std::string>(
                "--machine", [&](const std::string& name) { arguments.machine = name; },
                "A published machine (a wrong name lists them), or a file that tutti measure has written: "
                "without a collective it is drawn itself, with who runs where; with one its levels are those "
                "of the algorithms levels-...")
            ->expected(0, 1);
    command
        .add_option("--placement", arguments.placement,
                    "Of --machine: compact, scatter, or CPUs such as 0,2,4-7")
        ->capture_default_str()
        ->needs(machine);
    command
        .add_option("-t,--members", arguments.ranks,
                    "Number of members; of a schedule an SVG is readable up to 32")
        ->default_str("8, or as many as the machine has CPUs");
    command.add_option("-r,--ranks", arguments.ranks)->group("");
    command.add_option("--root", arguments.root, "The root; the distance of a shift")->capture_default_str();
    command.add_option("--format", arguments.format,
                       "svg, dot or text; else what the file's extension says, and svg without one");
    command
        .add_option("--layout", arguments.layout,
                    "Of an SVG: rows, circle (both by rounds), or graph (all rounds in one)")
        ->default_str(laboratory::DrawArguments::default_layout);
    command.add_option("-o,--output", arguments.output,
                       "The file to write: .svg, .dot, .gv or .txt; - is stdout");
    command.add_option("--expression", arguments.expression,
                       "RANK: print what that member computes instead of the rounds");
}

void declare(CLI::App& command, laboratory::ModelArguments& arguments) {
    command.add_option("--table", arguments.table,
                       "A paper's table: rabenseifner-traff-2004, traff-2023 or traff-2024");
    declare_collective(command, arguments.collective, "Only this collective");
    command
        .add_option(
            "-t,--members", arguments.members,
            fmt::format("Number of members, of a cluster in each node; if not given, of --cluster {}, of "
                        "--machine as many as it has CPUs, of --levels as many as these make, of "
                        "--measured the most that the file has",
                        laboratory::ModelArguments::default_threads))
        ->default_str(fmt::format("{}", laboratory::ModelArguments::default_ranks));
    command.add_option("-r,--ranks,--threads", arguments.members)->group("");
    auto* const bytes = command
                            .add_option("-b,--bytes", arguments.bytes,
                                        "Bytes m of the vector; of --predict: a list, as 8,64K,1M")
                            ->capture_default_str();
    command.add_option("--alpha", arguments.alpha_us, "Microseconds a round")->capture_default_str();
    command.add_option("--beta", arguments.beta_ns, "Nanoseconds a byte moved")->capture_default_str();
    command.add_option("--gamma", arguments.gamma_ns, "Nanoseconds a byte combined")->capture_default_str();
    command.add_flag("--cluster", arguments.cluster, "Nodes of threads instead: an allreduce by each way");
    command.add_option("--nodes", arguments.nodes, "Of a cluster: nodes at most")->capture_default_str();
    command.add_option("--lanes", arguments.lanes, "Of a cluster: threads that the network serves at once")
        ->capture_default_str();
    command
        .add_option("--alpha-local", arguments.local_alpha_us,
                    "Of a cluster: microseconds an exchange inside a node")
        ->capture_default_str();
    command
        .add_option("--beta-local", arguments.local_beta_ns, "Of a cluster: nanoseconds a byte inside a node")
        ->capture_default_str();
    auto* const traffic =
        command.add_option("--traffic", arguments.traffic,
                           "COLLECTIVE: what crosses the levels of a machine instead, by each algorithm");
    auto* const levels =
        command
            .add_option("--levels", arguments.levels,
                        "Of --traffic: children of a group in each level, outermost first, as 2,8,8")
            ->delimiter(',');
    auto* const predict =
        command
            .add_option(
                "--predict", arguments.predict,
                "COLLECTIVE: what each algorithm takes on a machine instead, from a simulation of its "
                "cache lines")
            ->excludes(traffic);
    command
        .add_option("--machine", arguments.machine,
                    "Of --predict and --traffic: a published machine (a wrong name lists them), or a file "
                    "that tutti measure has written")
        ->excludes(levels);
    auto* const algorithms =
        command.add_option("-a,--algorithm", arguments.algorithms, "Of --predict: all, or a list of names")
            ->delimiter(',')
            ->needs(predict);
    command
        .add_option(
            "--measured", arguments.measured,
            "Of --predict: a file that tutti bench --json wrote on this machine. How far what it took "
            "is from what is predicted, of COLLECTIVE or of all; -a and -b are the file's")
        ->needs(predict)
        ->excludes(bytes)
        ->excludes(algorithms);
}

void declare(CLI::App& command, CompareArguments& arguments) {
    command.add_option("before", arguments.before, "A file that tutti bench --json wrote")->required();
    command.add_option("after", arguments.after, "Another one")->required();
    command
        .add_option("--effect", arguments.effect,
                    "Differences of the medians below this many percent do not count")
        ->capture_default_str();
    command
        .add_option("--significance", arguments.significance,
                    "Nor do those that the Mann-Whitney test finds this probable by chance")
        ->capture_default_str();
    command.footer(
        "A point is slower or faster where the medians differ by --effect and the test says so, and not "
        "significant where it does not say so. It is unclear where that is no more than the parts of one "
        "file's samples differ among each other "
        "(drift), or where in multiples of the floor it is no more: then the machine has changed, or "
        "the code that both share.\nExit code 3 where a point is slower.");
    command.add_option("--provider", arguments.provider, "Only its points: tutti, openmpi, ...; or all")
        ->capture_default_str();
}

void declare(CLI::App& command, viewer::ReportArguments& arguments) {
    command
        .add_option("files", arguments.files,
                    "Files that tutti bench --json wrote, of which the first is what the others are compared "
                    "with, and that tutti measure wrote")
        ->required();
    command.add_option("-o,--output", arguments.output, "The file to write; - is stdout")
        ->capture_default_str();
}

void declare(CLI::App& command, viewer::TraceArguments& arguments) {
    command
        .add_option("subject", arguments.subjects,
                    "A collective; or files of timelines (.jsonl) that programs have written")
        ->required();
    command.add_option("-t,--members", arguments.members, "Of a collective: number of members")
        ->default_str(fmt::format("{}", viewer::TraceArguments::default_members));
    command.add_option("-r,--ranks", arguments.members)->group("");
    command
        .add_option("-b,--bytes", arguments.bytes, "Of a collective: bytes of the longest vector of a member")
        ->default_str(viewer::TraceArguments::default_bytes);
    command
        .add_option("-a,--algorithm", arguments.algorithm,
                    "Of a collective: a name (see tutti info --algorithms)")
        ->default_str("the library's choice, or the one that is predicted to take least");
    command.add_option("--machine", arguments.machine,
                       "Of a collective: predict the call instead of measuring it, on a published machine (a "
                       "wrong name lists them), or a file "
                       "that tutti measure has written");
    command.add_option("-o,--output", arguments.output,
                       "Write the timelines to this file: .jsonl, or .pftrace for ui.perfetto.dev; - is "
                       "stdout, as JSON lines");
    command.add_option("--html", arguments.html, "Write a page for a browser to this file");
}

void declare(CLI::App& command, GuidelinesArguments& arguments) {
    declare_points(command, arguments.points);
    command.get_option("--quiet")->description("No progress on stderr, and no legend above the tables");
    command
        .add_option("--tolerance", arguments.tolerance,
                    "Percent by which a side may take longer than the one that bounds it")
        ->capture_default_str();
    command.add_option("--seconds", arguments.points.seconds, "Time limit for one operation of one size")
        ->capture_default_str();
    command.add_option("-n,--repetitions", arguments.repetitions, "Repetitions at most, of each of 3 passes")
        ->capture_default_str();
}

void declare(CLI::App& command, InfoArguments& arguments) {
    command.add_flag("--algorithms", arguments.algorithms, "List the registered algorithms");
    command.add_flag("--markdown", arguments.markdown, "List them as a Markdown table");
    command.add_flag("--names", arguments.names, "Only their names, as a Markdown table");
    laboratory::ChoiceArguments& choice = arguments.choice;
    CLI::Option* const asked = command.add_option("--why", choice.collective,
                                                  "Explain the choice of the algorithm for this collective");
    command.add_option("-t,--members", choice.members, "Of --why: number of members")
        ->capture_default_str()
        ->needs(asked);
    command.add_option("-b,--bytes", choice.bytes, "Of --why: bytes of the longest vector of a member")
        ->capture_default_str()
        ->needs(asked);
    command.add_option("-d,--type", choice.type, "Of --why: the element type")
        ->capture_default_str()
        ->needs(asked);
    command.add_option("-o,--op", choice.op, "Of --why: the operator")->capture_default_str()->needs(asked);
    auto* const in_place =
        command.add_flag("--in-place", choice.in_place, "Of --why: one vector is input and output")
            ->needs(asked);
    command.add_flag("--shared", choice.shared, "Of --why: the result is one vector for all members")
        ->needs(asked)
        ->excludes(in_place);
    command
        .add_option("--machine", choice.machine,
                    "Of --why: on a published machine, or that of a file which tutti measure has written")
        ->needs(asked);
    command.add_option("--placement", choice.placement, "Of --why: where the members are pinned")
        ->capture_default_str()
        ->needs(asked);
}

void declare(CLI::App& command, TuneArguments& arguments) {
    command.add_option("output", arguments.output, "The file to write; - is stdout")->capture_default_str();
    declare_points(command, arguments.points);
    command.get_option("--quiet")->description("No progress on stderr, and no legend above the tables");
    command
        .add_option("--seconds", arguments.points.seconds,
                    "Time for all measurements together; what it does not last for is left out")
        ->capture_default_str();
}

void declare(CLI::App& command, laboratory::MeasureArguments& arguments) {
    command.add_option("-o,--output", arguments.output, "The file to write; - is stdout")
        ->capture_default_str();
    command.add_option("--matrix", arguments.matrix,
                       "Draw what lines take between each pair of CPUs to this SVG file");
    command.add_option("--seconds", arguments.seconds, "Time for all measurements together, at most")
        ->capture_default_str();
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

} // namespace tutti::bench
