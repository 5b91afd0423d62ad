#include "measure/statistics.hpp"
#include "survey/times.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <vector>

namespace tutti::laboratory {

namespace {

/// Lines are fetched in pairs, and some processors fetch the next pair as well.
constexpr std::size_t apart_bytes = 256;
/// So few that the time holds on a machine on which each takes long. A median of less than usual_rounds says
/// little where other programs run.
constexpr std::size_t least_rounds = 3;
constexpr std::size_t usual_rounds = 20;
constexpr std::size_t most_rounds = 500;
/// A clock that ticks in 30 ns would not resolve less.
constexpr int trips_in_round = 100;
constexpr std::size_t lines_in_round = 64;
/// Nothing that takes time may come out as nothing.
constexpr double least_ns = 0.1;

struct alignas(apart_bytes) Word {
    std::atomic<std::uint64_t> value{0};
};

/// The round after the last one.
constexpr std::uint64_t over = ~std::uint64_t{0};

/// Waits until the word is not `old` any more. The awaited thread may have lost its CPU to another program.
std::uint64_t await_change(const Word& word, std::uint64_t old) {
    constexpr int looks_per_yield = 1 << 16;
    int looks = 0;
    while (true) {
        const std::uint64_t value = word.value.load(std::memory_order_acquire);
        if (value != old) {
            return value;
        }
        if (++looks % looks_per_yield == 0) {
            sched_yield();
        }
    }
}

void await(const Word& word, std::uint64_t value) {
    std::uint64_t seen = 0;
    while (seen != value) {
        seen = await_change(word, seen);
    }
}

void await_least(const Word& word, std::uint64_t value) {
    std::uint64_t seen = word.value.load(std::memory_order_acquire);
    while (seen < value) {
        seen = await_change(word, seen);
    }
}

/// Long enough for others to be back in their loops, or done with what they store.
void settle() {
    constexpr std::int64_t ns = 1000;
    const std::int64_t until = bench::now_ns() + ns;
    while (bench::now_ns() < until) {
    }
}

double clock_ns() {
    std::array<double, 64> samples{};
    for (double& sample : samples) {
        const std::int64_t begin = bench::now_ns();
        sample = static_cast<double>(bench::now_ns() - begin);
    }
    return bench::summarise({samples.begin(), samples.end()}).median;
}

/// The median of what rounds take, each of which does `count` things, until the time is up. They are numbered
/// from 1.
template <class Round>
double median_ns(Round round, std::size_t count, double seconds) {
    const double clock = clock_ns();
    const std::int64_t until = bench::now_ns() + static_cast<std::int64_t>(seconds * 1e9);
    std::vector<double> samples;
    do {
        const auto ns = static_cast<double>(round(samples.size() + 1));
        samples.push_back(std::max((ns - clock) / static_cast<double>(count), least_ns));
    } while (samples.size() < least_rounds || (samples.size() < most_rounds && bench::now_ns() < until));
    return bench::summarise(std::move(samples)).median;
}

/// How many trips make a round, so that there can be the usual rounds: the first trips are timed for it.
template <class Trip>
int trips_for(Trip trip, double seconds) {
    constexpr int first_trips = 3;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int first = 0; first < first_trips; ++first) {
        const std::int64_t begin = bench::now_ns();
        trip();
        least = std::min(least, bench::now_ns() - begin);
    }
    const double trips = seconds * 1e9 / static_cast<double>(usual_rounds) /
                         static_cast<double>(std::max<std::int64_t>(least, 1));
    return static_cast<int>(std::clamp<double>(trips, 1, trips_in_round));
}

/// A round of so many trips, which returns how long they take.
template <class Trip>
auto round_of(Trip& trip, int trips) {
    return [&trip, trips](std::uint64_t) {
        const std::int64_t begin = bench::now_ns();
        for (int done = 0; done < trips; ++done) {
            trip();
        }
        return bench::now_ns() - begin;
    };
}

/// StoreHints the round's number to one line after the other. Each takes the place of the number before,
/// which is what leads to the next line: no processor can begin with that earlier.
std::int64_t store_all_ns(std::vector<Word>& lines, std::uint64_t round) {
    const std::int64_t begin = bench::now_ns();
    std::size_t at = 0;
    while (at < lines.size()) {
        const std::uint64_t before = lines[at].value.exchange(round, std::memory_order_seq_cst);
        at += round - before;
    }
    return bench::now_ns() - begin;
}

/// One leads through the rounds, each of which it begins; the others do their part, for which that waits.
/// Returns the median of the leader's times.
template <class Lead, class Follow>
double led_ns(int leader, std::span<const int> others, std::size_t count, double seconds, Lead lead,
              Follow follow) {
    std::vector<int> cpus{leader};
    cpus.insert(cpus.end(), others.begin(), others.end());
    Word round_word;
    std::vector<Word> done(others.size());
    double median = 0;
    on_cpus(cpus, [&](std::size_t index, bench::Gate&) {
        if (index == 0) {
            const auto begin_round = [&](std::uint64_t round) {
                round_word.value.store(round, std::memory_order_release);
                for (const Word& word : done) {
                    await(word, round);
                }
                settle();
            };
            median = median_ns([&](std::uint64_t round) { return lead(round, begin_round); }, count, seconds);
            round_word.value.store(over, std::memory_order_release);
            return;
        }
        std::uint64_t round = 0;
        while ((round = await_change(round_word, round)) != over) {
            follow(index - 1, round);
            done[index - 1].value.store(round, std::memory_order_release);
        }
    });
    return median;
}

} // namespace

double one_way_ns(int cpu, int other, double seconds) {
    Word word;
    double median = 0;
    const std::array cpus{cpu, other};
    on_cpus(cpus, [&](std::size_t index, bench::Gate&) {
        std::uint64_t value = 0;
        if (index == 1) {
            while ((value = await_change(word, value)) != over) {
                word.value.store(++value, std::memory_order_release);
            }
            return;
        }
        const auto trip = [&] {
            word.value.store(++value, std::memory_order_release);
            value = await_change(word, value);
        };
        const int trips = trips_for(trip, seconds);
        median = median_ns(round_of(trip, trips), 2 * static_cast<std::size_t>(trips), seconds);
        word.value.store(over, std::memory_order_release);
    });
    return median;
}

double exchange_ns(int cpu, int other, double seconds) {
    std::array<Word, 2> turns;
    double median = 0;
    const std::array cpus{cpu, other};
    on_cpus(cpus, [&](std::size_t index, bench::Gate&) {
        Word& own = turns[index];
        const Word& others = turns[1 - index];
        std::uint64_t turn = 0;
        const auto trip = [&] {
            own.value.store(++turn, std::memory_order_release);
            await_least(others, turn);
        };
        if (index == 0) {
            const int trips = trips_for(trip, seconds);
            median = median_ns(round_of(trip, trips), static_cast<std::size_t>(trips), seconds);
            own.value.store(over, std::memory_order_release);
            return;
        }
        while (others.value.load(std::memory_order_acquire) != over) {
            trip();
        }
    });
    return median;
}

double readers_ns(int writer, std::span<const int> readers, double seconds) {
    std::vector<Word> seen_at(readers.size());
    // The word that begins a round is the line that all wait for.
    const auto lead = [&](std::uint64_t round, const auto& begin_round) {
        const std::int64_t begin = bench::now_ns();
        begin_round(round);
        std::uint64_t last = 0;
        for (const Word& seen : seen_at) {
            last = std::max(last, seen.value.load(std::memory_order_relaxed));
        }
        return static_cast<std::int64_t>(last) - begin;
    };
    const auto follow = [&](std::size_t reader, std::uint64_t) {
        seen_at[reader].value.store(static_cast<std::uint64_t>(bench::now_ns()), std::memory_order_relaxed);
    };
    return led_ns(writer, readers, 1, seconds, lead, follow);
}

double flag_ns(int collector, std::span<const int> others, double seconds) {
    std::vector<Word> flags(others.size());
    const auto lead = [&](std::uint64_t round, const auto& begin_round) {
        begin_round(round);
        const std::int64_t begin = bench::now_ns();
        for (const Word& flag : flags) {
            await(flag, round);
        }
        return bench::now_ns() - begin;
    };
    const auto follow = [&](std::size_t other, std::uint64_t round) {
        flags[other].value.store(round, std::memory_order_release);
    };
    return led_ns(collector, others, others.size(), seconds, lead, follow);
}

double taken_back_ns(int writer, int reader, double seconds) {
    std::vector<Word> lines(lines_in_round);
    const auto lead = [&](std::uint64_t round, const auto& begin_round) {
        begin_round(round);
        return store_all_ns(lines, round);
    };
    const auto follow = [&](std::size_t, std::uint64_t) {
        for (const Word& line : lines) {
            line.value.load(std::memory_order_acquire);
        }
    };
    return led_ns(writer, std::array{reader}, lines_in_round, seconds, lead, follow);
}

double exclusive_store_ns(int cpu, double seconds) {
    std::vector<Word> lines(lines_in_round);
    double median = 0;
    on_cpus(std::array{cpu}, [&](std::size_t, bench::Gate&) {
        median = median_ns([&](std::uint64_t round) { return store_all_ns(lines, round); }, lines_in_round,
                           seconds);
    });
    return median;
}

} // namespace tutti::laboratory
