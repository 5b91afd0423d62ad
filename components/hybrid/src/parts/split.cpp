// Clusters of some members of a cluster.

#include "group/split/choice.hpp"
#include "hybrid/src/cluster_seat.hpp"
#include "hybrid/src/cluster_state.hpp"
#include "hybrid/src/parts/part_layout.hpp"
#include "wait/error_context.hpp"

#include <tutti/error.hpp>
#include <tutti/mpi.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::mpi {

using detail::PartLayout;
using detail::ShownChoice;
using tutti::detail::Choice;

namespace {

/// The members' choices, and which of the members lead.
struct Shown {
    std::vector<Choice> choices;
    std::vector<bool> leads;
};
Shown shown_by(const std::vector<ShownChoice>& members) {
    Shown shown;
    for (const ShownChoice& member : members) {
        shown.choices.push_back(member.choice);
        shown.leads.push_back(member.leads);
    }
    return shown;
}

} // namespace

std::optional<Member> Member::split(std::optional<int> color, int key, SourceLine where) {
    return regroup(tutti::engine::choice_of(color, key), where);
}

std::optional<Member> Member::subset(std::span<const int> ranks, SourceLine where) {
    return regroup(tutti::engine::choice_of(ranks, rank_, size_), where);
}

Member Member::dup(SourceLine where) {
    return regroup({.color = 0, .duplicates = true}, where).value();
}

std::vector<PartLayout> Member::agree_on_parts(const Choice& choice, SourceLine where) {
    std::vector<ShownChoice> members(static_cast<std::size_t>(size_));
    const ShownChoice mine{choice, seat_->leads_now()};
    tutti::detail::Call call = vectors<std::vector<ShownChoice>&>(Collective::allgather, std::span(&mine, 1),
                                                                  members, Options{.where = where});
    call.splits = true;
    run(call, {});
    const Shown shown = shown_by(members);
    if (const auto text = tutti::engine::difference(shown.choices)) {
        // The first member that throws releases the others, so all must see the difference before.
        try {
            run(call, {});
        } catch (const Error&) { // thrown by another member, for the same difference
        }
        throw MismatchError(*text);
    }
    return parts_of(shown.choices, shown.leads, *cluster_);
}

std::optional<Member> Member::regroup(const Choice& choice, SourceLine where) {
    try {
        const std::vector<PartLayout> parts = agree_on_parts(choice, where);
        const auto own_part = std::ranges::find_if(
            parts, [&](const PartLayout& part) { return std::ranges::count(part.mates, rank_) != 0; });
        seat_->make_parts(parts);
        std::optional<tutti::Member> own = local().split(choice.color, choice.key, where);
        if (!own) {
            return std::nullopt;
        }
        std::shared_ptr<detail::ClusterState> part =
            cluster_->parts().last(parts.size(), static_cast<std::size_t>(own_part - parts.begin()));
        detail::ClusterSeat& seat = part->seat(own->rank());
        return Member(std::move(part), seat, nullptr, std::move(own));
    } catch (const ArgumentError&) {
        throw; // on all members, which may go on
    } catch (...) {
        // The others count on this member to go through with it.
        tutti::engine::describe(std::current_exception(), {.rank = rank_, .where = where});
        seat_->fail(std::current_exception());
        throw;
    }
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi
