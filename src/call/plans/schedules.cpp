#include "call/plans/schedules.hpp"

#include "algorithm/registry.hpp"

#include <utility>

namespace tutti::engine {

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

} // namespace

std::shared_ptr<const schedule::Synchronised> Schedules::synchronised(const ScheduleName& name) {
    const std::scoped_lock lock(mutex_);
    if (const auto* const known = kept_.find(name)) {
        return *known;
    }
    // All members have one configuration, and so one tree: the row that they name determines the schedule.
    const auto tree = graph::LevelTree::of_parts(members_, config_.parts);
    auto made = std::make_shared<const schedule::Synchronised>(schedule::synchronise(
        algorithm::make(algorithm::registry()[name.row], tree, name.root), name.protocol));
    const std::size_t bytes = bytes_of(*made);
    return kept_.keep(name, std::move(made), bytes);
}

} // namespace tutti::engine
