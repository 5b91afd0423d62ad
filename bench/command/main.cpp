// tutti: the command.

#include "command/bench.hpp"
#include "command/compare.hpp"
#include "command/draw.hpp"
#include "command/guidelines.hpp"
#include "command/info.hpp"
#include "command/measure.hpp"
#include "command/model.hpp"
#include "command/tune.hpp"
#include "command/verify.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/program_directory.hpp"

#include <tutti/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

namespace tutti::bench {

namespace {

void declare_points(CLI::App& command, PointArguments& arguments) {
    command
        .add_option("-b,--begin", arguments.begin, "Smallest vector in bytes, with K, M, G as binary units")
        ->capture_default_str();
    command.add_option("-e,--end", arguments.end, "Largest vector in bytes")->capture_default_str();
    command.add_option("-f,--factor", arguments.factor, "From one size to the next")->capture_default_str();
    command.add_option("-t,--members", arguments.members, "Numbers of members: 2,4,8 or 1:4")
        ->capture_default_str();
    command.add_option("--placement", arguments.placement, "compact, scatter, none, or CPUs such as 0,2,4-7")
        ->capture_default_str();
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

void declare_bench(CLI::App& command, BenchArguments& arguments) {
    command.add_option("collective", arguments.collectives,
                       "barrier, broadcast, allreduce, ...; all if none is named");
    declare_points(command, arguments.points);
    command
        .add_option("-a,--algorithm", arguments.algorithm,
                    "auto, all, or a name (see tutti info --algorithms)")
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
    command.add_option("--json", arguments.json,
                       "Write all points to this file; - is stdout, text for readers then goes to stderr");
    command.add_option("--csv", arguments.csv, "The same as comma-separated values, without the samples");
    command.add_flag("--hybrid", std::function<void(std::int64_t)>(),
                     "Under mpirun: clusters of processes; has options of its own, see --hybrid --help");
}

void declare_verify(CLI::App& command, VerifyArguments& arguments) {
    command
        .add_option(
            "-r,--ranks", arguments.ranks,
            "Numbers of ranks: 1:1024, 22, or 2,4,8:16. Above 128 ranks one root by turns, and one form "
            "where each rank has a program of its own")
        ->capture_default_str();
    command.add_option("--collective", arguments.collective, "Only this collective");
    command.add_option("-a,--algorithm", arguments.algorithm, "Only algorithms of this name");
    command.add_option("--expression", arguments.expression,
                       "RANKS:RANK: print what that member computes instead (by default in the circulant "
                       "reduce_scatter)");
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

void declare_draw(CLI::App& command, DrawArguments& arguments) {
    command.add_option("--collective", arguments.collective, "barrier, broadcast, allreduce, ...")
        ->required();
    command.add_option("-a,--algorithm", arguments.algorithm, "A name (see tutti info --algorithms)")
        ->required();
    command.add_option("-r,--ranks", arguments.ranks, "Number of ranks; an SVG is readable up to 32")
        ->capture_default_str();
    command.add_option("--root", arguments.root, "The root; the distance of a shift")->capture_default_str();
    command.add_option("--format", arguments.format, "svg, dot or text")->capture_default_str();
    command
        .add_option("--layout", arguments.layout,
                    "Of an SVG: rows, circle (both by rounds), or graph (all rounds in one)")
        ->capture_default_str();
    command.add_option("--output", arguments.output, "Write to this file; - is stdout");
    command.add_option("--expression", arguments.expression,
                       "RANK: print what that member computes instead of the rounds");
}

void declare_model(CLI::App& command, ModelArguments& arguments) {
    command.add_option("--table", arguments.table,
                       "A paper's table: rabenseifner-traff-2004, traff-2023 or traff-2024");
    command.add_option("-r,--ranks", arguments.ranks, "Number of ranks")->capture_default_str();
    command.add_option("--collective", arguments.collective, "Only this collective");
    command
        .add_option("-b,--bytes", arguments.bytes, "Bytes m of the vector; of --predict: a list, as 8,64K,1M")
        ->capture_default_str();
    command.add_option("--alpha", arguments.alpha_us, "Microseconds a round")->capture_default_str();
    command.add_option("--beta", arguments.beta_ns, "Nanoseconds a byte moved")->capture_default_str();
    command.add_option("--gamma", arguments.gamma_ns, "Nanoseconds a byte combined")->capture_default_str();
    command.add_flag("--cluster", arguments.cluster, "Nodes of threads instead: an allreduce by each way");
    command.add_option("--nodes", arguments.nodes, "Of a cluster: nodes at most")->capture_default_str();
    command
        .add_option("-t,--threads", arguments.threads,
                    "Of a cluster: threads of each node; of --traffic and --predict: members")
        ->capture_default_str();
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
    command.add_option("-a,--algorithm", arguments.algorithms, "Of --predict: all, or names")->needs(predict);
}

/// `tutti bench --hybrid ...` is another program, the only one with MPI in it. Does not return if it is asked
/// for.
void become_hybrid_bench(int argc, char** argv) {
    const bool is_asked_for =
        argc > 1 && std::string_view(argv[1]) == "bench" &&
        std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--hybrid"; });
    if (!is_asked_for) {
        return;
    }
    const auto program = program_directory() / "tutti-hybrid-bench";
    std::vector<char*> words{argv[0]};
    std::copy_if(argv + 2, argv + argc, std::back_inserter(words),
                 [](const char* word) { return std::string_view(word) != "--hybrid"; });
    words.push_back(nullptr);
    execv(program.c_str(), words.data());
    throw EnvironmentUnfit(
        fmt::format("bench --hybrid: there is no {}: it is built where Open MPI and OpenMP are "
                    "found",
                    program.string()));
}

void declare_compare(CLI::App& command, CompareArguments& arguments) {
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
    command.add_option("--provider", arguments.provider, "Only its points: tutti, openmpi, ...; or all")
        ->capture_default_str();
}

void declare_guidelines(CLI::App& command, GuidelinesArguments& arguments) {
    declare_points(command, arguments.points);
    command
        .add_option("--tolerance", arguments.tolerance,
                    "Percent by which a side may take longer than the one that bounds it")
        ->capture_default_str();
    command.add_option("--seconds", arguments.points.seconds, "Time limit for one operation of one size")
        ->capture_default_str();
    command.add_option("-n,--repetitions", arguments.repetitions, "Repetitions at most, of each of 3 passes")
        ->capture_default_str();
}

void declare_info(CLI::App& command, InfoArguments& arguments) {
    command.add_flag("--algorithms", arguments.algorithms, "List the registered algorithms");
    command.add_flag("--markdown", arguments.markdown, "List them as a Markdown table");
    command.add_flag("--names", arguments.names, "Only their names, as a Markdown table");
    ChoiceArguments& choice = arguments.choice;
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

void declare_tune(CLI::App& command, TuneArguments& arguments) {
    command.add_option("output", arguments.output, "The file to write; - is stdout")->capture_default_str();
    declare_points(command, arguments.points);
    command
        .add_option("--seconds", arguments.points.seconds,
                    "Time for all measurements together; what it does not last for is left out")
        ->capture_default_str();
}

void declare_measure(CLI::App& command, MeasureArguments& arguments) {
    command.add_option("-o,--output", arguments.output, "The file to write; - is stdout")
        ->capture_default_str();
    command.add_option("--matrix", arguments.matrix,
                       "Draw what lines take between each pair of CPUs to this SVG file");
    command.add_option("--seconds", arguments.seconds, "Time for all measurements together, at most")
        ->capture_default_str();
    command.add_flag("-q,--quiet", arguments.quiet, "No progress on stderr");
}

int run_bench_arguments(const BenchArguments& arguments) {
    return run_bench(arguments.parsed());
}

/// Adds a command with arguments of its own. When it is the one that is asked for, `chosen` runs it.
template <class Arguments>
void add_command(CLI::App& app, std::function<int()>& chosen, const char* name, const char* text,
                 void (*declare)(CLI::App&, Arguments&), int (*run)(const Arguments&)) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App& command = *app.add_subcommand(name, text);
    declare(command, *arguments);
    command.callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

int run(int argc, char** argv) {
    become_hybrid_bench(argc, argv);
    CLI::App app("Collectives for threads: measure, verify, model, draw, look at the machine", "tutti");
    app.set_version_flag("--version", TUTTI_VERSION_STRING);
    app.require_subcommand(0, 1);
    std::function<int()> chosen;
    add_command(app, chosen, "info", "This machine, this build, the algorithms and their choice",
                declare_info, run_info);
    add_command(app, chosen, "bench", "Measure collectives; results are checked before they are timed",
                declare_bench, run_bench_arguments);
    add_command(app, chosen, "verify", "Prove the algorithms' schedules without running them", declare_verify,
                run_verify);
    add_command(app, chosen, "draw", "Draw the rounds of an algorithm's schedule", declare_draw, run_draw);
    add_command(app, chosen, "model", "What the schedules cost in the alpha-beta-gamma model", declare_model,
                run_model);
    add_command(app, chosen, "compare",
                "What two files of measurements differ in; exit code 3 when something became slower",
                declare_compare, run_compare);
    add_command(app, chosen, "guidelines",
                "Measure whether collectives are as fast as what they could be replaced by",
                declare_guidelines, run_guidelines);
    add_command(app, chosen, "tune",
                "Measure which algorithms are the fastest here and write a file for TUTTI_TUNING",
                declare_tune, run_tune);
    add_command(app, chosen, "measure",
                "Measure what this machine's lines, caches and links cost, and draw which CPUs are near",
                declare_measure, run_measure);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_fine : exit_usage;
    }
    if (!chosen) {
        throw UsageError(
            "what to do: info, bench, compare, guidelines, tune, measure, verify, draw or model?");
    }
    return chosen();
}

} // namespace

} // namespace tutti::bench

int main(int argc, char** argv) {
    using namespace tutti::bench;
    try {
        const int code = run(argc, argv);
        flush(stdout);
        return code;
    } catch (const UsageError& error) {
        fmt::print(stderr, "tutti: {}\nRun with --help for more information.\n", error.what());
        return exit_usage;
    } catch (const EnvironmentUnfit& error) {
        fmt::print(stderr, "tutti: {}\n", error.what());
        return exit_unfit;
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti: {}\n", error.what());
        return std::ferror(stdout) != 0 ? exit_unfit : exit_wrong;
    }
}
