// One writer and k readers, held against what has been measured.
#include "algorithm/registry.hpp"
#include "machine/machine.hpp"
#include "model/machine_model.hpp"
#include "schedule/synchronise.hpp"
#include "simulate/simulation.hpp"
#include "survey/profile_json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace tutti;

namespace {

struct Row {
    std::string machine;
    int ranks = 0;
    std::size_t bytes = 0;
    double last_us = 0;
};

std::vector<Row> measured() {
    std::ifstream file(TUTTI_FLAT_BROADCAST);
    std::string line;
    std::getline(file, line);
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        Row& row = rows.emplace_back();
        char comma = 0;
        std::getline(words, row.machine, ',');
        words >> row.ranks >> comma >> row.bytes >> comma >> row.last_us;
        REQUIRE(words);
    }
    return rows;
}

std::vector<plan::Plan> plans_of(const char* name, int ranks) {
    const algorithm::Algorithm* const row = algorithm::find(schedule::Collective::broadcast, name);
    REQUIRE(row != nullptr);
    const auto synchronised = schedule::synchronise(row->make(ranks, 0), schedule::Form::in_place);
    std::vector<plan::Plan> plans;
    for (int rank = 0; rank < ranks; ++rank) {
        plans.push_back(plan::compile(synchronised, rank));
    }
    return plans;
}

} // namespace

TEST_CASE("a flat broadcast takes what has been measured") {
    std::vector<double> errors;
    for (const Row& row : measured()) {
        const auto profile = bench::read_line_profile(TUTTI_PROFILES + row.machine + ".json");
        const auto positions = bench::positions_on(machine::from_synthetic(profile.topology), row.ranks);
        const auto plans = plans_of("flat", row.ranks);
        simulate::Simulation simulation(plans, profile, positions);
        const auto leaves =
            simulation.leaves({.partition = {.total = row.bytes, .block = row.bytes, .offsets = nullptr},
                               .element_bytes = 1,
                               .staged = false});
        const double us = *std::ranges::max_element(leaves) * 1e-3;
        errors.push_back(us / row.last_us);
        if (std::getenv("SHOW")) {
            std::cout << row.machine << "," << row.ranks << "," << row.bytes << "," << row.last_us << ","
                      << us << "," << us / row.last_us << "\n";
        }
    }
    CHECK(errors.size() == 1470);
}
