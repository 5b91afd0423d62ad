// The choice for members that are many, or in several L3 caches.

#include "../test.hpp"
#include "choose/built_in.hpp"
#include "choose/select.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "group/group_state.hpp"

#include <tutti/counts.hpp>
#include <tutti/member.hpp>
#include <tutti/operators.hpp>

using namespace tutti;
using engine::Reason;

namespace {

detail::Call call_of(Collective collective) {
    detail::Call call;
    call.collective = collective;
    call.type = Type::f64;
    call.op = Operator::sum;
    call.element_bytes = sizeof(double);
    return call;
}

/// As a call with an input and an output buffer.
engine::Selection::Input size_of(std::size_t bytes, int members, int cpus, int l3_groups) {
    return {.message_bytes = bytes,
            .total_bytes = bytes,
            .touched_bytes = bytes * static_cast<std::size_t>(members),
            .in_place = false,
            .members = members,
            .cpus = cpus,
            .l3_groups = l3_groups};
}

Reason reason_of(int members, int cpus, int l3_groups) {
    return engine::select(call_of(Collective::barrier), size_of(0, members, cpus, l3_groups), {}).reason;
}

std::string_view row_for(std::size_t bytes) {
    const auto selection = engine::select(call_of(Collective::allreduce), size_of(bytes, 64, 64, 8), {});
    return algorithm::registry()[selection.row].name;
}

} // namespace

TEST_CASE("the table is in order, and names algorithms that follow levels") {
    const auto choices = engine::level_choices();
    CHECK(std::ranges::is_sorted(choices, [](const auto& one, const auto& other) {
        return std::pair(one.collective, one.from_bytes) < std::pair(other.collective, other.from_bytes);
    }));
    for (const engine::LevelChoice& each : choices) {
        CAPTURE(each.row);
        CHECK((each.row.empty() || algorithm::find(each.collective, each.row) != nullptr));
        CHECK((each.row.empty() || each.row.starts_with("levels-")));
    }
}

TEST_CASE("members with a CPU each that are many, or in several caches, follow levels") {
    CHECK(reason_of(2, 2, 1) == Reason::eager);
    CHECK(reason_of(8, 8, 1) == Reason::eager);
    CHECK(reason_of(9, 9, 1) == Reason::levels);
    CHECK(reason_of(9, 8, 1) == Reason::eager);
    CHECK(reason_of(4, 4, 2) == Reason::levels);
    CHECK(reason_of(4, 2, 2) == Reason::eager);
}

TEST_CASE("the choice follows the size") {
    CHECK(row_for(8) == "levels-exchange");
    CHECK(row_for(std::size_t{64} << 10U) == "levels-direct");
    CHECK(row_for(std::size_t{64} << 20U) == "direct");
}

TEST_CASE("levels give way to a call that names its algorithm, has counts or a shared result") {
    const engine::Selection::Input size = size_of(64, 16, 16, 2);
    detail::Call named = call_of(Collective::allreduce);
    CHECK(engine::select(named, size, {}).reason == Reason::levels);
    named.algorithm = "ring";
    CHECK(engine::select(named, size, {}).reason == Reason::named);
    const std::vector<std::size_t> sizes(16, 1);
    const Counts::View counts = Counts(sizes);
    detail::Call irregular = call_of(Collective::allgather);
    irregular.counts = &counts;
    CHECK(engine::select(irregular, size_of(8192, 16, 16, 2), {}).reason != Reason::levels);
    detail::Call shared = call_of(Collective::allreduce);
    shared.shared_output = true;
    CHECK(engine::select(shared, size, {}).reason == Reason::shared);
}

TEST_CASE("a group tries both the choice that follows levels and that for members near each other") {
    const auto all =
        engine::candidates(call_of(Collective::allreduce), size_of(std::size_t{64} << 10U, 64, 64, 8), {}, 4);
    REQUIRE(all.size() >= 2);
    CHECK(all[0].reason == Reason::levels);
    CHECK(!algorithm::registry()[all[1].row].name.starts_with("levels-"));
}

TEST_CASE("members that follow levels have the bits of those that do not") {
    constexpr int members = 12;
    engine::GroupConfig config = engine::config_for(members, {});
    config.cpus = members;
    config.l3_groups = 3;
    config.parts = {{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
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
        const auto by_levels = sums_with(config);
        CHECK(by_levels == sums_with(engine::config_for(members, {})));
        CHECK(std::ranges::all_of(by_levels, [&](const auto& each) { return each == by_levels.front(); }));
    }
}
