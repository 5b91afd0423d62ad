#include "measure/measurement.hpp"

#include "measure/buffer.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace tutti::bench {

namespace {

/// Pushed and pulled; through the caches, by string moves, past them, and past them except for a member's own
/// vector.
constexpr std::size_t most_floors = 8;

/// How long a batch of calls back to back should take: many times the cost of starting it.
constexpr double batch_us = 1000;
constexpr std::size_t most_batches = 60;
/// So much of the time of single runs is added for iterations.
constexpr double loop_share = 0.25;

/// They take turns, so that the time is shared by all.
Limits limits_of(const Method& method, const Subject& subject) {
    Limits limits = method.limits;
    limits.seconds *= static_cast<double>(subject.contenders.size());
    return limits;
}

/// visit(offset) for the vectors of each call of a run: where they lie behind those of the first.
template <class Visit>
void for_each_call(const Problem& problem, std::size_t calls, Visit visit) {
    for (std::size_t call = 0; call < calls; ++call) {
        visit(call * spaced(problem.bytes()));
    }
}

/// One run of every contender, with inputs and outputs that are new to it. Returns the wrong elements of
/// each.
std::vector<std::size_t> check_all(Harness& harness, const Problem& problem, const Data& data,
                                   const Subject& subject, std::uint64_t salt) {
    std::vector<std::size_t> wrong;
    for (const Contender& contender : subject.contenders) {
        ++salt;
        for_each_call(problem, contender.calls, [&](std::size_t offset) {
            data.spoil_output(subject.output + offset);
            data.write_input(subject.input + offset, salt);
        });
        harness.meet();
        if (harness.leads() || !contender.leader_alone) {
            contender.collective(contender.calls);
        }
        if (contender.leader_alone) {
            harness.meet();
        }
        std::size_t found = 0;
        for_each_call(problem, contender.calls,
                      [&](std::size_t offset) { found += data.wrong(subject.result + offset, salt); });
        wrong.push_back(found);
        harness.meet();
    }
    return wrong;
}

/// Has members that choose algorithms by the times of their first calls choose before anything is timed.
/// These calls find the caches as a timed call does: between calls of others, they would not.
void settle(Harness& harness, const Data& data, const Subject& subject, const Limits& limits) {
    constexpr int enough_calls = 20;
    for (const Contender& contender : subject.contenders) {
        if (contender.algorithm != "auto" || contender.calls != 1 || contender.leader_alone) {
            continue;
        }
        for (int call = 0; call < enough_calls && harness.agree(limits.is_over() ? 1 : 0) == 0; ++call) {
            data.read_output(subject.output);
            data.write_input(subject.input, static_cast<std::uint64_t>(call));
            harness.meet();
            contender.collective(1);
        }
    }
}

std::optional<double> best_median(std::span<std::vector<double>> lengths_us) {
    std::optional<double> best;
    for (std::vector<double>& lengths : lengths_us) {
        const double median = summarise(std::move(lengths)).median;
        best = best ? std::min(*best, median) : median;
    }
    return best;
}

/// Times single runs.
void measure_runs(Harness& harness, const Problem& problem, const Data& data, const Subject& subject,
                  const Method& method, std::span<Point> points) {
    const auto rewrite = [&](std::size_t calls) {
        return [&, calls](std::uint64_t salt) {
            for_each_call(problem, calls, [&](std::size_t offset) {
                data.read_output(subject.output + offset);
                data.write_input(subject.input + offset, salt);
            });
        };
    };
    std::vector<Timed> timed;
    for (const Contender& contender : subject.contenders) {
        timed.push_back({.run = contender.collective,
                         .prepare = rewrite(contender.calls),
                         .calls = contender.calls,
                         .leader_alone = contender.leader_alone});
    }
    for (const Calls& floor : subject.floors) {
        timed.push_back({.run = floor, .prepare = rewrite(1)});
    }
    auto lengths_us = harness.measure(timed, limits_of(method, subject));
    if (!harness.leads()) {
        return;
    }
    const std::optional<double> floor_us = best_median(std::span(lengths_us).subspan(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].samples_us = thinned(lengths_us[i], most_samples);
        points[i].time_us = summarise(std::move(lengths_us[i]));
        points[i].floor_us = floor_us;
    }
}

/// Times iterations like those of a program: it reads its last result, writes its input, and calls.
void measure_loop(Harness& harness, const Problem& problem, const Data& data, const Subject& subject,
                  const Method& method, std::span<Point> points) {
    const auto iterations = [&](const Calls& call, std::size_t at_once) {
        return [&, call, at_once](std::size_t calls) {
            for (std::size_t left = calls; left > 0; left -= std::min(left, at_once)) {
                const std::size_t now = std::min(left, at_once);
                for_each_call(problem, now, [&](std::size_t offset) {
                    data.use(subject.input + offset, subject.output + offset);
                });
                call(now);
            }
        };
    };
    std::vector<Timed> timed;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double calls = std::clamp(batch_us / std::max(points[i].time_us.median, 0.01), 1.0, 100'000.0);
        const Contender& contender = subject.contenders[i];
        timed.push_back(
            {.run = iterations(contender.back_to_back ? contender.back_to_back : contender.collective,
                               contender.calls),
             .calls = harness.agree(static_cast<std::uint64_t>(calls)),
             .leader_alone = contender.leader_alone});
    }
    if (subject.exchange) {
        timed.push_back({.run = subject.exchange, .calls = timed.front().calls});
    }
    Limits limits = limits_of(method, subject);
    limits.most = std::min(most_batches, limits.most);
    limits.seconds *= loop_share;
    auto lengths_us = harness.measure(timed, limits);
    if (!harness.leads()) {
        return;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].loop_us = summarise(std::move(lengths_us[i])).median;
    }
    if (subject.exchange) {
        points.front().exchange_us = summarise(std::move(lengths_us.back())).median;
    }
}

} // namespace

std::vector<Point> measure(Harness& harness, const Problem& problem, const Subject& subject,
                           const Method& method) {
    std::vector<Point> points;
    for (const Contender& contender : subject.contenders) {
        Point& point = points.emplace_back();
        point.provider = contender.provider;
        point.algorithm = contender.algorithm;
        point.problem = problem;
    }
    const Data data(problem, harness.rank());
    std::vector<std::size_t> wrong(points.size());
    const auto check = [&](std::uint64_t salt) {
        const std::vector<std::size_t> found = check_all(harness, problem, data, subject, salt);
        for (std::size_t i = 0; i < found.size() && method.check; ++i) {
            wrong[i] += found[i];
        }
    };
    // The first calls also build what later ones reuse: plans, connections, pages.
    check(101);
    settle(harness, data, subject, method.limits);
    check(202);
    measure_runs(harness, problem, data, subject, method, points);
    if (problem.bytes() <= method.loop_bytes) {
        measure_loop(harness, problem, data, subject, method, points);
    }
    check(303);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].wrong = harness.total(wrong[i]);
    }
    return points;
}

std::size_t stamps_needed(const Method& method, std::size_t contenders) {
    return method.limits.most * (most_floors + contenders);
}

} // namespace tutti::bench
