#include "command/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace tutti::bench {

namespace {

constexpr std::array all{
    Example{"", "tutti info", "this machine, as the library sees it"},
    Example{"", "tutti help bench", "what a command does, and its options"},
    Example{"info", "tutti info", "the machine, the build and where members are pinned"},
    Example{"info", "tutti info --algorithms", "all algorithms, with rounds, blocks and sources"},
    Example{"info", "tutti info --why allreduce -t 8 -b 64K", "what is chosen for this call, and why"},
    Example{"info", "tutti info --machine epyc-7742-2s --why allreduce -t 128 -b 8",
            "the same on a machine elsewhere"},
    Example{"bench", "tutti bench allreduce -b 8 -e 64M -t 2,4,8", "one collective, from 8 bytes to 64 MiB"},
    Example{"bench", "tutti bench --baseline openmpi,openmp --json out.json",
            "all of them, beside two others, into a file"},
    Example{"bench", "tutti bench allreduce --html report.html", "a report for a browser"},
    Example{"bench", "tutti bench allreduce -a all -t 4 -b 1K -e 1K", "all algorithms at one point"},
    Example{"bench", "tutti bench --busy 0,1,2,4 -t 2,4 --placement none",
            "ways to wait, beside busy loops of other processes"},
    Example{"bench", "mpirun -n 2 tutti bench --hybrid -t 2", "among processes: beside OpenMP + MPI by hand"},
    Example{"compare", "tutti compare before.json after.json", "what became faster or slower"},
    Example{"compare", "tutti compare before.json after.json --effect 5",
            "differences from 5 percent on count"},
    Example{"report", "tutti report out.json -o report.html",
            "what tutti bench --json has written, for a browser"},
    Example{"report", "tutti report before.json after.json lines.json -o report.html",
            "what has changed as well, and what tutti measure has found"},
    Example{"trace", "tutti trace allreduce -t 4 -b 1M --html trace.html",
            "who does what when here, and who waits for whom"},
    Example{"trace", "tutti trace allreduce -t 16 -b 1M --machine epyc-7742-2s --html trace.html",
            "the same as it is predicted on a machine elsewhere"},
    Example{"trace", "tutti trace barrier -t 64 --machine epyc-7742-2s -o barrier.pftrace",
            "the same for ui.perfetto.dev"},
    Example{"trace", "tutti trace program.jsonl --html trace.html", "what a program has recorded"},
    Example{"guidelines", "tutti guidelines -t 2,4 -e 1M",
            "is anything slower than what it could be replaced by?"},
    Example{"measure", "tutti measure -o machine.json", "a line profile of this machine"},
    Example{"verify", "tutti verify -t 1:64", "every algorithm for 1 to 64 members, every root and form"},
    Example{"verify", "tutti verify allreduce -a ring -t 22", "one of them for one number of members"},
    Example{"draw", "tutti draw allreduce -a butterfly-overlapping -t 13 -o rounds.svg",
            "a picture of the rounds"},
    Example{"draw", "tutti draw broadcast -a ring -t 8 --format text", "the same as text on the terminal"},
    Example{"draw", "tutti draw --machine epyc-7742-2s -o machine.svg",
            "levels of a machine, and who runs where"},
    Example{"model", "tutti model -t 64 -b 1M", "rounds, blocks and predicted times of all algorithms"},
    Example{"model", "tutti model --table traff-2024", "a paper's table from the schedules' own counts"},
    Example{"model", "tutti model --predict allreduce --machine epyc-7742-2s -t 16 -b 8,64K",
            "times on a machine that is not at hand"},
    Example{"help", "tutti help bench", "as tutti bench --help"},
    Example{"help", "tutti help --pages manual", "manual pages, into the directory manual"}};

} // namespace

std::vector<Example> examples_of(std::string_view command) {
    std::vector<Example> examples;
    std::ranges::copy_if(all, std::back_inserter(examples),
                         [&](const Example& example) { return example.command == command; });
    return examples;
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
