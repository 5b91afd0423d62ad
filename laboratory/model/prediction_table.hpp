#pragma once

#include "algorithm/registry.hpp"
#include "distance/line_profile.hpp"
#include "graph/level_tree.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"
#include "record/timeline.hpp"
#include "schedule/schedule.hpp"
#include "simulate/ports.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::laboratory {

/// One way to carry out a collective among the members of a machine.
struct Candidate {
    std::string name;
    algorithm::Protocols protocols;
    std::function<schedule::Schedule()> make;
};

/// The rows of the registry that serve so many members, as groups of such a tree run them. Their
/// root or distance is the example of the table of collectives.
std::vector<Candidate> candidates(Collective collective, const graph::LevelTree& tree);

/// The machine of a model. Throws std::invalid_argument if the model does not describe it.
machine::Machine described(const distance::MachineModel& profile);

/// The positions of so many members on a machine, placed compactly. Throws std::invalid_argument when there
/// are more than CPUs, or fewer than 1.
simulate::Positions positions_on(const machine::Machine& machine, int members);

/// The tree of a group of so many members there. Throws as positions_on() does.
graph::LevelTree tree_on(const machine::Machine& machine, int members);

/// The CPUs with these numbers, all of which the machine has.
std::vector<machine::Pu> pus_of(const machine::Machine& machine, std::span<const int> cpus);

/// The CPUs of so many members, each on its own. Throws as positions_on() does, where they are not to be
/// pinned, and where two are to share one.
std::vector<int> cpus_on(const machine::Machine& machine, int members,
                         const machine::PlacementRequest& placement);

/// The tree of a group whose members are on these CPUs.
graph::LevelTree tree_of_cpus(const machine::Machine& machine, const std::vector<int>& cpus);

/// The query of a prediction.
struct PredictionQuery {
    Collective collective = Collective::allreduce;
    int members = 2;
    /// Bytes of the whole vector, one column each.
    std::vector<std::size_t> bytes;
    /// Names of algorithms; empty: all.
    std::vector<std::string> algorithms;
    /// The tree on which levels-... run; nothing: that of the machine.
    std::optional<graph::LevelTree> tree = std::nullopt;
};

/// The times of an algorithm for each size, in us until the last member leaves; negative if it is for no such
/// size.
struct PredictedTimes {
    std::string algorithm;
    std::vector<double> us;
    /// For each size equal to another algorithm's if members do the same.
    std::vector<std::uint64_t> plans;
};

/// Simulated on the profile's machine, on which members are placed compactly. Throws std::invalid_argument
/// where the profile does not say what the machine looks like, where it has too few CPUs, or where there is
/// no algorithm of a name.
std::vector<PredictedTimes> predict(const distance::MachineModel& profile, const PredictionQuery& query);

/// The members' actions in time, in the call of the first size: by the named algorithm, else by the one that
/// is predicted to take least. Throws as predict() does, and if the algorithm is for no such size.
trace::Timeline predicted_timeline(const distance::MachineModel& profile, const PredictionQuery& query);

/// The table of `tutti model --predict`: a row an algorithm, with its time and its ratio to the best.
std::string prediction_table(const distance::MachineModel& profile, const PredictionQuery& query);

} // namespace tutti::laboratory
