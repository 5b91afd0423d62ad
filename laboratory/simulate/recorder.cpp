#include "simulate/recorder.hpp"

#include "simulate/touches.hpp"

#include <cmath>
#include <string>

namespace tutti::simulate {

using plan::Plan;
using plan::Step;

namespace {

std::int64_t rounded(double ns) {
    return std::llround(ns);
}

/// The only other member that the step looks at or whose blocks it reads or stores to; else nobody.
int peer_of(const Plan& plan, const Step& step) {
    int peer = nobody;
    int others = 0;
    const auto add = [&](int member) {
        if (member != plan.rank && member != peer) {
            peer = member;
            ++others;
        }
    };
    for (int look = 0; look < looks(plan, step); ++look) {
        add(looked_at(plan, step, look).peer);
    }
    for_each_touch(plan, step, [&](const Touch& touch) { add(touch.owner); });
    return others == 1 ? peer : nobody;
}

} // namespace

Recorder::Recorder(std::size_t members) : members_(members) {}

void Recorder::wait(int member, int peer, double begin, double end) {
    members_[static_cast<std::size_t>(member)].spans.push_back({.begin_ns = rounded(begin),
                                                                .end_ns = rounded(end),
                                                                .kind = trace::SpanKind::wait,
                                                                .name = "wait",
                                                                .peer = peer,
                                                                .bytes = 0,
                                                                .number = 0});
}

/// The waits in it have been noted before it.
void Recorder::step(const Plan& plan, const Step& step, std::uint64_t bytes, double end) {
    Steps& steps = members_[static_cast<std::size_t>(plan.rank)];
    const std::int64_t end_ns = rounded(end);
    if (end_ns > steps.begin_ns) {
        steps.spans.insert(steps.spans.begin() + static_cast<std::ptrdiff_t>(steps.at),
                           {.begin_ns = steps.begin_ns,
                            .end_ns = end_ns,
                            .kind = trace::SpanKind::step,
                            .name = std::string(step.traits().word),
                            .peer = peer_of(plan, step),
                            .bytes = bytes,
                            .number = 0});
    }
    steps.begin_ns = end_ns;
    steps.at = steps.spans.size();
}

std::vector<trace::Lane> Recorder::lanes(const trace::Span& operation) const {
    std::vector<trace::Lane> lanes;
    for (std::size_t member = 0; member < members_.size(); ++member) {
        const Steps& steps = members_[member];
        trace::Lane lane{.rank = static_cast<int>(member), .thread = 0, .spans = {operation}};
        lane.spans.front().end_ns = steps.begin_ns;
        lane.spans.insert(lane.spans.end(), steps.spans.begin(), steps.spans.end());
        for (trace::Span& span : lane.spans) {
            span.number = operation.number;
        }
        lanes.push_back(std::move(lane));
    }
    return lanes;
}

} // namespace tutti::simulate
