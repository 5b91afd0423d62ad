#include "verify/clocks.hpp"

#include <algorithm>
#include <string>

namespace tutti::verify {

using schedule::every;
using schedule::Form;
using schedule::Move;
using schedule::Symmetry;
using schedule::Wait;
using schedule::wrap;

Clocks::Clocks(const schedule::Schedule& schedule, const std::vector<std::vector<Wait>>& waits,
               int operations)
    : schedule_(schedule), waits_(waits), rounds_(schedule.rounds()), last_(position(operations, 0)),
      ranks_(static_cast<std::size_t>(schedule.ranks())), reached_(schedule.programs().size(), 0),
      next_wait_(schedule.programs().size(), 0),
      clocks_(schedule.programs().size() * static_cast<std::size_t>(last_ + 1) * ranks_, -1) {
    for (std::size_t stored = 0; stored < reached_.size(); ++stored) {
        clocks_[row(stored, 0) + stored] = 0;
    }
}

std::size_t Clocks::row(std::size_t stored, int position) const {
    return (stored * static_cast<std::size_t>(last_ + 1) + static_cast<std::size_t>(position)) * ranks_;
}

int Clocks::known_at(int observer, int position, int subject) const {
    const bool symmetric = schedule_.symmetry() == Symmetry::rotation;
    const int name = symmetric ? wrap(subject - observer, schedule_.ranks()) : subject;
    return clocks_[row(schedule_.representative(observer), position) + static_cast<std::size_t>(name)];
}

void Clocks::learn(int* mine, int member, int position) const {
    const int* theirs = &clocks_[row(schedule_.representative(member), position)];
    const auto shift =
        schedule_.symmetry() == Symmetry::rotation ? static_cast<std::size_t>(member) : std::size_t{0};
    const auto merge = [](int* to, const int* from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i] = std::max(to[i], from[i]);
        }
    };
    merge(mine + shift, theirs, ranks_ - shift);
    merge(mine, theirs + (ranks_ - shift), shift);
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
    int* mine = &clocks_[row(stored, here + 1)];
    std::copy_n(&clocks_[row(stored, here)], ranks_, mine);
    const auto first = std::ranges::lower_bound(waits, round, {}, &Wait::before_round);
    const auto last = std::ranges::upper_bound(waits, round, {}, &Wait::before_round);
    for (auto wait = first; wait != last; ++wait) {
        learn(mine, wait->member, start + wait->point);
    }
    mine[stored] = here + 1;
    reached_[stored] = here + 1;
    if (round == rounds_) {
        next_wait_[stored] = 0;
    }
    return true;
}

bool Clocks::run(Report& report) {
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t stored = 0; stored < reached_.size(); ++stored) {
            while (reached_[stored] < last_ && advance(stored)) {
                moved = true;
            }
        }
    }
    for (std::size_t stored = 0; stored < reached_.size(); ++stored) {
        if (reached_[stored] < last_) {
            const Wait& wait = waits_[stored][next_wait_[stored]];
            report.add(Kind::deadlock, "member " + std::to_string(stored) + " waits before round " +
                                           std::to_string(wait.before_round) + " for point " +
                                           std::to_string(wait.point) + " of member " +
                                           std::to_string(wait.member) + ", which is not reached");
        }
    }
    return !report.has(Kind::deadlock);
}

std::vector<std::vector<Wait>> all_waits(const schedule::Synchronised& plan) {
    auto waits = plan.waits;
    if (plan.form == Form::carried) {
        return waits;
    }
    const int ranks = plan.schedule.ranks();
    for (std::size_t stored = 0; stored < waits.size(); ++stored) {
        std::vector<char> opened(static_cast<std::size_t>(ranks), 0);
        opened[stored] = 1;
        const auto open = [&](int round, int member) {
            char& is_open = opened[static_cast<std::size_t>(member)];
            if (is_open == 0) {
                is_open = 1;
                waits[stored].push_back({round, member, 0});
            }
        };
        const auto open_place = [&](int round, int member) {
            for (int each = 0; member == every && each < ranks; ++each) {
                open(round, each);
            }
            if (member != every) {
                open(round, member);
            }
        };
        for (int round = 0; round < plan.schedule.rounds(); ++round) {
            for (const Move& move : plan.schedule.programs()[stored][static_cast<std::size_t>(round)]) {
                open_place(round, move.to.member);
                open_place(round, move.left.member);
                if (move.reduces && move.left.member != every) {
                    open_place(round, move.right.member);
                }
            }
        }
        std::ranges::stable_sort(waits[stored], {}, &Wait::before_round);
    }
    return waits;
}

} // namespace tutti::verify
