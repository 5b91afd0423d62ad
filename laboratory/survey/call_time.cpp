#include "survey/call_time.hpp"

#include "measure/buffer.hpp"
#include "measure/harness.hpp"
#include "measure/harness_memory.hpp"
#include "measure/statistics.hpp"

#include <tutti/team.hpp>

#include <fmt/format.h>

#include <array>
#include <span>

namespace tutti::laboratory {

double call_ns(int cpu, int other, double seconds) {
    constexpr int members = 2;
    // The first calls prepare the call: of three, the median would be one of these.
    const bench::Limits limits{.least = 20, .most = 5000, .seconds = seconds};
    const bench::Buffer room(bench::HarnessMemory::bytes(members, limits.most));
    bench::HarnessMemory::create(room.data(), members, false);
    double ns = 0;
    Team team(members, {.placement = fmt::format("{},{}", cpu, other)});
    team.run([&](Member& me) {
        bench::Harness harness(bench::HarnessMemory(room.data(), members, limits.most), me.rank());
        std::array<double, 1> in{};
        std::array<double, 1> out{};
        const bench::Timed call{
            .run = [&](std::size_t) { me.allreduce(in, out, sum, {.algorithm = "flat"}); },
            .prepare = [&](std::uint64_t salt) { in[0] = static_cast<double>(salt); },
            .calls = 1,
            .leader_alone = false};
        const auto lengths_us = harness.measure(std::span(&call, 1), limits);
        if (harness.leads()) {
            constexpr double ns_per_us = 1000;
            ns = bench::summarise(lengths_us.front()).median * ns_per_us;
        }
    });
    return ns;
}

} // namespace tutti::laboratory
