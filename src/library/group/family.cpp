#include "group/family.hpp"

#include "call/call_signature.hpp"
#include "option_values.hpp"

#include <tutti/error.hpp>
#include <tutti/member.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace tutti::library {

using detail::GroupState;

void Family::descend(std::weak_ptr<GroupState> parent, const Family& other, const std::vector<int>& mates,
                     const std::optional<Progression>& derived) {
    derived_ranks_ = derived;
    ranks_in_first_.reserve(mates.size());
    std::ranges::transform(mates, std::back_inserter(ranks_in_first_),
                           [&other](int rank) { return other.rank_in_first(rank).value_or(rank); });
    ancestors_.reserve(other.ancestors_.size() + 1);
    ancestors_ = other.ancestors_;
    ancestors_.push_back(std::move(parent));
}

std::optional<int> Family::rank_in_first(int member) const {
    return ranks_in_first_.empty() ? std::nullopt
                                   : std::optional(ranks_in_first_[static_cast<std::size_t>(member)]);
}

std::shared_ptr<GroupState> Family::first() const {
    return ancestors_.empty() ? nullptr : ancestors_.front().lock();
}

std::shared_ptr<GroupState> Family::origin() const {
    return derived_ranks_ ? ancestors_.back().lock() : nullptr;
}

Family::Groups Family::ancestors() const {
    Groups groups;
    for (const auto& link : ancestors_) {
        if (std::shared_ptr<GroupState> ancestor = link.lock()) {
            groups.push_back(std::move(ancestor));
        }
    }
    return groups;
}

void Family::add_descendant(const std::shared_ptr<GroupState>& group) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(descendants_, [](const auto& descendant) { return descendant.expired(); });
    descendants_.push_back(group);
}

std::string text_of_ranks(std::vector<int> ranks, const std::string& one, const std::string& all) {
    constexpr int most_runs = 8;
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::string text = (ranks.size() == 1 ? one : all) + " ";
    int runs = 0;
    for (std::size_t first = 0; first < ranks.size(); ++runs) {
        if (runs == most_runs) {
            return text + " and " + std::to_string(ranks.size() - first) + " more";
        }
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
            ++last;
        }
        last = last == first + 1 ? first : last; // two are not worth a dash
        text += (runs == 0 ? "" : ", ") + std::to_string(ranks[first]);
        text += last == first ? "" : "-" + std::to_string(ranks[last]);
        first = last + 1;
    }
    return text;
}

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

void check_agreement(const std::vector<Choice>& choices) {
    const Choice& first = choices.front();
    const auto other =
        std::ranges::find_if(choices, [&](const Choice& choice) { return !choice.agrees_with(first); });
    if (other == choices.end()) {
        return;
    }
    const std::string rank = std::to_string(other - choices.begin());
    if (first.list_digest != 0 && other->list_digest != 0) {
        throw MismatchError("members 0 and " + rank + " call subset with different lists, of " +
                            std::to_string(first.list_size) + " and " + std::to_string(other->list_size) +
                            " ranks: all members must give the same list");
    }
    const auto called = [](const Choice& choice) {
        return choice.function() +
               (choice.level ? " by " + std::string(part_of_machine(*choice.level).name) : "");
    };
    throw MismatchError("member 0 calls " + called(first) + ", but member " + rank + " calls " +
                        called(*other) + ": all members must make the same call");
}

} // namespace tutti::library
