// A roll call for tools.

#include "algorithm/registry.hpp"
#include "diagnose/disagreement.hpp"
#include "diagnose/roll_call.hpp"
#include "record/timeline.hpp"

#include <array>
#include <charconv>
#include <string_view>

namespace tutti::library {

using trace::json_string;

namespace {

/// One object, whose values are JSON already.
class Object {
public:
    Object& add(std::string_view name, const std::string& value) {
        text_ += (text_.empty() ? "" : ", ") + json_string(name) + ": " + value;
        return *this;
    }
    Object& add(std::string_view name, std::integral auto value) {
        if constexpr (std::same_as<decltype(value), bool>) {
            return add(name, std::string(value ? "true" : "false"));
        } else {
            return add(name, std::to_string(value));
        }
    }
    std::string text() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};

std::int64_t microseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

std::string object_of(const CallRecord& call) {
    const CallSignature signature = call.signature();
    const algorithm::Algorithm& algorithm = algorithm::registry()[signature.row];
    Object object;
    object.add("number", call.number());
    if (signature.splits) {
        return object.add("collective", json_string("split"))
            .add("text", json_string(signature.describe()))
            .text();
    }
    object.add("collective", json_string(to_string(algorithm.collective)));
    if (algorithm.collective != Collective::barrier) {
        object.add("bytes", signature.bytes).add("type", json_string(to_string(signature.type)));
    }
    if (!signature.in_passes) {
        object.add("algorithm", json_string(algorithm.name));
    }
    if (algorithm.order != algorithm::Order::none) {
        object.add("operator", json_string(to_string(signature.op)));
    }
    if (detail::traits_of(algorithm.collective).is_rooted()) {
        object.add("root", signature.root);
    }
    return object.add("text", json_string(signature.describe())).text();
}

std::string name_of(Sequence sequence) {
    static constexpr std::array<const char*, 3> names{"blocking", "started", "prepared"};
    return names[static_cast<std::size_t>(sequence)];
}

std::string object_of(const MemberReport& report, bool sit, std::chrono::nanoseconds now) {
    Object object;
    object.add("rank", report.rank);
    if (report.rank_in_first) {
        object.add("rank_of_whole_group", *report.rank_in_first);
    }
    if (sit) {
        object.add("joined", report.has_joined).add("left", report.has_left);
    }
    object.add("failed", report.has_failed).add("inside", report.is_inside);
    for (const Sequence sequence : {Sequence::blocking, Sequence::nonblocking, Sequence::persistent}) {
        if (report.last(sequence).number() != 0) {
            object.add(name_of(sequence), object_of(report.last(sequence)));
        }
    }
    if (report.where.is_known() && report.has_called()) {
        object.add("file", json_string(report.where.file())).add("line", report.where.line());
    }
    if (report.wait) {
        object.add("waits_for", Object()
                                    .add("rank", report.wait->peer)
                                    .add("calls", json_string(name_of(report.wait->sequence)))
                                    .add("number", report.wait->number)
                                    .add("us", microseconds(now - report.wait->since))
                                    .text());
    }
    if (report.has_moved) {
        object.add("moved", *report.has_moved);
    }
    if (report.ran) {
        object.add("ran_us", microseconds(*report.ran));
    }
    if (report.thread != 0) {
        Object thread;
        thread.add("id", report.thread);
        if (const auto state = machine::thread_state(report.thread)) {
            thread.add("name", json_string(state->name))
                .add("state", json_string(std::string_view(&state->state, 1)))
                .add("cpu", state->cpu);
        }
        object.add("thread", thread.text());
    }
    return object.text();
}

/// JSON has neither infinity nor NaN, and times are neither.
std::string number(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string object_of(const Learnt& learnt) {
    std::string candidates;
    for (const tuning::Measured& each : learnt.entry.measured) {
        candidates += (candidates.empty() ? "" : ", ") +
                      Object()
                          .add("algorithm", json_string(algorithm::registry()[each.row].name))
                          .add("stores", json_string(to_string(each.stores)))
                          .add("from", json_string(source_name(each.reason)))
                          .add("us", number(each.us))
                          .text();
    }
    return Object()
        .add("collective", json_string(to_string(learnt.entry.point.collective)))
        .add("operands", json_string(to_string(learnt.entry.point.operands)))
        .add("bytes", learnt.entry.point.bytes)
        .add("text", json_string(learnt.text()))
        .add("tried_calls", learnt.tried_calls)
        .add("lost_us", number(learnt.lost_us))
        .add("candidates", "[" + candidates + "]")
        .text();
}

} // namespace

std::string RollCall::json() const {
    std::string members;
    for (const MemberReport& report : reports_) {
        members += (members.empty() ? "\n  " : ",\n  ") + object_of(report, names_.sit, rest_.now);
    }
    Object object;
    object.add("group", json_string(names_.group));
    if (!rest_.failure.empty()) {
        object.add("failure", json_string(rest_.failure)).add("recovered", !rest_.has_failed);
    }
    object.add("members", reports_.size());
    if (!rest_.waits.empty()) {
        object.add("waits", json_string(rest_.waits));
    }
    if (!rest_.learnt.empty()) {
        std::string all;
        for (const Learnt& learnt : rest_.learnt) {
            all += (all.empty() ? "\n  " : ",\n  ") + object_of(learnt);
        }
        object.add("learnt", "[" + all + "\n]");
    }
    return object.add("us_since_last_look", microseconds(rest_.since_last))
               .add("places", "[" + members + "\n]")
               .text() +
           "\n";
}

} // namespace tutti::library
