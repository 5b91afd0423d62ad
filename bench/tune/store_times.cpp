#include "tune/store_times.hpp"

#include "cache_line.hpp"
#include "choose/store_policy.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tutti::bench {

namespace {

constexpr int sharing_members = 2;

double line_ns(const std::vector<double>& us, const std::vector<std::size_t>& touched, std::size_t at) {
    const std::size_t vector_bytes = touched[at] / (2 * std::size_t{sharing_members});
    const std::size_t lines = vector_bytes / sharing_members / line_bytes;
    return std::round(1e5 * us[at] / static_cast<double>(lines)) / 100;
}

/// Where the second way begins, of sizes that fill the L2 caches, or past all that was measured. What is
/// stored past caches that have room is slower to read afterwards, which nobody has timed.
std::size_t split_bytes(const machine::Machine& machine, const StoreTimes& times,
                        const std::vector<double>& first, const std::vector<double>& second) {
    const auto full = std::ranges::lower_bound(times.touched_bytes, sharing_members * machine.l2_bytes);
    const auto from = static_cast<std::size_t>(full - times.touched_bytes.begin());
    const std::size_t index =
        from + best_split(std::span(first).subspan(from), std::span(second).subspan(from));
    return index < times.touched_bytes.size() ? times.touched_bytes[index] : 2 * times.touched_bytes.back();
}

template <class Combine>
std::vector<double> each(Combine combine, const std::vector<double>& one, const std::vector<double>& other) {
    std::vector<double> both(one.size());
    std::ranges::transform(one, other, both.begin(), combine);
    return both;
}

constexpr auto least = [](double one, double other) { return std::min(one, other); };

/// What fills before the L3 is half full are the L2 caches.
machine::Reach reach_of(const machine::Machine& machine, std::size_t bytes) {
    if (bytes < machine.l3_bytes / 2) {
        return {.l2_bytes = bytes / sharing_members, .l3_bytes = machine.l3_bytes};
    }
    return {.l3_bytes = bytes};
}

} // namespace

std::size_t best_split(std::span<const double> first, std::span<const double> second) {
    constexpr double least_speedup = 1.1;
    std::size_t best = first.size();
    double best_loss = 0;
    double loss = 0;
    for (std::size_t index = first.size(); index-- > 0;) {
        loss += std::log(second[index] / first[index]);
        if (loss < best_loss && second[index] * least_speedup <= first[index]) {
            best = index;
            best_loss = loss;
        }
    }
    return best;
}

machine::Thresholds profile_of(const machine::Machine& machine, const StoreTimes& times) {
    machine::Thresholds profile = machine::family_thresholds(machine);
    profile.source = machine::ThresholdSource::measured;
    // Where the L2 caches of both are full of lines that the other has read.
    const auto usual = std::ranges::lower_bound(times.touched_bytes, std::size_t{1} << 20U);
    const auto at = static_cast<std::size_t>(usual - times.touched_bytes.begin());
    profile.plain_line_ns = line_ns(times.combined_us, times.touched_bytes, at);
    profile.moved_line_ns = line_ns(times.combined_moved_us, times.touched_bytes, at);
    profile.streamed_line_ns = line_ns(times.combined_streamed_us, times.touched_bytes, at);
    profile.lines_from_bytes = std::size_t{16} << 10U;
    const bool moves = engine::StorePolicy(machine, profile).moves_lines();
    const std::vector<double>& combined_us = moves ? times.combined_moved_us : times.combined_us;
    const std::vector<double>& pushed_us = moves ? times.pushed_moved_us : times.pushed_us;
    profile.stream_combined_bytes = split_bytes(machine, times, combined_us, times.combined_streamed_us);
    const std::vector<double>& gathered_us = moves ? times.gathered_moved_us : times.gathered_us;
    profile.stream_to_others = reach_of(
        machine, split_bytes(machine, times, each(std::multiplies{}, pushed_us, gathered_us),
                             each(std::multiplies{}, times.pushed_streamed_us, times.gathered_streamed_us)));
    const std::vector<double> own_cached_us = each(least, pushed_us, times.pushed_streamed_us);
    profile.stream_pushed_to_own =
        reach_of(machine, split_bytes(machine, times, own_cached_us, times.pushed_all_streamed_us));
    profile.stream_combined_to_own =
        reach_of(machine, split_bytes(machine, times, times.reduced_us, times.reduced_streamed_us));
    profile.stream_to_own =
        reach_of(machine, split_bytes(machine, times, times.fetched_us, times.fetched_streamed_us));
    const std::size_t push =
        best_split(times.pulled_us, each(least, own_cached_us, times.pushed_all_streamed_us));
    profile.push_bytes = push < times.touched_bytes.size() ? times.touched_bytes[push] : 0;
    return profile;
}

} // namespace tutti::bench
