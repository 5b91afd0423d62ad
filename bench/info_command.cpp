#include "info_command.hpp"

#include "algorithm/registry.hpp"
#include "environment.hpp"
#include "execute/group_state.hpp"
#include "machine/cpu_list.hpp"
#include "usage.hpp"

#include <tutti/team.hpp>
#include <tutti/version.hpp>

#include <fmt/format.h>

#include <string>

namespace tutti::bench {

namespace {

void print_algorithms() {
    constexpr int sample = 22;
    fmt::print("{:<15} {:<26} {:<22} {:<10} {:>7} {:>7} {:>11}  {}\n", "collective", "algorithm",
               "operator must be", "rank order", "rounds", "blocks", "reductions", "source");
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        const algorithm::Counts counts = row.counts(sample);
        fmt::print("{:<15} {:<26} {:<22} {:<10} {:>7} {:>7} {:>11}  {}\n", to_string(row.collective),
                   row.name, to_string(row.needs), row.canonical ? "yes" : "no", counts.rounds, counts.blocks,
                   fmt::format("{}{}", row.reductions_at_most ? "<= " : "", counts.reductions), row.source);
    }
    fmt::print("rounds, blocks and reductions of one of {} members\n", sample);
}

void print_build(const Environment& environment) {
    constexpr int sample = 64;
    fmt::print("tutti:         {}, {}\n", TUTTI_VERSION_STRING, environment.compiler);
    fmt::print("system:        {}\n", environment.system);
    fmt::print("kernels:       {}\n", environment.instruction_set);
    fmt::print("mailboxes:     {} KiB for {} members\n", (execute::mailbox_bytes(sample) + 1023) / 1024,
               sample);
}

void print_pinning() {
    const Team team;
    const auto lines = team.pinning();
    for (std::size_t member = 0; member < lines.size(); ++member) {
        fmt::print("{}{}\n", member == 0 ? "pinning:       " : "               ", lines[member]);
    }
}

} // namespace

int run_info(bool algorithms) {
    if (algorithms) {
        print_algorithms();
        return exit_fine;
    }
    const Environment environment = detect_environment();
    fmt::print("{}", machine::describe(environment.machine));
    print_build(environment);
    print_pinning();
    return exit_fine;
}

} // namespace tutti::bench
