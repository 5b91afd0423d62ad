#pragma once

#include "choose/select.hpp"
#include "distance/line_profile.hpp"
#include "graph/level_tree.hpp"
#include "machine/machine.hpp"
#include "schedule/synchronise.hpp"
#include "simulate/positions.hpp"
#include "simulate/predictor.hpp"

#include <tutti/detail/call.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::engine {

/// A line profile that is taken for that of a machine.
struct KnownMachine {
    distance::MachineModel profile;
    /// It is only most like it.
    bool is_guess = false;
};

/// "2 x AMD EPYC 7742 (Zen 2, 64 cores), published", "..., measured", or "..., published, which is a guess".
std::string describe(const KnownMachine& machine);

/// The published profile that is most like a machine: that has all its distances, and then most words of
/// its processor's name, and then a socket and an L3 of as many cores. Nothing if none has all distances
/// that there are between these CPUs.
std::optional<KnownMachine> most_like(const machine::Machine& machine, std::span<const machine::Pu> pus);

/// How far CPUs are from each other, all pairs of these.
using Distances = std::array<bool, distance::class_count>;
Distances distances_between(std::span<const machine::Pu> pus);

/// Whether the profile says what lines cost at all these distances.
bool covers(const distance::MachineModel& profile, const Distances& distances);

/// Where members run that are on these CPUs of a machine.
simulate::Positions positions_of(const machine::Machine& machine, std::span<const machine::Pu> pus);

/// The CPUs with these numbers, each of which the machine has.
std::vector<machine::Pu> pus_of(const machine::Machine& machine, std::span<const int> cpus);

/// What algorithms are predicted to take among the members of a group (docs/simulation.md): what the library
/// chooses by where members are too many, or too far apart, for what has been measured with few.
///
/// Any member may ask at any time; all have the same answers, since these depend on nothing that is measured
/// meanwhile. Members that ask at the same time, as in their first call of a size, share the simulations.
class AlgorithmPredictor {
public:
    /// The tree is that on which the group carries out what depends on one.
    AlgorithmPredictor(KnownMachine machine, simulate::Positions positions, graph::LevelTree tree);

    /// Whether predictions are worth their time for members of which each has a CPU, in so many L3 caches.
    static bool is_for(int members, int cpus, int l3_groups);

    struct Prediction {
        std::size_t row = 0;
        schedule::Protocol protocol = schedule::Protocol::zero_copy;
        double us = 0;
    };

    /// The best of those that the library may choose for the call; nothing if the call cannot be
    /// simulated. Milliseconds for an algorithm of which this has not been asked for about so many bytes.
    std::optional<Prediction> best(const detail::Call& call, const CallSize& size);

    /// That of one row; nothing if it does not support the protocol by which it would be executed.
    std::optional<Prediction> of(std::size_t row, const detail::Call& call, const CallSize& size);

    const KnownMachine& machine() const { return machine_; }
    int members() const { return positions_.members(); }

private:
    /// What is known of a row, by protocol, whether messages are staged, and the power of two of bytes.
    /// Locked while the row is simulated.
    struct Row {
        std::mutex mutex;
        std::unique_ptr<simulate::Predictor> predictor;
        std::map<std::tuple<schedule::Protocol, bool, int>, double> times_us;
    };
    enum class Wait : bool { no, yes };

    std::vector<std::size_t> candidates(const detail::Call& call, const CallSize& size) const;
    /// Nothing if another member simulates the row, unless that is waited for.
    std::optional<double> us(std::size_t row, schedule::Protocol protocol, const CallSize& size, Wait wait);
    double simulated_us(std::size_t row, schedule::Protocol protocol, bool staged, std::size_t bytes);

    KnownMachine machine_;
    simulate::Positions positions_;
    graph::LevelTree tree_;
    std::vector<Row> rows_;
};

} // namespace tutti::engine
