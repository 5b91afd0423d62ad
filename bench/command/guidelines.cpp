#include "report/guidelines.hpp"

#include "command/mock_ups.hpp"
#include "command/subcommands.hpp"
#include "options/bench_options.hpp"
#include "report/environment.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/text.hpp"
#include "threads/tutti_calls.hpp"
#include "threads/tutti_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace tutti::bench {

namespace {

/// Everything is measured so many times all over, so that a disturbance does not hit one number of members
/// or one size only.
constexpr int passes = 3;

/// A collective, or what could stand in for it.
struct MeasuredCall {
    std::string name;
    Problem problem;
    const MockUp* mock_up = nullptr;
};

std::vector<MeasuredCall> measured_calls_for(int members, std::size_t bytes) {
    constexpr std::array collectives{
        Collective::reduce_scatter, Collective::allreduce, Collective::reduce, Collective::scatter,
        Collective::allgather,      Collective::broadcast, Collective::scan};
    const auto make = [&](Collective collective, std::size_t size) {
        return make_problem(collective, Type::f64, Operator::sum, members, size, false);
    };
    // The same vectors for all: of whole blocks.
    const std::size_t whole = make(Collective::reduce_scatter, bytes).bytes();
    std::vector<MeasuredCall> calls;
    calls.reserve(collectives.size() + mock_ups().size());
    for (const Collective collective : collectives) {
        calls.push_back({std::string(to_string(collective)), make(collective, whole)});
    }
    for (const MockUp& mock_up : mock_ups()) {
        calls.push_back({mock_up.name, make(mock_up.collective, whole), &mock_up});
    }
    return calls;
}

Calls calls_of(Member& me, const MeasuredCall& call, const Vectors& vectors) {
    const auto own = static_cast<std::size_t>(me.rank());
    const Problem& problem = call.problem;
    if (call.mock_up == nullptr) {
        return tutti_calls(me, problem, "", vectors.inputs[own], vectors.outputs[own]);
    }
    const std::span<double> in(reinterpret_cast<double*>(vectors.inputs[own]), problem.elements);
    const std::span<double> out(reinterpret_cast<double*>(vectors.outputs[own]),
                                problem.output_elements(me.rank()));
    return call.mock_up->calls(me, in, out);
}

/// The calls of one size under way, as one member.
class Round {
public:
    Round(Harness& harness, Member& me, const TuttiRunner& runner, const std::vector<MeasuredCall>& calls)
        : harness_(harness) {
        const auto own = static_cast<std::size_t>(me.rank());
        for (const MeasuredCall& call : calls) {
            const Vectors vectors = runner.vectors(call.problem);
            running_.push_back({Data(call.problem, me.rank()), vectors.inputs[own], vectors.outputs[own],
                                calls_of(me, call, vectors)});
        }
    }

    /// The number of wrong elements, of all members.
    std::uint64_t check(std::uint64_t salt) {
        std::size_t wrong = 0;
        for (const RunningCall& running : running_) {
            running.data.spoil_output(running.output);
            running.data.write_input(running.input, ++salt);
            harness_.meet();
            running.calls(1);
            wrong += running.data.wrong(running.output, salt);
            harness_.meet();
        }
        return harness_.total(wrong);
    }

    std::vector<std::vector<double>> measure(const Limits& limits) {
        std::vector<Timed> timed;
        for (const RunningCall& running : running_) {
            timed.push_back({.run = running.calls, .prepare = [&running](std::uint64_t salt) {
                                 running.data.read_output(running.output);
                                 running.data.write_input(running.input, salt);
                             }});
        }
        return harness_.measure(timed, limits);
    }

private:
    struct RunningCall {
        Data data;
        std::byte* input;
        std::byte* output;
        Calls calls;
    };

    Harness& harness_;
    std::vector<RunningCall> running_;
};

class Guidelines {
public:
    Guidelines(const BenchOptions& options, double tolerance)
        : options_(options), tolerance_(tolerance), environment_(detect_environment()),
          progress_(passes * options.members.size() * options.bytes.size(), !options.given.points.quiet) {}

    int run() {
        fmt::print("tutti on {}, placement {}\n", machine_line(environment_.machine), options_.placement);
        for (int pass = 0; pass < passes; ++pass) {
            for (const int members : options_.members) {
                measure_members(members, pass);
            }
        }
        progress_.clear();
        const auto cpus = static_cast<int>(environment_.machine.pus.size());
        const auto results = judge_guidelines(measured_, {.tolerance = tolerance_, .cpus = cpus});
        const std::size_t width = width_of(stdout);
        std::size_t violations = 0;
        for (const GuidelineResult& result : results) {
            fmt::print("{:<58} {:>3} of {:>3} violated\n", result.guideline, result.violations.size(),
                       result.checked);
            for (const std::string& text : result.violations) {
                fmt::print("{}", wrapped("    " + text + "\n", width));
            }
            violations += result.violations.size();
        }
        fmt::print("{} violations, {} wrong elements\n", violations, wrong_);
        return violations + wrong_ > 0 ? exit_wrong : exit_fine;
    }

private:
    void measure_members(int members, int pass) {
        const bool crowded = static_cast<std::size_t>(members) > environment_.machine.pus.size();
        const std::size_t most_bytes =
            measured_calls_for(members, options_.bytes.back()).front().problem.bytes();
        TuttiRunner runner({.members = members,
                            .placement = options_.placement,
                            .crowded = crowded,
                            .most_bytes = most_bytes,
                            .method = options_.method});
        for (const std::size_t bytes : options_.bytes) {
            progress_.step(fmt::format("pass {} of {}, {} members", pass + 1, passes, members),
                           format_bytes(bytes));
            measure_size(runner, members, bytes);
        }
    }

    void measure_size(TuttiRunner& runner, int members, std::size_t bytes) {
        const std::vector<MeasuredCall> calls = measured_calls_for(members, bytes);
        Limits limits = options_.method.limits;
        limits.seconds *= static_cast<double>(calls.size()) / passes;
        std::vector<std::vector<double>> lengths_us;
        std::uint64_t wrong = 0;
        runner.run_measured([&](Harness& harness, Member& me) {
            Round round(harness, me, runner, calls);
            std::uint64_t found = round.check(100);
            auto measured = round.measure(limits);
            found += round.check(200);
            if (harness.leads()) {
                lengths_us = std::move(measured);
                wrong = found;
            }
        });
        wrong_ += wrong;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            add({.operation = calls[i].name,
                 .members = members,
                 .bytes = bytes,
                 .is_mock_up = calls[i].mock_up != nullptr,
                 .samples_us = std::move(lengths_us[i])});
        }
    }

    /// To what earlier passes have measured of the same.
    void add(Measured measured) {
        const auto same = std::ranges::find_if(measured_, [&](const Measured& other) {
            return other.operation == measured.operation && other.members == measured.members &&
                   other.bytes == measured.bytes;
        });
        if (same == measured_.end()) {
            measured.passes = {0};
            measured_.push_back(std::move(measured));
        } else {
            same->passes.push_back(same->samples_us.size());
            same->samples_us.insert(same->samples_us.end(), measured.samples_us.begin(),
                                    measured.samples_us.end());
        }
    }

    const BenchOptions& options_;
    double tolerance_;
    Environment environment_;
    Progress progress_;
    std::vector<Measured> measured_;
    std::uint64_t wrong_ = 0;
};

} // namespace

int run_guidelines(const GuidelinesArguments& arguments) {
    if (!(arguments.tolerance >= 0)) {
        throw UsageError(fmt::format("--tolerance: {} is no percentage from 0 on", arguments.tolerance));
    }
    const BenchArguments measuring{
        .points = arguments.points, .repetitions = arguments.repetitions, .rounds = 1};
    const BenchOptions options = measuring.parsed();
    check_memory(options);
    return Guidelines(options, 1 + arguments.tolerance / 100).run();
}

} // namespace tutti::bench
