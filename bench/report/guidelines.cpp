#include "report/guidelines.hpp"

#include "measure/statistics.hpp"
#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>

namespace tutti::bench {

namespace {

/// operation(m) <= the sum of others.
struct Rule {
    const char* name;
    const char* left;
    std::vector<const char*> right;
};

const std::array<Rule, 8>& rules() {
    static const std::array<Rule, 8> all{
        Rule{"(2) reduce_scatter <= allreduce", "reduce_scatter", {"allreduce"}},
        Rule{"(3) reduce_scatter <= reduce + scatter", "reduce_scatter", {"reduce", "scatter"}},
        Rule{"(4) allreduce <= reduce_scatter + allgather", "allreduce", {"reduce_scatter", "allgather"}},
        Rule{"(5) reduce <= allreduce", "reduce", {"allreduce"}},
        Rule{"(6) reduce <= reduce_scatter to the root", "reduce", {"reduce_scatter to the root"}},
        Rule{"(6) reduce_scatter to the root <= reduce", "reduce_scatter to the root", {"reduce"}},
        Rule{"scan <= allreduce", "scan", {"allreduce"}},
        Rule{"broadcast <= scatter + allgather", "broadcast", {"scatter", "allgather"}}};
    return all;
}

double median_of(std::vector<double> samples) {
    std::ranges::sort(samples);
    return median_of_sorted(samples);
}

class Judge {
public:
    Judge(std::span<const Measured> measured, const GuidelineLimits& limits)
        : measured_(measured), limits_(limits) {}

    GuidelineResult rule(const Rule& rule) const {
        GuidelineResult result{.guideline = rule.name, .checked = 0, .violations = {}};
        for (const Measured& left : measured_) {
            if (left.operation != rule.left) {
                continue;
            }
            std::vector<double> sum(left.samples_us.size());
            bool complete = true;
            for (const char* operation : rule.right) {
                const Measured* const part = find(operation, left.members, left.bytes);
                complete = complete && part != nullptr;
                if (complete) {
                    sum.resize(std::min(sum.size(), part->samples_us.size()));
                    std::ranges::transform(sum, part->samples_us, sum.begin(), std::plus());
                }
            }
            if (complete) {
                hold(result, left, sum, limits_.tolerance, "the right side");
            }
        }
        return result;
    }

    GuidelineResult monotone() const {
        GuidelineResult result{.guideline = "m <= the next larger m", .checked = 0, .violations = {}};
        for (const Measured& left : measured_) {
            const Measured* next = nullptr;
            for (const Measured& other : measured_) {
                if (other.operation == left.operation && other.members == left.members &&
                    other.bytes > left.bytes && (next == nullptr || other.bytes < next->bytes)) {
                    next = &other;
                }
            }
            if (next != nullptr) {
                hold(result, left, next->samples_us, limits_.tolerance, format_bytes(next->bytes));
            }
        }
        return result;
    }

    GuidelineResult neighbours() const {
        GuidelineResult result{.guideline = "p = 2^k - 1 and 2^k + 1 <= 2^k for each unit of traffic",
                               .checked = 0,
                               .violations = {}};
        for (const Measured& left : measured_) {
            for (const int power : {left.members - 1, left.members + 1}) {
                const bool is_power = power > 1 && std::has_single_bit(static_cast<unsigned>(power));
                const Measured* const right = is_power ? find(left.operation, power, left.bytes) : nullptr;
                if (right == nullptr || shares_cpus(power) != shares_cpus(left.members)) {
                    continue;
                }
                // Where there is less traffic, the messages are still there.
                const double more = std::max({traffic(left.operation, left.members, limits_.cpus) /
                                                  traffic(left.operation, power, limits_.cpus),
                                              turns(left) / turns(*right), 1.0});
                hold(result, left, right->samples_us, limits_.neighbour * more,
                     fmt::format("{} members", power));
            }
        }
        return result;
    }

private:
    bool shares_cpus(int members) const { return members > limits_.cpus; }

    /// Switches between the members of the busiest CPU in which each of them runs once, where they and not
    /// the traffic take the time.
    double turns(const Measured& measured) const {
        constexpr std::size_t short_bytes = std::size_t{32} << 10U;
        return shares_cpus(measured.members) && measured.bytes <= short_bytes
                   ? (measured.members - 1) / limits_.cpus // NOLINT(bugprone-integer-division)
                   : 1;
    }

    const Measured* find(std::string_view operation, int members, std::size_t bytes) const {
        for (const Measured& measured : measured_) {
            if (measured.operation == operation && measured.members == members && measured.bytes == bytes) {
                return &measured;
            }
        }
        return nullptr;
    }

    void hold(GuidelineResult& result, const Measured& left, const std::vector<double>& right, double allowed,
              const std::string& right_name) const {
        if (left.samples_us.empty() || right.empty()) {
            return;
        }
        ++result.checked;
        const double left_us = median_of(left.samples_us);
        const double right_us = median_of(right);
        if (left_us <= allowed * right_us) {
            return;
        }
        std::vector<double> bound = right;
        std::ranges::for_each(bound, [&](double& sample) { sample *= allowed; });
        const double p_value = mann_whitney(left.samples_us, bound);
        if (p_value < limits_.significance) {
            result.violations.push_back(
                fmt::format("{}, {} members, {}: {} against {} for {}: {:.2f}x, allowed {:.2f}x (p = {:.1g})",
                            left.operation, left.members, format_bytes(left.bytes), format_us(left_us),
                            format_us(right_us), right_name, left_us / right_us, allowed, p_value));
        }
    }

    std::span<const Measured> measured_;
    const GuidelineLimits& limits_;
};

} // namespace

double traffic(std::string_view operation, int members, int cpus) {
    const double p = members;
    const double members_on_busiest = (members + cpus - 1) / cpus; // NOLINT(bugprone-integer-division)
    // Of all members together, as the floors have it.
    double total = 2 * p;
    if (operation == "scatter" || operation == "gather") {
        total = 2;
    } else if (operation == "broadcast") {
        total = p;
    } else if (operation == "allgather" || operation.starts_with("reduce")) {
        total = p + 1;
    }
    return members_on_busiest * total / p;
}

std::vector<GuidelineResult> judge_guidelines(std::span<const Measured> measured,
                                              const GuidelineLimits& limits) {
    const Judge judge(measured, limits);
    std::vector<GuidelineResult> results;
    for (const Rule& rule : rules()) {
        results.push_back(judge.rule(rule));
    }
    results.push_back(judge.monotone());
    results.push_back(judge.neighbours());
    return results;
}

} // namespace tutti::bench
