#include "schedule/synchronise.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace tutti::schedule {

namespace {

struct Access {
    int round = 0;
    bool write = false;
    int member = 0;
};

/// Every access to the vectors of the representatives, location by location, the owner's own around the call
/// included: the caller writes its vectors before the first round and again after the last, and so may the
/// next operation with the scratch vectors.
class Accesses {
public:
    Accesses(const Schedule& schedule, Form form) : schedule_(schedule), form_(form) {
        at_.resize(schedule.programs().size() * space_count * static_cast<std::size_t>(schedule.blocks()));
        for (std::size_t stored = 0; stored < schedule.programs().size(); ++stored) {
            add_caller(static_cast<int>(stored));
            for (int round = 0; round < schedule.rounds(); ++round) {
                for (const Move& move : schedule.programs()[stored][static_cast<std::size_t>(round)]) {
                    add_move(static_cast<int>(stored), round, move);
                }
            }
        }
    }

    std::size_t size() const { return at_.size(); }

    /// The accesses to location `index`: by round, and within a round reads before writes.
    const std::vector<Access>& sorted(std::size_t index) {
        std::ranges::stable_sort(at_[index], [](const Access& a, const Access& b) {
            return std::pair(a.round, a.write) < std::pair(b.round, b.write);
        });
        return at_[index];
    }

private:
    void add_caller(int rank) {
        const Blocks all{0, schedule_.blocks()};
        for (int space = 0; space < space_count; ++space) {
            add({rank, static_cast<Space>(space), all}, {-1, true, rank});
            add({rank, static_cast<Space>(space), all}, {schedule_.rounds(), true, rank});
        }
    }

    void add_move(int rank, int round, const Move& move) {
        const bool moves_nothing = form_ == Form::in_place && !move.reduces &&
                                   move.to.member == move.left.member && move.to.space == Space::output &&
                                   move.left.space == Space::input;
        if (moves_nothing) {
            return;
        }
        add(move.left, {round, false, rank});
        if (move.reduces && move.left.member != every) {
            add(move.right, {round, false, rank});
        }
        add(move.to, {round, true, rank});
    }

    void add(const Place& place, const Access& access) {
        if (place.member != every) {
            add_at(place, access);
            return;
        }
        for (int member = 0; member < schedule_.ranks(); ++member) {
            add_at({member, place.space, place.blocks}, access);
        }
    }

    void add_at(Place place, Access access) {
        if (form_ == Form::in_place && place.space == Space::output) {
            place.space = Space::input;
        }
        if (schedule_.symmetry() == Symmetry::rotation) {
            // Rename so that the owner of the vector is member 0, the representative.
            const Rotation back{schedule_.ranks(), schedule_.blocks(), -place.member};
            access.member = back.member(access.member);
            place = renamed(place, back);
        }
        const std::size_t vector =
            static_cast<std::size_t>(place.member) * space_count + static_cast<std::size_t>(place.space);
        for (int i = 0; i < place.blocks.count; ++i) {
            const int block = wrap(place.blocks.first + i, schedule_.blocks());
            at_[vector * static_cast<std::size_t>(schedule_.blocks()) + static_cast<std::size_t>(block)]
                .push_back(access);
        }
    }

    const Schedule& schedule_;
    Form form_;
    std::vector<std::vector<Access>> at_;
};

/// For each representative and round (the return included): the waits that its conflicts ask for.
class Needs {
public:
    explicit Needs(const Schedule& schedule)
        : schedule_(schedule), rounds_(static_cast<std::size_t>(schedule.rounds()) + 1),
          waits_(schedule.programs().size() * rounds_) {}

    /// `later` must come after `earlier`. After another member's entry everything does: its vectors are
    /// opened first.
    void order(const Access& earlier, const Access& later) {
        if (earlier.member == later.member || earlier.round < 0 || later.round < 0) {
            return;
        }
        const std::size_t stored = schedule_.representative(later.member);
        const bool symmetric = schedule_.symmetry() == Symmetry::rotation;
        const int member =
            symmetric ? wrap(earlier.member - later.member, schedule_.ranks()) : earlier.member;
        waits_[stored * rounds_ + static_cast<std::size_t>(later.round)].push_back(
            {later.round, member, earlier.round + 1});
    }

    std::vector<Wait>& at(std::size_t stored, int round) {
        return waits_[stored * rounds_ + static_cast<std::size_t>(round)];
    }

private:
    const Schedule& schedule_;
    std::size_t rounds_;
    std::vector<std::vector<Wait>> waits_;
};

Needs conflicts(const Schedule& schedule, Form form) {
    Accesses accesses(schedule, form);
    Needs needs(schedule);
    for (std::size_t location = 0; location < accesses.size(); ++location) {
        const Access* written = nullptr;
        std::vector<Access> read;
        for (const Access& access : accesses.sorted(location)) {
            if (!access.write) {
                if (written != nullptr) {
                    needs.order(*written, access);
                }
                read.push_back(access);
                continue;
            }
            // A write that follows reads follows the earlier write through them, but for its own member's
            // reads.
            for (const Access& reader : read) {
                needs.order(reader, access);
            }
            if (written != nullptr) {
                needs.order(*written, access);
            }
            written = &access;
            read.clear();
        }
    }
    return needs;
}

/// What each representative knows of every member's completed rounds: a vector clock for every round.
class Knowledge {
public:
    explicit Knowledge(const Schedule& schedule)
        : schedule_(schedule), ranks_(static_cast<std::size_t>(schedule.ranks())),
          points_(static_cast<std::size_t>(schedule.rounds()) + 2),
          clocks_(schedule.programs().size() * points_ * ranks_, -1) {}

    /// The clock of a representative after `point` rounds and, once it is filled, the waits before the next.
    std::int16_t* clock(std::size_t stored, int point) {
        return &clocks_[(stored * points_ + static_cast<std::size_t>(point)) * ranks_];
    }

    /// Adds to `mine` what `member` (as `stored` names it) knew when it had completed `point` rounds.
    void learn(std::int16_t* mine, int member, int point) {
        const std::int16_t* theirs = clock(schedule_.representative(member), point);
        const auto shift =
            schedule_.symmetry() == Symmetry::rotation ? static_cast<std::size_t>(member) : std::size_t{0};
        for (std::size_t rank = 0; rank + shift < ranks_; ++rank) {
            mine[rank + shift] = std::max(mine[rank + shift], theirs[rank]);
        }
        for (std::size_t rank = ranks_ - shift; rank < ranks_; ++rank) {
            mine[rank + shift - ranks_] = std::max(mine[rank + shift - ranks_], theirs[rank]);
        }
    }

private:
    const Schedule& schedule_;
    std::size_t ranks_;
    std::size_t points_;
    std::vector<std::int16_t> clocks_;
};

/// Drops every wait that earlier waits of the same member imply, strongest first.
std::vector<std::vector<Wait>> reduced(const Schedule& schedule, Needs needs) {
    Knowledge knowledge(schedule);
    const std::size_t stored_count = schedule.programs().size();
    std::vector<std::vector<Wait>> waits(stored_count);
    std::vector<std::vector<std::int16_t>> current(
        stored_count, std::vector<std::int16_t>(static_cast<std::size_t>(schedule.ranks()), -1));
    for (int round = 0; round <= schedule.rounds(); ++round) {
        for (std::size_t stored = 0; stored < stored_count; ++stored) {
            auto& now = current[stored];
            now[stored] = static_cast<std::int16_t>(round);
            std::ranges::copy(now, knowledge.clock(stored, round));
        }
        for (std::size_t stored = 0; stored < stored_count; ++stored) {
            auto& now = current[stored];
            auto& candidates = needs.at(stored, round);
            std::ranges::stable_sort(candidates, std::ranges::greater{}, &Wait::point);
            for (const Wait& wait : candidates) {
                if (now[static_cast<std::size_t>(wait.member)] >= wait.point) {
                    continue;
                }
                waits[stored].push_back(wait);
                if (wait.point <= round) {
                    knowledge.learn(now.data(), wait.member, wait.point);
                }
                now[static_cast<std::size_t>(wait.member)] = static_cast<std::int16_t>(wait.point);
            }
        }
    }
    return waits;
}

/// Derives the waits and the payloads of a carried schedule: each message is the value of one place at the
/// point where its owner has last written it.
class Carrier {
public:
    explicit Carrier(const Schedule& schedule)
        : schedule_(schedule), waits_(schedule.programs().size()), carried_(schedule.programs().size()) {}

    void run() {
        for (std::size_t stored = 0; stored < waits_.size(); ++stored) {
            const Program& program = schedule_.programs()[stored];
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
    std::vector<std::vector<Carried>> take_carried() { return std::move(carried_); }

private:
    void add_move(int rank, int round, const Move& move) {
        if (move.to.member != rank) {
            throw std::invalid_argument(
                "synchronise: a schedule that stores into other members cannot be carried");
        }
        if (move.left.member == every) {
            // A member's own operand is taken from its payload like all others.
            for (int member = 0; member < schedule_.ranks(); ++member) {
                add_read(rank, round, {member, move.left.space, move.left.blocks});
            }
            return;
        }
        for (const Place* place : {&move.left, &move.right}) {
            if (place->member != rank && (place == &move.left || move.reduces)) {
                add_read(rank, round, *place);
            }
        }
    }

    void add_read(int rank, int round, const Place& place) {
        const bool symmetric = schedule_.symmetry() == Symmetry::rotation;
        const Rotation back{schedule_.ranks(), schedule_.blocks(), symmetric ? -place.member : 0};
        const Place owned = renamed(place, back);
        const std::size_t owner = schedule_.representative(place.member);
        const int point = point_of(owner, owned, round);
        carry(carried_[owner], {point, owned.space, owned.blocks});
        const Wait wait{round, place.member, point};
        auto& waits = waits_[static_cast<std::size_t>(rank)];
        if (place.member != rank && std::ranges::find(waits, wait) == waits.end()) {
            waits.push_back(wait);
        }
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
};

} // namespace

std::vector<Wait> Synchronised::waits_of(int rank) const {
    std::vector<Wait> list = waits.at(schedule.representative(rank));
    const Rotation rename = schedule.rotation(rank);
    for (Wait& wait : list) {
        wait.member = rename.member(wait.member);
    }
    return list;
}

Synchronised synchronise(Schedule schedule, Form form) {
    if (schedule.rounds() > INT16_MAX - 2) {
        throw std::invalid_argument("synchronise: more than " + std::to_string(INT16_MAX - 2) + " rounds");
    }
    if (form == Form::carried) {
        Carrier carrier(schedule);
        carrier.run();
        auto waits = carrier.take_waits();
        auto carried = carrier.take_carried();
        return {std::move(schedule), form, std::move(waits), std::move(carried)};
    }
    auto waits = reduced(schedule, conflicts(schedule, form));
    return {std::move(schedule), form, std::move(waits), {}};
}

} // namespace tutti::schedule
