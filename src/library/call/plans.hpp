#pragma once

#include "atomic.hpp"
#include "choose/group_config.hpp"
#include "run/prepared.hpp"
#include "schedule/schedule.hpp"
#include "schedule/synchronise.hpp"
#include "wait/failure.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/neighbors.hpp>

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tutti::library {

/// The latest values, up to so many bytes in all: the values that have not been used for the longest time are
/// dropped when others come. The last one stays however large it is.
template <class Name, class Value>
class Recent {
public:
    explicit Recent(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    /// The value of that name, or null. Lasts until another one is kept.
    const Value* find(const Name& name) {
        const auto known = known_.find(name);
        if (known == known_.end()) {
            return nullptr;
        }
        entries_.splice(entries_.begin(), entries_, known->second);
        return &entries_.front().value;
    }

    /// Keeps a value of a name that is not known, which takes so many bytes.
    const Value& keep(const Name& name, Value value, std::size_t bytes) {
        entries_.push_front({name, std::move(value), bytes});
        try {
            known_.emplace(name, entries_.begin());
        } catch (...) {
            entries_.pop_front();
            throw;
        }
        bytes_ += bytes;
        while (bytes_ > most_bytes_ && entries_.size() > 1) {
            bytes_ -= entries_.back().bytes;
            known_.erase(entries_.back().name);
            entries_.pop_back();
        }
        return entries_.front().value;
    }

private:
    struct Entry {
        Name name;
        Value value;
        std::size_t bytes;
    };

    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
    /// The one used last comes first.
    std::list<Entry> entries_;
    std::map<Name, typename std::list<Entry>::iterator> known_;
};

/// Identifies a schedule and its plan for a given number of members.
struct ScheduleName {
    std::size_t row = 0;
    schedule::Protocol protocol = schedule::Protocol::zero_copy;
    /// The root of a rooted collective, the distance of a shift, else 0.
    int root = 0;
    /// Which plan for that schedule: the compiled one, that of an all-to-all of irregular blocks, or the one
    /// for an output that all members share.
    enum class Variant : std::uint8_t { plain, irregular_exchange, shared_output } variant = Variant::plain;

    friend auto operator<=>(const ScheduleName&, const ScheduleName&) = default;
};

/// The schedules that a group keeps, in bytes: the first ones for good, and beyond these the latest.
inline constexpr std::size_t most_schedule_bytes = std::size_t{16} << 20U;

/// The schedules of a group, which all members share. Any member may use it at any time. It looks the first
/// schedules up without a lock.
class Schedules {
public:
    /// \pre the configuration lasts, whose levels never change.
    Schedules(int members, const GroupConfig& config) : members_(members), config_(config) {}
    ~Schedules();

    /// Built once for all members, on first use, and again when it has been forgotten.
    std::shared_ptr<const schedule::Synchronised> synchronised(const ScheduleName& name);

private:
    using Schedule = std::shared_ptr<const schedule::Synchronised>;

    /// One of the first schedules.
    struct First {
        enum State : int { unmade, being_made, made };

        explicit First(const ScheduleName& named) : name(named) {}

        ScheduleName name;
        First* next = nullptr;
        Atomic<int> state{unmade};
        /// Null if the schedule is too large, so that it is among the latest.
        Schedule value;
    };

    Schedule make(const ScheduleName& name) const;
    First* first(const ScheduleName& name);
    Schedule latest(const ScheduleName& name, Schedule made = {});

    int members_;
    const GroupConfig& config_;
    Atomic<First*> first_{nullptr};
    std::atomic<std::size_t> first_bytes_{0};
    OwnProcess process_;
    GroupMutex mutex_; ///< of latest_
    Recent<ScheduleName, Schedule> latest_{most_schedule_bytes};
};

/// The plans that all members of a group together keep, in bytes; each keeps at least as many as follow.
inline constexpr std::size_t most_plan_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t least_plan_bytes = std::size_t{16} << 10U;

/// The plans of one member.
class Plans {
public:
    Plans(Schedules& schedules, const GroupConfig& config, int rank, int members);

    int rank() const { return rank_; }
    int members() const { return members_; }
    const GroupConfig& config() const { return config_; }

    /// The schedule of which a plan is made; its variant is ignored.
    std::shared_ptr<const schedule::Synchronised> schedule(const ScheduleName& name);

    /// Compiled on first use, and again when it has been forgotten. Throws ArgumentError if the algorithm
    /// cannot serve so many members.
    std::shared_ptr<const run::OwnPlan> plan(const ScheduleName& name);

private:
    Schedules& schedules_;
    const GroupConfig& config_;
    int rank_;
    int members_;
    Recent<ScheduleName, std::shared_ptr<const run::OwnPlan>> kept_;
};

} // namespace tutti::library

namespace tutti::v0_1::detail {

/// A graph of members as one of them has it: its neighbours, and its plan of an all-to-all among them. Not
/// changed once made, so that any thread may read it.
class Neighborhood {
public:
    /// A block that the member sends to itself: its numbers among those sent and received.
    struct Loop {
        std::size_t sent;
        std::size_t received;
    };

    /// As member `rank`, which sends to `destinations`. Time and memory O(members + edges).
    Neighborhood(schedule::Graph graph, int rank, std::vector<int> destinations);

    int rank() const { return rank_; }
    int members() const { return members_; }
    std::span<const int> sources() const { return sources_; }
    std::span<const int> destinations() const { return destinations_; }
    std::span<const Loop> loops() const { return loops_; }
    /// The neighbours of all members.
    const std::shared_ptr<const schedule::Graph>& graph() const { return graph_; }
    /// A digest of the whole graph, never 0. Graphs that differ have different digests.
    std::uint64_t digest() const { return digest_; }
    const std::shared_ptr<const run::OwnPlan>& plan() const { return plan_; }

private:
    int rank_;
    int members_;
    std::vector<int> sources_;
    std::vector<int> destinations_;
    std::vector<Loop> loops_;
    std::shared_ptr<const schedule::Graph> graph_;
    std::uint64_t digest_;
    std::shared_ptr<const run::OwnPlan> plan_;
};

/// How many sources and destinations a member has named.
using NamedCounts = std::array<std::size_t, 2>;

/// See Member::neighbors(): `named` has the sources and destinations of all members, one after the other.
TUTTI_COMPONENT_API Neighbors neighbors_of(int rank, std::span<const NamedCounts> counts,
                                           std::span<const int> named);
/// See Member::grid().
TUTTI_COMPONENT_API Neighbors neighbors_in_grid(int rank, int members, const std::vector<int>& dims,
                                                const std::vector<bool>& wraps);

/// Member::neighbors(), for any kind of member.
template <class Member>
Neighbors exchange_neighbors(Member& member, const std::vector<int>& sources,
                             const std::vector<int>& destinations, const SourceLine& where) {
    const Options options{.where = where};
    std::vector<NamedCounts> counts(static_cast<std::size_t>(member.size()));
    const NamedCounts own{sources.size(), destinations.size()};
    member.allgather(std::span(&own, 1), counts, options);
    std::vector<std::size_t> sums;
    sums.reserve(counts.size());
    for (const NamedCounts& each : counts) {
        sums.push_back(each[0] + each[1]);
    }
    std::vector<int> mine(sources);
    mine.insert(mine.end(), destinations.begin(), destinations.end());
    std::vector<int> named(sum_of(sums));
    member.allgather(mine, named, Counts(std::span(sums)), options);
    return library::judged_by_all([&] { return neighbors_of(member.rank(), counts, named); },
                                  [&] { member.allgather(std::span(&own, 1), counts, options); });
}

/// The digest of the graph of a call among neighbours; 0 for any other call.
inline std::uint64_t digest_of_graph(const Call& call) {
    const Neighborhood* const graph = neighborhood_of(call);
    return graph != nullptr ? graph->digest() : 0;
}

} // namespace tutti::v0_1::detail
