#include "measure/gate.hpp"
#include "survey/distances.hpp"
#include "survey/times.hpp"
#include "terminal/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace tutti::laboratory {

namespace {

using distance::Class;
using distance::LineCosts;
using distance::Number;
using machine::Machine;
using machine::Pu;

constexpr std::size_t most_compared = 64;
constexpr std::size_t most_readers = 16;
/// Longer does not make a median better.
constexpr double most_pair_seconds = 0.02;
constexpr double most_seconds = 0.5;
/// How often something is timed for a class of distances, for a cache, for a part of the machine, and at the
/// end.
constexpr std::size_t line_steps = 6;
constexpr std::size_t cache_steps = 1;
constexpr std::size_t memory_steps = 3;
constexpr std::size_t last_steps = 2;
/// A step may need several timings, and some that come out as nothing are done again.
constexpr std::size_t line_timings = line_steps + 2;
constexpr std::size_t cache_timings = 2;
/// The cost of a further reader if there is only one to be timed.
constexpr double usual_reader_ns = 1.2;
/// A core's rate of reading its caches if nothing of it can be timed.
constexpr double usual_cache_gbs = 32;
/// Nothing that takes time is faster than any cache.
constexpr double least_ns_a_byte = 0.001;

/// The sources of a measured profile, by their indices.
enum SourceIndex : std::size_t {
    timed_pairs,
    timed_readers,
    timed_lines,
    timed_passes,
    timed_memory,
    timed_calls,
    one_reader,
    no_time,
};

std::vector<distance::Source> sources() {
    using distance::Origin;
    return {
        {"pairs", Origin::measured, "half a ping-pong by plain stores and loads on one line; over all pairs"},
        {"readers", Origin::measured,
         "two that wait for each other; how much later the last of up to 16 is, by a clock that all read"},
        {"lines", Origin::measured, "64 lines, each store after the one before; flags in series"},
        {"passes", Origin::measured,
         "the library's kernels on vectors of an eighth of an L2, and for the L3 of two L2"},
        {"memory", Origin::measured,
         "a thread a core, each with memory of its own, together more than the caches hold"},
        {"calls", Origin::measured, "single calls that begin together, between the two nearest cores"},
        {"one-reader", Origin::estimated, "1.2 ns, where only one CPU can be a reader at this distance"},
        {"no-time", Origin::estimated,
         "three times another program has disturbed it; as fast as a copy, of which half is read and half is "
         "written, or 32 GB/s, lines as the L3 is read or as they are fetched, and the first reader as a "
         "store is seen"}};
}

double rounded(double value) {
    return std::round(value * 10) / 10;
}

std::vector<int> numbers_of(std::span<const Pu> pus) {
    std::vector<int> numbers;
    std::ranges::transform(pus, std::back_inserter(numbers), &Pu::os_index);
    return numbers;
}

/// A pair of CPUs with the median distance of its class.
struct Pair {
    std::size_t one = 0;
    std::size_t other = 0;
    double ns = 0;
};

/// The pairs in each class, from the nearest to the furthest.
std::vector<Pair> pairs_at(const Survey& survey, Class distance) {
    std::vector<Pair> pairs;
    for (std::size_t one = 0; one < survey.pus.size(); ++one) {
        for (std::size_t other = one + 1; other < survey.pus.size(); ++other) {
            if (class_of(survey.pus[one], survey.pus[other]) == distance) {
                pairs.push_back({one, other, survey.one_way_ns.ns(one, other)});
            }
        }
    }
    std::ranges::sort(pairs, {}, &Pair::ns);
    return pairs;
}

/// Measures step by step.
class Surveyor {
public:
    Surveyor(const Machine& machine, double seconds, bool progress_shown)
        : machine_(machine), survey_{cpus_to_compare(machine, most_compared), distance::Matrix(0), {}},
          classes_(classes_among(survey_.pus)), seconds_(seconds), began_ns_(bench::now_ns()),
          timings_left_(classes_.size() * line_timings + 2 * cache_timings +
                        (classes_.size() + 1) * memory_steps + last_steps),
          progress_(survey_.pus.size() - 1 + classes_.size() * line_steps + 2 * cache_steps +
                        (classes_.size() + 1) * memory_steps + last_steps,
                    progress_shown) {}

    Survey run() {
        compare_pairs();
        distance::MachineModel& profile = survey_.profile;
        profile.name =
            fmt::format("{}, {} CPUs", machine_.model.empty() ? "unknown processor" : machine_.model,
                        machine_.pus_in_machine);
        profile.topology = machine::synthetic_here();
        profile.sources = sources();
        measure_caches();
        for (const Class each : classes_) {
            profile.has[static_cast<std::size_t>(each)] = true;
            measure_lines(each);
        }
        for (const Class each : distance::all_classes) {
            if (each == Class::core || profile.has_class(each)) {
                measure_memory(each);
            }
        }
        measure_calls();
        return std::move(survey_);
    }

private:
    static std::vector<Class> classes_among(std::span<const Pu> pus) {
        std::vector<Class> classes;
        for (const Class each : distance::all_classes) {
            const auto at_it = [&](const Pu& one) {
                return std::ranges::any_of(pus, [&](const Pu& other) {
                    return one.os_index != other.os_index && class_of(one, other) == each;
                });
            };
            if (std::ranges::any_of(pus, at_it)) {
                classes.push_back(each);
            }
        }
        return classes;
    }

    int number(std::size_t at) const { return survey_.pus[at].os_index; }

    /// Until this share of the time is up.
    double seconds_left(double share) const {
        return std::max(share * seconds_ - static_cast<double>(bench::now_ns() - began_ns_) / 1e9, 0.0);
    }

    /// For the next timing: what comes before may have taken longer than it should.
    double timing_seconds() {
        const double seconds = seconds_left(1) / static_cast<double>(timings_left_);
        timings_left_ = std::max<std::size_t>(timings_left_ - 1, 1);
        return std::min(most_seconds, seconds);
    }

    /// In half of the time.
    void compare_pairs() {
        const std::size_t cpus = survey_.pus.size();
        std::size_t pairs_left = cpus * (cpus - 1) / 2;
        survey_.one_way_ns = distance::Matrix(cpus);
        for (std::size_t one = 1; one < cpus; ++one) {
            progress_.step("lines between pairs of CPUs", fmt::format("CPU {}", number(one)));
            for (std::size_t other = 0; other < one; ++other, --pairs_left) {
                const double seconds =
                    std::min(most_pair_seconds, seconds_left(0.5) / static_cast<double>(pairs_left));
                survey_.one_way_ns.set(one, other, rounded(one_way_ns(number(other), number(one), seconds)));
            }
        }
    }

    void measure_lines(Class distance) {
        const std::vector<Pair> pairs = pairs_at(survey_, distance);
        const Pair& median = pairs[(pairs.size() - 1) / 2];
        LineCosts& lines = survey_.profile.lines[static_cast<std::size_t>(distance)];
        lines.least_one_way = {pairs.front().ns, timed_pairs};
        lines.median_one_way = {median.ns, timed_pairs};
        lines.most_one_way = {pairs.back().ns, timed_pairs};
        const int one = number(median.one);
        const int other = number(median.other);
        const std::vector<int> others = others_at(median, distance);
        const auto begin = [&](const char* detail) {
            progress_.step(fmt::format("lines, {}", to_string(distance)), detail);
        };
        begin("readers");
        measure_readers(lines, one, others);
        begin("flags");
        lines.flag = {rounded(flag_ns(one, others, timing_seconds())), timed_lines};
        begin("lines taken back");
        lines.taken_back = {rounded(taken_back_ns(one, other, timing_seconds())), timed_lines};
        const double read_ns = 1 / survey_.profile.l2.read.value;
        const auto measured = [&](Pass pass, double own_reads, const Number& otherwise, const char* detail) {
            begin(detail);
            const std::optional<double> ns = measured_above(least_ns_a_byte, [&] {
                return pass_ns_a_byte(one, other, pass, l2_vector_bytes(), timing_seconds()) -
                       own_reads * read_ns;
            });
            return ns ? Number{bandwidth(*ns), timed_passes} : Number{otherwise.value, no_time};
        };
        lines.fetch = measured(Pass::fetch, 0, survey_.profile.l3.read, "fetched lines");
        lines.fetch_contended = measured(Pass::meet, 1, lines.fetch, "fetched lines that two read");
        lines.store = measured(Pass::store, 2, lines.fetch, "lines stored to");
    }

    /// Small enough for three of each of two CPUs to be in its L2 caches together.
    std::size_t l2_vector_bytes() const { return l2_bytes() / 8; }
    /// Too large for the L2 caches.
    std::size_t l3_vector_bytes() const { return 2 * l2_bytes(); }
    std::size_t l2_bytes() const {
        constexpr std::size_t usual = std::size_t{1} << 20U;
        return machine_.l2_bytes != 0 ? machine_.l2_bytes : usual;
    }

    static double bandwidth(double ns_a_byte) { return std::max(rounded(1 / ns_a_byte), 0.1); }

    /// Between any two CPUs, of which one does nothing.
    void measure_caches() {
        const auto measure = [&](distance::CacheBandwidth& cache, std::size_t bytes, const char* which) {
            const auto timed = [&](Pass pass) {
                return pass_ns_a_byte(number(0), number(1), pass, bytes, timing_seconds());
            };
            progress_.step(which, "copied and combined");
            double copied = 0;
            // They differ by one vector that is read.
            const std::optional<double> read = measured_above(least_ns_a_byte, [&] {
                const double copy = timed(Pass::copy);
                const double difference = timed(Pass::combine) - copy;
                copied = copy > 2 * least_ns_a_byte ? copy : copied;
                return copy - difference > least_ns_a_byte ? difference : 0;
            });
            const double half = copied > 0 ? copied / 2 : 1 / usual_cache_gbs;
            cache.read = {bandwidth(read.value_or(half)), read ? timed_passes : no_time};
            cache.write = {bandwidth(read ? copied - *read : half), read ? timed_passes : no_time};
        };
        measure(survey_.profile.l2, l2_vector_bytes(), "L2");
        measure(survey_.profile.l3, l3_vector_bytes(), "L3");
    }

    /// All that are so far from the first, beginning with the second; one of each core.
    std::vector<int> others_at(const Pair& pair, Class distance) const {
        std::vector<Pu> others{survey_.pus[pair.other]};
        for (const Pu& pu : survey_.pus) {
            const bool is_one_of_them = pu.os_index == number(pair.one) || pu.os_index == number(pair.other);
            if (!is_one_of_them && class_of(survey_.pus[pair.one], pu) == distance) {
                others.push_back(pu);
            }
        }
        others = one_of_each_core(others);
        others.resize(std::min(others.size(), most_readers));
        return numbers_of(others);
    }

    void measure_readers(LineCosts& lines, int writer, const std::vector<int>& readers) {
        constexpr double least_ns = 0.05;
        const int reader = readers.front();
        lines.readers_each = {usual_reader_ns, one_reader};
        if (readers.size() > 1) {
            const double one = readers_ns(writer, std::array{reader}, timing_seconds());
            const double all = readers_ns(writer, readers, timing_seconds());
            const auto more = static_cast<double>(readers.size() - 1);
            lines.readers_each = {rounded(std::max((all - one) / more, 0.0)), timed_readers};
        }
        const std::optional<double> base = measured_above(least_ns, [&] {
            return exchange_ns(writer, reader, timing_seconds()) - lines.readers_each.value;
        });
        lines.readers_base =
            base ? Number{rounded(*base), timed_readers} : Number{lines.median_one_way.value, no_time};
    }

    void measure_memory(Class part) {
        std::vector<Pu> pus = part == Class::core ? std::vector<Pu>{machine_.pus.front()}
                                                  : first_part(part == Class::link ? Class::socket : part);
        pus = one_of_each_core(pus);
        const std::vector<int> cpus = numbers_of(pus);
        const std::vector<int> homes = part == Class::link ? homes_beyond(pus) : cpus;
        distance::Bandwidth& memory = survey_.profile.memory[static_cast<std::size_t>(part)];
        const auto measure = [&](Number& number, Access access, const char* detail) {
            progress_.step(fmt::format("memory, {}", to_string(part)), detail);
            const double gbs = memory_gbs(cpus, homes, access, bytes_of_each(pus), timing_seconds());
            number = {std::max(rounded(gbs), 0.1), timed_memory};
        };
        measure(memory.read, Access::read, "read");
        measure(memory.write, Access::write, "written");
        measure(memory.copy, Access::copy, "copied");
    }

    /// The CPUs of the machine that are at most so far from its first.
    std::vector<Pu> first_part(Class distance) const {
        std::vector<Pu> part;
        for (const Pu& pu : machine_.pus) {
            if (pu.os_index == machine_.pus.front().os_index ||
                class_of(machine_.pus.front(), pu) <= distance) {
                part.push_back(pu);
            }
        }
        return part;
    }

    /// A CPU on another socket for each of these.
    std::vector<int> homes_beyond(std::span<const Pu> pus) const {
        std::vector<int> beyond;
        for (const Pu& pu : machine_.pus) {
            if (pu.os_index != pus.front().os_index && class_of(pus.front(), pu) == Class::link) {
                beyond.push_back(pu.os_index);
            }
        }
        std::vector<int> homes;
        for (std::size_t at = 0; at < pus.size(); ++at) {
            homes.push_back(beyond[at % beyond.size()]);
        }
        return homes;
    }

    /// All of them together use twice what their L3 caches hold, if there is memory for it.
    std::size_t bytes_of_each(const std::vector<Pu>& pus) const {
        constexpr std::size_t least = std::size_t{64} << 20U;
        constexpr std::size_t most = std::size_t{1} << 30U;
        const auto available = static_cast<std::size_t>(std::max(sysconf(_SC_AVPHYS_PAGES), 0L)) *
                               static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t l3_caches = distance::count(groups_within(pus, Class::l3));
        const std::size_t wanted = std::clamp(2 * l3_caches * machine_.l3_bytes, least, most);
        constexpr std::size_t whole_pages = std::size_t{64} << 10U;
        const std::size_t each = std::min(wanted, available / 4) / pus.size() / whole_pages;
        return std::max<std::size_t>(each, 1) * whole_pages;
    }

    void measure_calls() {
        distance::MachineModel& profile = survey_.profile;
        progress_.step("stores", "exclusive ones");
        profile.exclusive_store = {rounded(exclusive_store_ns(number(0), timing_seconds())), timed_lines};
        progress_.step("calls", "allreduce");
        const bool has_cores = classes_.size() > 1 && classes_.front() == Class::core;
        const Pair nearest = pairs_at(survey_, classes_[has_cores ? 1 : 0]).front();
        profile.call = {rounded(call_ns(number(nearest.one), number(nearest.other), timing_seconds())),
                        timed_calls};
    }

    const Machine& machine_;
    Survey survey_;
    std::vector<Class> classes_;
    double seconds_;
    std::int64_t began_ns_;
    std::size_t timings_left_;
    bench::Progress progress_;
};

} // namespace

Survey survey(const Machine& machine, double seconds, bool progress_shown) {
    return Surveyor(machine, seconds, progress_shown).run();
}

} // namespace tutti::laboratory
