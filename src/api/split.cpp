#include "group/group_state.hpp"
#include "group/seat.hpp"
#include "group/split/choice.hpp"
#include "machine/machine.hpp"
#include "wait/error_context.hpp"
#include "wait/thread_progress.hpp"

#include <tutti/error.hpp>
#include <tutti/member.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE {

namespace {

using detail::Choice;
using State = std::shared_ptr<detail::GroupState>;

/// The group that a member has founded for its mates.
struct Founded {
    const detail::GroupState* group;
};

} // namespace

template <class T>
void Member::allgather_for_split(const T& mine, std::vector<T>& out, SourceLine where) {
    detail::Call made =
        vectors<std::vector<T>&>(Collective::allgather, std::span(&mine, 1), out, Options{.where = where});
    made.splits = true;
    run(made, {});
}

std::optional<Member> Member::split(std::optional<int> color, int key, SourceLine where) {
    return engine::as_one_call([&] { return regroup(engine::choice_of(color, key), where); });
}

Member Member::split(Level level, SourceLine where) {
    const auto part = engine::part_of_machine(level).number;
    const machine::Machine machine = machine::here();
    const auto pu = std::ranges::find(machine.pus, cpu(), &machine::Pu::os_index);
    const int number = pu == machine.pus.end() ? -1 : (*pu).*part;
    // The members whose part is unknown have a color as well.
    return engine::as_one_call([&] { return regroup({.color = number + 1, .level = level}, where).value(); });
}

std::optional<Member> Member::subset(std::span<const int> ranks, SourceLine where) {
    return engine::as_one_call([&] { return regroup(engine::choice_of(ranks, rank_, size()), where); });
}

std::optional<Member> Member::regroup(const Choice& choice, SourceLine where) {
    State own; // lasts until a failure of this member is known
    try {
        const auto members = static_cast<std::size_t>(size());
        std::vector<Choice> choices(members);
        std::vector<Founded> founded(members);
        allgather_for_split(choice, choices, where);
        if (const auto text = engine::difference(choices)) {
            // The first member that throws releases the others, so all must see the difference before.
            try {
                allgather_for_split(choice, choices, where);
            } catch (const Error&) { // thrown by another member, for the same difference
            }
            throw MismatchError(*text);
        }
        const std::vector<int> mates = engine::mates_of(choice.color, choices);
        const bool founds = !mates.empty() && mates.front() == rank_;
        own = founds ? group_->of_mates(mates) : nullptr;
        allgather_for_split(Founded{own.get()}, founded, where);
        std::optional<Member> mine;
        if (!mates.empty()) {
            const State state =
                founds ? own : group_->founded(founded[static_cast<std::size_t>(mates.front())].group);
            const auto rank = std::ranges::find(mates, rank_) - mates.begin();
            mine.emplace(state, state->seat(static_cast<int>(rank)), detail::Leaving::for_good);
        }
        // Once more, because `own` must last until all mates have it. A call like the one before, unlike a
        // barrier, allocates nothing. If a member that is already through fails now, the mates learn of it by
        // the end of `mine`.
        allgather_for_split(Founded{own.get()}, founded, where);
        return mine;
    } catch (...) {
        // The others count on this member to go through with it.
        const std::exception_ptr thrown = std::current_exception();
        engine::describe(thrown, {.rank = rank_, .where = where});
        group_->fail(rank_, thrown);
        throw;
    }
}

Member Member::dup(SourceLine where) {
    return engine::as_one_call([&] { return regroup({.color = 0, .duplicates = true}, where).value(); });
}

} // namespace tutti::inline TUTTI_NAMESPACE
