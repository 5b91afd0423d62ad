// Times of reproducible sums beside plain sums (docs/reproducible.md has a table).

#include <tutti/numbers.hpp>
#include <tutti/team.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_INSTRUCTION_SET __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_INSTRUCTION_SET
#endif

namespace {

using tutti::Reproducible;

/// The fastest plain sum: vectors, and four additions at a time. The length must be a multiple of 32.
FOR_EACH_INSTRUCTION_SET double vectorised_sum(const double* x, std::size_t count) {
    using Vector [[gnu::vector_size(64)]] = double;
    Vector sums[4] = {};
    for (std::size_t i = 0; i < count; i += 32) {
        for (int place = 0; place < 4; ++place) {
            Vector terms;
            std::memcpy(&terms, x + i + static_cast<std::ptrdiff_t>(8) * place, sizeof terms);
            sums[place] += terms;
        }
    }
    const Vector all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return ((all[0] + all[1]) + (all[2] + all[3])) + ((all[4] + all[5]) + (all[6] + all[7]));
}

/// The least time of several runs per term or call, in nanoseconds, with the members' barrier before each.
template <class Work>
double time_of(tutti::Member& me, std::size_t count, std::size_t repetitions, const Work& work) {
    using Clock = std::chrono::steady_clock;
    double least = 1e9;
    for (int run = 0; run < 15; ++run) {
        me.barrier();
        const auto begin = Clock::now();
        for (std::size_t i = 0; i < repetitions; ++i) {
            [[maybe_unused]] volatile double result = work();
        }
        const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
        least = std::min(least, time.count() / static_cast<double>(repetitions * count));
    }
    return me.allreduce(least, tutti::max);
}

template <class Sum>
double loop(std::span<const double> x) {
    Sum sum{};
    for (const double term : x) {
        sum += term;
    }
    if constexpr (std::is_same_v<Sum, double>) {
        return sum;
    } else {
        return sum.value();
    }
}

template <class T>
double reduced(tutti::Member& me, const T& mine) {
    const T all = me.allreduce(mine, tutti::sum);
    return reinterpret_cast<const volatile char&>(all);
}

void show(tutti::Member& me, const char* what, double plain, double fold2, double fold3) {
    if (me.rank() == 0) {
        std::printf("%-28s %8.3f %8.3f (%4.2f) %8.3f (%4.2f)\n", what, plain, fold2, fold2 / plain, fold3,
                    fold3 / plain);
    }
}

void measure(tutti::Member& me, const char* what, std::size_t count, std::size_t repetitions) {
    const std::vector<double> terms(count + 8, 1.0 / 3);
    const std::size_t first = 8 - reinterpret_cast<std::size_t>(terms.data()) / sizeof(double) % 8;
    const std::span<const double> x(terms.data() + first, count);
    const auto time = [&](const auto& work) { return time_of(me, count, repetitions, work); };
    show(me, what, time([&] { return vectorised_sum(x.data(), count); }),
         time([&] { return Reproducible<double, 2>().add(x).value(); }),
         time([&] { return Reproducible<double, 3>().add(x).value(); }));
    show(me, "  += term by term", time([&] { return loop<double>(x); }),
         time([&] { return loop<Reproducible<double, 2>>(x); }),
         time([&] { return loop<Reproducible<double, 3>>(x); }));
}

/// An ordered reduction beside the fastest plain sum and an allreduce, in nanoseconds per call: of `bytes` of
/// all members, of which member 0 has `less` terms less than half.
void measure_ordered(tutti::Member& me, std::size_t bytes, std::size_t less, std::size_t repetitions) {
    const std::size_t half = bytes / sizeof(double) / 2;
    const std::size_t count = me.rank() == 0 ? half - less : half + less;
    const std::vector<double> terms(count + 8, 1.0 / 3);
    const std::size_t first = 8 - reinterpret_cast<std::size_t>(terms.data()) / sizeof(double) % 8;
    const std::span<const double> x(terms.data() + first, count);
    auto total =
        tutti::prepare_ordered_reduce<double>(me, me.rank() == 0 ? 0 : half - less, count, tutti::sum);
    const double plain = time_of(me, 1, repetitions, [&] {
        return me.allreduce(vectorised_sum(x.data(), count / 32 * 32), tutti::sum);
    });
    const double ordered = time_of(me, 1, repetitions, [&] { return total(x); });
    if (me.rank() == 0) {
        std::printf("%5zu KiB, %-18s %8.0f %8.0f (%4.2f)\n", bytes / 1024,
                    less == 0 ? "equal parts" : "unequal parts", plain, ordered, ordered / plain);
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t scale = argc > 1 ? static_cast<std::size_t>(std::max(1, std::atoi(argv[1]))) : 100;
    std::printf("%-28s %8s %15s %15s\n", "nanoseconds per term or call", "plain", "fold 2", "fold 3");
    tutti::Team(1).run([&](tutti::Member& me) { measure(me, "32 KiB, 1 thread", 4096, 10 * scale); });
    tutti::Team(2).run([&](tutti::Member& me) {
        measure(me, "large, 2 threads", scale * 80'000 / 32 * 32, 1);
        const auto time = [&](const auto& work) { return time_of(me, 1, 100 * scale, work); };
        show(me, "allreduce, 2 threads", time([&] { return reduced(me, 1.0); }),
             time([&] { return reduced(me, Reproducible<double, 2>()); }),
             time([&] { return reduced(me, Reproducible<double, 3>()); }));
        if (me.rank() == 0) {
            std::printf("%-28s %8s %15s\n", "nanoseconds per call", "plain", "ordered_reduce");
        }
        for (const std::size_t less : {0U, 100U}) {
            for (std::size_t bytes = std::size_t{64} << 10U; bytes <= std::size_t{16} << 20U; bytes *= 4) {
                measure_ordered(me, bytes, less, 1 + scale * (std::size_t{64} << 10U) / bytes * 20);
            }
        }
    });
}
