#include "choose/group_config.hpp"
#include "command/subcommands.hpp"
#include "group/shared_memory.hpp"
#include "machine/thresholds.hpp"
#include "report/bench_report.hpp"
#include "report/environment.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/text.hpp"

#include <tutti/team.hpp>

#include <fmt/format.h>

#include <cstdio>

namespace tutti::bench {

namespace {

void print_build(const Environment& environment) {
    constexpr int sample = 64;
    fmt::print("tutti:         {}, {}\n", version_of_tutti(), environment.compiler);
    fmt::print("system:        {}\n", environment.system);
    fmt::print("kernels:       {}\n", environment.instruction_set);
    fmt::print("mailboxes:     {} KiB for {} members\n", (library::group_bytes(sample) + 1023) / 1024,
               sample);
}

void print_team() {
    const Team team;
    fmt::print("algorithms:    {}\n", team.tuning());
    fmt::print("waits:         {}\n", team.waits());
    const auto lines = team.pinning();
    for (std::size_t member = 0; member < lines.size(); ++member) {
        fmt::print("{}{}\n", member == 0 ? "pinning:       " : "               ", lines[member]);
    }
}

} // namespace

int run_info(const InfoArguments& arguments) {
    if (arguments.markdown && !arguments.algorithms) {
        throw UsageError("--markdown: only for --algorithms");
    }
    if (arguments.names && !arguments.markdown) {
        throw UsageError("--names: only for --algorithms --markdown");
    }
    if (arguments.algorithms || !arguments.choice.collective.empty()) {
        const std::size_t width = width_of(stdout);
        fmt::print("{}", arguments.names        ? algorithm_names_markdown()
                         : arguments.markdown   ? algorithm_markdown()
                         : arguments.algorithms ? algorithm_table(width)
                                                : laboratory::explain_choice(arguments.choice, width));
        return exit_fine;
    }
    const Environment environment = detect_environment();
    fmt::print("{}", machine::describe(environment.machine));
    print_build(environment);
    print_team();
    fmt::print("{}", machine::describe(tuning::this_thresholds()));
    return exit_fine;
}

} // namespace tutti::bench
