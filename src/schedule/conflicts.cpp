#include "schedule/conflicts.hpp"

#include "schedule/grouped.hpp"
#include "schedule/wait_order.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace tutti::schedule {

namespace {

struct Access {
    std::int16_t round = 0;
    bool write = false;
    int member = 0;

    friend auto operator<=>(const Access&, const Access&) = default;
};

/// Every access to the vectors of the representatives, grouped by location, in each group by round, and
/// within a round reads before writes.
class Accesses {
public:
    /// The accesses to blocks begin .. end - 1 of every vector.
    Accesses(const Schedule& schedule, Form form, int begin, int end)
        : schedule_(schedule), form_(form), begin_(begin), end_(end),
          spaces_(static_cast<std::size_t>(Space::scratch0) +
                  static_cast<std::size_t>(schedule.scratch_vectors())),
          grouped_(schedule.programs().size() * spaces_ * static_cast<std::size_t>(end - begin),
                   [this](auto visit) { visit_all(visit); }) {
        for (std::size_t location = 0; location < locations(); ++location) {
            const std::span<Access> group = grouped_.at(location);
            if (!std::ranges::is_sorted(group)) {
                std::ranges::sort(group);
            }
        }
    }

    std::size_t locations() const { return grouped_.groups(); }

    /// The representative whose vector `location` is in.
    int owner(std::size_t location) const {
        return static_cast<int>(location / (spaces_ * static_cast<std::size_t>(end_ - begin_)));
    }

    std::span<const Access> at(std::size_t location) const { return grouped_.at(location); }

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
        if (place.member != every) {
            visit_blocks(place, access, visit);
            return;
        }
        for (int member = 0; member < schedule_.ranks(); ++member) {
            visit_blocks({member, place.space, place.blocks}, access, visit);
        }
    }

    template <class Visit>
    void visit_blocks(Place place, Access access, Visit visit) const {
        if (form_ == Form::in_place && place.space == Space::output) {
            place.space = Space::input;
        }
        // Rename so that the owner of the vector is its representative.
        const Translation back = schedule_.to_representative(place.member);
        const auto owner = schedule_.representative(place.member);
        access.member = back.member(access.member);
        place = renamed(place, back);
        const std::size_t vector = owner * spaces_ + static_cast<std::size_t>(place.space);
        for_each_within(place.blocks, schedule_.blocks(), begin_, end_, [&](int /*i*/, int block) {
            const std::size_t location =
                vector * static_cast<std::size_t>(end_ - begin_) + static_cast<std::size_t>(block - begin_);
            visit(location, access);
        });
    }

    const Schedule& schedule_;
    Form form_;
    int begin_;
    int end_;
    /// Vectors of a member: input, output and the scratch that is used.
    std::size_t spaces_;
    Grouped<Access> grouped_;
};

/// For each representative: the waits that its conflicts ask for.
class Needs {
public:
    explicit Needs(const Schedule& schedule)
        : schedule_(schedule), order_(schedule.ranks(), schedule.rounds()),
          waits_(schedule.programs().size()), too_many_(schedule.programs().size(), few) {}

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
            order_.by_round(waits);
        }
        return std::move(waits_);
    }

private:
    static constexpr std::size_t few = 4096;

    /// Drops every wait for a member that is no stronger than one before: blocks that move together ask for
    /// the same waits.
    void forget_weaker(std::vector<Wait>& waits) {
        order_.by_member(waits);
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
    WaitOrder order_;
    std::vector<std::vector<Wait>> waits_;
    /// How many waits a list may have before repeated ones are looked for.
    std::vector<std::size_t> too_many_;
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
        write({static_cast<std::int16_t>(schedule.rounds()), true, owner});
    }
}

} // namespace

std::vector<std::vector<Wait>> conflicts(const Schedule& schedule, Form form) {
    Needs needs(schedule);
    const int window = blocks_at_a_time(schedule);
    for (int begin = 0; begin < schedule.blocks(); begin += window) {
        add_conflicts(schedule, form, begin, std::min(begin + window, schedule.blocks()), needs);
    }
    return needs.take();
}

} // namespace tutti::schedule
