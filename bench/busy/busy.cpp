#include "busy/busy.hpp"

#include "busy/busy_loops.hpp"
#include "busy/ways_to_wait.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"
#include "measure/statistics.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/numbers.hpp"
#include "terminal/table.hpp"

#include <tutti/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace tutti::bench {

namespace {

constexpr double work_us = 3;

/// The samples of the rounds of one wait policy.
struct Samples {
    std::vector<double> us;
    std::vector<double> cpu_us;
};

std::vector<std::string> cells(int members, int loops, const char* what, const std::vector<Samples>& all,
                               std::vector<double> Samples::*times) {
    std::vector<std::string> row{std::to_string(members), std::to_string(loops), what};
    for (const Samples& samples : all) {
        row.push_back(format_us(summarise(samples.*times).median));
    }
    return row;
}

void measure(const BenchOptions& options, int members, int loops, long turns, Table& table) {
    const std::vector<int> cpus =
        machine::place(machine::detect(), members, machine::parse_placement(options.placement));
    const BusyLoops busy(loops);
    std::vector<Samples> all(ways_to_wait().size());
    for (int round = 0; round < options.rounds; ++round) {
        for (std::size_t way = 0; way < all.size(); ++way) {
            const WaitTimes times = ways_to_wait()[way].measure(cpus, options.method.limits.seconds, turns);
            all[way].us.push_back(times.us_per_call);
            all[way].cpu_us.push_back(times.cpu_us_per_call);
        }
    }
    table.add(cells(members, loops, "time", all, &Samples::us));
    table.add(cells(members, loops, "CPU time", all, &Samples::cpu_us));
}

} // namespace

int run_busy(const BenchOptions& options) {
    const long turns = turns_for(work_us);
    std::vector<Table::Column> columns{{.heading = "members"}, {.heading = "loops"}, {.heading = ""}};
    for (const WayToWait& way : ways_to_wait()) {
        columns.push_back({.heading = std::string(way.name)});
    }
    Table table(std::move(columns));
    try {
        for (const int members : options.members) {
            for (const int loops : options.busy) {
                measure(options, members, loops, turns, table);
            }
        }
    } catch (const ArgumentError& error) {
        throw UsageError(error.what());
    }
    if (!options.quiet) {
        fmt::print("allreduce of 8 B beside busy loops of other processes, {:.0f} us of work before each "
                   "call, placement "
                   "{}; time and CPU time of a member per call, medians of {} rounds of {:.2g} s\n\n",
                   work_us, options.placement, options.rounds, options.method.limits.seconds);
    }
    fmt::print("{}", table.text(width_of(stdout)));
    return exit_fine;
}

} // namespace tutti::bench
