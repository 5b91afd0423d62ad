#include "tune/parallel_times.hpp"
#include "tune/store_times.hpp"

#include <doctest/doctest.h>

using namespace tutti;
using bench::best_split;
using bench::StoreTimes;

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// Two CPUs with 1 MiB of L2 each, and an L3 of 32 MiB; sizes from 256 KiB to 64 MiB.
machine::Machine machine_of() {
    machine::Machine machine;
    machine.l2_bytes = 1 * mib;
    machine.l3_bytes = 32 * mib;
    return machine;
}

StoreTimes flat_times() {
    StoreTimes times;
    for (std::size_t bytes = 256 * kib; bytes <= 64 * mib; bytes *= 2) {
        times.touched_bytes.push_back(bytes);
    }
    const std::vector<double> same(times.touched_bytes.size(), 8);
    times.combined_us = times.combined_moved_us = times.combined_streamed_us = same;
    times.reduced_us = times.reduced_streamed_us = times.fetched_us = times.fetched_streamed_us = same;
    times.pushed_us = times.pushed_moved_us = times.pushed_streamed_us = same;
    times.pushed_all_streamed_us = times.pulled_us = same;
    times.gathered_us = times.gathered_moved_us = times.gathered_streamed_us = same;
    return times;
}

/// 5 instead of 8 from so many bytes on.
void gain(const StoreTimes& times, std::vector<double>& us, std::size_t bytes) {
    for (std::size_t i = 0; i < us.size(); ++i) {
        us[i] = times.touched_bytes[i] >= bytes ? 5 : us[i];
    }
}

} // namespace

TEST_CASE("the second of two ways begins where all that follows is the shortest") {
    CHECK(best_split(std::vector<double>{5, 5, 5, 5}, std::vector<double>{9, 6, 4, 3}) == 2);
    CHECK(best_split(std::vector<double>{5, 5, 5, 5}, std::vector<double>{9, 3, 6, 3}) == 1); // one is noise
    const std::vector<std::size_t> touched{1 * mib, 2 * mib, 4 * mib};
    CHECK(bench::parallel_threshold_bytes(touched, {.alone_us = {5, 5, 5}, .shared_us = {9, 4, 3}}) ==
          2 * mib);
    CHECK(bench::parallel_threshold_bytes(touched, {.alone_us = {5, 5, 5}, .shared_us = {9, 8, 7}}) == 0);
    CHECK(best_split(std::vector<double>{5, 5}, std::vector<double>{9, 4.9}) == 2); // no gain
    CHECK(best_split(std::vector<double>{5, 5}, std::vector<double>{2, 2}) == 0);
}

TEST_CASE("a profile says what a line costs where both L2 caches are full of it") {
    StoreTimes times = flat_times();
    times.combined_us[2] = 20.48; // of 1 MiB: 256 KiB each, of which half is the other's: 2048 lines
    times.combined_moved_us[2] = 10.24;
    const machine::Thresholds profile = profile_of(machine_of(), times);
    CHECK(profile.source == machine::ThresholdSource::measured);
    CHECK(profile.plain_line_ns == 10);
    CHECK(profile.moved_line_ns == 5);
    CHECK(profile.streamed_line_ns == doctest::Approx(3.91));
}

TEST_CASE("what two members were measured with takes the place of what their family does between two") {
    machine::Machine zen5 = machine_of();
    zen5.vendor = "AuthenticAMD";
    zen5.family = 26;
    REQUIRE(machine::family_thresholds(zen5).stream_combined_bytes != 0);
    CHECK(profile_of(zen5, flat_times()).stream_combined_bytes == 128 * mib);
}

TEST_CASE("what pays nowhere begins past all that was measured") {
    const machine::Reach never{.l3_bytes = 128 * mib};
    const machine::Thresholds profile = profile_of(machine_of(), flat_times());
    CHECK(profile.stream_to_others == never);
    CHECK(profile.stream_to_own == never);
    CHECK(profile.stream_combined_to_own == never);
    CHECK(profile.stream_pushed_to_own == never);
    CHECK(profile.push_bytes == 0);
}

TEST_CASE("what pays before half the L3 is full depends on the L2 caches") {
    StoreTimes times = flat_times();
    gain(times, times.combined_streamed_us, 1 * mib); // before the L2 caches are full
    gain(times, times.reduced_streamed_us, 2 * mib);
    gain(times, times.pushed_streamed_us, 4 * mib);
    gain(times, times.gathered_streamed_us, 4 * mib);
    gain(times, times.fetched_streamed_us, 8 * mib);
    times.pushed_all_streamed_us.back() = 4; // 64 MiB
    const machine::Thresholds profile = profile_of(machine_of(), times);
    CHECK(profile.stream_combined_bytes == 2 * mib);
    CHECK(profile.stream_combined_to_own == machine::Reach{.l2_bytes = 1 * mib, .l3_bytes = 32 * mib});
    CHECK(profile.stream_to_others == machine::Reach{.l2_bytes = 2 * mib, .l3_bytes = 32 * mib});
    CHECK(profile.stream_to_own == machine::Reach{.l2_bytes = 4 * mib, .l3_bytes = 32 * mib});
    CHECK(profile.stream_pushed_to_own == machine::Reach{.l3_bytes = 64 * mib});
    CHECK(profile.push_bytes == 4 * mib); // in the fastest way of pushing there is
}
