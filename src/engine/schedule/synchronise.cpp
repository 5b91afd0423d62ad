#include "schedule/synchronise.hpp"

#include <string>
#include <utility>

namespace tutti::schedule {

namespace {

/// Rounds and points, of which the later is the stronger, have 16 bits.
std::uint64_t weakness_of(const Wait& wait) {
    return static_cast<std::uint64_t>(INT16_MAX - wait.point);
}

template <class Key>
void sort(std::vector<Wait>& waits, Key key) {
    if (!std::ranges::is_sorted(waits, {}, key)) {
        std::ranges::sort(waits, {}, key);
    }
}

/// Derives the waits and the payloads of an eager schedule: each message is the value of one place at the
/// point where its owner has last written it.
class Carrier {
public:
    explicit Carrier(const Schedule& schedule)
        : schedule_(schedule), waits_(schedule.programs().size()), carried_(schedule.programs().size()) {}

    void run() {
        for (std::size_t stored = 0; stored < waits_.size(); ++stored) {
            const Program& program = schedule_.programs()[stored];
            latest_.assign(static_cast<std::size_t>(schedule_.ranks()), {-1, 0, 0});
            for (int round = 0; round < schedule_.rounds(); ++round) {
                for (const Move& move : program[static_cast<std::size_t>(round)]) {
                    add_move(static_cast<int>(stored), round, move);
                }
            }
        }
        for (auto& list : carried_) {
            std::ranges::sort(list, {}, &Carried::point);
        }
    }

    std::vector<std::vector<Wait>> take_waits() { return std::move(waits_); }
    std::vector<std::vector<Carried>> take_eager() { return std::move(carried_); }

private:
    void add_move(int rank, int round, const Move& move) {
        if (move.to.member != rank) {
            throw std::invalid_argument(
                "synchronise: a schedule that stores into other members cannot be carried");
        }
        if (is_several(move.left.member)) {
            for_each_member(move.left.member, schedule_.ranks(), [&](int member) {
                if (member != rank) {
                    add_read(rank, round, {member, move.left.space, move.left.blocks});
                }
            });
            return;
        }
        for (const Place* place : {&move.left, &move.right}) {
            if (place->member != rank && (place == &move.left || move.has_right())) {
                add_read(rank, round, *place);
            }
        }
    }

    void add_read(int rank, int round, const Place& place) {
        const Place owned = renamed(place, schedule_.to_representative(place.member));
        const std::size_t owner = schedule_.representative(place.member);
        const int point = point_of(owner, owned, round);
        carry(carried_[owner], {point, owned.space, owned.blocks});
        add_wait(waits_[static_cast<std::size_t>(rank)], {round, place.member, point});
    }

    /// Looks for a repeated wait only if the member is waited for already in this round.
    void add_wait(std::vector<Wait>& waits, const Wait& wait) {
        Wait& latest = latest_[static_cast<std::size_t>(wait.member)];
        const bool is_first = waits.empty() || latest.before_round != wait.before_round;
        if (is_first || std::ranges::find(waits, wait) == waits.end()) {
            waits.push_back(wait);
        }
        latest = wait;
    }

    /// The number of rounds after which `place` has the value it has at the start of `round`.
    int point_of(std::size_t owner, const Place& place, int round) const {
        const Program& program = schedule_.programs()[owner];
        for (int earlier = round - 1; earlier >= 0; --earlier) {
            for (const Move& move : program[static_cast<std::size_t>(earlier)]) {
                if (move.to.space == place.space && overlap(move.to.blocks, place.blocks)) {
                    return earlier + 1;
                }
            }
        }
        return 0;
    }

    bool overlap(Blocks a, Blocks b) const {
        return wrap(b.first - a.first, schedule_.blocks()) < a.count ||
               wrap(a.first - b.first, schedule_.blocks()) < b.count;
    }

    void carry(std::vector<Carried>& list, const Carried& wanted) const {
        const auto found = std::ranges::find(list, wanted.point, &Carried::point);
        if (found == list.end()) {
            list.push_back(wanted);
            if (wanted.blocks.count != 1) {
                list.back().blocks = {0, schedule_.blocks()};
            }
            return;
        }
        if (found->space != wanted.space) {
            throw std::invalid_argument("synchronise: a member would have to carry two vectors at one point");
        }
        if (found->blocks != wanted.blocks) {
            found->blocks = {0, schedule_.blocks()};
        }
    }

    const Schedule& schedule_;
    std::vector<std::vector<Wait>> waits_;
    std::vector<std::vector<Carried>> carried_;
    /// The latest wait of the current program for each member.
    std::vector<Wait> latest_;
};

} // namespace

void sort_by_member(std::vector<Wait>& waits) {
    sort(waits, [](const Wait& wait) {
        return static_cast<std::uint64_t>(wait.member) << 32U |
               static_cast<std::uint64_t>(wait.before_round) << 16U | weakness_of(wait);
    });
}

void sort_by_round(std::vector<Wait>& waits) {
    sort(waits, [](const Wait& wait) {
        return static_cast<std::uint64_t>(wait.before_round) << 48U | weakness_of(wait) << 32U |
               static_cast<std::uint64_t>(wait.member);
    });
}

std::vector<Wait> Synchronised::waits_of(int rank) const {
    std::vector<Wait> list = waits.at(schedule.representative(rank));
    const Translation rename = schedule.translation(rank);
    for (Wait& wait : list) {
        wait.member = rename.member(wait.member);
    }
    return list;
}

Synchronised synchronise(Schedule schedule, Protocol protocol) {
    if (schedule.rounds() > INT16_MAX - 2) {
        throw TooLarge("synchronise: more than " + std::to_string(INT16_MAX - 2) + " rounds");
    }
    if (protocol == Protocol::eager) {
        Carrier carrier(schedule);
        carrier.run();
        auto waits = carrier.take_waits();
        auto eager = carrier.take_eager();
        return {std::move(schedule), protocol, std::move(waits), std::move(eager)};
    }
    if (auto one = folded(schedule)) {
        const Synchronised plan = synchronise(std::move(*one), protocol);
        std::vector<std::vector<Wait>> waits;
        waits.reserve(static_cast<std::size_t>(schedule.ranks()));
        for (int rank = 0; rank < schedule.ranks(); ++rank) {
            waits.push_back(plan.waits_of(rank));
        }
        return {std::move(schedule), protocol, std::move(waits), {}};
    }
    auto waits = without_implied(schedule, conflicts(schedule, protocol));
    return {std::move(schedule), protocol, std::move(waits), {}};
}

} // namespace tutti::schedule
