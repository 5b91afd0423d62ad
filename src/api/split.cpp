#include "call/call_signature.hpp"
#include "group/group_state.hpp"
#include "group/seat.hpp"
#include "machine/machine.hpp"
#include "option_values.hpp"
#include "wait/error_context.hpp"

#include <tutti/error.hpp>
#include <tutti/member.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE {

namespace detail {

/// What a member asks of a split.
struct Choice {
    std::optional<int> color;
    int key = 0;
    /// Of the list of ranks that it has given: 0 where it has given none, which no digest is.
    std::uint64_t list_digest = 0;
    std::uint64_t list_size = 0;
    bool duplicates = false;
    /// By which it splits; none if by colors.
    std::optional<Level> level = {};

    bool agrees_with(const Choice& other) const {
        return list_digest == other.list_digest && list_size == other.list_size &&
               duplicates == other.duplicates && level == other.level;
    }
};

} // namespace detail

namespace {

using detail::Choice;
using State = std::shared_ptr<detail::GroupState>;

struct PartOfMachine {
    const char* name;
    int machine::Pu::*number;
};

/// Throws ArgumentError if `level` is none.
PartOfMachine part_of_machine(Level level) {
    switch (level) {
    case Level::socket:
        return {"socket", &machine::Pu::package};
    case Level::numa_node:
        return {"NUMA node", &machine::Pu::numa};
    case Level::l3:
        return {"L3", &machine::Pu::l3};
    case Level::l2:
        return {"L2", &machine::Pu::l2};
    case Level::core:
        return {"core", &machine::Pu::core};
    }
    throw ArgumentError("split: `level`" + engine::fault_of(level));
}

/// The ranks that chose `color`, in the order of the new group; none without a color.
std::vector<int> mates_of(std::optional<int> color, const std::vector<Choice>& choices) {
    const auto choice = [&](int rank) { return choices[static_cast<std::size_t>(rank)]; };
    std::vector<int> mates;
    for (int rank = 0; color && rank < static_cast<int>(choices.size()); ++rank) {
        if (choice(rank).color == color) {
            mates.push_back(rank);
        }
    }
    std::ranges::stable_sort(mates, {}, [&](int rank) { return choice(rank).key; });
    return mates;
}

/// What is wrong where members split the group by different lists, or some by none; or nothing.
std::optional<std::string> difference(const std::vector<Choice>& choices) {
    const Choice& first = choices.front();
    const auto other =
        std::ranges::find_if(choices, [&](const Choice& choice) { return !choice.agrees_with(first); });
    if (other == choices.end()) {
        return std::nullopt;
    }
    const std::string rank = std::to_string(other - choices.begin());
    if (first.list_digest != 0 && other->list_digest != 0) {
        return "members 0 and " + rank + " call subset with different lists, of " +
               std::to_string(first.list_size) + " and " + std::to_string(other->list_size) +
               " ranks: all members must give the same list";
    }
    const auto called = [](const Choice& choice) {
        return choice.list_digest != 0 ? "subset"
               : choice.duplicates     ? "dup"
               : choice.level          ? "split by " + std::string(part_of_machine(*choice.level).name)
                                       : "split";
    };
    return std::string("member 0 calls ") + called(first) + ", but member " + rank + " calls " +
           called(*other) + ": all members must make the same call";
}

/// Throws unless `ranks` are different members of a group of `members`.
void check_ranks(std::span<const int> ranks, int members) {
    std::vector<bool> taken(static_cast<std::size_t>(members));
    for (const int rank : ranks) {
        if (rank < 0 || rank >= members) {
            throw ArgumentError("subset: `ranks` has " + std::to_string(rank) + ", must be in 0.." +
                                std::to_string(members - 1));
        }
        if (taken[static_cast<std::size_t>(rank)]) {
            throw ArgumentError("subset: `ranks` has " + std::to_string(rank) +
                                " twice: each member has one rank in the new group");
        }
        taken[static_cast<std::size_t>(rank)] = true;
    }
}

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
    if (color && *color < 0) {
        throw ArgumentError("split: `color` is " + std::to_string(*color) +
                            ", must be at least 0; pass std::nullopt to be in no group");
    }
    return regroup({.color = color, .key = key}, where);
}

Member Member::split(Level level, SourceLine where) {
    const auto part = part_of_machine(level).number;
    const machine::Machine machine = machine::here();
    const auto pu = std::ranges::find(machine.pus, cpu(), &machine::Pu::os_index);
    const int number = pu == machine.pus.end() ? -1 : (*pu).*part;
    // The members whose part is unknown have a color as well.
    return regroup({.color = number + 1, .level = level}, where).value();
}

std::optional<Member> Member::subset(std::span<const int> ranks, SourceLine where) {
    check_ranks(ranks, size());
    const auto place = std::ranges::find(ranks, rank_);
    return regroup({.color = place == ranks.end() ? std::nullopt : std::optional(0),
                    .key = static_cast<int>(place - ranks.begin()),
                    .list_digest = engine::digest(std::vector<std::size_t>(ranks.begin(), ranks.end())),
                    .list_size = ranks.size()},
                   where);
}

std::optional<Member> Member::regroup(const Choice& choice, SourceLine where) {
    State own; // lasts until a failure of this member is known
    try {
        const auto members = static_cast<std::size_t>(size());
        std::vector<Choice> choices(members);
        std::vector<Founded> founded(members);
        allgather_for_split(choice, choices, where);
        if (const auto text = difference(choices)) {
            // Whoever throws first releases the others, so all must know it before.
            try {
                allgather_for_split(choice, choices, where);
            } catch (const Error&) { // by one that knows it as well
            }
            throw MismatchError(*text);
        }
        const std::vector<int> mates = mates_of(choice.color, choices);
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
        // barrier, allocates nothing. If somebody who is already through fails now, the mates learn of it by
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
    return regroup({.color = 0, .duplicates = true}, where).value();
}

} // namespace tutti::inline TUTTI_NAMESPACE
