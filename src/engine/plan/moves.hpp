#pragma once

#include "plan/plan.hpp"

namespace tutti::plan {

/// The next step of `plan`.
inline Step& add_step(Plan& plan, Code code) {
    plan.steps.emplace_back().code = code;
    return plan.steps.back();
}

/// The next step of `plan`, which publishes or awaits a point.
inline Step& add_step_at(Plan& plan, Code code, int point) {
    Step& step = add_step(plan, code);
    step.set_point(point);
    step.slot = slot_of(point, slots_per_operation(plan.ranks));
    return step;
}

/// Adds the steps to a plan that carry out its member's moves, and those by which the member opens the
/// vectors of others, or receives their messages, before.
class MoveWriter {
public:
    /// Both must outlive it.
    MoveWriter(const schedule::Synchronised& source, Plan& plan);

    /// The moves of one round. `due` are the waits before the round.
    void add_round(schedule::Round round, const std::vector<schedule::Wait>& due);

private:
    bool is_carried() const { return plan_.protocol == schedule::Protocol::eager; }
    schedule::Blocks range_of(int member) const;
    std::size_t copies_of_result(schedule::Round round, std::size_t first, schedule::Round pass) const;
    bool has_others_on_left(const schedule::Move& move) const;
    int peer_of(const schedule::Move& move) const;
    bool is_whole(int point, int owner) const;
    schedule::Place rest_of(schedule::Place place, int done) const;
    Vector vector_of(const schedule::Place& place) const;
    int in_one_piece(const schedule::Place& place) const;
    int in_one_piece(std::span<const schedule::Place> places, int done) const;

    void open(int member);
    void receive(int peer, int point);
    void add_listed(schedule::Round pass, schedule::Round copies, const std::vector<schedule::Wait>& due);
    Operand listed(const schedule::Place& place, const std::vector<schedule::Wait>& due) const;
    void add_pulled(const schedule::Move& move);
    void add_several(const schedule::Move& move);
    void add_several_received(const schedule::Move& move, int point);
    void add_carried(const schedule::Move& move, const std::vector<schedule::Wait>& due);

    const schedule::Synchronised& source_;
    const schedule::Schedule& schedule_;
    Plan& plan_;
    /// Whether the member has the addresses of each member's vectors.
    std::vector<char> opened_;
};

} // namespace tutti::plan
