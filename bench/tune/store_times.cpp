#include "tune/store_times.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::bench {

namespace {

constexpr int members = 2;
constexpr std::size_t line_bytes = 64;

double line_ns(const std::vector<double>& us, const std::vector<std::size_t>& touched, std::size_t at) {
    const std::size_t vector_bytes = touched[at] / (2 * std::size_t{members});
    const std::size_t lines = vector_bytes / members / line_bytes;
    return std::round(1e5 * us[at] / static_cast<double>(lines)) / 100;
}

/// Where the second way begins, or past all that was measured.
std::size_t split_bytes(const StoreTimes& times, const std::vector<double>& first,
                        const std::vector<double>& second) {
    const std::size_t index = best_split(first, second);
    return index < times.touched_bytes.size() ? times.touched_bytes[index] : 2 * times.touched_bytes.back();
}

/// What fills before the L3 is half full are the L2 caches.
machine::Reach reach_of(const machine::Machine& machine, std::size_t bytes) {
    if (bytes < machine.l3_bytes / 2) {
        return {.l2_bytes = bytes / members, .l3_bytes = machine.l3_bytes};
    }
    return {.l3_bytes = bytes};
}

} // namespace

std::size_t best_split(std::span<const double> first, std::span<const double> second) {
    constexpr double least_gain = 1.05;
    std::size_t best = first.size();
    double best_loss = 0;
    double loss = 0;
    for (std::size_t index = first.size(); index-- > 0;) {
        loss += std::log(second[index] * least_gain / first[index]);
        if (loss < best_loss) {
            best = index;
            best_loss = loss;
        }
    }
    return best;
}

machine::Profile profile_of(const machine::Machine& machine, const StoreTimes& times) {
    machine::Profile profile = machine::family_profile(machine);
    profile.source = machine::ProfileSource::measured;
    // Where the L2 caches of both are full of lines that the other has read.
    const auto usual = std::ranges::lower_bound(times.touched_bytes, std::size_t{1} << 20U);
    const auto at = static_cast<std::size_t>(usual - times.touched_bytes.begin());
    profile.plain_line_ns = line_ns(times.plain_us, times.touched_bytes, at);
    profile.moved_line_ns = line_ns(times.moved_us, times.touched_bytes, at);
    profile.streamed_line_ns = line_ns(times.streamed_to_other_us, times.touched_bytes, at);
    profile.lines_from_bytes = std::size_t{16} << 10U;
    profile.stream_combined_bytes = 0; // what was measured is what two do
    const bool moves = profile.moved_line_ns < profile.plain_line_ns;
    const std::vector<double>& cached_us = moves ? times.moved_us : times.plain_us;
    profile.stream_to_others = reach_of(machine, split_bytes(times, cached_us, times.streamed_to_other_us));
    profile.stream_to_own =
        reach_of(machine, split_bytes(times, times.streamed_to_other_us, times.streamed_us));
    const std::size_t push = best_split(times.pulled_us, times.pushed_us);
    // An allgather touches three vectors where an allreduce touches four.
    profile.push_bytes = push < times.touched_bytes.size() ? times.touched_bytes[push] / 4 * 3 : 0;
    return profile;
}

} // namespace tutti::bench
