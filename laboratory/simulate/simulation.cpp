#include "simulate/simulation.hpp"

#include "cache_line.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace tutti::simulate {

using plan::Plan;
using plan::Step;

using distance::Class;
using plan::Code;

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

constexpr double unpublished = -1;

/// The bytes of all vectors of a member: its input and output, one if they are the same, and scratch.
double bytes_of(const Plan& plan, const Payload& payload) {
    const double vectors = plan.protocol == schedule::Protocol::zero_copy ? 2 : 1;
    const double scratch = plan.blocks == 1
                               ? static_cast<double>(plan.scratch_vectors)
                               : static_cast<double>(plan.scratch.count) / static_cast<double>(plan.blocks);
    return (vectors + scratch) * static_cast<double>(payload.partition.total * payload.element_bytes);
}

void check(std::span<const Plan> plans, const Costs& costs, const Positions& positions) {
    if (plans.size() != static_cast<std::size_t>(positions.members())) {
        throw std::invalid_argument("simulate: there are not as many members as positions");
    }
    for (const Plan& plan : plans) {
        for (const Step& step : plan.steps) {
            if (step.code == Code::exchange || step.traits().takes == plan::Takes::counts) {
                throw std::invalid_argument("simulate: blocks are irregular");
            }
        }
    }
    for (int one = 0; one < positions.members(); ++one) {
        const Class distance = positions.between(0, one);
        if (one != 0 && !costs.has[static_cast<std::size_t>(distance)]) {
            throw std::invalid_argument("simulate: the profile says nothing of the distance \"" +
                                        std::string(to_string(distance)) + "\"");
        }
    }
}

std::span<const Plan> checked(std::span<const Plan> plans, const Costs& costs, const Positions& positions) {
    check(plans, costs, positions);
    return plans;
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

Simulation::Simulation(std::span<const Plan> plans, const distance::MachineModel& profile,
                       Positions positions)
    : plans_(plans), costs_(costs_of(profile)), positions_(std::move(positions)),
      audience_(checked(plans, costs_, positions_), positions_), ports_(costs_, positions_, audience_),
      points_(plans.front().points), cursors_(plans.size()), seen_(plans.size() * points_),
      waiting_(plans.size() * points_), next_waiting_(plans.size()), leaves_(plans.size()) {
    queue_.reserve(plans.size());
}

std::span<const double> Simulation::leaves(const Payload& payload) {
    start(payload);
    while (!queue_.empty()) {
        std::ranges::pop_heap(queue_, std::greater<>());
        const int member = queue_.back().second;
        queue_.pop_back();
        advance(member);
    }
    return leaves_;
}

std::vector<trace::Lane> Simulation::lanes(const Payload& payload, const std::string& operation) {
    Recorder recorder(plans_.size());
    recorder_ = &recorder;
    leaves(payload);
    recorder_ = nullptr;
    return recorder.lanes({.begin_ns = 0,
                           .end_ns = 0,
                           .kind = trace::SpanKind::operation,
                           .name = operation,
                           .peer = nobody,
                           .bytes = payload.partition.total * payload.element_bytes,
                           .number = 1});
}

void Simulation::start(const Payload& payload) {
    payload_ = payload;
    double most_bytes = 0;
    for (const Plan& plan : plans_) {
        most_bytes = std::max(most_bytes, bytes_of(plan, payload));
    }
    ports_.reset(most_bytes, payload.streams);
    std::ranges::fill(cursors_, Cursor{.now = costs_.entering, .step = 0, .looked = 0});
    std::ranges::fill(seen_, unpublished);
    std::ranges::fill(waiting_, nobody);
    queue_.clear();
    for (const Plan& plan : plans_) {
        queue(plan.rank);
    }
}

void Simulation::queue(int member) {
    queue_.emplace_back(cursors_[static_cast<std::size_t>(member)].now, member);
    std::ranges::push_heap(queue_, std::greater<>());
}

/// Goes on until the member leaves, waits, or comes to a step that moves blocks when others are behind: ports
/// serve in the order of time.
void Simulation::advance(int member) {
    Cursor& cursor = cursors_[static_cast<std::size_t>(member)];
    const std::vector<Step>& steps = plans_[static_cast<std::size_t>(member)].steps;
    for (; cursor.step < steps.size(); ++cursor.step, cursor.looked = 0) {
        const Step& step = steps[cursor.step];
        if (!look(member, step)) {
            return;
        }
        if (moves(step)) {
            if (!queue_.empty() && queue_.front() < std::pair(cursor.now, member)) {
                return queue(member);
            }
            move(member, step);
        }
        if (step.traits().publishes != plan::Publishes::nothing) {
            publish(member, step.point());
        }
        if (recorder_ != nullptr) {
            record(member, step);
        }
    }
    leaves_[static_cast<std::size_t>(member)] = cursor.now;
}

/// Whether the member has seen all points that the step looks at; else it waits for one.
bool Simulation::look(int member, const Step& step) {
    Cursor& cursor = cursors_[static_cast<std::size_t>(member)];
    const Plan& plan = plans_[static_cast<std::size_t>(member)];
    for (const int all = looks(plan, step); cursor.looked < all; ++cursor.looked) {
        const auto [peer, point] = looked_at(plan, step, cursor.looked);
        if (!sees(member, peer, point)) {
            return false;
        }
    }
    return true;
}

bool Simulation::sees(int member, int peer, std::size_t point) {
    const std::size_t index = point_index(peer, point);
    if (seen_[index] < 0) {
        next_waiting_[static_cast<std::size_t>(member)] = waiting_[index];
        waiting_[index] = member;
        return false;
    }
    Cursor& cursor = cursors_[static_cast<std::size_t>(member)];
    const double looked = cursor.now + costs_.lines_at(positions_.between(member, peer)).flag;
    if (recorder_ != nullptr && seen_[index] > looked) {
        recorder_->wait(member, peer, cursor.now, seen_[index]);
    }
    cursor.now = std::max(seen_[index], looked);
    return true;
}

void Simulation::publish(int member, std::size_t point) {
    const std::size_t index = point_index(member, point);
    const Audience::Readers& readers = audience_.of_point(member, point);
    const int count = count_of(readers);
    const double now = cursors_[static_cast<std::size_t>(member)].now;
    seen_[index] = count == 0 ? now : now + costs_.lines_at(furthest_of(readers)).seen(count);
    for (int each = waiting_[index]; each != nobody; each = next_waiting_[static_cast<std::size_t>(each)]) {
        queue(each);
    }
}

bool Simulation::moves(const Step& step) const {
    const plan::StepTraits& traits = step.traits();
    return traits.publishes == plan::Publishes::message ? payload_.staged : traits.moves();
}

void Simulation::move(int member, const Step& step) {
    Cursor& cursor = cursors_[static_cast<std::size_t>(member)];
    ports_.begin(member, cursor.now);
    for_each_touch(plans_[static_cast<std::size_t>(member)], step, [&](const Touch& touch) {
        const std::uint64_t bytes = touched_bytes(touch);
        const bool is_in_slot = touch.space == stage_space && !payload_.staged;
        if (bytes == 0 || is_in_slot) {
            return;
        }
        const double lines = std::max(1.0, static_cast<double>(bytes) / static_cast<double>(line_bytes));
        audience_.for_each_part(touch, [&](const Touch& part) {
            const double share = static_cast<double>(touched_bytes(part)) / static_cast<double>(bytes);
            if (share > 0) {
                ports_.touch(part, share * lines);
            }
        });
    });
    cursor.now = ports_.end();
}

std::uint64_t Simulation::touched_bytes(const Touch& touch) const {
    return payload_.partition.elements(touch.first, touch.count) * payload_.element_bytes;
}

void Simulation::record(int member, const Step& step) {
    const Plan& plan = plans_[static_cast<std::size_t>(member)];
    std::uint64_t bytes = 0;
    for_each_touch(plan, step, [&](const Touch& touch) { bytes = std::max(bytes, touched_bytes(touch)); });
    recorder_->step(plan, step, bytes, cursors_[static_cast<std::size_t>(member)].now);
}

} // namespace tutti::simulate
