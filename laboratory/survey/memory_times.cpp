#include "survey/memory_times.hpp"

#include "measure/buffer.hpp"
#include "measure/clock.hpp"
#include "survey/pinned_threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tutti::laboratory {

namespace {

constexpr std::size_t most_passes = 15;

/// In several sums, so that additions do not wait for each other.
std::uint64_t sum(const std::uint64_t* words, std::size_t count) {
    constexpr std::size_t lanes = 16;
    std::uint64_t sums[lanes] = {};
    for (std::size_t at = 0; at + lanes <= count; at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += words[at + lane];
        }
    }
    std::uint64_t all = 0;
    for (const std::uint64_t each : sums) {
        all += each;
    }
    return all;
}

/// A thread's pass over memory. The values that it reads are used, so that they are read.
void pass_over(std::byte* data, std::size_t bytes, Access access, std::atomic<std::uint64_t>& used) {
    switch (access) {
    case Access::read:
        used.store(sum(reinterpret_cast<const std::uint64_t*>(data), bytes / sizeof(std::uint64_t)),
                   std::memory_order_relaxed);
        return;
    case Access::write:
        std::memset(data, 1, bytes);
        return;
    case Access::copy:
        std::memcpy(data + bytes / 2, data, bytes / 2);
        return;
    }
}

struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

} // namespace

double memory_gbs(std::span<const int> cpus, std::span<const int> homes, Access access, std::size_t bytes,
                  double seconds) {
    std::vector<bench::Buffer> buffers;
    for (std::size_t index = 0; index < cpus.size(); ++index) {
        buffers.emplace_back(bytes);
    }
    const auto data = [&](std::size_t index) { return buffers[index].data(); };
    on_cpus(homes, [&](std::size_t index, bench::Gate&) { std::memset(data(index), 1, bytes); });
    std::vector<Span> spans(cpus.size());
    std::vector<double> samples;
    std::atomic<std::uint64_t> used{0};
    std::atomic<bool> enough{false};
    on_cpus(cpus, [&](std::size_t index, bench::Gate& gate) {
        const std::int64_t until = bench::now_ns() + static_cast<std::int64_t>(seconds * 1e9);
        while (!enough.load(std::memory_order_relaxed)) {
            spans[index].begin = gate.start();
            pass_over(data(index), bytes, access, used);
            spans[index].end = bench::now_ns();
            gate.meet();
            if (index == 0) {
                const std::int64_t begin = std::ranges::min(spans, {}, &Span::begin).begin;
                const std::int64_t end = std::ranges::max(spans, {}, &Span::end).end;
                samples.push_back(static_cast<double>(cpus.size() * bytes) /
                                  static_cast<double>(end - begin));
                enough.store(samples.size() >= most_passes || end >= until, std::memory_order_relaxed);
            }
            gate.meet();
        }
    });
    return std::ranges::max(samples);
}

} // namespace tutti::laboratory
