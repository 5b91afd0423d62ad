#include "schedule/synchronise.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace tutti::schedule {

namespace {

struct Access {
    int round = 0;
    bool write = false;
    int member = 0;

    friend bool operator==(const Access&, const Access&) = default;
};

/// Every access to the vectors of the representatives, grouped by location, in each group by round, and
/// within a round reads before writes.
class Accesses {
public:
    /// The accesses to blocks begin .. end - 1 of every vector.
    Accesses(const Schedule& schedule, Form form, int begin, int end)
        : schedule_(schedule), form_(form), begin_(begin), end_(end),
          first_(schedule.programs().size() * space_count * static_cast<std::size_t>(end - begin) + 1) {
        for (int round = 0; round < schedule.rounds(); ++round) {
            for (const bool write : {false, true}) {
                record_round(round, write);
            }
        }
        group();
    }

    std::size_t locations() const { return first_.size() - 1; }

    /// The representative whose vector `location` is in.
    int owner(std::size_t location) const {
        return static_cast<int>(location / (space_count * static_cast<std::size_t>(end_ - begin_)));
    }

    std::span<const Access> at(std::size_t location) const {
        return std::span(grouped_).subspan(first_[location], first_[location + 1] - first_[location]);
    }

private:
    void record_round(int round, bool write) {
        for (std::size_t stored = 0; stored < schedule_.programs().size(); ++stored) {
            const int actor = static_cast<int>(stored);
            for (const Move& move : schedule_.programs()[stored][static_cast<std::size_t>(round)]) {
                if (moves_nothing(move, form_)) {
                    continue;
                }
                if (write) {
                    record(move.to, {round, true, actor});
                    continue;
                }
                record(move.left, {round, false, actor});
                if (move.has_right()) {
                    record(move.right, {round, false, actor});
                }
            }
        }
    }

    void record(const Place& place, const Access& access) {
        if (place.member != every) {
            record_at(place, access);
            return;
        }
        for (int member = 0; member < schedule_.ranks(); ++member) {
            record_at({member, place.space, place.blocks}, access);
        }
    }

    void record_at(Place place, Access access) {
        if (form_ == Form::in_place && place.space == Space::output) {
            place.space = Space::input;
        }
        // Rename so that the owner of the vector is its representative.
        const Translation back = schedule_.to_representative(place.member);
        const auto owner = schedule_.representative(place.member);
        access.member = back.member(access.member);
        place = renamed(place, back);
        const std::size_t vector = owner * space_count + static_cast<std::size_t>(place.space);
        for_each_within(place.blocks, schedule_.blocks(), begin_, end_, [&](int /*i*/, int block) {
            const std::size_t location =
                vector * static_cast<std::size_t>(end_ - begin_) + static_cast<std::size_t>(block - begin_);
            recorded_.push_back({static_cast<std::uint32_t>(location), access});
        });
    }

    /// A counting sort, which keeps the order of recording within each group.
    void group() {
        for (const Recorded& recorded : recorded_) {
            ++first_[recorded.location + 1];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        grouped_.resize(recorded_.size());
        for (const Recorded& recorded : recorded_) {
            grouped_[next[recorded.location]++] = recorded.access;
        }
        recorded_ = {};
    }

    struct Recorded {
        std::uint32_t location = 0;
        Access access;
    };

    const Schedule& schedule_;
    Form form_;
    int begin_;
    int end_;
    std::vector<std::uint32_t> first_;
    std::vector<Recorded> recorded_;
    std::vector<Access> grouped_;
};

/// For each representative and round (the return included): the waits that its conflicts ask for.
class Needs {
public:
    explicit Needs(const Schedule& schedule)
        : schedule_(schedule), rounds_(static_cast<std::size_t>(schedule.rounds()) + 1),
          waits_(schedule.programs().size() * rounds_) {}

    /// `later` must come after `earlier`.
    void order(const Access& earlier, const Access& later) {
        if (earlier.member == later.member) {
            return;
        }
        const std::size_t stored = schedule_.representative(later.member);
        const int member = schedule_.to_representative(later.member).member(earlier.member);
        waits_[stored * rounds_ + static_cast<std::size_t>(later.round)].push_back(
            {later.round, member, earlier.round + 1});
    }

    /// Blocks that move together ask for the same waits.
    void forget_repeated() {
        for (auto& waits : waits_) {
            std::ranges::sort(waits, [](const Wait& a, const Wait& b) {
                return std::pair(-a.point, a.member) < std::pair(-b.point, b.member);
            });
            waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
        }
    }

    /// Strongest first.
    std::vector<Wait>& at(std::size_t stored, int round) {
        return waits_[stored * rounds_ + static_cast<std::size_t>(round)];
    }

private:
    const Schedule& schedule_;
    std::size_t rounds_;
    std::vector<std::vector<Wait>> waits_;
};

/// Adds the conflicts over blocks begin .. end - 1. The owner writes its vectors again after the last round:
/// the caller, and the next operation with the scratch vectors.
void add_conflicts(const Schedule& schedule, Form form, int begin, int end, Needs& needs) {
    const Accesses accesses(schedule, form, begin, end);
    std::vector<Access> read;
    std::span<const Access> before;
    int owner_before = -1;
    for (std::size_t location = 0; location < accesses.locations(); ++location) {
        const std::span<const Access> group = accesses.at(location);
        const int owner = accesses.owner(location);
        // Neighbouring blocks mostly move together, and ask for the same.
        if (group.empty() || (owner == owner_before && std::ranges::equal(group, before))) {
            continue;
        }
        before = group;
        owner_before = owner;
        const Access* written = nullptr;
        read.clear();
        // A write that follows reads follows the earlier write through them, but for its own member's reads.
        const auto write = [&](const Access& access) {
            for (const Access& reader : read) {
                needs.order(reader, access);
            }
            if (written != nullptr) {
                needs.order(*written, access);
            }
        };
        for (const Access& access : group) {
            if (access.write) {
                write(access);
                written = &access;
                read.clear();
                continue;
            }
            if (written != nullptr) {
                needs.order(*written, access);
            }
            read.push_back(access);
        }
        write({schedule.rounds(), true, owner});
    }
}

Needs conflicts(const Schedule& schedule, Form form) {
    Needs needs(schedule);
    const int window = blocks_at_a_time(schedule);
    for (int begin = 0; begin < schedule.blocks(); begin += window) {
        add_conflicts(schedule, form, begin, std::min(begin + window, schedule.blocks()), needs);
        needs.forget_repeated();
    }
    return needs;
}

/// What each representative knows of every other member's completed rounds: vector clocks, one for each round
/// in which it has learnt something.
class Knowledge {
public:
    explicit Knowledge(const Schedule& schedule)
        : schedule_(schedule), ranks_(static_cast<std::size_t>(schedule.ranks())),
          points_(static_cast<std::size_t>(schedule.rounds()) + 1),
          clock_at_(schedule.programs().size() * points_, 0), now_(schedule.programs().size()),
          clocks_(1, std::vector<std::int16_t>(ranks_, -1)) {
        for (auto& now : now_) {
            now.clock = clocks_.front();
        }
    }

    /// Keeps what `stored` knows now as what it knows when it has completed `point` rounds.
    void complete(std::size_t stored, int point) {
        Now& now = now_[stored];
        if (now.learnt) {
            now.kept_as = clocks_.size();
            clocks_.push_back(now.clock);
            now.learnt = false;
        }
        clock_at_[stored * points_ + static_cast<std::size_t>(point)] = now.kept_as;
    }

    /// The rounds that `stored` knows `member` (as `stored` names it) to have completed, or -1.
    int of(std::size_t stored, int member) const {
        return now_[stored].clock[static_cast<std::size_t>(member)];
    }

    /// Adds to what `stored` knows that `member` has completed `point` rounds and, if `with_theirs`, what
    /// `member` knew then.
    void learn(std::size_t stored, int member, int point, bool with_theirs) {
        Now& now = now_[stored];
        now.learnt = true;
        if (with_theirs) {
            const std::size_t owner = schedule_.representative(member);
            const auto& theirs = clocks_[clock_at_[owner * points_ + static_cast<std::size_t>(point)]];
            if (schedule_.symmetry().translates()) {
                const Translation rename = schedule_.translation(member);
                for (std::size_t rank = 0; rank < ranks_; ++rank) {
                    auto& known = now.clock[static_cast<std::size_t>(rename.member(static_cast<int>(rank)))];
                    known = std::max(known, theirs[rank]);
                }
            } else {
                for (std::size_t rank = 0; rank < ranks_; ++rank) {
                    now.clock[rank] = std::max(now.clock[rank], theirs[rank]);
                }
            }
        }
        now.clock[static_cast<std::size_t>(member)] = static_cast<std::int16_t>(point);
    }

private:
    struct Now {
        std::vector<std::int16_t> clock;
        std::size_t kept_as = 0;
        bool learnt = false;
    };

    const Schedule& schedule_;
    std::size_t ranks_;
    std::size_t points_;
    std::vector<std::size_t> clock_at_;
    std::vector<Now> now_;
    std::vector<std::vector<std::int16_t>> clocks_;
};

/// Drops every wait that earlier waits of the same member imply, strongest first.
std::vector<std::vector<Wait>> reduced(const Schedule& schedule, Needs needs) {
    Knowledge knowledge(schedule);
    const std::size_t stored_count = schedule.programs().size();
    std::vector<std::vector<Wait>> waits(stored_count);
    for (int round = 0; round <= schedule.rounds(); ++round) {
        for (std::size_t stored = 0; stored < stored_count; ++stored) {
            knowledge.complete(stored, round);
        }
        for (std::size_t stored = 0; stored < stored_count; ++stored) {
            for (const Wait& wait : needs.at(stored, round)) {
                if (knowledge.of(stored, wait.member) < wait.point) {
                    waits[stored].push_back(wait);
                    knowledge.learn(stored, wait.member, wait.point, wait.point <= round);
                }
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
    const Translation rename = schedule.translation(rank);
    for (Wait& wait : list) {
        wait.member = rename.member(wait.member);
    }
    return list;
}

bool moves_nothing(const Move& move, Form form) {
    return form == Form::in_place && !move.reduces && move.to.member == move.left.member &&
           move.to.space == Space::output && move.left.space == Space::input &&
           move.to.blocks == move.left.blocks;
}

int blocks_at_a_time(const Schedule& schedule) {
    constexpr std::size_t most_cells = std::size_t{1} << 22U;
    const std::size_t cells_per_block = schedule.programs().size() * space_count;
    const auto all = static_cast<std::size_t>(schedule.blocks());
    if (all * cells_per_block <= most_cells || !schedule.keeps_blocks_apart()) {
        return schedule.blocks();
    }
    return static_cast<int>(std::max<std::size_t>(most_cells / cells_per_block, 1));
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
