#include "verify/races.hpp"

#include "schedule/grouped.hpp"
#include "verify/symbolic_run.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::verify {

using schedule::every;
using schedule::Form;
using schedule::Move;
using schedule::Place;
using schedule::Space;
using schedule::Wait;

namespace {

struct Access {
    int member = 0;
    std::int16_t round = 0;
    bool writes = false;

    friend bool operator==(const Access&, const Access&) = default;
};

/// All accesses to the vectors of the representatives, grouped by block, in each group in order of recording:
/// each member's in its program order.
class Accesses {
public:
    /// To blocks begin .. end - 1 of every vector.
    Accesses(const schedule::Synchronised& plan, int begin, int end)
        : plan_(plan), schedule_(plan.schedule), begin_(begin), end_(end),
          spaces_(static_cast<std::size_t>(Space::scratch0) +
                  static_cast<std::size_t>(plan.schedule.scratch_vectors())),
          grouped_(plan.schedule.programs().size() * spaces_ * static_cast<std::size_t>(end - begin),
                   [this](auto visit) { visit_all(visit); }) {}

    std::size_t locations() const { return grouped_.groups(); }

    std::span<const Access> at(std::size_t location) const { return grouped_.at(location); }

    /// The representative whose vector `location` is in.
    int owner(std::size_t location) const {
        return static_cast<int>(location / (spaces_ * static_cast<std::size_t>(end_ - begin_)));
    }

    Place place(std::size_t location) const {
        const auto blocks = static_cast<std::size_t>(end_ - begin_);
        const std::size_t vector = location / blocks;
        return {static_cast<int>(vector / spaces_),
                static_cast<Space>(vector % spaces_),
                {begin_ + static_cast<int>(location % blocks), 1}};
    }

private:
    template <class Visit>
    void visit_all(Visit visit) const {
        for (int stored = 0; stored < static_cast<int>(schedule_.programs().size()); ++stored) {
            for (int round = 0; round < schedule_.rounds(); ++round) {
                for (const Move& move : schedule_.programs()[static_cast<std::size_t>(stored)]
                                                            [static_cast<std::size_t>(round)]) {
                    visit_move(stored, round, move, visit);
                }
            }
        }
    }

    template <class Visit>
    void visit_move(int actor, int round, const Move& move, Visit visit) const {
        if (!meets(move.to.blocks, schedule_.blocks(), begin_, end_) || moves_nothing(move, plan_.form)) {
            return;
        }
        visit_place(actor, round, move.left, false, visit);
        if (move.has_right()) {
            visit_place(actor, round, move.right, false, visit);
        }
        visit_place(actor, round, move.to, true, visit);
    }

    template <class Visit>
    void visit_place(int actor, int round, const Place& place, bool writes, Visit visit) const {
        const int first = place.member == every ? 0 : place.member;
        const int last = place.member == every ? schedule_.ranks() - 1 : place.member;
        for (int owner = first; owner <= last; ++owner) {
            const schedule::Translation rename = schedule_.to_representative(owner);
            const int renamed_actor = rename.member(actor);
            const bool aliased = plan_.form == Form::in_place && place.space == Space::output;
            const auto space = static_cast<std::size_t>(aliased ? Space::input : place.space);
            const std::size_t vector = schedule_.representative(owner) * spaces_ + space;
            for_each_within(place.blocks, schedule_.blocks(), begin_, end_, [&](int /*i*/, int block) {
                const auto own = static_cast<std::size_t>(rename.block(block) - begin_);
                const std::size_t location = vector * static_cast<std::size_t>(end_ - begin_) + own;
                visit(location, Access{renamed_actor, static_cast<std::int16_t>(round), writes});
            });
        }
    }

    const schedule::Synchronised& plan_;
    const schedule::Schedule& schedule_;
    int begin_;
    int end_;
    /// Vectors of a member: input, output and the scratch that is used.
    std::size_t spaces_;
    schedule::Grouped<Access> grouped_;
};

class RaceCheck {
public:
    RaceCheck(const schedule::Synchronised& plan, int begin, int end, Clocks& clocks, Report& report)
        : schedule_(plan.schedule), clocks_(clocks), report_(report), accesses_(plan, begin, end) {}

    void run() {
        int owner_of_fine = -1;
        std::span<const Access> fine;
        for (location_ = 0; location_ < accesses_.locations(); ++location_) {
            here_ = accesses_.at(location_);
            if (here_.empty()) {
                continue;
            }
            owner_ = accesses_.owner(location_);
            // Neighbouring blocks mostly move together: what is accessed in the same way is as free of races.
            if (owner_ == owner_of_fine && std::ranges::equal(here_, fine)) {
                continue;
            }
            const std::size_t reported = report_.total();
            check_location();
            if (reported == report_.total()) {
                fine = here_;
                owner_of_fine = owner_;
            }
        }
    }

private:
    void check_location() {
        const bool unordered = !is_chain();
        for (const Access& access : here_) {
            check_owner(access);
            if (unordered && access.writes) {
                check_write(access);
            }
        }
    }

    /// Whether the accesses are ordered one after the other: each read after the last write before it, each
    /// write after that and after the reads in between. Being ordered is transitive, so then all pairs are,
    /// which many accesses make many of; if not, the pairs are looked at one by one to say what is wrong.
    bool is_chain() {
        sorted_.assign(here_.begin(), here_.end());
        const auto key = [](const Access& access) { return std::pair(access.round, access.writes); };
        if (!std::ranges::is_sorted(sorted_, {}, key)) {
            std::ranges::sort(sorted_, {}, key);
        }
        const Access* written = nullptr;
        const Access* first_read = sorted_.data();
        for (const Access& access : sorted_) {
            if (written != nullptr && !comes_after(access, *written)) {
                return false;
            }
            if (!access.writes) {
                continue;
            }
            for (const Access* read = first_read; read != &access; ++read) {
                if (!comes_after(access, *read)) {
                    return false;
                }
            }
            written = &access;
            first_read = &access + 1;
        }
        return true;
    }

    /// A member's own accesses come in the order of its program; within a round that is left to check_write.
    bool comes_after(const Access& later, const Access& earlier) const {
        if (later.member == earlier.member) {
            return later.round > earlier.round || later.member == owner_;
        }
        return !(earlier.writes && earlier.round == later.round) &&
               clocks_.knows(later.member, later.round, earlier.member, earlier.round + 1);
    }

    /// The accesses by others against what the owner does before the call and after it.
    void check_owner(const Access& access) {
        if (access.member == owner_) {
            return;
        }
        if (!clocks_.knows(access.member, access.round, owner_, 0)) {
            report(access, "is not ordered after the owner's entry");
        }
        if (!clocks_.knows(owner_, schedule_.rounds(), access.member, access.round + 1)) {
            report(access, "is not ordered before the owner's return");
        }
    }

    void check_write(const Access& write) {
        for (const Access& other : here_) {
            if (other.writes && &other <= &write) {
                continue;
            }
            if (other.member != write.member) {
                check_pair(write, other);
            } else if (!other.writes && &other > &write && other.round == write.round &&
                       other.member != owner_) {
                report(other, "follows that member's own write in the same round");
            }
        }
    }

    void check_pair(const Access& write, const Access& other) {
        const bool write_first = write.round < other.round;
        const Access& earlier = write_first ? write : other;
        const Access& later = write_first ? other : write;
        const bool both_in_one_round = other.writes && write.round == other.round;
        if (both_in_one_round ||
            !clocks_.knows(later.member, later.round, earlier.member, earlier.round + 1)) {
            report(later, "is not ordered after the " + std::string(earlier.writes ? "write" : "read") +
                              " by member " + std::to_string(earlier.member) + " in round " +
                              std::to_string(earlier.round));
        }
    }

    void report(const Access& access, const std::string& what) {
        report_.add(Kind::race, "the " + std::string(access.writes ? "write" : "read") + " of " +
                                    describe(accesses_.place(location_), schedule_.blocks()) + " by member " +
                                    std::to_string(access.member) + " in round " +
                                    std::to_string(access.round) + " " + what);
    }

    const schedule::Schedule& schedule_;
    Clocks& clocks_;
    Report& report_;
    Accesses accesses_;
    /// The location that is looked at, whose vector it is in, and the accesses to it.
    std::size_t location_ = 0;
    int owner_ = 0;
    std::span<const Access> here_;
    std::vector<Access> sorted_;
};

} // namespace

void check_races(const schedule::Synchronised& plan, Clocks& clocks, Report& report) {
    const int window = blocks_at_a_time(plan.schedule);
    for (int begin = 0; begin < plan.schedule.blocks(); begin += window) {
        RaceCheck(plan, begin, std::min(begin + window, plan.schedule.blocks()), clocks, report).run();
    }
}

void check_slots(const schedule::Synchronised& plan, Clocks& clocks, Report& report) {
    if (!depends_on_all(plan.schedule.collective())) {
        return;
    }
    constexpr int next_writer = 2;
    for (std::size_t stored = 0; stored < plan.waits.size(); ++stored) {
        const int reader = static_cast<int>(stored);
        for (const Wait& wait : plan.waits[stored]) {
            const int done = clocks.position(0, wait.before_round + 1);
            const int again = clocks.position(next_writer, wait.point);
            if (clocks.known_at(wait.member, again, reader) < done) {
                report.add(Kind::slot_reuse, "member " + std::to_string(wait.member) + " may publish point " +
                                                 std::to_string(wait.point) +
                                                 " in the operation after next before member " +
                                                 std::to_string(reader) + " has read it in round " +
                                                 std::to_string(wait.before_round));
            }
        }
    }
}

} // namespace tutti::verify
