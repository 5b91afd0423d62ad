#include "algorithm/registry.hpp"
#include "cost/count.hpp"
#include "simulation.hpp"
#include "verify/verify.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>

using namespace tutti;
using algorithm::Algorithm;
using schedule::Form;

namespace {

void for_each_form(const std::function<void(const Algorithm&, Form)>& use) {
    for (const Algorithm& row : algorithm::registry()) {
        for (const Form form : {Form::separate, Form::in_place, Form::carried}) {
            if (algorithm::takes(row, form)) {
                CAPTURE(row.collective);
                CAPTURE(row.name);
                CAPTURE(form);
                use(row, form);
            }
        }
    }
}

} // namespace

TEST_CASE("every algorithm keeps its promises in every form for p = 1..256") {
    int forms = 0;
    for_each_form([&](const Algorithm& row, Form form) {
        ++forms;
        for (int ranks = 1; ranks <= 256; ++ranks) {
            CAPTURE(ranks);
            const auto report =
                verify::verify(schedule::synchronise(row.make(ranks), form), verify::requirement_of(row));
            REQUIRE_MESSAGE(report.ok(), report.text());
        }
    });
    CHECK(forms >= 36);
}

TEST_CASE("rounds, blocks and reductions equal the closed forms for p = 1..256") {
    for (const Algorithm& row : algorithm::registry()) {
        for (int ranks = 1; ranks <= 256; ++ranks) {
            CAPTURE(row.collective);
            CAPTURE(row.name);
            CAPTURE(ranks);
            const schedule::Schedule made = row.make(ranks);
            const algorithm::Counts counted = cost::count(made, ranks - 1);
            const algorithm::Counts proved = row.counts(ranks);
            REQUIRE(counted.rounds == proved.rounds);
            REQUIRE(counted.blocks == proved.blocks);
            REQUIRE(cost::blocks_sent(made, 0) == proved.blocks);
            if (row.reductions_at_most) {
                REQUIRE(counted.reductions <= proved.reductions);
            } else {
                REQUIRE(counted.reductions == proved.reductions);
            }
        }
    }
}

TEST_CASE("programs written out for every member verify and count the same for p = 1..24") {
    for_each_form([](const Algorithm& row, Form form) {
        for (int ranks = 1; ranks <= 24; ++ranks) {
            CAPTURE(ranks);
            const schedule::Schedule symmetric = row.make(ranks);
            const schedule::Schedule all = schedule::expanded(symmetric);
            const auto report = verify::verify(schedule::synchronise(all, form), verify::requirement_of(row));
            REQUIRE_MESSAGE(report.ok(), report.text());

            // The waits derived for the representative are everybody's.
            schedule::Synchronised renamed = schedule::synchronise(symmetric, form);
            schedule::Synchronised written_out{all, form, {}, {}};
            for (int rank = 0; rank < ranks; ++rank) {
                written_out.waits.push_back(renamed.waits_of(rank));
                if (form == Form::carried) {
                    written_out.carried.push_back(renamed.carried.front());
                    for (schedule::Carried& carried : written_out.carried.back()) {
                        const bool whole = carried.blocks.count == all.blocks();
                        carried.blocks =
                            whole ? carried.blocks : symmetric.rotation(rank).range(carried.blocks);
                    }
                }
            }
            const auto second = verify::verify(written_out, verify::requirement_of(row));
            REQUIRE_MESSAGE(second.ok(), second.text());
            REQUIRE(cost::count(all, ranks / 2) == cost::count(symmetric, 0));
            REQUIRE(cost::blocks_sent(all, ranks / 2) == cost::blocks_sent(symmetric, 0));
        }
    });
}

TEST_CASE("random interleavings of four operations back to back give the promised results") {
    for_each_form([](const Algorithm& row, Form form) {
        for (int ranks = 1; ranks <= 9; ++ranks) {
            const auto plan = schedule::synchronise(row.make(ranks), form);
            for (std::uint32_t seed = 0; seed < 10; ++seed) {
                CAPTURE(ranks);
                CAPTURE(seed);
                REQUIRE(test::simulate(plan, verify::requirement_of(row), seed) == "");
            }
        }
    });
}

TEST_CASE("forms that a row does not take do not verify") {
    // Everybody reads everybody's whole input in the round in which everybody overwrites it.
    const Algorithm* flat = algorithm::find(schedule::Collective::allreduce, "flat");
    REQUIRE(flat != nullptr);
    CHECK_FALSE(algorithm::takes(*flat, Form::in_place));
    CHECK(verify::verify(schedule::synchronise(flat->make(4), Form::in_place)).has(verify::Kind::deadlock));
    const Algorithm* census = algorithm::find(schedule::Collective::allreduce, "census");
    REQUIRE(census != nullptr);
    CHECK_FALSE(algorithm::takes(*census, Form::in_place));
    CHECK(verify::verify(schedule::synchronise(census->make(6), Form::in_place)).has(verify::Kind::deadlock));
}

TEST_CASE("a promise that a row does not make is not proved") {
    const Algorithm* census = algorithm::find(schedule::Collective::allreduce, "census");
    const Algorithm* circulant = algorithm::find(schedule::Collective::allreduce, "circulant");
    REQUIRE(census != nullptr);
    REQUIRE(circulant != nullptr);
    CHECK(verify::requirement_of(*census) == verify::Requirement::complete);
    CHECK(verify::requirement_of(*circulant) == verify::Requirement::identical);
    for (int ranks = 3; ranks <= 40; ++ranks) {
        const auto census_plan = schedule::synchronise(census->make(ranks), Form::separate);
        CHECK(verify::verify(census_plan, verify::Requirement::identical).has(verify::Kind::content));
        const auto plan = schedule::synchronise(circulant->make(ranks), Form::separate);
        CHECK(verify::verify(plan, verify::Requirement::canonical).has(verify::Kind::content));
    }
}

TEST_CASE("counting refuses a rank that does not exist") {
    const schedule::Schedule made = algorithm::registry().front().make(4);
    CHECK_THROWS_AS(cost::count(made, 4), std::invalid_argument);
    CHECK_THROWS_AS(cost::blocks_sent(made, -1), std::invalid_argument);
}
