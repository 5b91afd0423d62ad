#include "algorithm/algorithms.hpp"
#include "algorithm/registry.hpp"
#include "graph/circulant.hpp"
#include "interpreter.hpp"
#include "plan/plan.hpp"
#include "schedule/recorder.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace tutti;
using schedule::Collective;
using schedule::Form;
using schedule::Space;

#if defined(TUTTI_REDUCED_TESTS)
constexpr int most_ranks = 12;
#else
constexpr int most_ranks = 32;
#endif

std::string name_of(const algorithm::Algorithm& row, Form form, int ranks) {
    return std::string(to_string(row.collective)) + " " + std::string(row.name) + " form " +
           std::to_string(static_cast<int>(form)) + " ranks " + std::to_string(ranks);
}

/// Offsets of blocks of 0, 1 or 2 elements; the first member has none.
std::vector<std::size_t> irregular_offsets(int ranks) {
    std::vector<std::size_t> offsets{0};
    for (int rank = 0; rank < ranks; ++rank) {
        offsets.push_back(offsets.back() + static_cast<std::size_t>(rank * 7 % 3));
    }
    return offsets;
}

std::vector<plan::Partition> partitions(const algorithm::Algorithm& row, int ranks, int blocks,
                                        const std::vector<std::size_t>& offsets) {
    const auto count = static_cast<std::size_t>(blocks);
    std::vector<plan::Partition> list{{0, 0, nullptr}, {count, 1, nullptr}};
    if (row.collective == Collective::allreduce) {
        list.push_back({count + 1, blocks == 1 ? count + 1 : 2, nullptr});
    }
    if (row.collective == Collective::reduce_scatter) {
        list.push_back({offsets[static_cast<std::size_t>(ranks)], 0, offsets.data()});
    }
    return list;
}

void interpret_all(const algorithm::Algorithm& row, Form form, int ranks) {
    const auto synchronised = schedule::synchronise(row.make(ranks), form);
    const auto offsets = irregular_offsets(ranks);
    for (const auto& partition : partitions(row, ranks, synchronised.schedule.blocks(), offsets)) {
        for (const bool in_place : {false, true}) {
            if ((form == Form::in_place && !in_place) || (form == Form::separate && in_place)) {
                continue;
            }
            const test::Run run{partition, in_place, row.canonical,
                                row.needs != algorithm::OperatorNeeds::exact,
                                static_cast<std::uint32_t>(ranks)};
            INFO(name_of(row, form, ranks), ", elements ", partition.total, ", in place ", in_place);
            CHECK(test::interpret(synchronised, run) == "");
        }
    }
}

const algorithm::Algorithm& row_of(Collective collective, const char* name) {
    const algorithm::Algorithm* row = algorithm::find(collective, name);
    REQUIRE(row != nullptr);
    return *row;
}

} // namespace

TEST_CASE("the plans of every algorithm, form and number of ranks do what the collective says") {
    int cases = 0;
    for (const auto& row : algorithm::registry()) {
        for (const Form form : {Form::separate, Form::in_place, Form::carried}) {
            for (int ranks = 1; takes(row, form) && ranks <= most_ranks; ++ranks) {
                interpret_all(row, form, ranks);
                ++cases;
            }
        }
    }
    CHECK(cases >= most_ranks * static_cast<int>(algorithm::registry().size()));
}

TEST_CASE("the interpreter finds a plan whose waits are missing") {
    auto synchronised =
        schedule::synchronise(row_of(Collective::allreduce, "circulant").make(5), Form::in_place);
    const test::Run run{{5, 1, nullptr}, true, false, true, 1};
    REQUIRE(test::interpret(synchronised, run) == "");
    synchronised.waits.front().clear();
    CHECK(test::interpret(synchronised, run) != "");
}

TEST_CASE("a plan names its points, ranks and blocks") {
    const auto synchronised =
        schedule::synchronise(row_of(Collective::allreduce, "circulant").make(5), Form::separate);
    const plan::Plan plan = plan::compile(synchronised, 3);
    CHECK(plan.ranks == 5);
    CHECK(plan.rank == 3);
    CHECK(plan.blocks == 5);
    CHECK(plan.form == Form::separate);
    CHECK(plan.points == 7); // the entry and ceil(log2 5) rounds twice
    CHECK(plan.steps.front().code == plan::Code::enter);
}

TEST_CASE("steps are small, and blocks of a step never wrap around") {
    static_assert(sizeof(plan::Step) == 16);
    for (const auto& row : algorithm::registry()) {
        for (const Form form : {Form::separate, Form::in_place, Form::carried}) {
            if (!takes(row, form)) {
                continue;
            }
            const auto synchronised = schedule::synchronise(row.make(22), form);
            for (int rank = 0; rank < 22; ++rank) {
                const plan::Plan plan = plan::compile(synchronised, rank);
                for (const plan::Step& step : plan.steps) {
                    REQUIRE(step.first + step.count <= plan.blocks);
                    REQUIRE(step.slot < plan::slots_per_operation(22));
                }
            }
        }
    }
}

TEST_CASE("the scratch of the circulant reduce-scatter is the cyclic range it writes") {
    // Algorithm 1 keeps the partial sums of other members' blocks; the block of the member itself goes to the
    // output.
    const auto synchronised =
        schedule::synchronise(row_of(Collective::reduce_scatter, "circulant").make(8), Form::separate);
    for (int rank = 0; rank < 8; ++rank) {
        const plan::Plan plan = plan::compile(synchronised, rank);
        CHECK(plan.scratch_vectors == 1);
        CHECK(plan.scratch.first == (rank + 1) % 8);
        CHECK(plan.scratch.count == 3);
    }
}

TEST_CASE("scratch that wraps around lies one vector length further on") {
    const auto synchronised =
        schedule::synchronise(row_of(Collective::reduce_scatter, "circulant").make(8), Form::separate);
    int lapped = 0;
    for (const plan::Step& step : plan::compile(synchronised, 6).steps) {
        const bool scratch = step.to.space() >= static_cast<std::size_t>(Space::scratch0);
        if (step.code == plan::Code::reduce && scratch && step.to.lapped()) {
            CHECK(step.first < 6);
            ++lapped;
        }
    }
    CHECK(lapped > 0);
}

TEST_CASE("a partition has empty blocks at the end, or blocks of any size") {
    const plan::Partition equal{5, 2, nullptr};
    CHECK(equal.offset(2) == 4);
    CHECK(equal.offset(3) == 5);
    CHECK(equal.offset(7) == 5);
    CHECK(equal.elements(2, 2) == 1);
    CHECK(equal.elements(4, 3) == 0);
    const std::size_t offsets[] = {0, 0, 7, 7, 8};
    const plan::Partition irregular{8, 0, offsets};
    CHECK(irregular.elements(0, 1) == 0);
    CHECK(irregular.elements(1, 1) == 7);
    CHECK(irregular.elements(1, 3) == 8);
}

TEST_CASE("slots: point 0 has its own, the others take turns") {
    CHECK(plan::slots_per_operation(1) == 2);
    CHECK(plan::slots_per_operation(2) == 3);
    CHECK(plan::slots_per_operation(64) == 8);
    CHECK(plan::slots_per_operation(65) == 9);
    CHECK(plan::slot_of(0, 8) == 0);
    for (int point = 1; point < 30; ++point) {
        CHECK(plan::slot_of(point, 8) >= 1);
        CHECK(plan::slot_of(point, 8) < 8);
        CHECK(plan::slot_of(point, 8) != plan::slot_of(point + 1, 8));
    }
}

TEST_CASE("what does not fit into a step is refused") {
    schedule::Recorder recorder;
    recorder.round().copy({0, Space::output, {0, 1}}, {0, Space::input, {0, 1}});
    const schedule::Schedule many(Collective::allreduce, 65536, 1, schedule::Symmetry::rotation,
                                  {recorder.take()});
    const schedule::Synchronised too_many{many, Form::separate, {{}}, {}};
    CHECK_THROWS_AS(plan::compile(too_many, 0), std::invalid_argument);

    schedule::Recorder wide;
    wide.round().copy({0, Space::output, {0, 1}}, {0, Space::input, {0, 1}});
    const schedule::Schedule blocks(Collective::allreduce, 1, 65536, schedule::Symmetry::none, {wide.take()});
    const schedule::Synchronised too_wide{blocks, Form::separate, {{}}, {}};
    CHECK_THROWS_AS(plan::compile(too_wide, 0), std::invalid_argument);
}
