#include "call/plans.hpp"

#include "algorithm/algorithms.hpp"
#include "algorithm/registry.hpp"
#include "mixed.hpp"
#include "plan/plan.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace tutti::library {

namespace {

/// The size of a schedule in memory, roughly.
std::size_t bytes_of(const schedule::Synchronised& synchronised) {
    const auto bytes_in = [](const auto& lists) {
        std::size_t bytes = 0;
        for (const auto& list : lists) {
            bytes += sizeof(list) + list.size() * sizeof(list.front());
        }
        return bytes;
    };
    std::size_t bytes = sizeof(synchronised) + bytes_in(synchronised.waits) + bytes_in(synchronised.eager);
    for (const schedule::Program& program : synchronised.schedule.programs()) {
        bytes += sizeof(program) + program.size() * sizeof(std::uint32_t) +
                 program.moves().size() * sizeof(schedule::Move);
    }
    return bytes;
}

plan::Plan varied(plan::Plan plan, ScheduleName::Variant variant) {
    switch (variant) {
    case ScheduleName::Variant::irregular_exchange:
        return plan::for_irregular_exchange(std::move(plan));
    case ScheduleName::Variant::shared_output:
        return plan::for_shared_output(std::move(plan));
    case ScheduleName::Variant::plain:
        break;
    }
    return plan;
}

} // namespace

Schedules::~Schedules() {
    for (First* each = first_.load(std::memory_order_acquire); each != nullptr;) {
        delete std::exchange(each, each->next);
    }
}

Schedules::Schedule Schedules::make(const ScheduleName& name) const {
    // All members have one configuration, and so one tree: the row that they name determines the schedule.
    const auto tree = graph::LevelTree::of_parts(members_, config_.parts);
    return std::make_shared<const schedule::Synchronised>(schedule::synchronise(
        algorithm::make(algorithm::registry()[name.row], tree, name.root), name.protocol));
}

/// The entry of that name, which is added if there is none; null if there is no room left.
Schedules::First* Schedules::first(const ScheduleName& name) {
    std::unique_ptr<First> added;
    First* newest = first_.load(std::memory_order_acquire);
    do {
        for (First* each = newest; each != nullptr; each = each->next) {
            if (each->name == name) {
                return each;
            }
        }
        if (first_bytes_.load(std::memory_order_relaxed) >= most_schedule_bytes) {
            return nullptr;
        }
        if (added == nullptr) {
            added = std::make_unique<First>(name);
        }
        added->next = newest;
    } while (!first_.compare_exchange(newest, added.get(), std::memory_order_acq_rel));
    first_bytes_.fetch_add(sizeof(First), std::memory_order_relaxed);
    return added.release();
}

Schedules::Schedule Schedules::latest(const ScheduleName& name, Schedule made) {
    const std::scoped_lock lock(mutex_);
    if (const auto* const known = latest_.find(name)) {
        return *known;
    }
    if (made == nullptr) {
        made = make(name);
    }
    const std::size_t bytes = bytes_of(*made);
    return latest_.keep(name, std::move(made), bytes);
}

Schedules::Schedule Schedules::synchronised(const ScheduleName& name) {
    process_.require("the group"); // in a child of fork(), the member that makes it may be missing
    First* const entry = first(name);
    if (entry == nullptr) {
        return latest(name);
    }
    // One member makes it. If others need it at the same time, they wait for it instead of making it as well.
    for (int state = First::unmade;
         !entry->state.compare_exchange(state, First::being_made, std::memory_order_acq_rel);
         state = First::unmade) {
        if (state == First::made) {
            return entry->value != nullptr ? entry->value : latest(name);
        }
        entry->state.wait(First::being_made, std::memory_order_acquire);
    }
    const auto leave = [&](First::State state) {
        entry->state.store(state, std::memory_order_release);
        entry->state.notify_all();
    };
    try {
        Schedule made = make(name);
        const std::size_t bytes = bytes_of(*made);
        if (first_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most_schedule_bytes) {
            entry->value = made;
        } else {
            first_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
            latest(name, made);
        }
        leave(First::made);
        return made;
    } catch (...) {
        leave(First::unmade);
        throw;
    }
}

Plans::Plans(Schedules& schedules, const GroupConfig& config, int rank, int members)
    : schedules_(schedules), config_(config), rank_(rank), members_(members),
      kept_(std::max(most_plan_bytes / static_cast<std::size_t>(members), least_plan_bytes)) {}

std::shared_ptr<const schedule::Synchronised> Plans::schedule(const ScheduleName& name) {
    return schedules_.synchronised({name.row, name.protocol, name.root});
}

std::shared_ptr<const run::OwnPlan> Plans::plan(const ScheduleName& name) try {
    if (const auto* const known = kept_.find(name)) {
        return *known;
    }
    auto made =
        std::make_shared<const run::OwnPlan>(varied(plan::compile(*schedule(name), rank_), name.variant));
    const std::size_t bytes = made->bytes();
    return kept_.keep(name, std::move(made), bytes);
} catch (const schedule::TooLarge& error) { // the caller can name another algorithm
    const algorithm::Algorithm& row = algorithm::registry()[name.row];
    throw ArgumentError(std::string(to_string(row.collective)) + ": algorithm \"" + std::string(row.name) +
                        "\" cannot serve " + std::to_string(members_) + " members: " + error.what());
}

} // namespace tutti::library

namespace tutti::v0_1::detail {

namespace {

static_assert(Neighbors::none == schedule::Source::nobody);

std::uint64_t digest_of(const schedule::Graph& graph) {
    std::uint64_t value = graph.size();
    for (const auto& sources : graph) {
        value = mixed(value, sources.size());
        for (const schedule::Source& source : sources) {
            value = mixed(mixed(value, static_cast<std::uint64_t>(source.member)),
                          static_cast<std::uint64_t>(source.block));
        }
    }
    return value | 1U;
}

Neighbors made(schedule::Graph graph, int rank, std::vector<int> destinations) {
    return Neighbors(std::make_shared<const Neighborhood>(std::move(graph), rank, std::move(destinations)));
}

/// Throws ArgumentError unless these are the dimensions of a grid of so many members.
void check_grid(const std::vector<int>& dims, std::size_t wraps, int members) {
    std::string product;
    long long count = 1;
    for (const int length : dims) {
        product += (product.empty() ? "" : " x ") + std::to_string(length);
        count = length < 1 || count > members ? 0 : count * length;
    }
    if (count != members) {
        throw ArgumentError("grid: `dims` is " + (product.empty() ? "empty" : product) +
                            ": the product must be the number of members, " + std::to_string(members));
    }
    if (wraps != dims.size()) {
        throw ArgumentError("grid: `wraps` has " + std::to_string(wraps) +
                            " entries, must have one for each of the " + std::to_string(dims.size()) +
                            " dimensions");
    }
}

} // namespace

Neighborhood::Neighborhood(schedule::Graph graph, int rank, std::vector<int> destinations)
    : rank_(rank), members_(static_cast<int>(graph.size())), destinations_(std::move(destinations)),
      graph_(std::make_shared<const schedule::Graph>(std::move(graph))), digest_(digest_of(*graph_)) {
    const auto& sources = (*graph_)[static_cast<std::size_t>(rank)];
    for (std::size_t block = 0; block < sources.size(); ++block) {
        sources_.push_back(sources[block].member);
        if (sources[block].member == rank) {
            loops_.push_back({static_cast<std::size_t>(sources[block].block), block});
        }
    }
    const auto synchronised =
        schedule::synchronise(algorithm::neighbor_exchange(*graph_), schedule::Protocol::zero_copy);
    plan_ =
        std::make_shared<const run::OwnPlan>(plan::for_neighbor_exchange(plan::compile(synchronised, rank)));
}

Neighbors neighbors_of(int rank, std::span<const NamedCounts> counts, std::span<const int> named) {
    std::vector<algorithm::NamedNeighbors> all;
    for (auto next = named.begin(); const NamedCounts& each : counts) {
        const auto middle = next + static_cast<std::ptrdiff_t>(each[0]);
        const auto end = middle + static_cast<std::ptrdiff_t>(each[1]);
        all.push_back({{next, middle}, {middle, end}});
        next = end;
    }
    try {
        return made(algorithm::graph_of(all), rank, all[static_cast<std::size_t>(rank)].destinations);
    } catch (const std::invalid_argument& error) {
        throw CombinationError("neighbors: " + std::string(error.what()));
    }
}

Neighbors neighbors_in_grid(int rank, int members, const std::vector<int>& dims,
                            const std::vector<bool>& wraps) {
    check_grid(dims, wraps.size(), members);
    return made(algorithm::grid(dims, wraps), rank, algorithm::grid_neighbors(rank, dims, wraps));
}

} // namespace tutti::v0_1::detail
