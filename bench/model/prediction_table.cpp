#include "model/prediction_table.hpp"

#include "execute/select.hpp"
#include "machine/profile.hpp"
#include "mailbox/slot.hpp"
#include "model/candidates.hpp"
#include "model/machine_model.hpp"
#include "schedule/synchronise.hpp"
#include "simulate/simulation.hpp"
#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace tutti::bench {

using schedule::Collective;
using schedule::Form;

namespace {

constexpr double unserved = -1;

/// Whether a block of the whole vector is what a member has or gets.
bool divides_by_rank(Collective collective) {
    switch (collective) {
    case Collective::reduce_scatter:
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
        return true;
    default:
        return false;
    }
}

/// What a call with a vector of so many bytes comes to.
struct CallBytes {
    std::size_t element_bytes;
    std::size_t total;
    std::size_t message_bytes;

    CallBytes(Collective collective, std::size_t bytes, int members)
        : element_bytes(bytes % sizeof(double) == 0 ? sizeof(double) : 1), total(bytes / element_bytes),
          message_bytes(bytes) {
        if (collective == Collective::allgather || collective == Collective::gather) {
            message_bytes = bytes / static_cast<std::size_t>(members);
        }
    }
};

/// One algorithm among so many members on a machine: its plans, in each form that sizes ask for.
class Predictor {
public:
    Predictor(const Candidate& candidate, Collective collective, const distance::LineProfile& profile,
              const machine::Machine& machine, const simulate::Positions& positions)
        : candidate_(candidate), collective_(collective), profile_(profile),
          stores_(machine::family_profile(machine)), positions_(positions), schedule_(candidate.make()) {}

    double us(std::size_t bytes) {
        const CallBytes call(collective_, bytes, positions_.members());
        const auto form = form_of(call.message_bytes);
        if (!form) {
            return unserved;
        }
        Compiled& compiled = compiled_in(*form);
        const auto leaves = compiled.simulation->leaves(
            {.partition = partition(call),
             .element_bytes = call.element_bytes,
             .staged = *form == Form::carried && call.message_bytes > mailbox::carried_bytes});
        constexpr double us_per_ns = 1e-3;
        return *std::ranges::max_element(leaves) * us_per_ns;
    }

private:
    struct Compiled {
        std::vector<plan::Plan> plans;
        std::optional<simulate::Simulation> simulation;
    };

    /// As the library carries it out between separate vectors; of a broadcast there is one.
    std::optional<Form> form_of(std::size_t message_bytes) const {
        const int members = positions_.members();
        const execute::CallSize size{.message_bytes = message_bytes,
                                     .total_bytes = 0,
                                     .touched_bytes = 0,
                                     .in_place = false,
                                     .members = members,
                                     .cpus = members,
                                     .l3_groups = 1};
        const bool fits =
            message_bytes <= execute::longest_carried_bytes(collective_, schedule_.rounds(), size, stores_);
        if (candidate_.forms.carried && fits) {
            return Form::carried;
        }
        if (!candidate_.forms.pulled) {
            return std::nullopt;
        }
        return collective_ == Collective::broadcast && candidate_.forms.in_place ? Form::in_place
                                                                                 : Form::separate;
    }

    Compiled& compiled_in(Form form) {
        Compiled& compiled = compiled_[form];
        if (!compiled.simulation) {
            const schedule::Synchronised synchronised = schedule::synchronise(schedule_, form);
            for (int rank = 0; rank < positions_.members(); ++rank) {
                compiled.plans.push_back(plan::compile(synchronised, rank));
            }
            compiled.simulation.emplace(compiled.plans, profile_, positions_);
        }
        return compiled;
    }

    plan::Partition partition(const CallBytes& call) const {
        const auto blocks = static_cast<std::size_t>(schedule_.blocks());
        const std::size_t block = divides_by_rank(collective_)
                                      ? (call.total + blocks - 1) / blocks
                                      : plan::free_block(call.total, blocks, call.element_bytes);
        return {.total = call.total, .block = blocks == 1 ? call.total : block, .offsets = nullptr};
    }

    const Candidate& candidate_;
    Collective collective_;
    const distance::LineProfile& profile_;
    machine::Profile stores_;
    const simulate::Positions& positions_;
    schedule::Schedule schedule_;
    std::map<Form, Compiled> compiled_;
};

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

std::vector<PredictedTimes> predict(const distance::LineProfile& profile, const PredictionQuery& query) {
    const machine::Machine machine = described(profile);
    const simulate::Positions positions = positions_on(machine, query.members);
    std::vector<PredictedTimes> all;
    for (const Candidate& candidate : wanted(candidates(query.collective, tree_of(positions)), query)) {
        Predictor predictor(candidate, query.collective, profile, machine, positions);
        PredictedTimes& times = all.emplace_back(PredictedTimes{candidate.name, {}});
        for (const std::size_t bytes : query.bytes) {
            times.us.push_back(predictor.us(bytes));
        }
    }
    return all;
}

std::string prediction_table(const distance::LineProfile& profile, const PredictionQuery& query) {
    const std::vector<PredictedTimes> all = predict(profile, query);
    std::string text = fmt::format("{} among {} members on {}: predicted, nothing here has been measured.\n"
                                   "us until the last member leaves, and how many times the best.\n{:<32}",
                                   to_string(query.collective), query.members, profile.name, "");
    for (const std::size_t bytes : query.bytes) {
        text += fmt::format(" {:>18}", format_bytes(bytes));
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

} // namespace tutti::bench
