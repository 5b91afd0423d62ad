#include "measure.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::bench {

namespace {

constexpr std::size_t most_timed = 5; // four floors of what can be pushed or pulled, and the collective

/// How long a batch of calls back to back should take: many times the cost of starting it.
constexpr double batch_us = 1000;
constexpr std::size_t most_batches = 60;

std::size_t check_once(Harness& harness, const Data& data, const Subject& subject, std::uint64_t salt) {
    data.spoil_output(subject.output);
    data.write_input(subject.input, salt);
    harness.meet();
    subject.collective(1);
    const std::size_t wrong = data.wrong(subject.result, salt);
    harness.meet();
    return wrong;
}

std::optional<double> best_median(std::vector<std::vector<double>>& lengths_us) {
    std::optional<double> best;
    for (std::size_t index = 0; index + 1 < lengths_us.size(); ++index) {
        const double median = summarise(std::move(lengths_us[index])).median;
        best = best ? std::min(*best, median) : median;
    }
    return best;
}

/// Times single runs. Returns the number of wrong elements after the last one.
std::size_t measure_runs(Harness& harness, const Data& data, const Subject& subject, const Method& method,
                         Point& point) {
    std::uint64_t last_salt = 0;
    const auto rewrite = [&](std::uint64_t salt) {
        last_salt = salt;
        data.read_output(subject.output);
        data.write_input(subject.input, salt);
    };
    std::vector<Timed> timed;
    for (const auto& floor : subject.floors) {
        timed.push_back({.run = floor, .prepare = rewrite});
    }
    // The collective comes last, so that its result is what stands in the output in the end.
    timed.push_back({.run = subject.collective, .prepare = rewrite});
    auto lengths_us = harness.measure(timed, method.limits);
    const std::size_t wrong = method.check ? data.wrong(subject.result, last_salt) : 0;
    if (harness.leads()) {
        point.samples_us = thinned(lengths_us.back(), most_samples);
        point.time_us = summarise(std::move(lengths_us.back()));
        point.floor_us = best_median(lengths_us);
    }
    return wrong;
}

void measure_loop(Harness& harness, const Subject& subject, const Method& method, Point& point) {
    const double calls = std::clamp(batch_us / std::max(point.time_us.median, 0.01), 1.0, 100'000.0);
    const std::size_t agreed = harness.agree(static_cast<std::uint64_t>(calls));
    std::vector<Timed> timed{{.run = subject.collective, .calls = agreed}};
    if (subject.exchange) {
        timed.push_back({.run = subject.exchange, .calls = agreed});
    }
    const Limits limits{.least = method.limits.least,
                        .most = std::min(most_batches, method.limits.most),
                        .seconds = method.limits.seconds / 4};
    auto lengths_us = harness.measure(timed, limits);
    if (!harness.leads()) {
        return;
    }
    point.loop_us = summarise(std::move(lengths_us[0])).median;
    if (subject.exchange) {
        point.exchange_us = summarise(std::move(lengths_us[1])).median;
    }
}

} // namespace

Point measure(Harness& harness, const Work& work, const Subject& subject, const Method& method) {
    Point point;
    point.work = work;
    const Data data(work, harness.rank());
    // The first calls also build what later ones reuse: plans, connections, pages.
    std::size_t wrong = 0;
    for (const std::uint64_t salt : {101U, 202U}) {
        const std::size_t found = check_once(harness, data, subject, salt);
        wrong += method.check ? found : 0;
    }
    wrong += measure_runs(harness, data, subject, method, point);
    if (work.bytes() <= method.loop_bytes) {
        measure_loop(harness, subject, method, point);
    }
    point.wrong = harness.total(wrong);
    return point;
}

std::size_t stamps_needed(const Method& method) {
    return method.limits.most * most_timed;
}

} // namespace tutti::bench
