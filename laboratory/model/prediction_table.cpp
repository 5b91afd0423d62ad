#include "model/prediction_table.hpp"

#include "choose/select.hpp"
#include "machine/thresholds.hpp"
#include "mailbox/slot.hpp"
#include "simulate/predictor.hpp"
#include "survey/distances.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

namespace tutti::laboratory {

std::vector<Candidate> candidates(Collective collective, const graph::LevelTree& tree) {
    const int members = tree.ranks();
    const int root = detail::traits_of(collective).example_number(members);
    std::vector<Candidate> all;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (row.collective == collective && takes(row, members)) {
            all.push_back(
                {std::string(row.name), row.protocols, [=, &row] { return make(row, tree, root); }});
        }
    }
    return all;
}

machine::Machine described(const distance::MachineModel& profile) {
    if (profile.topology.empty()) {
        throw std::invalid_argument(
            fmt::format("the profile of {} does not say what the machine looks like", profile.name));
    }
    return machine::from_synthetic(profile.topology);
}

std::vector<int> cpus_on(const machine::Machine& machine, int members,
                         const machine::PlacementRequest& placement) {
    if (members < 1 || static_cast<std::size_t>(members) > machine.pus.size()) {
        throw std::invalid_argument(
            fmt::format("{} members do not fit on {} CPUs, each on its own", members, machine.pus.size()));
    }
    std::vector<int> cpus = machine::place(machine, members, placement);
    if (std::set(cpus.begin(), cpus.end()).size() < cpus.size() || cpus.front() == machine::unpinned) {
        throw std::invalid_argument(fmt::format("placement {} does not give each of {} members a CPU",
                                                machine::to_string(placement), members));
    }
    return cpus;
}

graph::LevelTree tree_of_cpus(const machine::Machine& machine, const std::vector<int>& cpus) {
    return graph::LevelTree::of_parts(static_cast<int>(cpus.size()), machine::parts_of(machine, cpus));
}

std::vector<machine::Pu> pus_of(const machine::Machine& machine, std::span<const int> cpus) {
    std::vector<machine::Pu> pus;
    pus.reserve(cpus.size());
    for (const int cpu : cpus) {
        pus.push_back(*std::ranges::find(machine.pus, cpu, &machine::Pu::os_index));
    }
    return pus;
}

simulate::Positions positions_on(const machine::Machine& machine, int members) {
    const std::vector<machine::Pu> pus = pus_of(machine, cpus_on(machine, members, {}));
    simulate::Positions positions;
    for (std::size_t part = 0; part < positions.groups.size(); ++part) {
        positions.groups[part] = groups_within(pus, distance::all_classes[part]);
    }
    positions.l2_bytes = machine.l2_bytes;
    positions.l3_bytes = machine.l3_bytes;
    return positions;
}

graph::LevelTree tree_on(const machine::Machine& machine, int members) {
    return tree_of_cpus(machine, cpus_on(machine, members, {}));
}

using schedule::Protocol;

namespace {

constexpr double unserved = -1;

/// As the library carries a message out between separate vectors; of a broadcast there is one. Nothing where
/// the algorithm is for none so long.
std::optional<Protocol> protocol_of(const Candidate& candidate, Collective collective,
                                    std::size_t message_bytes, std::size_t longest_bytes) {
    if (candidate.protocols.eager && message_bytes <= longest_bytes) {
        return Protocol::eager;
    }
    if (!candidate.protocols.pulled) {
        return std::nullopt;
    }
    return collective == Collective::broadcast && candidate.protocols.in_place ? Protocol::in_place
                                                                               : Protocol::zero_copy;
}

/// How the library carries out a call of the candidate.
struct Handled {
    simulate::Vector vector;
    Protocol protocol = Protocol::zero_copy;
    simulate::Handling handling;
};

/// Nothing if the algorithm is for no vector so long.
std::optional<Handled> handled(const Candidate& candidate, const PredictionQuery& query, std::size_t bytes,
                               int rounds, const machine::Machine& machine) {
    const library::Selection::Input size{.members = query.members, .cpus = query.members};
    const bool has_parts =
        query.collective == Collective::allgather || query.collective == Collective::gather;
    const std::size_t longest_bytes =
        library::longest_carried_bytes(rounds <= 1, size, machine::family_thresholds(machine));
    const std::size_t message_bytes = has_parts ? bytes / static_cast<std::size_t>(query.members) : bytes;
    const std::size_t element_bytes = bytes % sizeof(double) == 0 ? sizeof(double) : 1;
    const auto protocol = protocol_of(candidate, query.collective, message_bytes, longest_bytes);
    if (!protocol) {
        return std::nullopt;
    }
    return Handled{
        .vector = {bytes / element_bytes, element_bytes},
        .protocol = *protocol,
        .handling = {.staged = *protocol == Protocol::eager && message_bytes > mailbox::eager_bytes,
                     .touched_bytes = library::touched_bytes(query.collective, bytes, query.members)}};
}

PredictedTimes predicted(const Candidate& candidate, const PredictionQuery& query,
                         const distance::MachineModel& profile, const machine::Machine& machine,
                         const simulate::Positions& positions) {
    constexpr double us_per_ns = 1e-3;
    simulate::Predictor predictor(candidate.make(), profile, positions);
    PredictedTimes times{candidate.name, {}, {}};
    for (const std::size_t bytes : query.bytes) {
        const auto call = handled(candidate, query, bytes, predictor.rounds(), machine);
        times.us.push_back(call ? predictor.ns(call->vector, call->protocol, call->handling) * us_per_ns
                                : unserved);
        // Messages lie in slots or on stages, of the same plan.
        times.plans.push_back(call ? 2 * predictor.digest(call->protocol) + (call->handling.staged ? 1 : 0)
                                   : 0);
    }
    return times;
}

std::vector<Candidate> candidates_of(const PredictionQuery& query, const machine::Machine& machine) {
    return candidates(query.collective, query.tree ? *query.tree : tree_on(machine, query.members));
}

std::vector<Candidate> wanted(std::vector<Candidate> all, const PredictionQuery& query) {
    if (query.algorithms.empty()) {
        return all;
    }
    std::vector<Candidate> chosen;
    for (const std::string& name : query.algorithms) {
        const auto found = std::ranges::find(all, name, &Candidate::name);
        if (found == all.end()) {
            std::string names;
            for (const Candidate& candidate : all) {
                names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", candidate.name);
            }
            throw std::invalid_argument(
                fmt::format("{} among {} members: there is no algorithm \"{}\"; there are: {}",
                            to_string(query.collective), query.members, name, names));
        }
        chosen.push_back(*found);
    }
    return chosen;
}

} // namespace

std::vector<PredictedTimes> predict(const distance::MachineModel& profile, const PredictionQuery& query) {
    const machine::Machine machine = described(profile);
    const simulate::Positions positions = positions_on(machine, query.members);
    std::vector<PredictedTimes> all;
    for (const Candidate& candidate : wanted(candidates_of(query, machine), query)) {
        all.push_back(predicted(candidate, query, profile, machine, positions));
    }
    return all;
}

trace::Timeline predicted_timeline(const distance::MachineModel& profile, const PredictionQuery& query) {
    const std::vector<PredictedTimes> all = predict(profile, query);
    const auto time_of = [](const PredictedTimes& times) {
        return times.us.front() < 0 ? std::numeric_limits<double>::max() : times.us.front();
    };
    const PredictedTimes& best = *std::ranges::min_element(all, {}, time_of);
    if (best.us.front() < 0) {
        throw std::invalid_argument(fmt::format(
            "{} of {} among {} members: algorithm {} is for no such size", to_string(query.collective),
            bench::format_bytes(query.bytes.front()), query.members, best.algorithm));
    }
    const machine::Machine machine = described(profile);
    const std::vector<Candidate> every = candidates_of(query, machine);
    const Candidate& candidate = *std::ranges::find(every, best.algorithm, &Candidate::name);
    simulate::Predictor predictor(candidate.make(), profile, positions_on(machine, query.members));
    const Handled call = handled(candidate, query, query.bytes.front(), predictor.rounds(), machine).value();
    return predictor.timeline(call.vector, call.protocol, call.handling,
                              fmt::format("{} (algorithm {})", to_string(query.collective), candidate.name));
}

std::string prediction_table(const distance::MachineModel& profile, const PredictionQuery& query) {
    const std::vector<PredictedTimes> all = predict(profile, query);
    std::string text = fmt::format("{} among {} members on {}: predicted, nothing here has been measured.\n"
                                   "us until the last member leaves, and how many times the best.\n{:<32}",
                                   to_string(query.collective), query.members, profile.name, "");
    for (const std::size_t bytes : query.bytes) {
        text += fmt::format(" {:>18}", bench::format_bytes(bytes));
    }
    std::vector<double> best(query.bytes.size(), std::numeric_limits<double>::max());
    for (const PredictedTimes& times : all) {
        for (std::size_t size = 0; size < best.size(); ++size) {
            best[size] = times.us[size] < 0 ? best[size] : std::min(best[size], times.us[size]);
        }
    }
    for (const PredictedTimes& times : all) {
        text += fmt::format("\n{:<32}", times.algorithm);
        for (std::size_t size = 0; size < best.size(); ++size) {
            text += times.us[size] < 0
                        ? fmt::format(" {:>18}", "-")
                        : fmt::format(" {:>11.4g} {:>6.2f}", times.us[size], times.us[size] / best[size]);
        }
    }
    return text + "\n";
}

} // namespace tutti::laboratory
