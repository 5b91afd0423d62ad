#include "survey/times.hpp"

#include "machine/pinning.hpp"
#include "measure/buffer.hpp"
#include "measure/harness.hpp"
#include "measure/statistics.hpp"

#include <tutti/detail/kernels.hpp>
#include <tutti/team.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tutti::laboratory {

void on_cpus(std::span<const int> cpus,
             const std::function<void(std::size_t index, bench::Gate& gate)>& body) {
    bench::Gate gate(static_cast<int>(cpus.size()), false);
    std::vector<std::string> reasons(cpus.size());
    const auto refused = [](const std::string& reason) { return !reason.empty(); };
    {
        std::vector<std::jthread> threads;
        threads.reserve(cpus.size());
        for (std::size_t index = 0; index < cpus.size(); ++index) {
            threads.emplace_back([&, index] {
                const machine::PinResult result = machine::pin_this_thread(cpus[index]);
                reasons[index] =
                    result.pinned ? "" : "CPU " + std::to_string(cpus[index]) + ": " + result.reason;
                gate.meet();
                if (std::ranges::none_of(reasons, refused)) {
                    body(index, gate);
                }
            });
        }
    }
    const auto first = std::ranges::find_if(reasons, refused);
    if (first != reasons.end()) {
        throw std::runtime_error("threads cannot be pinned, so that there is nothing to measure: " + *first);
    }
}

double call_ns(int cpu, int other, double seconds) {
    constexpr int members = 2;
    // The first calls prepare the call: of three, the median would be one of these.
    const bench::Limits limits{.least = 20, .most = 5000, .seconds = seconds};
    const bench::Buffer room(bench::HarnessMemory::bytes(members, limits.most));
    bench::HarnessMemory::create(room.data(), members, false);
    double ns = 0;
    Team team(members, {.placement = Placement::cpus({cpu, other})});
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

/// The vectors of a member: two that it writes before each pass, one that it reads.
struct OwnVectors {
    explicit OwnVectors(std::size_t bytes) : left(bytes), right(bytes), out(bytes) {}

    bench::Buffer left;
    bench::Buffer right;
    bench::Buffer out;
};

std::span<std::uint64_t> words_of(const bench::Buffer& buffer) {
    return {reinterpret_cast<std::uint64_t*>(buffer.data()), buffer.bytes() / sizeof(std::uint64_t)};
}

/// So that the compiler takes it for used.
void read(const bench::Buffer& buffer) {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words_of(buffer)) {
        sum += word;
    }
    [[maybe_unused]] const volatile std::uint64_t used = sum;
}

void copy(const bench::Buffer& to, const bench::Buffer& from, std::size_t bytes) {
    void* const out = to.data();
    detail::copy_many(&out, 1, from.data(), bytes, {});
}

void combine(const bench::Buffer& to, const bench::Buffer& left, const bench::Buffer& right,
             std::size_t bytes) {
    detail::builtin<Type::f64>(Operator::sum)
        .reduce(nullptr, to.data(), left.data(), right.data(), bytes / sizeof(double));
}

void execute(Pass pass, const OwnVectors& own, const OwnVectors& other, std::size_t bytes) {
    switch (pass) {
    case Pass::copy:
        return copy(own.out, own.left, bytes);
    case Pass::combine:
        return combine(own.out, own.left, own.right, bytes);
    case Pass::fetch:
        return copy(own.out, other.left, bytes);
    case Pass::store:
        return combine(other.out, own.left, own.right, bytes);
    case Pass::meet:
        return combine(own.out, own.left, other.left, bytes);
    }
}

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

double pass_ns_a_byte(int cpu, int other, Pass pass, std::size_t bytes, double seconds) {
    const bench::Limits limits{.least = 3, .most = 500, .seconds = seconds};
    const std::array<OwnVectors, 2> vectors{OwnVectors(bytes), OwnVectors(bytes)};
    constexpr int members = 2;
    const bench::Buffer room(bench::HarnessMemory::bytes(members, 2 * limits.most));
    bench::HarnessMemory::create(room.data(), members, false);
    double ns = 0;
    on_cpus(std::array{cpu, other}, [&](std::size_t index, bench::Gate&) {
        bench::Harness harness(bench::HarnessMemory(room.data(), members, 2 * limits.most),
                               static_cast<int>(index));
        const OwnVectors& own = vectors[index];
        const OwnVectors& others = vectors[1 - index];
        const auto timed = [&](std::size_t length) {
            return bench::Timed{.run =
                                    [&, length](std::size_t) {
                                        if (length != 0 && (index == 0 || pass == Pass::meet)) {
                                            execute(pass, own, others, length);
                                        }
                                    },
                                .prepare =
                                    [&](std::uint64_t salt) {
                                        read(own.out);
                                        std::ranges::fill(words_of(own.left), salt);
                                        std::ranges::fill(words_of(own.right), salt);
                                    },
                                .calls = 1,
                                .leader_alone = false};
        };
        const std::array<bench::Timed, 2> both{timed(bytes), timed(0)};
        auto lengths_us = harness.measure(both, limits);
        if (harness.leads()) {
            constexpr double ns_per_us = 1000;
            const double full = bench::summarise(std::move(lengths_us[0])).median;
            const double empty = bench::summarise(std::move(lengths_us[1])).median;
            ns = (full - empty) * ns_per_us / static_cast<double>(bytes);
        }
    });
    return ns;
}

} // namespace tutti::laboratory
