#include "group/split/choice.hpp"

#include "call/call_signature.hpp"
#include "option_values.hpp"

#include <tutti/error.hpp>
#include <tutti/member.hpp>

#include <algorithm>

namespace tutti::engine {

using detail::Choice;

namespace {

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

} // namespace

Choice choice_of(std::optional<int> color, int key) {
    if (color && *color < 0) {
        throw ArgumentError("split: `color` is " + std::to_string(*color) +
                            ", must be at least 0; pass std::nullopt to be in no group");
    }
    return {.color = color, .key = key};
}

Choice choice_of(std::span<const int> ranks, int rank, int members) {
    check_ranks(ranks, members);
    const auto place = std::ranges::find(ranks, rank);
    return {.color = place == ranks.end() ? std::nullopt : std::optional(0),
            .key = static_cast<int>(place - ranks.begin()),
            .list_digest = digest(std::vector<std::size_t>(ranks.begin(), ranks.end())),
            .list_size = ranks.size()};
}

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
    throw ArgumentError("split: `level`" + fault_of(level));
}

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
        return choice.function() +
               (choice.level ? " by " + std::string(part_of_machine(*choice.level).name) : "");
    };
    return std::string("member 0 calls ") + called(first) + ", but member " + rank + " calls " +
           called(*other) + ": all members must make the same call";
}

} // namespace tutti::engine
