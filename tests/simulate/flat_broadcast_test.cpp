// One writer and k readers, held against what others have measured.
#include "../test.hpp"
#include "algorithm/registry.hpp"
#include "machine/machine.hpp"
#include "model/machine_model.hpp"
#include "schedule/synchronise.hpp"
#include "simulate/simulation.hpp"
#include "survey/find_profile.hpp"

using namespace tutti;

namespace {

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream rest(line);
    std::vector<std::string> words;
    for (std::string word; std::getline(rest, word, ',');) {
        words.push_back(word);
    }
    return words;
}

std::vector<plan::Plan> flat_plans(int ranks) {
    const algorithm::Algorithm* const row = algorithm::find(Collective::broadcast, "flat");
    REQUIRE(row != nullptr);
    const auto synchronised = schedule::synchronise(row->make(ranks, 0), schedule::Protocol::in_place);
    std::vector<plan::Plan> plans;
    plans.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        plans.push_back(plan::compile(synchronised, rank));
    }
    return plans;
}

/// Predicted times as multiples of the measured ones.
struct Ratios {
    std::vector<double> all;
    std::vector<double> not_fitted; ///< of sizes to which no number of the profiles was fitted
};

bool is_fitted(std::size_t bytes) {
    return bytes == 4 || bytes == std::size_t{1} << 20U;
}

/// By machine.
std::map<std::string, Ratios> held_ratios() {
    std::ifstream file(TUTTI_FLAT_BROADCAST);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> header = words_of(line);
    constexpr std::size_t first_size = 2;
    std::map<std::string, Ratios> ratios;
    while (std::getline(file, line)) {
        const std::vector<std::string> row = words_of(line);
        REQUIRE(row.size() == header.size());
        const distance::MachineModel profile = laboratory::find_line_profile(row[0]);
        const int ranks = std::stoi(row[1]);
        const auto positions = laboratory::positions_on(laboratory::described(profile), ranks);
        const auto plans = flat_plans(ranks);
        simulate::Simulation simulation(plans, profile, positions);
        for (std::size_t column = first_size; column < row.size(); ++column) {
            const std::size_t bytes = std::stoul(header[column]);
            const auto leaves =
                simulation.leaves({.partition = {.total = bytes, .block = bytes, .offsets = nullptr},
                                   .element_bytes = 1,
                                   .staged = false,
                                   .streams = false});
            const double ratio = *std::ranges::max_element(leaves) * 1e-3 / std::stod(row[column]);
            ratios[row[0]].all.push_back(ratio);
            if (!is_fitted(bytes)) {
                ratios[row[0]].not_fitted.push_back(ratio);
            }
        }
    }
    return ratios;
}

double median_error(const std::vector<double>& ratios) {
    std::vector<double> errors;
    errors.reserve(ratios.size());
    for (const double ratio : ratios) {
        errors.push_back(std::abs(ratio - 1));
    }
    std::ranges::nth_element(errors, errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2));
    return errors[errors.size() / 2];
}

double worst(const std::vector<double>& ratios) {
    const auto [least, most] = std::ranges::minmax(ratios);
    return std::max(1 / least, most);
}

} // namespace

TEST_CASE("flat broadcasts take about what has been measured, from 2 ranks to two sockets, 1 B to 1 MiB") {
    std::map<std::string, Ratios> held = held_ratios();
    REQUIRE(held.size() == 2);
    const Ratios& cascade_lake = held["xeon-cascade-lake-2x24"];
    CHECK(cascade_lake.all.size() == 47 * 21);
    CHECK(median_error(cascade_lake.all) < 0.11);
    CHECK(median_error(cascade_lake.not_fitted) < 0.12);
    CHECK(worst(cascade_lake.all) < 1.75);
    const Ratios& skylake = held["xeon-skylake-2x12"];
    CHECK(skylake.all.size() == 23 * 21);
    CHECK(median_error(skylake.all) < 0.14);
    CHECK(median_error(skylake.not_fitted) < 0.15);
    CHECK(worst(skylake.all) < 1.5);
}

TEST_CASE("times are the same numbers on every run and with every compiler") {
    const distance::MachineModel profile = laboratory::find_line_profile("epyc-7742-2s");
    const auto positions = laboratory::positions_on(laboratory::described(profile), 192);
    const auto plans = flat_plans(192);
    simulate::Simulation simulation(plans, profile, positions);
    const auto leaves =
        simulation.leaves({.partition = {.total = 100000, .block = 100000, .offsets = nullptr},
                           .element_bytes = 1,
                           .staged = false,
                           .streams = false});
    CHECK(leaves[0] == 92087.484712291116);
    CHECK(leaves[100] == 48271.954170922734);
}
