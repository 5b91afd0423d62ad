#include "survey/call_time.hpp"

#include "measure/clock.hpp"
#include "measure/statistics.hpp"

#include <tutti/team.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tutti::bench {

double call_ns(int cpu, int other, double seconds) {
    constexpr int calls = 200;
    constexpr std::size_t most_rounds = 500;
    std::vector<double> samples;
    Team team({.members = 2, .placement = fmt::format("{},{}", cpu, other)});
    const std::int64_t until = now_ns() + static_cast<std::int64_t>(seconds * 1e9);
    do {
        double ns = 0;
        team.run([&](Member& me) {
            double value = me.rank();
            me.barrier();
            const std::int64_t begin = now_ns();
            for (int call = 0; call < calls; ++call) {
                value = me.allreduce(value, std::plus<>());
            }
            if (me.rank() == 0) {
                ns = static_cast<double>(now_ns() - begin) / calls;
            }
        });
        samples.push_back(ns);
    } while (samples.size() < most_rounds && now_ns() < until);
    return summarise(std::move(samples)).median;
}

} // namespace tutti::bench
