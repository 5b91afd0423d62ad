#include "schedule/synchronise.hpp"

#include <memory>
#include <utility>

namespace tutti::schedule {

namespace {

/// Vector clocks: how many rounds of every other member each representative knows to be completed. The clock
/// that a member had at an earlier point is kept as long as a later wait for that point needs it.
class Knowledge {
public:
    Knowledge(const Schedule& schedule, const std::vector<std::vector<Wait>>& waits)
        : schedule_(schedule), ranks_(static_cast<std::size_t>(schedule.ranks())),
          now_(schedule.programs().size()) {
        for (Now& now : now_) {
            now.clock.assign(ranks_, -1);
        }
        for (const auto& list : waits) {
            for (const Wait& wait : list) {
                if (is_learnt_from(wait)) {
                    now_[schedule.representative(wait.member)].kept.push_back({wait.point, 1, nullptr});
                }
            }
        }
        for (Now& now : now_) {
            count_uses(now.kept);
        }
    }

    /// `stored` has completed `point` rounds.
    void complete(std::size_t stored, int point) {
        Now& now = now_[stored];
        if (now.next == now.kept.size() || now.kept[now.next].point != point) {
            return;
        }
        if (!now.has_learnt) {
            ++now.next;
            return; // there is nothing to learn from it
        }
        if (now.learnt || now.latest.expired()) {
            auto copy = std::make_shared<const Clock>(now.clock);
            now.latest = copy;
            now.learnt = false;
            now.kept[now.next].clock = std::move(copy);
        } else {
            now.kept[now.next].clock = now.latest.lock();
        }
        ++now.next;
    }

    /// `stored` comes to this wait. Whether the wait gives it new knowledge.
    bool learn(std::size_t stored, const Wait& wait) {
        Now& now = now_[stored];
        auto& known = now.clock[static_cast<std::size_t>(wait.member)];
        const bool is_new = known < wait.point;
        if (is_learnt_from(wait)) {
            const auto theirs = use(schedule_.representative(wait.member), wait.point);
            if (is_new && theirs != nullptr) {
                add(*theirs, schedule_.translation(wait.member), now.clock);
            }
        }
        if (is_new) {
            known = static_cast<std::int16_t>(wait.point);
            now.learnt = now.has_learnt = true;
        }
        return is_new;
    }

private:
    using Clock = std::vector<std::int16_t>;

    /// A clock that will be used.
    struct Kept {
        int point = 0;
        int uses = 0;
        std::shared_ptr<const Clock> clock;
    };

    struct Now {
        Clock clock;
        /// Since the clock was copied last, and ever.
        bool learnt = false;
        bool has_learnt = false;
        std::weak_ptr<const Clock> latest;
        /// In order of point; those from `next` on are of points to come.
        std::vector<Kept> kept;
        std::size_t next = 0;
    };

    /// All members are taken through the rounds side by side, so that what they know at a later point than
    /// the one that is waited from is not known yet.
    static bool is_learnt_from(const Wait& wait) { return wait.point <= wait.before_round; }

    static void count_uses(std::vector<Kept>& kept) {
        std::ranges::sort(kept, {}, &Kept::point);
        std::size_t last = 0;
        for (std::size_t i = 1; i < kept.size(); ++i) {
            if (kept[i].point == kept[last].point) {
                ++kept[last].uses;
            } else {
                kept[++last] = std::move(kept[i]);
            }
        }
        kept.resize(kept.empty() ? 0 : last + 1);
    }

    std::shared_ptr<const Clock> use(std::size_t stored, int point) {
        const auto kept = std::ranges::lower_bound(now_[stored].kept, point, {}, &Kept::point);
        return --kept->uses == 0 ? std::move(kept->clock) : kept->clock;
    }

    void add(const Clock& theirs, const Translation& rename, Clock& mine) const {
        if (!schedule_.symmetry().translates()) {
            for (std::size_t rank = 0; rank < ranks_; ++rank) {
                mine[rank] = std::max(mine[rank], theirs[rank]);
            }
            return;
        }
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            auto& known = mine[static_cast<std::size_t>(rename.member(static_cast<int>(rank)))];
            known = std::max(known, theirs[rank]);
        }
    }

    const Schedule& schedule_;
    std::size_t ranks_;
    std::vector<Now> now_;
};

/// Which members can hear of which others, without regard to when. This suffices to see that no wait implies
/// another in most schedules with a program per rank: an implied wait must be for a member of which another
/// awaited member can hear.
class Hearsay {
public:
    Hearsay(int rounds, const std::vector<std::vector<Wait>>& waits)
        : rounds_(rounds), waits_(waits), ranks_(waits.size()), words_((ranks_ + word_bits - 1) / word_bits),
          hears_(ranks_, 0), heard_of_(ranks_ * words_, 0) {}

    /// False only if no wait implies another.
    bool may_imply() {
        if (!find_heard_of()) {
            return true;
        }
        for (const auto& list : waits_) {
            int before = -1;
            for (const Wait& from : list) {
                const auto other = static_cast<std::size_t>(from.member);
                const bool again = from.member == std::exchange(before, from.member);
                if (!again && hears_[other] != 0 && std::ranges::any_of(list, [&](const Wait& of) {
                        return of.before_round >= from.before_round &&
                               is_heard_of(other, static_cast<std::size_t>(of.member));
                    })) {
                    return true;
                }
            }
        }
        return false;
    }

private:
    static constexpr std::size_t word_bits = 64;

    bool is_heard_of(std::size_t rank, std::size_t member) const {
        return (heard_of_[rank * words_ + member / word_bits] >> (member % word_bits) & 1U) != 0;
    }

    /// Members pass on what they have learnt once all from whom they learn before they return have done so.
    /// False if some members wait for each other in a circle, because then none is the first.
    bool find_heard_of() {
        std::vector<std::vector<std::size_t>> learners(ranks_);
        std::vector<int> missing(ranks_, 0);
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            for (const Wait& wait : waits_[rank]) {
                if (wait.before_round < rounds_) {
                    learners[static_cast<std::size_t>(wait.member)].push_back(rank);
                    ++missing[rank];
                }
            }
        }
        std::vector<std::size_t> complete;
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            if (missing[rank] == 0) {
                complete.push_back(rank);
            }
        }
        for (std::size_t next = 0; next < complete.size(); ++next) {
            for (const std::size_t learner : learners[complete[next]]) {
                tell(complete[next], learner);
                if (--missing[learner] == 0) {
                    complete.push_back(learner);
                }
            }
        }
        return complete.size() == ranks_;
    }

    void tell(std::size_t teller, std::size_t learner) {
        hears_[learner] = 1;
        for (std::size_t word = 0; hears_[teller] != 0 && word < words_; ++word) {
            heard_of_[learner * words_ + word] |= heard_of_[teller * words_ + word];
        }
        heard_of_[learner * words_ + teller / word_bits] |= std::uint64_t{1} << (teller % word_bits);
    }

    int rounds_;
    const std::vector<std::vector<Wait>>& waits_;
    std::size_t ranks_;
    std::size_t words_;
    std::vector<char> hears_;
    std::vector<std::uint64_t> heard_of_;
};

/// Whether clocks for so many waits take more time than they are worth: if some thousand members each have a
/// program with some thousand waits, a wait that is implied costs a look, and clocks seconds.
bool is_too_much(const Schedule& schedule, const std::vector<std::vector<Wait>>& waits) {
    constexpr std::size_t most_entries = std::size_t{1} << 28U;
    std::size_t entries = 0;
    for (const auto& list : waits) {
        entries += list.size() * static_cast<std::size_t>(schedule.ranks());
    }
    return entries > most_entries;
}

} // namespace

std::vector<std::vector<Wait>> without_implied(const Schedule& schedule,
                                               const std::vector<std::vector<Wait>>& waits) {
    if (is_too_much(schedule, waits) ||
        (!schedule.symmetry().translates() && !Hearsay(schedule.rounds(), waits).may_imply())) {
        return waits;
    }
    Knowledge knowledge(schedule, waits);
    std::vector<std::vector<Wait>> kept(waits.size());
    std::vector<std::size_t> next(waits.size(), 0);
    for (int round = 0; round <= schedule.rounds(); ++round) {
        for (std::size_t stored = 0; stored < waits.size(); ++stored) {
            knowledge.complete(stored, round);
        }
        for (std::size_t stored = 0; stored < waits.size(); ++stored) {
            for (std::size_t& i = next[stored];
                 i < waits[stored].size() && waits[stored][i].before_round == round; ++i) {
                if (knowledge.learn(stored, waits[stored][i])) {
                    kept[stored].push_back(waits[stored][i]);
                }
            }
        }
    }
    return kept;
}

} // namespace tutti::schedule
