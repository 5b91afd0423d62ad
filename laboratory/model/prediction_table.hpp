#pragma once

#include "distance/line_profile.hpp"
#include "record/timeline.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::laboratory {

/// The query of a prediction.
struct PredictionQuery {
    Collective collective = Collective::allreduce;
    int members = 2;
    /// Bytes of the whole vector, one column each.
    std::vector<std::size_t> bytes;
    /// Names of algorithms; empty: all.
    std::vector<std::string> algorithms;
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
