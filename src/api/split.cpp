#include "execute/group_state.hpp"
#include "execute/seat.hpp"

#include <tutti/error.hpp>
#include <tutti/member.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace tutti {

namespace {

using State = std::shared_ptr<detail::GroupState>;

struct Choice {
    int color;
    int key;
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

/// The group that a member has founded for its mates.
struct Founded {
    const detail::GroupState* group;
};

} // namespace

template <class T>
void Member::allgather_for_split(const T& mine, std::vector<T>& out) {
    detail::Call made = vectors<std::vector<T>&>(detail::Kind::allgather, mine, out, Options{});
    made.splits = true;
    run(made, {});
}

std::optional<Member> Member::split(int color, int key) {
    State own; // lasts until a failure of this member is known
    try {
        const auto members = static_cast<std::size_t>(size());
        std::vector<Choice> choices(members);
        std::vector<Founded> founded(members);
        allgather_for_split(Choice{color, key}, choices);
        const std::vector<int> mates = mates_of(color, choices);
        const bool founds = !mates.empty() && mates.front() == rank_;
        own = founds ? group_->of_mates(mates) : nullptr;
        allgather_for_split(Founded{own.get()}, founded);
        std::optional<Member> mine;
        if (!mates.empty()) {
            const State state =
                founds ? own : group_->founded(founded[static_cast<std::size_t>(mates.front())].group);
            const auto rank = std::ranges::find(mates, rank_) - mates.begin();
            mine.emplace(state, state->seat(static_cast<int>(rank)), detail::Leaving::for_good);
        }
        // Once more, because `own` must last until all mates have it. A call like the one before, unlike a
        // barrier, allocates nothing. If somebody who is already through fails now, the mates learn of it by
        // the end of `mine`.
        allgather_for_split(Founded{own.get()}, founded);
        return mine;
    } catch (...) {
        // The others count on this member to go through with it.
        group_->fail(rank_, std::current_exception());
        throw;
    }
}

Member Member::dup() {
    Member copy = split(0, 0).value();
    if (copy.size() != size()) {
        const MismatchError error(
            "member " + std::to_string(rank_) +
            " calls dup, but others call split with other colors: all members must make "
            "the same call");
        group_->fail(rank_, std::make_exception_ptr(error));
        throw MismatchError(error);
    }
    return copy;
}

} // namespace tutti
