#include "tune/profiler.hpp"

#include "choose/store_policy.hpp"
#include "measure/data.hpp"
#include "measure/statistics.hpp"
#include "threads/floor.hpp"
#include "threads/tutti_runner.hpp"
#include "tune/parallel_times.hpp"
#include "tune/store_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tutti::bench {

namespace {

constexpr int profiled_members = 2;
constexpr int profile_passes = 3;

/// One thing to time at every size.
struct Way {
    Collective collective;
    pass::Direction direction;
    /// Of member 0; `cached_out` is that of each.
    detail::StoreHints stores;
    std::vector<double> StoreTimes::*us;
};

constexpr detail::StoreHints plain{};
constexpr detail::StoreHints moved{.cached_out = 0, .move = true};
constexpr detail::StoreHints streamed_to_other{.stream = true, .cached_out = 0};
constexpr detail::StoreHints streamed{.stream = true};

constexpr std::array ways{
    Way{Collective::allreduce, pass::Direction::push, plain, &StoreTimes::combined_us},
    Way{Collective::allreduce, pass::Direction::push, moved, &StoreTimes::combined_moved_us},
    Way{Collective::allreduce, pass::Direction::push, streamed_to_other, &StoreTimes::combined_streamed_us},
    Way{Collective::reduce_scatter, pass::Direction::pull, plain, &StoreTimes::reduced_us},
    Way{Collective::reduce_scatter, pass::Direction::pull, streamed, &StoreTimes::reduced_streamed_us},
    Way{Collective::allgather, pass::Direction::push, plain, &StoreTimes::pushed_us},
    Way{Collective::allgather, pass::Direction::push, moved, &StoreTimes::pushed_moved_us},
    Way{Collective::allgather, pass::Direction::push, streamed_to_other, &StoreTimes::pushed_streamed_us},
    Way{Collective::allgather, pass::Direction::push, streamed, &StoreTimes::pushed_all_streamed_us},
    Way{Collective::allgather, pass::Direction::pull, plain, &StoreTimes::pulled_us},
    Way{Collective::gather, pass::Direction::push, plain, &StoreTimes::gathered_us},
    Way{Collective::gather, pass::Direction::push, moved, &StoreTimes::gathered_moved_us},
    Way{Collective::gather, pass::Direction::push, streamed_to_other, &StoreTimes::gathered_streamed_us},
    Way{Collective::alltoall, pass::Direction::pull, plain, &StoreTimes::fetched_us},
    Way{Collective::alltoall, pass::Direction::pull, streamed, &StoreTimes::fetched_streamed_us}};

/// Of the longest vector of a member, where all vectors together have so many.
std::size_t vector_bytes(Collective collective, std::size_t touched_bytes) {
    return touched_bytes / engine::touched_bytes(collective, 1, profiled_members);
}

detail::StoreHints stores_of(const Way& way, int rank) {
    detail::StoreHints stores = way.stores;
    stores.cached_out = stores.cached_out < 0 ? -1 : rank;
    return stores;
}

/// The medians of all ways where they touch so many bytes, of the leader; of the others nothing.
std::vector<double> medians_us(TuttiRunner& runner, std::size_t touched_bytes, const Limits& limits) {
    std::vector<double> medians;
    runner.run_measured([&](Harness& harness, Member& me) {
        std::vector<Data> data;
        std::vector<Timed> timed;
        data.reserve(ways.size());
        for (const Way& way : ways) {
            const std::size_t bytes = vector_bytes(way.collective, touched_bytes);
            const Problem problem =
                make_problem(way.collective, Type::f64, Operator::sum, profiled_members, bytes, false);
            const pass::Vectors vectors = runner.vectors(problem);
            const auto own = static_cast<std::size_t>(me.rank());
            const Data& its = data.emplace_back(problem, me.rank());
            timed.push_back(
                {.run = in_passes(problem, me.rank(), vectors, way.direction, stores_of(way, me.rank())),
                 .prepare = [&its, in = vectors.inputs[own], out = vectors.outputs[own]](std::uint64_t salt) {
                     its.read_output(out);
                     its.write_input(in, salt);
                 }});
        }
        const auto samples = harness.measure(timed, limits);
        for (const std::vector<double>& of_way : samples) {
            if (harness.leads()) {
                medians.push_back(summarise(of_way).median);
            }
        }
    });
    return medians;
}

/// From where the L2 caches may be full to where the L3 is.
std::vector<std::size_t> touched_sizes(const machine::Machine& machine) {
    constexpr std::size_t least = std::size_t{256} << 10U;
    constexpr std::size_t most = std::size_t{64} << 20U;
    const std::size_t last = std::clamp(2 * machine.l3_bytes, std::size_t{16} << 20U, most);
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = least; bytes <= last; bytes *= 2) {
        sizes.push_back(bytes);
        sizes.push_back(bytes / 2 * 3);
    }
    return sizes;
}

} // namespace

std::optional<machine::Thresholds> measure_thresholds(const machine::Machine& machine, double seconds) {
    if (machine.pus.size() < std::size_t{profiled_members}) {
        return std::nullopt;
    }
    StoreTimes times;
    times.touched_bytes = touched_sizes(machine);
    const auto longest = [&](const Way& way) {
        return vector_bytes(way.collective, times.touched_bytes.back());
    };
    const Limits limits{.least = 3,
                        .most = 200,
                        .seconds =
                            seconds / profile_passes / static_cast<double>(times.touched_bytes.size())};
    TuttiRunner runner({.members = profiled_members,
                        .placement = "compact",
                        .crowded = false,
                        .most_bytes = longest(std::ranges::max(ways, {}, longest)),
                        .method = {.limits = limits}});
    for (const Way& way : ways) {
        (times.*way.us).assign(times.touched_bytes.size(), 1);
    }
    for (int pass = 0; pass < profile_passes; ++pass) {
        for (std::size_t size = 0; size < times.touched_bytes.size(); ++size) {
            const std::vector<double> medians = medians_us(runner, times.touched_bytes[size], limits);
            for (std::size_t way = 0; way < ways.size(); ++way) {
                (times.*ways[way].us)[size] *= std::pow(medians[way], 1.0 / profile_passes);
            }
        }
    }
    machine::Thresholds profile = profile_of(machine, times);
    profile.parallel_threshold_bytes = parallel_threshold_bytes(
        times.touched_bytes, parallel_times(times.touched_bytes, seconds / profile_passes));
    return profile;
}

} // namespace tutti::bench
