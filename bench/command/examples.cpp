#include "command/examples.hpp"

#include <fmt/format.h>

#include <array>

namespace tutti::bench {

namespace {

constexpr std::array of_tutti{Example{"tutti info", "this machine, as the library sees it"},
                              Example{"tutti help bench", "what a command does, and its options"}};
constexpr std::array of_info{
    Example{"tutti info", "the machine, the build and where members are pinned"},
    Example{"tutti info --algorithms", "all algorithms, with rounds, blocks and sources"},
    Example{"tutti info --why allreduce -t 8 -b 64K", "what is chosen for this call, and why"},
    Example{"tutti info --machine epyc-7742-2s --why allreduce -t 128 -b 8",
            "the same on a machine elsewhere"}};
constexpr std::array of_bench{
    Example{"tutti bench allreduce -b 8 -e 64M -t 2,4,8", "one collective, from 8 bytes to 64 MiB"},
    Example{"tutti bench --baseline openmpi,openmp --json out.json",
            "all of them, beside two others, into a file"},
    Example{"tutti bench allreduce --html report.html", "a report for a browser"},
    Example{"tutti bench allreduce -a all -t 4 -b 1K -e 1K", "all algorithms at one point"},
    Example{"tutti bench --busy 0,1,2,4 -t 2,4 --placement none",
            "ways to wait, beside busy loops of other processes"},
    Example{"mpirun -n 2 tutti bench --hybrid -t 2", "among processes: beside OpenMP + MPI by hand"}};
constexpr std::array of_compare{
    Example{"tutti compare before.json after.json", "what became faster or slower"},
    Example{"tutti compare before.json after.json --effect 5", "differences from 5 percent on count"}};
constexpr std::array of_report{
    Example{"tutti report out.json -o report.html", "what tutti bench --json has written, for a browser"},
    Example{"tutti report before.json after.json lines.json -o report.html",
            "what has changed as well, and what tutti measure has found"}};
constexpr std::array of_trace{
    Example{"tutti trace allreduce -t 4 -b 1M --html trace.html",
            "who does what when here, and who waits for whom"},
    Example{"tutti trace allreduce -t 16 -b 1M --machine epyc-7742-2s --html trace.html",
            "the same as it is predicted on a machine elsewhere"},
    Example{"tutti trace barrier -t 64 --machine epyc-7742-2s -o barrier.pftrace",
            "the same for ui.perfetto.dev"},
    Example{"tutti trace program.jsonl --html trace.html", "what a program has recorded"}};
constexpr std::array of_guidelines{
    Example{"tutti guidelines -t 2,4 -e 1M", "is anything slower than what it could be replaced by?"}};
constexpr std::array of_measure{Example{"tutti measure -o machine.json", "a line profile of this machine"},
                                Example{"tutti measure --matrix machine.svg -o machine.json",
                                        "and a picture of what lines take between CPUs"}};
constexpr std::array of_verify{
    Example{"tutti verify -t 1:64", "every algorithm for 1 to 64 members, every root and form"},
    Example{"tutti verify allreduce -a ring -t 22", "one of them for one number of members"},
    Example{"tutti verify --expression 22:21", "what member 21 of 22 computes"}};
constexpr std::array of_draw{
    Example{"tutti draw allreduce -a butterfly-overlapping -t 13 -o rounds.svg", "a picture of the rounds"},
    Example{"tutti draw broadcast -a ring -t 8 --format text", "the same as text on the terminal"},
    Example{"tutti draw --machine epyc-7742-2s -o machine.svg", "levels of a machine, and who runs where"}};
constexpr std::array of_model{
    Example{"tutti model -t 64 -b 1M", "rounds, blocks and predicted times of all algorithms"},
    Example{"tutti model --table traff-2024", "a paper's table from the schedules' own counts"},
    Example{"tutti model --predict allreduce --machine epyc-7742-2s -t 16 -b 8,64K",
            "times on a machine that is not at hand"}};
constexpr std::array of_help{Example{"tutti help bench", "as tutti bench --help"},
                             Example{"tutti help --pages manual", "manual pages, into the directory manual"}};

struct Of {
    std::string_view command;
    std::span<const Example> examples;
};
const std::array of_all{Of{"", of_tutti},
                        Of{"info", of_info},
                        Of{"bench", of_bench},
                        Of{"compare", of_compare},
                        Of{"report", of_report},
                        Of{"trace", of_trace},
                        Of{"guidelines", of_guidelines},
                        Of{"verify", of_verify},
                        Of{"measure", of_measure},
                        Of{"draw", of_draw},
                        Of{"model", of_model},
                        Of{"help", of_help}};

} // namespace

std::span<const Example> examples_of(std::string_view command) {
    for (const Of& of : of_all) {
        if (of.command == command) {
            return of.examples;
        }
    }
    return {};
}

std::string examples_text(std::string_view command) {
    std::string text;
    for (const Example& example : examples_of(command)) {
        text +=
            fmt::format("{}  {}\n      {}", text.empty() ? "Examples:\n" : "\n", example.line, example.text);
    }
    return text;
}

} // namespace tutti::bench
