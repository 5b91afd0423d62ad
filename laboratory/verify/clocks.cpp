#include "verify/clocks.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tutti::verify {

using schedule::Move;
using schedule::Protocol;
using schedule::Wait;

Clocks::Clocks(const schedule::Schedule& schedule, const std::vector<std::vector<Wait>>& waits,
               int operations)
    : schedule_(schedule), waits_(waits), rounds_(schedule.rounds()), last_(position(operations, 0)),
      ranks_(static_cast<std::size_t>(schedule.ranks())) {}

std::size_t Clocks::index(std::size_t stored, int position) const {
    return stored * static_cast<std::size_t>(last_ + 1) + static_cast<std::size_t>(position);
}

bool Clocks::knows(int observer, int round, int subject, int point) {
    const std::size_t stored = schedule_.representative(observer);
    const int name = schedule_.to_representative(observer).member(subject);
    const std::span<const Sure> sure = sure_->at(stored * ranks_ + static_cast<std::size_t>(name));
    const auto later = std::ranges::upper_bound(sure, round, {}, &Sure::before_round);
    if (later != sure.begin() && std::prev(later)->point >= point) {
        return true;
    }
    return known_at(observer, round + 1, subject) >= point;
}

int Clocks::known_at(int observer, int position, int subject) {
    if (observer == subject) {
        return position;
    }
    if (clock_at_.empty()) {
        compute_clocks();
    }
    const int name = schedule_.to_representative(observer).member(subject);
    return known_by(clock_of(observer, position), name);
}

std::size_t Clocks::clock_of(int member, int position) const {
    return clock_at_[index(schedule_.representative(member), position)];
}

Clocks::Position Clocks::known_by(std::size_t clock, int name) const {
    while (clocks_[clock].known.empty()) {
        if (clocks_[clock].subject == name) {
            return clocks_[clock].position;
        }
        clock = clocks_[clock].before;
    }
    return clocks_[clock].known[static_cast<std::size_t>(name)];
}

std::vector<Clocks::Position> Clocks::all_known_by(std::size_t clock) const {
    if (!clocks_[clock].known.empty()) {
        return clocks_[clock].known;
    }
    std::vector<Position> all = all_known_by(clocks_[clock].before);
    all[static_cast<std::size_t>(clocks_[clock].subject)] = clocks_[clock].position;
    return all;
}

/// The knowledge of a member with `clock` after these waits of the operation that starts at position `start`.
Clocks::Clock Clocks::after(std::size_t clock, std::span<const Wait> waits, int start) const {
    constexpr int most_single_steps = 64;
    Clock made;
    const Wait& first = waits.front();
    const bool knows_nothing = clock_of(first.member, start + first.point) == 0;
    if (waits.size() == 1 && knows_nothing && clocks_[clock].single_steps < most_single_steps) {
        made.before = clock;
        made.subject = first.member;
        made.position = std::max(known_by(clock, first.member), static_cast<Position>(start + first.point));
        made.single_steps = clocks_[clock].single_steps + 1;
        return made;
    }
    made.known = all_known_by(clock);
    for (const Wait& wait : waits) {
        learn(made.known, wait.member, start + wait.point);
    }
    return made;
}

void Clocks::learn(std::vector<Position>& mine, int member, int position) const {
    const std::size_t clock = clock_of(member, position);
    if (clock != 0) {
        const std::vector<Position> unpacked =
            clocks_[clock].known.empty() ? all_known_by(clock) : std::vector<Position>{};
        const std::vector<Position>& theirs = unpacked.empty() ? clocks_[clock].known : unpacked;
        if (schedule_.symmetry().translates()) {
            const schedule::Translation rename = schedule_.translation(member);
            for (std::size_t i = 0; i < ranks_; ++i) {
                Position& known = mine[static_cast<std::size_t>(rename.member(static_cast<int>(i)))];
                known = std::max(known, theirs[i]);
            }
        } else {
            for (std::size_t i = 0; i < ranks_; ++i) {
                mine[i] = std::max(mine[i], theirs[i]);
            }
        }
    }
    Position& known = mine[static_cast<std::size_t>(member)];
    known = std::max(known, static_cast<Position>(position));
}

/// Goes on by one position if all waits before it are satisfied.
bool Clocks::advance(std::size_t stored) {
    const int here = reached_[stored];
    const int round = here % (rounds_ + 1);
    const int start = here - round;
    const auto& waits = waits_[stored];
    for (std::size_t& next = next_wait_[stored]; next < waits.size(); ++next) {
        const Wait& wait = waits[next];
        if (wait.before_round != round) {
            break;
        }
        if (reached_[schedule_.representative(wait.member)] < start + wait.point) {
            return false;
        }
    }
    if (!clock_at_.empty()) {
        set_clock(stored, here);
    }
    reached_[stored] = here + 1;
    if (round == rounds_) {
        next_wait_[stored] = 0;
    }
    return true;
}

void Clocks::set_clock(std::size_t stored, int here) {
    const int round = here % (rounds_ + 1);
    const auto first = std::ranges::lower_bound(waits_[stored], round, {}, &Wait::before_round);
    const auto last = std::ranges::upper_bound(waits_[stored], round, {}, &Wait::before_round);
    std::size_t& clock = clock_at_[index(stored, here + 1)];
    clock = clock_at_[index(stored, here)];
    if (first != last) {
        Clock learnt = after(clock, std::span(first, last), here - round);
        clock = clocks_.size();
        clocks_.push_back(std::move(learnt));
    }
}

/// Takes everybody as far as the waits allow.
void Clocks::simulate() {
    reached_.assign(waits_.size(), 0);
    next_wait_.assign(waits_.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t stored = 0; stored < reached_.size(); ++stored) {
            while (reached_[stored] < last_ && advance(stored)) {
                moved = true;
            }
        }
    }
}

void Clocks::compute_clocks() {
    clocks_.resize(1);
    clocks_.front().known.assign(ranks_, -1);
    clock_at_.assign(waits_.size() * static_cast<std::size_t>(last_ + 1), 0);
    simulate();
}

void Clocks::group_waits() {
    sure_.emplace(waits_.size() * ranks_, [&](auto visit) {
        for (std::size_t stored = 0; stored < waits_.size(); ++stored) {
            for (const Wait& wait : waits_[stored]) {
                visit(stored * ranks_ + static_cast<std::size_t>(wait.member),
                      Sure{static_cast<Position>(wait.before_round), static_cast<Position>(wait.point)});
            }
        }
    });
    for (std::size_t pair = 0; pair < sure_->groups(); ++pair) {
        Position highest = -1;
        for (Sure& sure : sure_->at(pair)) {
            sure.point = highest = std::max(highest, sure.point);
        }
    }
}

bool Clocks::run(Report& report) {
    simulate();
    for (std::size_t stored = 0; stored < reached_.size(); ++stored) {
        if (reached_[stored] < last_) {
            const Wait& wait = waits_[stored][next_wait_[stored]];
            report.add(ViolationKind::deadlock, "member " + std::to_string(stored) + " waits before round " +
                                                    std::to_string(wait.before_round) + " for point " +
                                                    std::to_string(wait.point) + " of member " +
                                                    std::to_string(wait.member) + ", which is not reached");
        }
    }
    group_waits();
    return !report.has(ViolationKind::deadlock);
}

namespace {

/// The looks at other members' vectors that a representative takes, in order of round.
std::vector<Wait> opens_of(const schedule::Schedule& schedule, std::size_t stored) {
    std::vector<Wait> opens;
    std::vector<char> opened(static_cast<std::size_t>(schedule.ranks()), 0);
    opened[stored] = 1;
    const auto open = [&](int round, int member) {
        if (std::exchange(opened[static_cast<std::size_t>(member)], 1) == 0) {
            opens.push_back({round, member, 0});
        }
    };
    const auto open_place = [&](int round, int member) {
        schedule::for_each_member(member, schedule.ranks(), [&](int each) { open(round, each); });
    };
    for (int round = 0; round < schedule.rounds(); ++round) {
        for (const Move& move : schedule.programs()[stored][static_cast<std::size_t>(round)]) {
            open_place(round, move.to.member);
            open_place(round, move.left.member);
            if (move.has_right()) {
                open_place(round, move.right.member);
            }
        }
    }
    return opens;
}

} // namespace

std::vector<std::vector<Wait>> all_waits(const schedule::Synchronised& plan) {
    if (plan.protocol == Protocol::eager) {
        return plan.waits;
    }
    std::vector<std::vector<Wait>> waits(plan.waits.size());
    for (std::size_t stored = 0; stored < waits.size(); ++stored) {
        const std::vector<Wait> opens = opens_of(plan.schedule, stored);
        waits[stored].resize(plan.waits[stored].size() + opens.size());
        std::ranges::merge(plan.waits[stored], opens, waits[stored].begin(), {}, &Wait::before_round,
                           &Wait::before_round);
    }
    return waits;
}

} // namespace tutti::verify
