#include "execute/group_state.hpp"
#include "execute/seat.hpp"

#include <tutti/member.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

namespace tutti {

namespace {

using State = std::shared_ptr<detail::GroupState>;

struct Choice {
    int color;
    int key;
};

/// Where a member keeps the group that it has founded for its mates.
struct Founded {
    const State* group;
};

/// The ranks that chose `color`, in the order of the new group; none for a negative color.
std::vector<int> mates_of(int color, const std::vector<Choice>& choices) {
    const auto choice = [&](int rank) { return choices[static_cast<std::size_t>(rank)]; };
    std::vector<int> mates;
    for (int rank = 0; color >= 0 && rank < static_cast<int>(choices.size()); ++rank) {
        if (choice(rank).color == color) {
            mates.push_back(rank);
        }
    }
    std::ranges::stable_sort(mates, {}, [&](int rank) { return choice(rank).key; });
    return mates;
}

} // namespace

std::optional<Member> Member::split(int color, int key) {
    const auto members = static_cast<std::size_t>(size());
    std::vector<Choice> choices(members);
    std::vector<Founded> founded(members);
    allgather(Choice{color, key}, choices);
    // From here on the others count on this member to go through with it.
    try {
        const std::vector<int> mates = mates_of(color, choices);
        const bool founds = !mates.empty() && mates.front() == rank_;
        const State own = founds ? group_->of_mates(mates) : nullptr;
        allgather(Founded{&own}, founded);
        std::optional<Member> mine;
        if (!mates.empty()) {
            const State& state = *founded[static_cast<std::size_t>(mates.front())].group;
            const auto rank = std::ranges::find(mates, rank_) - mates.begin();
            mine.emplace(state, state->seat(static_cast<int>(rank)), detail::Leaving::for_good);
        }
        // Once more, because `own` must last until all mates have copied it. Nobody can have failed before
        // that: copying does not throw, and a call like the one before, unlike a barrier, allocates nothing.
        // If somebody who is already through fails now, the mates learn of it by the end of `mine`.
        allgather(Founded{&own}, founded);
        return mine;
    } catch (...) {
        group_->fail(rank_, std::current_exception());
        throw;
    }
}

Member Member::dup() {
    return split(0, 0).value();
}

} // namespace tutti
