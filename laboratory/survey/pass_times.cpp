#include "survey/pass_times.hpp"

#include "measure/buffer.hpp"
#include "measure/harness.hpp"
#include "measure/harness_memory.hpp"
#include "measure/statistics.hpp"
#include "survey/pinned_threads.hpp"

#include <tutti/detail/kernels.hpp>

#include <algorithm>
#include <array>
#include <span>

namespace tutti::laboratory {

namespace {

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
