#include "report/guidelines.hpp"

#include "measure/statistics.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace tutti::bench {

namespace {

/// operation(m) <= what it could be replaced by.
struct Rule {
    const char* name;
    const char* left;
    const char* right;
};

constexpr std::array rules{
    Rule{"(2) reduce_scatter <= allreduce", "reduce_scatter", "allreduce"},
    Rule{"(3) reduce_scatter <= reduce + scatter", "reduce_scatter", "reduce + scatter"},
    Rule{"(4) allreduce <= reduce_scatter + allgather", "allreduce", "reduce_scatter + allgather"},
    Rule{"(5) reduce <= allreduce", "reduce", "allreduce"},
    Rule{"(6) reduce <= reduce_scatter to the root", "reduce", "reduce_scatter to the root"},
    Rule{"(6) reduce_scatter to the root <= reduce", "reduce_scatter to the root", "reduce"},
    Rule{"allreduce <= scan + broadcast", "allreduce", "scan + broadcast"},
    Rule{"broadcast <= scatter + allgather", "broadcast", "scatter + allgather"}};

class Judge {
public:
    Judge(std::span<const Measured> measured, const GuidelineLimits& limits)
        : measured_(measured), limits_(limits) {}

    GuidelineResult rule(const Rule& rule) const {
        GuidelineResult result{.guideline = rule.name, .checked = 0, .violations = {}};
        for (const Measured& left : measured_) {
            const Measured* const right =
                left.operation == rule.left ? find(rule.right, left.members, left.bytes) : nullptr;
            if (right != nullptr) {
                hold(result, left, *right, limits_.tolerance, rule.right);
            }
        }
        return result;
    }

    GuidelineResult monotone() const {
        GuidelineResult result{.guideline = "m <= the next larger m", .checked = 0, .violations = {}};
        for (const Measured& left : measured_) {
            const Measured* next = nullptr;
            for (const Measured& other : measured_) {
                if (!left.is_mock_up && other.operation == left.operation && other.members == left.members &&
                    other.bytes > left.bytes && (next == nullptr || other.bytes < next->bytes)) {
                    next = &other;
                }
            }
            if (next != nullptr) {
                hold(result, left, *next, limits_.tolerance, format_bytes(next->bytes));
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
                const bool is_power =
                    !left.is_mock_up && power > 1 && std::has_single_bit(static_cast<unsigned>(power));
                const Measured* const right = is_power ? find(left.operation, power, left.bytes) : nullptr;
                if (right == nullptr || shares_cpus(power) != shares_cpus(left.members)) {
                    continue;
                }
                // If there is less traffic, the messages are still there.
                const double more = std::max({traffic(left.operation, left.members, limits_.cpus) /
                                                  traffic(left.operation, power, limits_.cpus),
                                              turns(left) / turns(*right), 1.0});
                hold(result, left, *right, limits_.neighbour * more, fmt::format("{} members", power));
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

    /// The runs of one pass.
    static std::span<const double> part(std::span<const double> samples, std::span<const std::size_t> passes,
                                        std::size_t pass) {
        const std::size_t first = std::min(passes.empty() ? 0 : passes[pass], samples.size());
        const std::size_t last =
            pass + 1 < passes.size() ? std::min(passes[pass + 1], samples.size()) : samples.size();
        return samples.subspan(first, last - first);
    }

    /// How probable it is that the left side takes no longer than `allowed` times the right one; 1 if its
    /// median does not.
    static double p_value(std::span<const double> left, std::span<const double> right, double allowed) {
        std::vector<double> bound(right.begin(), right.end());
        std::ranges::for_each(bound, [&](double& sample) { sample *= allowed; });
        const std::vector<double> own(left.begin(), left.end());
        return own.empty() || bound.empty() || summarise(own).median <= summarise(bound).median
                   ? 1
                   : mann_whitney(own, bound);
    }

    /// Whether it is found in most passes that both sides have.
    bool in_most_passes(const Measured& left, const Measured& right, double allowed) const {
        const std::size_t passes =
            std::max(std::min(left.passes.size(), right.passes.size()), std::size_t{1});
        std::size_t found = 0;
        for (std::size_t pass = 0; pass < passes; ++pass) {
            const double p = p_value(part(left.samples_us, left.passes, pass),
                                     part(right.samples_us, right.passes, pass), allowed);
            found += p < limits_.significance ? 1 : 0;
        }
        return 2 * found > passes;
    }

    void hold(GuidelineResult& result, const Measured& left, const Measured& right, double allowed,
              const std::string& right_name) const {
        if (left.samples_us.empty() || right.samples_us.empty()) {
            return;
        }
        ++result.checked;
        const double p = p_value(left.samples_us, right.samples_us, allowed);
        if (p < limits_.significance && in_most_passes(left, right, allowed)) {
            const double left_us = summarise(left.samples_us).median;
            const double right_us = summarise(right.samples_us).median;
            result.violations.push_back(
                fmt::format("{}, {} members, {}: {} against {} for {}: {:.3f}x, allowed {:.2f}x (p = {:.1g})",
                            left.operation, left.members, format_bytes(left.bytes), format_us(left_us),
                            format_us(right_us), right_name, left_us / right_us, allowed, p));
        }
    }

    std::span<const Measured> measured_;
    const GuidelineLimits& limits_;
};

} // namespace

double traffic(std::string_view operation, int members, int cpus) {
    const double p = members;
    const double members_on_busiest = (members + cpus - 1) / cpus; // NOLINT(bugprone-integer-division)
    // For all members together, as in the floors.
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
    results.reserve(rules.size() + 2);
    for (const Rule& rule : rules) {
        results.push_back(judge.rule(rule));
    }
    results.push_back(judge.monotone());
    results.push_back(judge.neighbours());
    return results;
}

} // namespace tutti::bench
