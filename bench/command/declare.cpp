#include "command/pages.hpp"
#include "measure/statistics.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

namespace tutti::bench {

namespace {

void declare_points(CLI::App& command, PointArguments& arguments) {
    command.add_option("-b,--begin", arguments.begin,
                       "Smallest buffer in bytes, with K, M, G as binary units");
    command.add_option("-e,--end", arguments.end, "Largest buffer in bytes");
    command.add_option("-f,--factor", arguments.factor, "Factor from one size to the next");
    command.add_option("-t,--members", arguments.members, "Numbers of members: 2,4,8 or 1:4");
    command.add_option(
        "--placement", arguments.placement,
        "compact, scatter, none, kinds of cores such as performance,efficient, or CPUs such as 0,2,4-7");
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

void declare_busy(CLI::App& command, BenchArguments& arguments) {
    CLI::Option* const busy =
        command
            .add_option("--busy", arguments.busy,
                        "Measure instead an allreduce of 8 bytes while other processes run this many busy "
                        "loops, such as 0,2,4, with each wait policy; accepts --members, --placement, "
                        "--seconds, --rounds and --quiet")
            ->delimiter(',')
            ->default_str("");
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
    command
        .add_option("collective", arguments.collectives, "barrier, broadcast, allreduce, ...; default: all")
        ->default_str("");
    declare_points(command, arguments.points);
    command.get_option("--quiet")->description("No progress on stderr, and no legend above the tables");
    command.add_option("-a,--algorithm", arguments.algorithm,
                       "A list of auto, all and names (see tutti info --algorithms)");
    command.add_option("-d,--type", arguments.type,
                       "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 f16 bf16 complex64 complex128");
    command.add_option("-o,--op", arguments.op, "sum prod min max land lor lxor band bor bxor");
    command
        .add_option("--levels", arguments.levels,
                    "Levels for the algorithms levels-...: number of children of a group in each level, "
                    "outermost first, such as 2,8,8; default: where members are pinned")
        ->delimiter(',')
        ->default_str("");
    auto* const in_place =
        command.add_flag("--in-place", arguments.in_place, "One buffer is both input and output");
    auto* const shared =
        command
            .add_flag("--shared", arguments.shared,
                      "The result of allreduce and allgather is one buffer that all members share")
            ->excludes(in_place);
    command
        .add_option("--calling", arguments.calling,
                    "How calls are made: a list of blocking, started (nonblocking, waited for at once), "
                    "persistent, arriving (ranks not bound to threads), all_buffers (all-buffers form); "
                    "blocking is always measured")
        ->excludes(shared);
    command
        .add_option("--in-flight", arguments.in_flight,
                    "Also measure with this many outstanding calls; the time is that of one call")
        ->excludes(shared);
    command.add_option("-c,--check", arguments.check, "Check results before and after timing: 0 or 1");
    command.add_option("--baseline", arguments.baseline,
                       "none, all, or a list of openmpi, mpich, openmp, openmp_clang, openmp_array, "
                       "std_barrier; those that are not available are skipped");
    command.add_option("--seconds", arguments.points.seconds, "Time limit per point and provider");
    command.add_option("-n,--repetitions", arguments.repetitions, "Repetitions at most");
    command.add_option("--rounds", arguments.rounds,
                       "Number of turns that Tutti and a baseline with its own threads or processes take");
    command
        .add_option("--within", arguments.within,
                    "Seconds for everything: shorter measurements, then fewer rounds, then fewer points")
        ->default_str("no limit");
    command.add_option("--json", arguments.json,
                       "Write all points to this file; - is stdout, and other output then goes to stderr");
    command.add_option("--html", arguments.html, "Write a report of all points, as one file for a browser");
    command.footer(fmt::format(
        "A time with ~ is unstable: the 95 % interval of the median is wider than {:.0f} % of it.\n"
        "algbw: bytes of the longest buffer of a member over the median, in GB/s; busbw: algbw times the "
        "factor of nccl-tests.",
        100 * widest_interval));
    declare_busy(command, arguments);
    command.add_flag("--hybrid", std::function<void(std::int64_t)>(),
                     "Under mpirun: clusters of processes; see --hybrid --help for its options");
}

void declare(CLI::App& command, laboratory::VerifyArguments& arguments) {
    command.add_option("collective", arguments.collective, "Only this collective");
    command.add_option(
        "-t,--members", arguments.ranks,
        "Numbers of members: 1:1024, 22, or 2,4,8:16. Above 128 members, one root per number in "
        "turn, and one protocol if each member has its own program");
    command.add_option("-a,--algorithm", arguments.algorithm, "Only algorithms of this name");
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

void declare(CLI::App& command, laboratory::DrawArguments& arguments) {
    command.add_option("collective", arguments.collective, "barrier, broadcast, allreduce, ...");
    command.add_option("-a,--algorithm", arguments.algorithm, "A name (see tutti info --algorithms)");
    CLI::Option* const machine =
        command
            .add_option_function<std::string>(
                "--machine", [&](const std::string& name) { arguments.machine = name; },
                "A published machine (a wrong name lists them), or a file written by tutti measure. Without "
                "a collective, the machine itself is drawn, with the CPU of each member; with a collective, "
                "the algorithms levels-... use its levels")
            ->expected(0, 1);
    command
        .add_option("--placement", arguments.placement,
                    "Of --machine: compact, scatter, or CPUs such as 0,2,4-7")
        ->needs(machine);
    command
        .add_option("-t,--members", arguments.ranks,
                    "Number of members; of a schedule an SVG is readable up to 32")
        ->default_str("8, or as many as the machine has CPUs");
    command.add_option("--root", arguments.root, "The root; the distance of a shift");
    command.add_option("--format", arguments.format,
                       "svg or text; default: by the file's extension, or svg if it has none");
    command
        .add_option("--layout", arguments.layout,
                    "Of an SVG: rows, circle (both by rounds), or graph (all rounds in one)")
        ->default_str(laboratory::DrawArguments::default_layout);
    command.add_option("-o,--output", arguments.output, "The file to write: .svg or .txt; - is stdout");
    command.add_option("--expression", arguments.expression,
                       "RANK: print what that member computes instead of the rounds");
}

void declare(CLI::App& command, laboratory::ModelArguments& arguments) {
    command.add_option("--table", arguments.table,
                       "A paper's table: rabenseifner-traff-2004, traff-2023 or traff-2024");
    command.add_option("collective", arguments.collective, "Only this collective");
    command
        .add_option(
            "-t,--members", arguments.members,
            "Number of members; default: with --machine one per CPU, with --levels their product, with "
            "--measured the most in the file")
        ->default_str(fmt::format("{}", laboratory::ModelArguments::default_ranks));
    auto* const bytes = command.add_option("-b,--bytes", arguments.bytes,
                                           "Bytes m of the buffer; with --predict: a list, such as 8,64K,1M");
    command.add_option("--alpha", arguments.alpha_us, "Microseconds per round");
    command.add_option("--beta", arguments.beta_ns, "Nanoseconds per byte moved");
    command.add_option("--gamma", arguments.gamma_ns, "Nanoseconds per byte combined");
    auto* const traffic = command.add_option(
        "--traffic", arguments.traffic,
        "COLLECTIVE: print instead the data that each algorithm moves across the levels of a machine");
    command
        .add_option(
            "--levels", arguments.levels,
            "With --traffic and --predict: number of children of a group in each level, outermost first, "
            "such as 2,8,8; default: the levels of --machine")
        ->delimiter(',')
        ->default_str("");
    auto* const predict = command
                              .add_option("--predict", arguments.predict,
                                          "COLLECTIVE: print instead the time that each algorithm takes on a "
                                          "machine, from a simulation of its cache lines")
                              ->excludes(traffic);
    command.add_option(
        "--machine", arguments.machine,
        "With --predict and --traffic: a published machine (a wrong name lists them), or a file "
        "written by tutti measure");
    auto* const algorithms =
        command.add_option("-a,--algorithm", arguments.algorithms, "With --predict: all, or a list of names")
            ->delimiter(',')
            ->default_str("")
            ->needs(predict);
    command.add_flag("--level-choices", arguments.level_choices,
                     "Print instead the table from which the library chooses among the algorithms "
                     "levels-..., as C++, from predictions");
    command
        .add_option(
            "--measured", arguments.measured,
            "With --predict: a file that tutti bench --json wrote on this machine. Prints the difference "
            "between its times and the predictions, for COLLECTIVE or for all; -a and -b come from the file")
        ->needs(predict)
        ->excludes(bytes)
        ->excludes(algorithms);
}

void declare(CLI::App& command, CompareArguments& arguments) {
    command.add_option("before", arguments.before, "A file that tutti bench --json wrote")->required();
    command.add_option("after", arguments.after, "A second file to compare with it")->required();
    command.add_option("--effect", arguments.effect,
                       "Differences of the medians below this percentage are ignored");
    command.add_option("--significance", arguments.significance,
                       "Differences with a larger p-value in the Mann-Whitney test are ignored");
    command.footer("A point is slower or faster if the medians differ by --effect and the test confirms it; "
                   "it is not significant if the test does not. It is unclear if the change is no larger "
                   "than the drift within one file, or if the floor moved by as much: then the machine has "
                   "changed, or the code that both share.\nExit code 3 if a point is slower.");
    command.add_option("--provider", arguments.provider,
                       "Compare only the points of this provider: tutti, openmpi, ...; or all");
}

void declare(CLI::App& command, viewer::ReportArguments& arguments) {
    command
        .add_option("files", arguments.files,
                    "Files written by tutti bench --json, of which the first is the reference for the "
                    "others, and files written by tutti measure")
        ->required()
        ->default_str("");
    command.add_option("-o,--output", arguments.output, "The file to write; - is stdout");
}

void declare(CLI::App& command, viewer::TraceArguments& arguments) {
    command
        .add_option("subject", arguments.subjects,
                    "A collective; or files of timelines (.jsonl) written by programs")
        ->required()
        ->default_str("");
    command.add_option("-t,--members", arguments.members, "With a collective: number of members")
        ->default_str(fmt::format("{}", viewer::TraceArguments::default_members));
    command
        .add_option("-b,--bytes", arguments.bytes,
                    "With a collective: bytes of the longest buffer of a member")
        ->default_str(viewer::TraceArguments::default_bytes);
    command
        .add_option("-a,--algorithm", arguments.algorithm,
                    "With a collective: the algorithm (see tutti info --algorithms)")
        ->default_str("the library's choice, or the fastest by prediction");
    command.add_option("--machine", arguments.machine,
                       "With a collective: predict the call instead of measuring it, on a published machine "
                       "(a wrong name lists them), or on that of a file written by tutti measure");
    command.add_option("-o,--output", arguments.output,
                       "Write the timelines to this file: .jsonl, or .pftrace for ui.perfetto.dev; - is "
                       "stdout, as JSON lines");
    command.add_option("--html", arguments.html, "Write a page for a browser to this file");
}

void declare(CLI::App& command, GuidelinesArguments& arguments) {
    declare_points(command, arguments.points);
    command.get_option("--quiet")->description("No progress on stderr, and no legend above the tables");
    command.add_option("--tolerance", arguments.tolerance, "Percentage by which a side may exceed its bound");
    command.add_option("--seconds", arguments.points.seconds, "Time limit per operation and size");
    command.add_option("-n,--repetitions", arguments.repetitions, "Repetitions at most, of each of 3 passes");
}

void declare(CLI::App& command, InfoArguments& arguments) {
    command.add_flag("--algorithms", arguments.algorithms, "List the registered algorithms");
    command.add_flag("--markdown", arguments.markdown, "List them as a Markdown table");
    command.add_flag("--names", arguments.names, "Only their names, as a Markdown table");
    laboratory::ChoiceArguments& choice = arguments.choice;
    CLI::Option* const asked = command.add_option("--why", choice.collective,
                                                  "Explain the choice of the algorithm for this collective");
    command.add_option("-t,--members", choice.members, "With --why: number of members")->needs(asked);
    command.add_option("-b,--bytes", choice.bytes, "With --why: bytes of the longest buffer of a member")
        ->needs(asked);
    command.add_option("-d,--type", choice.type, "With --why: the element type")->needs(asked);
    command.add_option("-o,--op", choice.op, "With --why: the operator")->needs(asked);
    auto* const in_place =
        command.add_flag("--in-place", choice.in_place, "With --why: one buffer is both input and output")
            ->needs(asked);
    command
        .add_flag("--shared", choice.shared, "With --why: the result is one buffer that all members share")
        ->needs(asked)
        ->excludes(in_place);
    command
        .add_option("--machine", choice.machine,
                    "With --why: on a published machine, or on that of a file written by tutti measure")
        ->needs(asked);
    command.add_option("--placement", choice.placement, "With --why: where the members are pinned")
        ->needs(asked);
}

void declare(CLI::App& command, laboratory::MeasureArguments& arguments) {
    command.add_option("-o,--output", arguments.output, "The file to write; - is stdout");
    command.add_option("--seconds", arguments.seconds, "Time limit for all measurements together");
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

} // namespace tutti::bench
