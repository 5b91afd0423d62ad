// The choice by prediction, on machines that are elsewhere.

#include "../test.hpp"
#include "choose/algorithm_predictor.hpp"
#include "choose/exploration.hpp"
#include "choose/select.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "distance/published.hpp"
#include "group/group_state.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"

#include <tutti/counts.hpp>
#include <tutti/member.hpp>
#include <tutti/operators.hpp>

using namespace tutti;
using engine::AlgorithmPredictor;
using engine::CallSize;
using engine::Reason;

namespace {

const distance::MachineModel& profile_of(const std::string& name) {
    const auto all = distance::published();
    return std::ranges::find(all, name, &distance::Published::name)->profile;
}

std::shared_ptr<AlgorithmPredictor> predictor(const std::string& name, int members) {
    const distance::MachineModel& profile = profile_of(name);
    const machine::Machine machine = machine::from_synthetic(profile.topology);
    const auto cpus = machine::place(machine, members, machine::Placement::compact);
    return std::make_shared<AlgorithmPredictor>(
        engine::KnownMachine{profile}, engine::positions_of(machine, engine::pus_of(machine, cpus)),
        graph::LevelTree::of_parts(members, machine::parts_of(machine, cpus)));
}

detail::Call call_of(Collective collective) {
    detail::Call call;
    call.collective = collective;
    call.type = Type::f64;
    call.op = Operator::sum;
    call.element_bytes = sizeof(double);
    return call;
}

/// As a call between separate vectors on a CPU for each member.
CallSize size_of(Collective collective, std::size_t bytes, int members) {
    const bool has_parts = collective == Collective::allgather || collective == Collective::gather;
    const auto all = static_cast<std::size_t>(members);
    return {.message_bytes = has_parts ? bytes / all : bytes,
            .total_bytes = bytes,
            .touched_bytes = bytes * all,
            .in_place = false,
            .members = members,
            .cpus = members,
            .l3_groups = 2};
}

double built_in_us(AlgorithmPredictor& predictor, Collective collective, std::size_t bytes) {
    const detail::Call call = call_of(collective);
    const CallSize size = size_of(collective, bytes, predictor.members());
    return predictor.of(engine::select(call, size, {}).row, call, size).value().us;
}

double best_us(AlgorithmPredictor& predictor, Collective collective, std::size_t bytes) {
    return predictor.best(call_of(collective), size_of(collective, bytes, predictor.members())).value().us;
}

} // namespace

TEST_CASE("a machine is taken for the published one that has its name, or else its shape") {
    for (const distance::Published& each : distance::published()) {
        CAPTURE(each.name);
        machine::Machine machine = machine::from_synthetic(each.profile.topology);
        machine.model = each.profile.name;
        const auto found = engine::most_like(machine, machine.pus);
        REQUIRE(found);
        CHECK(found->profile == each.profile);
        CHECK(found->is_guess);
        CHECK(describe(*found) == each.profile.name + ", published, which is a guess");
    }
    machine::Machine unnamed = machine::from_synthetic("pack:2 numa:4 l3:4 core:4 pu:2");
    unnamed.model.clear();
    CHECK(engine::most_like(unnamed, unnamed.pus)->profile == profile_of("epyc-7742-2s"));
    // For a few CPUs only the distances between these count.
    CHECK(engine::most_like(unnamed, std::span(unnamed.pus).first(2)));
}

TEST_CASE("predictions are for members with a CPU each that are many, or in several caches") {
    CHECK(!AlgorithmPredictor::is_for(2, 2, 1));
    CHECK(!AlgorithmPredictor::is_for(8, 8, 1));
    CHECK(AlgorithmPredictor::is_for(9, 9, 1));
    CHECK(!AlgorithmPredictor::is_for(9, 8, 1));
    CHECK(AlgorithmPredictor::is_for(2, 2, 2));
    CHECK(!AlgorithmPredictor::is_for(4, 2, 2));
    CHECK(!AlgorithmPredictor::is_for(2000, 2000, 8));
    CHECK(engine::config_for(2, {}).predictor == nullptr);
}

TEST_CASE("calls of all cores of big machines are predicted to take a fraction of the time") {
    struct Bar {
        const char* name;
        int members;
        double least_gain_short;
        double least_gain_mebibyte;
        double least_gain_long;
    };
    for (const Bar& bar : {Bar{"epyc-7742-2s", 128, 5.5, 1.7, 1}, Bar{"xeon-8375c-2s", 64, 2.8, 4.5, 1.45},
                           Bar{"graviton4-2s", 192, 3.8, 2, 2}}) {
        const auto predictor = ::predictor(bar.name, bar.members);
        const auto check_gain = [&](Collective collective, std::size_t bytes, double least_gain) {
            const std::string name = bar.name;
            CAPTURE(name);
            CAPTURE(bytes);
            CHECK(least_gain * best_us(*predictor, collective, bytes) <=
                  built_in_us(*predictor, collective, bytes));
        };
        check_gain(Collective::barrier, 8, bar.least_gain_short);
        check_gain(Collective::allreduce, 8, bar.least_gain_short);
        check_gain(Collective::allreduce, std::size_t{1} << 20U, bar.least_gain_mebibyte);
        check_gain(Collective::allreduce, std::size_t{64} << 20U, bar.least_gain_long);
    }
}

TEST_CASE("nothing is chosen that is predicted to be worse than what is built in") {
    using enum Collective;
    for (const char* name : {"epyc-7742-2s", "xeon-8375c-2s", "graviton2"}) {
        for (const int members : {9, 16, 24, 48}) {
            const auto predictor = ::predictor(name, members);
            for (const Collective collective : {barrier, broadcast, reduce, allreduce, reduce_scatter,
                                                allgather, gather, scatter, alltoall, scan, exscan, shift}) {
                for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{1} << 20U}) {
                    if (collective == barrier && bytes != 8) {
                        continue;
                    }
                    CAPTURE(to_string(collective));
                    CAPTURE(bytes);
                    CAPTURE(members);
                    const double best = best_us(*predictor, collective, bytes);
                    CHECK(best > 0);
                    CHECK(best <= built_in_us(*predictor, collective, bytes));
                }
            }
        }
    }
}

TEST_CASE("two groups of the same members choose the same, whatever they have been asked before") {
    const auto one = predictor("epyc-7742-2s", 24);
    const auto other = predictor("epyc-7742-2s", 24);
    best_us(*other, Collective::allreduce, 1 << 20);
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{1000}, std::size_t{1} << 20U}) {
        const CallSize size = size_of(Collective::allreduce, bytes, 24);
        const auto mine = one->best(call_of(Collective::allreduce), size);
        const auto its = other->best(call_of(Collective::allreduce), size);
        CHECK(mine->row == its->row);
        CHECK(mine->us == its->us);
        CHECK(mine->protocol == its->protocol);
    }
}

TEST_CASE("the choice by prediction gives way to a call that names its algorithm, and to a table") {
    const auto predictor = ::predictor("epyc-7742-2s", 16);
    detail::Call call = call_of(Collective::allreduce);
    const CallSize size = size_of(call.collective, 8, 16);
    CHECK(engine::select(call, size, {}, predictor.get()).reason == Reason::predicted);
    CHECK(engine::select(call, size, {}).reason == Reason::eager);
    call.algorithm = "ring";
    CHECK(engine::select(call, size, {}, predictor.get()).reason == Reason::named);
}

TEST_CASE("a group that tries algorithms on a large machine leaves the built-in choice within twelve calls") {
    constexpr int members = 64;
    const auto predictor = ::predictor("epyc-7742-2s", members);
    const detail::Call call = call_of(Collective::allreduce);
    const CallSize size = size_of(call.collective, std::size_t{1} << 20U, members);
    const std::size_t built_in = engine::select(call, size, {}).row;
    std::vector<engine::Selection> candidates = engine::candidates(call, size, {}, predictor.get(), 3);
    for (const engine::Selection& candidate : candidates) { // but for the first, none is hopeless
        CHECK(predictor->of(candidate.row, call, size)->us <= 2 * predictor->best(call, size)->us);
    }
    candidates.insert(candidates.begin(), engine::Selection{.row = built_in});
    std::vector<engine::TrialTimes> times(1);
    engine::TrialAreas areas(times, 0);
    engine::Exploration exploration(candidates, true);
    engine::CallPosition now{1, 0};
    int calls = 0;
    while (exploration.chosen() == nullptr) {
        const std::size_t row = exploration.begin(areas, now).row;
        now = {now.epoch + 1, now.epoch};
        if (exploration.is_trying()) {
            ++calls;
            exploration.end(std::chrono::nanoseconds(std::lround(1e3 * predictor->of(row, call, size)->us)),
                            areas, now);
        }
    }
    CHECK(calls <= 12);
    CHECK(algorithm::registry()[built_in].name != "levels-direct");
    CHECK(algorithm::registry()[exploration.chosen()->row].name == "levels-direct");
}

TEST_CASE("what cannot be simulated has the built-in choice") {
    const auto predictor = ::predictor("epyc-7742-2s", 16);
    const std::vector<std::size_t> sizes(16, 1);
    const Counts::View counts = Counts(sizes);
    detail::Call irregular = call_of(Collective::allgather);
    irregular.counts = &counts;
    CHECK(!predictor->best(irregular, size_of(irregular.collective, 128, 16)));
    detail::Call shared = call_of(Collective::allreduce);
    shared.shared_output = true;
    CHECK(!predictor->best(shared, size_of(shared.collective, 128, 16)));
}

TEST_CASE("members that choose by prediction have the bits of those that do not") {
    constexpr int members = 12;
    engine::GroupConfig config = engine::config_for(members, {});
    config.predictor = predictor("epyc-7742-2s", members);
    for (const std::size_t elements : {std::size_t{1}, std::size_t{500}, std::size_t{20'000}}) {
        CAPTURE(elements);
        const auto sums_with = [&](const engine::GroupConfig& given) {
            const auto group = std::make_shared<detail::GroupState>(members, given, engine::diagnosis_of);
            std::vector<std::vector<double>> sums(members, std::vector<double>(elements));
            std::vector<std::jthread> threads;
            for (int rank = 0; rank < members; ++rank) {
                threads.emplace_back([&, rank] {
                    Member me(group, group->seat(rank), detail::Leaving::for_good);
                    std::vector<double> mine(elements);
                    for (std::size_t i = 0; i < elements; ++i) {
                        mine[i] = std::sin(static_cast<double>(rank * 1000 + static_cast<int>(i)));
                    }
                    me.barrier();
                    me.allreduce(mine, sums[static_cast<std::size_t>(rank)], sum);
                    me.broadcast(mine, 3);
                    me.reduce(mine, sum, 5);
                });
            }
            threads.clear();
            return sums;
        };
        const auto predicted = sums_with(config);
        CHECK(predicted == sums_with(engine::config_for(members, {})));
        CHECK(std::ranges::all_of(predicted, [&](const auto& each) { return each == predicted.front(); }));
    }
}
