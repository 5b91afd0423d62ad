#include "verify/races.hpp"

#include "verify/symbolic_run.hpp"

#include <algorithm>
#include <optional>
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
    std::size_t location = 0;
    int member = 0;
    int round = 0;
    bool writes = false;
};

/// All accesses to the vectors of the representatives, grouped by block, in each group in order of recording:
/// each member's in its program order.
class Accesses {
public:
    /// To blocks begin .. end - 1 of every vector.
    Accesses(const schedule::Synchronised& plan, int begin, int end)
        : plan_(plan), schedule_(plan.schedule), begin_(begin), end_(end),
          first_(plan.schedule.programs().size() * schedule::space_count *
                     static_cast<std::size_t>(end - begin) +
                 1) {
        for (int stored = 0; stored < static_cast<int>(schedule_.programs().size()); ++stored) {
            for (int round = 0; round < schedule_.rounds(); ++round) {
                for (const Move& move : schedule_.programs()[static_cast<std::size_t>(stored)]
                                                            [static_cast<std::size_t>(round)]) {
                    record_move(stored, round, move);
                }
            }
        }
        group();
    }

    std::size_t locations() const { return first_.size() - 1; }
    const Access* begin(std::size_t location) const { return grouped_.data() + first_[location]; }
    const Access* end(std::size_t location) const { return grouped_.data() + first_[location + 1]; }

    /// The representative whose vector `location` is in.
    int owner(std::size_t location) const {
        return static_cast<int>(location / (schedule::space_count * static_cast<std::size_t>(end_ - begin_)));
    }

    Place place(std::size_t location) const {
        const auto blocks = static_cast<std::size_t>(end_ - begin_);
        const std::size_t vector = location / blocks;
        return {static_cast<int>(vector / schedule::space_count),
                static_cast<Space>(vector % schedule::space_count),
                {begin_ + static_cast<int>(location % blocks), 1}};
    }

private:
    void record_move(int actor, int round, const Move& move) {
        if (moves_nothing(move, plan_.form)) {
            return;
        }
        record(actor, round, move.left, false);
        if (move.has_right()) {
            record(actor, round, move.right, false);
        }
        record(actor, round, move.to, true);
    }

    void record(int actor, int round, const Place& place, bool writes) {
        const int first = place.member == every ? 0 : place.member;
        const int last = place.member == every ? schedule_.ranks() - 1 : place.member;
        for (int owner = first; owner <= last; ++owner) {
            const schedule::Translation rename = schedule_.to_representative(owner);
            const int renamed_actor = rename.member(actor);
            const bool aliased = plan_.form == Form::in_place && place.space == Space::output;
            const auto space = static_cast<std::size_t>(aliased ? Space::input : place.space);
            const std::size_t vector = schedule_.representative(owner) * schedule::space_count + space;
            for_each_within(place.blocks, schedule_.blocks(), begin_, end_, [&](int /*i*/, int block) {
                const auto own = static_cast<std::size_t>(rename.block(block) - begin_);
                recorded_.push_back(
                    {vector * static_cast<std::size_t>(end_ - begin_) + own, renamed_actor, round, writes});
            });
        }
    }

    void group() {
        for (const Access& access : recorded_) {
            ++first_[access.location + 1];
        }
        for (std::size_t location = 1; location < first_.size(); ++location) {
            first_[location] += first_[location - 1];
        }
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        grouped_.resize(recorded_.size());
        for (const Access& access : recorded_) {
            grouped_[next[access.location]++] = access;
        }
        recorded_.clear();
    }

    const schedule::Synchronised& plan_;
    const schedule::Schedule& schedule_;
    int begin_;
    int end_;
    std::vector<std::size_t> first_;
    std::vector<Access> recorded_;
    std::vector<Access> grouped_;
};

class RaceCheck {
public:
    RaceCheck(const schedule::Synchronised& plan, int begin, int end, const Clocks& clocks, Report& report)
        : schedule_(plan.schedule), clocks_(clocks), report_(report), accesses_(plan, begin, end) {}

    void run() {
        std::optional<std::size_t> fine;
        for (std::size_t location = 0; location < accesses_.locations(); ++location) {
            if (accesses_.begin(location) == accesses_.end(location) ||
                (fine && is_accessed_as(location, *fine))) {
                continue;
            }
            const std::size_t reported = report_.total();
            const int owner = accesses_.owner(location);
            const bool unordered = !is_chain(location);
            for (const Access* access = accesses_.begin(location); access != accesses_.end(location);
                 ++access) {
                check_owner(*access, owner);
                if (unordered && access->writes) {
                    check_write(*access);
                }
            }
            if (reported == report_.total()) {
                fine = location;
            }
        }
    }

private:
    /// Whether the same members access `location` in the same way as `other`, a location of the same owner.
    /// Then the one is as free of races as the other: neighbouring blocks mostly move together.
    bool is_accessed_as(std::size_t location, std::size_t other) const {
        const auto same = [](const Access& a, const Access& b) {
            return a.member == b.member && a.round == b.round && a.writes == b.writes;
        };
        return accesses_.owner(location) == accesses_.owner(other) &&
               std::equal(accesses_.begin(location), accesses_.end(location), accesses_.begin(other),
                          accesses_.end(other), same);
    }

    /// Whether the accesses are ordered one after the other: each read after the last write before it, each
    /// write after that and after the reads in between. Being ordered is transitive, so then all pairs are,
    /// which many accesses make many of; if not, the pairs are looked at one by one to say what is wrong.
    bool is_chain(std::size_t location) {
        sorted_.assign(accesses_.begin(location), accesses_.end(location));
        std::ranges::stable_sort(sorted_, [](const Access& a, const Access& b) {
            return std::pair(a.round, a.writes) < std::pair(b.round, b.writes);
        });
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
            return later.round > earlier.round || later.member == accesses_.owner(later.location);
        }
        return !(earlier.writes && earlier.round == later.round) &&
               clocks_.known_in(later.member, 0, later.round, earlier.member) > earlier.round;
    }

    /// The accesses by others against what the owner does before the call and after it.
    void check_owner(const Access& access, int owner) {
        if (access.member == owner) {
            return;
        }
        if (clocks_.known_in(access.member, 0, access.round, owner) < 0) {
            report(access, "is not ordered after the owner's entry");
        }
        if (clocks_.known_in(owner, 0, schedule_.rounds(), access.member) < access.round + 1) {
            report(access, "is not ordered before the owner's return");
        }
    }

    void check_write(const Access& write) {
        const Access* first = accesses_.begin(write.location);
        for (const Access* other = first; other != accesses_.end(write.location); ++other) {
            if (other->writes && other <= &write) {
                continue;
            }
            if (other->member != write.member) {
                check_pair(write, *other);
            } else if (!other->writes && other > &write && other->round == write.round &&
                       other->member != accesses_.place(write.location).member) {
                report(*other, "follows that member's own write in the same round");
            }
        }
    }

    void check_pair(const Access& write, const Access& other) {
        const bool write_first = write.round < other.round;
        const Access& earlier = write_first ? write : other;
        const Access& later = write_first ? other : write;
        const bool both_in_one_round = other.writes && write.round == other.round;
        if (both_in_one_round ||
            clocks_.known_in(later.member, 0, later.round, earlier.member) < earlier.round + 1) {
            report(later, "is not ordered after the " + std::string(earlier.writes ? "write" : "read") +
                              " by member " + std::to_string(earlier.member) + " in round " +
                              std::to_string(earlier.round));
        }
    }

    void report(const Access& access, const std::string& what) {
        report_.add(Kind::race, "the " + std::string(access.writes ? "write" : "read") + " of " +
                                    describe(accesses_.place(access.location), schedule_.blocks()) +
                                    " by member " + std::to_string(access.member) + " in round " +
                                    std::to_string(access.round) + " " + what);
    }

    const schedule::Schedule& schedule_;
    const Clocks& clocks_;
    Report& report_;
    Accesses accesses_;
    std::vector<Access> sorted_;
};

} // namespace

void check_races(const schedule::Synchronised& plan, const Clocks& clocks, Report& report) {
    const int window = blocks_at_a_time(plan.schedule);
    for (int begin = 0; begin < plan.schedule.blocks(); begin += window) {
        RaceCheck(plan, begin, std::min(begin + window, plan.schedule.blocks()), clocks, report).run();
    }
}

void check_slots(const schedule::Synchronised& plan, const Clocks& clocks, Report& report) {
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
