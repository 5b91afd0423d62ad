#include <tutti/statistics.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace tutti {

namespace {

std::string in_seconds(std::chrono::nanoseconds time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9f", std::chrono::duration<double>(time).count());
    return text;
}

/// As a label's value is to be written.
std::string escaped(std::string_view text) {
    std::string value;
    for (const char c : text) {
        value += c == '\n' ? "\\n" : c == '\\' || c == '"' ? std::string{'\\', c} : std::string{c};
    }
    return value;
}

/// One metric of all collectives, by rank if it is a member's.
class Metric {
public:
    Metric(std::string& text, std::string_view group, std::string name)
        : text_(text), name_(std::move(name)) {
        labels_ = "group=\"" + escaped(group) + "\",collective=\"";
    }
    void describe(const char* help, const char* type) {
        text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
    }
    void sample(std::string_view collective, const std::string& value) {
        text_ += name_ + "{" + labels_ + std::string(collective) + "\"} " + value + "\n";
    }
    void sample(std::string_view collective, const char* label, std::string_view of_label,
                const std::string& value) {
        text_ += name_ + "{" + labels_ + std::string(collective) + "\"," + label + "=\"" +
                 std::string(of_label) + "\"} " + value + "\n";
    }

private:
    std::string& text_;
    std::string name_;
    std::string labels_;
};

} // namespace

std::string Statistics::prometheus(std::string_view group) const {
    using OfMember = MemberStatistics;
    using OfCalls = CollectiveStatistics;
    std::string text;
    const auto any = [](const OfCalls&) { return true; };
    const auto compared = [](const OfCalls& calls) { return calls.compared != 0; };
    const auto of_members = [&](const char* name, const char* help, const char* type, auto wanted,
                                auto value) {
        Metric metric(text, group, name);
        metric.describe(help, type);
        for (const OfCalls& of_calls : collectives) {
            for (std::size_t rank = 0; wanted(of_calls) && rank < of_calls.members.size(); ++rank) {
                metric.sample(of_calls.collective, "rank", std::to_string(rank),
                              value(of_calls.members[rank]));
            }
        }
    };
    const auto of_arrivals = [&](const char* name, const char* help, auto value) {
        Metric metric(text, group, name);
        metric.describe(help, "gauge");
        for (const OfCalls& of_calls : collectives) {
            if (compared(of_calls)) {
                metric.sample(of_calls.collective, value(of_calls));
            }
        }
    };
    of_members("tutti_calls_total", "Calls of a collective by a member.", "counter", any,
               [](const OfMember& member) { return std::to_string(member.calls); });
    of_members("tutti_bytes_total", "Bytes of the vectors of these calls.", "counter", any,
               [](const OfMember& member) { return std::to_string(member.bytes); });
    of_members("tutti_seconds_total", "Time in these calls.", "counter", any,
               [](const OfMember& member) { return in_seconds(member.time); });
    of_members("tutti_waited_seconds_total", "Time in these calls that was spent waiting for others.",
               "counter", any, [](const OfMember& member) { return in_seconds(member.waited); });
    const auto of_algorithms = [&](const char* name, const char* help, auto value) {
        Metric metric(text, group, name);
        metric.describe(help, "counter");
        for (const OfCalls& of_calls : collectives) {
            for (const AlgorithmStatistics& by_this : of_calls.algorithms) {
                metric.sample(of_calls.collective, "algorithm", by_this.algorithm, value(by_this));
            }
        }
    };
    of_algorithms("tutti_algorithm_calls_total", "Calls by an algorithm, of all members together.",
                  [](const AlgorithmStatistics& by_this) { return std::to_string(by_this.calls); });
    of_algorithms("tutti_algorithm_seconds_total", "Time in these calls, of all members together.",
                  [](const AlgorithmStatistics& by_this) { return in_seconds(by_this.time); });
    of_members("tutti_late_seconds", "Time by which a member comes after the first, mean of the last calls.",
               "gauge", compared, [](const OfMember& member) { return in_seconds(member.late); });
    of_arrivals("tutti_arrival_spread_seconds", "Time from first to last arrival, mean of the last calls.",
                [](const OfCalls& calls) { return in_seconds(calls.spread); });
    of_arrivals("tutti_arrival_worst_spread_seconds",
                "Time from first to last arrival, most of the last calls.",
                [](const OfCalls& calls) { return in_seconds(calls.worst_spread); });
    return text;
}

} // namespace tutti
