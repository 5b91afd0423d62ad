#include "verify/clocks.hpp"
#include "verify/symbolic_run.hpp"

#include <algorithm>
#include <string>

namespace tutti::verify {

using schedule::Move;
using schedule::Place;
using schedule::Protocol;
using schedule::Space;
using schedule::Wait;

namespace {

struct Access {
    int member = 0;
    std::int16_t round = 0;
    bool writes = false;
};

/// All accesses to the vectors of the representatives that others touch, grouped by run of blocks, in each
/// group in order of recording: each member's in its program order.
class Accesses {
public:
    /// To blocks begin .. end - 1 of every vector.
    Accesses(const schedule::Synchronised& plan, int begin, int end)
        : plan_(plan), schedule_(plan.schedule), begin_(begin), end_(end), spaces_(plan.schedule.vectors()),
          by_run_(plan.schedule, plan.schedule.programs().size() * spaces_, end - begin,
                  [this](auto visit) { visit_all(visit); }) {}

    /// Calls visit(place, accesses) for every run of blocks of a representative's vectors.
    template <class Visit>
    void for_each_run(int owner, Visit visit) const {
        for (std::size_t space = 0; space < spaces_; ++space) {
            const std::size_t vector = static_cast<std::size_t>(owner) * spaces_ + space;
            if (!is_shared(schedule_, plan_.protocol, static_cast<std::size_t>(owner),
                           static_cast<Space>(space))) {
                continue;
            }
            for (int first = 0, next = 0; first < end_ - begin_; first = next) {
                const std::size_t run = by_run_.run(vector, first);
                while (next < end_ - begin_ && by_run_.run(vector, next) == run) {
                    ++next;
                }
                visit(Place{owner, static_cast<Space>(space), {begin_ + first, next - first}},
                      by_run_.at(run));
            }
        }
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
        if (!meets(move.to.blocks, schedule_.blocks(), begin_, end_) || moves_nothing(move, plan_.protocol)) {
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
        schedule::for_each_member(place.member, schedule_.ranks(), [&](int owner) {
            const std::size_t stored = schedule_.representative(owner);
            if (!is_shared(schedule_, plan_.protocol, stored, place.space)) {
                return;
            }
            const schedule::Translation rename = schedule_.to_representative(owner);
            const bool aliased = plan_.protocol == Protocol::in_place && place.space == Space::output;
            const auto space = static_cast<std::size_t>(aliased ? Space::input : place.space);
            const Access access{rename.member(actor), static_cast<std::int16_t>(round), writes};
            for_each_part(rename.range(place.blocks), schedule_.blocks(), begin_, end_,
                          [&](int from, int to) {
                              visit(stored * spaces_ + space, from - begin_, to - begin_, access);
                          });
        });
    }

    const schedule::Synchronised& plan_;
    const schedule::Schedule& schedule_;
    int begin_;
    int end_;
    /// Vectors of a member: input, output and the scratch that is used.
    std::size_t spaces_;
    schedule::ByRun<Access> by_run_;
};

class RaceCheck {
public:
    RaceCheck(const schedule::Synchronised& plan, int begin, int end, Clocks& clocks, Report& report)
        : schedule_(plan.schedule), clocks_(clocks), report_(report), accesses_(plan, begin, end) {}

    void run() {
        for (owner_ = 0; owner_ < static_cast<int>(schedule_.programs().size()); ++owner_) {
            accesses_.for_each_run(owner_, [this](const Place& place, std::span<const Access> accesses) {
                here_ = accesses;
                const auto is_own = [this](const Access& access) { return access.member == owner_; };
                // The owner's own come in the order of its program.
                if (!std::ranges::all_of(here_, is_own) && !is_chain()) {
                    check_blocks(place);
                }
            });
        }
    }

private:
    void check_blocks(const Place& run) {
        for (int i = 0; i < run.blocks.count; ++i) {
            place_ = {run.member, run.space, {run.blocks.first + i, 1}};
            for (const Access& access : here_) {
                check_owner(access);
                if (access.writes) {
                    check_write(access);
                }
            }
        }
    }

    /// Whether the accesses are ordered one after the other, between what the owner does before the call and
    /// after it: each read after the last write before it, each write after that and after the reads in
    /// between. Being ordered is transitive, so then all pairs are, which many accesses make many of; if not,
    /// the pairs are looked at one by one to report the fault.
    bool is_chain() {
        std::span<const Access> chain = here_;
        const auto key = [](const Access& access) { return 2 * access.round + (access.writes ? 1 : 0); };
        if (!std::ranges::is_sorted(here_, {}, key)) {
            sorted_.assign(here_.begin(), here_.end());
            std::ranges::sort(sorted_, {}, key);
            chain = sorted_;
        }
        const Access entry{owner_, -1, true};
        const Access exit{owner_, static_cast<std::int16_t>(schedule_.rounds()), true};
        const Access* written = &entry;
        std::size_t first_read = 0;
        const auto follows = [&](const Access& access, std::size_t at) {
            const std::span<const Access> reads = chain.subspan(first_read, at - first_read);
            const auto after = [&](const Access& earlier) { return comes_after(access, earlier); };
            return after(*written) && (!access.writes || std::ranges::all_of(reads, after));
        };
        for (std::size_t at = 0; at < chain.size(); ++at) {
            if (!follows(chain[at], at)) {
                return false;
            }
            if (chain[at].writes) {
                written = &chain[at];
                first_read = at + 1;
            }
        }
        return follows(exit, chain.size());
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
        report_.add(ViolationKind::race, "the " + std::string(access.writes ? "write" : "read") + " of " +
                                             describe(place_, schedule_.blocks()) + " by member " +
                                             std::to_string(access.member) + " in round " +
                                             std::to_string(access.round) + " " + what);
    }

    const schedule::Schedule& schedule_;
    Clocks& clocks_;
    Report& report_;
    Accesses accesses_;
    /// The owner of the examined vectors, the accesses to a run of blocks of them, and a block of it.
    int owner_ = 0;
    std::span<const Access> here_;
    Place place_;
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
    if (!detail::traits_of(plan.schedule.collective()).needs_all) {
        return;
    }
    constexpr int next_writer = 2;
    for (std::size_t stored = 0; stored < plan.waits.size(); ++stored) {
        const int reader = static_cast<int>(stored);
        for (const Wait& wait : plan.waits[stored]) {
            const int done = clocks.position(0, wait.before_round + 1);
            const int again = clocks.position(next_writer, wait.point);
            if (clocks.known_at(wait.member, again, reader) < done) {
                report.add(ViolationKind::slot_reuse, "member " + std::to_string(wait.member) +
                                                          " may publish point " + std::to_string(wait.point) +
                                                          " in the operation after next before member " +
                                                          std::to_string(reader) + " has read it in round " +
                                                          std::to_string(wait.before_round));
            }
        }
    }
}

} // namespace tutti::verify
