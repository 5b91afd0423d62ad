#include "schedule/runs.hpp"
#include "schedule/synchronise.hpp"

#include <utility>

namespace tutti::schedule {

namespace {

struct Access {
    std::int16_t round = 0;
    bool write = false;
    int member = 0;
};

/// Every access to the vectors of the representatives that others touch, grouped by run of blocks.
class Accesses {
public:
    /// The accesses to blocks begin .. end - 1 of every vector.
    Accesses(const Schedule& schedule, Protocol protocol, int begin, int end)
        : schedule_(schedule), form_(protocol), begin_(begin), end_(end), spaces_(schedule.vectors()),
          by_run_(schedule, schedule.programs().size() * spaces_, end - begin,
                  [this](auto visit) { visit_all(visit); }) {}

    /// Calls visit(accesses) for every run of blocks of a representative's vectors.
    template <class Visit>
    void for_each_run(std::size_t owner, Visit visit) {
        for (std::size_t space = 0; space < spaces_; ++space) {
            const std::size_t vector = owner * spaces_ + space;
            const bool any = is_shared(schedule_, form_, owner, static_cast<Space>(space));
            for (std::size_t run = by_run_.run(vector, 0); any && run < by_run_.run(vector + 1, 0); ++run) {
                visit(by_run_.at(run));
            }
        }
    }

private:
    template <class Visit>
    void visit_all(Visit visit) const {
        for (std::size_t stored = 0; stored < schedule_.programs().size(); ++stored) {
            for (int round = 0; round < schedule_.rounds(); ++round) {
                for (const Move& move : schedule_.programs()[stored][static_cast<std::size_t>(round)]) {
                    visit_move(static_cast<int>(stored), static_cast<std::int16_t>(round), move, visit);
                }
            }
        }
    }

    template <class Visit>
    void visit_move(int actor, std::int16_t round, const Move& move, Visit visit) const {
        if (!meets(move.to.blocks, schedule_.blocks(), begin_, end_) || moves_nothing(move, form_)) {
            return;
        }
        visit_place(move.left, {round, false, actor}, visit);
        if (move.has_right()) {
            visit_place(move.right, {round, false, actor}, visit);
        }
        visit_place(move.to, {round, true, actor}, visit);
    }

    template <class Visit>
    void visit_place(const Place& place, const Access& access, Visit visit) const {
        for_each_member(place.member, schedule_.ranks(), [&](int owner) {
            if (is_shared(schedule_, form_, schedule_.representative(owner), place.space)) {
                visit_blocks({owner, place.space, place.blocks}, access, visit);
            }
        });
    }

    template <class Visit>
    void visit_blocks(Place place, Access access, Visit visit) const {
        if (form_ == Protocol::in_place && place.space == Space::output) {
            place.space = Space::input;
        }
        // Rename so that the owner of the vector is its representative.
        const Translation back = schedule_.to_representative(place.member);
        const auto owner = schedule_.representative(place.member);
        access.member = back.member(access.member);
        place = renamed(place, back);
        const std::size_t vector = owner * spaces_ + static_cast<std::size_t>(place.space);
        for_each_part(place.blocks, schedule_.blocks(), begin_, end_,
                      [&](int from, int to) { visit(vector, from - begin_, to - begin_, access); });
    }

    const Schedule& schedule_;
    Protocol form_;
    int begin_;
    int end_;
    /// Vectors of a member: input, output and the scratch that is used.
    std::size_t spaces_;
    ByRun<Access> by_run_;
};

/// For each representative: the waits that its conflicts need.
class Needs {
public:
    explicit Needs(const Schedule& schedule)
        : schedule_(schedule), waits_(schedule.programs().size()),
          too_many_(schedule.programs().size(), few) {}

    /// `later` must come after `earlier`.
    void order(const Access& earlier, const Access& later) {
        if (earlier.member == later.member) {
            return;
        }
        const std::size_t stored = schedule_.representative(later.member);
        const int member = schedule_.to_representative(later.member).member(earlier.member);
        const Wait wait{later.round, member, earlier.round + 1};
        auto& waits = waits_[stored];
        if (!waits.empty() && waits.back() == wait) {
            return;
        }
        waits.push_back(wait);
        if (waits.size() > too_many_[stored]) {
            forget_weaker(waits);
            too_many_[stored] = 2 * waits.size() + few;
        }
    }

    /// The waits of each representative, round by round, the strongest of a round first.
    std::vector<std::vector<Wait>> take() {
        for (auto& waits : waits_) {
            forget_weaker(waits);
            sort_by_round(waits);
        }
        return std::move(waits_);
    }

private:
    static constexpr std::size_t few = 4096;

    /// Drops every wait for a member that is no stronger than one before: blocks that move together need the
    /// same waits.
    void forget_weaker(std::vector<Wait>& waits) {
        sort_by_member(waits);
        Wait strongest{0, -1, 0};
        std::erase_if(waits, [&](const Wait& wait) {
            if (wait.member == strongest.member && wait.point <= strongest.point) {
                return true;
            }
            strongest = wait;
            return false;
        });
    }

    const Schedule& schedule_;
    std::vector<std::vector<Wait>> waits_;
    /// How many waits a list may have before repeated ones are looked for.
    std::vector<std::size_t> too_many_;
};

/// By round, and within a round reads before writes.
void sort(std::span<Access> group) {
    const auto key = [](const Access& access) { return 2 * access.round + (access.write ? 1 : 0); };
    if (!std::ranges::is_sorted(group, {}, key)) {
        std::ranges::sort(group, {}, key);
    }
}

/// Adds the conflicts among the accesses to one run of blocks, in order. The owner writes its vectors again
/// after the last round: the caller, and the next operation with the scratch vectors.
void add_conflicts(std::span<const Access> group, const Access& after_return, Needs& needs) {
    const Access* written = nullptr;
    std::size_t first_read = 0;
    // A write that follows reads follows the earlier write through them, except for its own member's reads.
    const auto add = [&](const Access& access, std::size_t at) {
        for (std::size_t read = access.write ? first_read : at; read < at; ++read) {
            needs.order(group[read], access);
        }
        if (written != nullptr) {
            needs.order(*written, access);
        }
    };
    for (std::size_t at = 0; at < group.size(); ++at) {
        add(group[at], at);
        if (group[at].write) {
            written = &group[at];
            first_read = at + 1;
        }
    }
    add(after_return, group.size());
}

/// Adds the conflicts over blocks begin .. end - 1.
void add_conflicts(const Schedule& schedule, Protocol protocol, int begin, int end, Needs& needs) {
    Accesses accesses(schedule, protocol, begin, end);
    for (std::size_t stored = 0; stored < schedule.programs().size(); ++stored) {
        const int owner = static_cast<int>(stored);
        accesses.for_each_run(stored, [&](std::span<Access> group) {
            const auto is_own = [&](const Access& access) { return access.member == owner; };
            if (!std::ranges::all_of(group, is_own)) {
                sort(group);
                add_conflicts(group, {static_cast<std::int16_t>(schedule.rounds()), true, owner}, needs);
            }
        });
    }
}

} // namespace

int blocks_at_a_time(const Schedule& schedule) {
    constexpr std::size_t fits_memory = std::size_t{1} << 22U;
    constexpr std::size_t fits_caches = std::size_t{1} << 18U;
    constexpr std::size_t worth_a_look = 8;
    const auto all = static_cast<std::size_t>(schedule.blocks());
    if (schedule.symmetry().translates() || !schedule.keeps_blocks_apart()) {
        return schedule.blocks();
    }
    const std::size_t cells_per_block = schedule.programs().size() * schedule.vectors();
    // Every window looks at every move, which must be worth it.
    const std::size_t windows = schedule.blocks_moved() / (worth_a_look * schedule.moves() + 1) + 1;
    const std::size_t blocks = std::max(fits_caches / cells_per_block, all / windows);
    return static_cast<int>(std::clamp<std::size_t>(std::min(blocks, fits_memory / cells_per_block), 1, all));
}

std::vector<std::vector<Wait>> conflicts(const Schedule& schedule, Protocol protocol) {
    Needs needs(schedule);
    const int window = blocks_at_a_time(schedule);
    for (int begin = 0; begin < schedule.blocks(); begin += window) {
        add_conflicts(schedule, protocol, begin, std::min(begin + window, schedule.blocks()), needs);
    }
    return needs.take();
}

} // namespace tutti::schedule
