#include "choose/table.hpp"
#include "machine/placement.hpp"
#include "support.hpp"

using namespace tutti;
using tuning::Operands;

namespace {

/// The point of the entry that speaks for the call; of no members where there is none.
tuning::Point chosen(const tuning::Choices& choices, std::size_t bytes) {
    const tuning::Entry* const entry = choices.entry(Collective::allreduce, Operands::exact, bytes);
    return entry != nullptr ? entry->point : tuning::Point{.members = 0};
}

std::shared_ptr<const tuning::Table> table_of(const std::vector<tuning::Point>& points) {
    auto table = std::make_shared<tuning::Table>();
    for (const tuning::Point& point : points) {
        table->entries.push_back(test::entry(point, "direct"));
    }
    return table;
}

tuning::Point allreduce_of(int members, std::size_t bytes, int l3_groups = 1) {
    return {Collective::allreduce, Operands::exact, members, l3_groups, bytes};
}

} // namespace

TEST_CASE("the entry of the nearest size speaks, as a ratio, up to a factor of 8") {
    const tuning::Choices choices(table_of({allreduce_of(4, 64), allreduce_of(4, 4096)}), {4, 4, 1});
    CHECK(chosen(choices, 7).members == 0);
    CHECK(chosen(choices, 8).bytes == 64);
    CHECK(chosen(choices, 64).bytes == 64);
    CHECK(chosen(choices, 511).bytes == 64);
    CHECK(chosen(choices, 513).bytes == 4096);
    CHECK(chosen(choices, 32768).bytes == 4096);
    CHECK(chosen(choices, 32769).members == 0);
    CHECK(choices.entry(Collective::allreduce, Operands::ordered, 64) == nullptr);
    CHECK(choices.entry(Collective::broadcast, Operands::moved, 64) == nullptr);
}

TEST_CASE("calls in place have entries of their own, and others where there is none near enough") {
    tuning::Point in_place = allreduce_of(4, 64);
    in_place.in_place = true;
    const tuning::Choices choices(table_of({allreduce_of(4, 64), in_place, allreduce_of(4, 4096)}),
                                  {4, 4, 1});
    const auto found = [&](std::size_t bytes, bool is_in_place) {
        return choices.entry(Collective::allreduce, Operands::exact, bytes, is_in_place)->point;
    };
    CHECK(found(64, false) == allreduce_of(4, 64));
    CHECK(found(64, true) == in_place);
    CHECK(found(500, true) == in_place);
    CHECK(found(1000, true) == allreduce_of(4, 4096));
}

TEST_CASE("what a program can have learnt does not speak for shorter calls than are tried") {
    constexpr std::size_t least = tuning::least_tried_bytes;
    const tuning::Choices choices(table_of({allreduce_of(4, 4096), allreduce_of(4, least)}), {4, 4, 1});
    CHECK(chosen(choices, least).bytes == least);
    CHECK(chosen(choices, least - 8).bytes == 4096);
    CHECK(chosen(tuning::Choices(table_of({allreduce_of(4, least)}), {4, 4, 1}), least - 8).members == 0);
}

TEST_CASE("a barrier has no bytes and its entry is found") {
    auto table = std::make_shared<tuning::Table>(test::small_table());
    const tuning::Choices choices(table, {4, 4, 1});
    CHECK(choices.entry(Collective::barrier, Operands::moved, 0) == table->entries.data());
}

TEST_CASE("the entry of the nearest number of members speaks, up to a factor of 2") {
    const auto table = table_of({allreduce_of(2, 64), allreduce_of(4, 64), allreduce_of(16, 64)});
    const auto members_for = [&](int members) {
        return chosen(tuning::Choices(table, {members, 64, 1}), 64).members;
    };
    CHECK(members_for(1) == 0);
    CHECK(members_for(2) == 2);
    CHECK(members_for(3) == 4);
    CHECK(members_for(4) == 4);
    CHECK(members_for(8) == 4);
    CHECK(members_for(9) == 16);
    CHECK(members_for(32) == 16);
    CHECK(members_for(33) == 0);
}

TEST_CASE("groups with a CPU for each member and groups without do not speak for each other") {
    const auto table = table_of({allreduce_of(2, 64), allreduce_of(4, 64)});
    CHECK(chosen(tuning::Choices(table, {3, 3, 1}), 64).members == 2);
    CHECK(chosen(tuning::Choices(table, {3, 2, 1}), 64).members == 4);
    CHECK(chosen(tuning::Choices(table, {4, 4, 1}), 64).members == 4);
    CHECK(chosen(tuning::Choices(table_of({allreduce_of(2, 64)}), {3, 2, 1}), 64).members == 0);
}

TEST_CASE("nor do groups in different numbers of L3 groups") {
    const auto table = table_of({allreduce_of(4, 64), allreduce_of(4, 64, 2), allreduce_of(8, 64, 2)});
    CHECK(chosen(tuning::Choices(table, {4, 8, 2}), 64).l3_groups == 2);
    CHECK(chosen(tuning::Choices(table, {8, 8, 2}), 64) == allreduce_of(8, 64, 2));
    CHECK(chosen(tuning::Choices(table, {8, 8, 1}), 64) == allreduce_of(4, 64, 1));
    CHECK(chosen(tuning::Choices(table, {4, 8, 4}), 64).members == 0);
}

TEST_CASE("a group without a table has no entries") {
    CHECK(chosen(tuning::Choices(), 64).members == 0);
    CHECK(chosen(tuning::Choices(nullptr, {4, 4, 1}), 64).members == 0);
}

TEST_CASE("L3 groups are those of the CPUs that members run on") {
    const machine::Machine machine = machine::from_synthetic("pack:2 [numa] l3:2 core:4 pu:1");
    using machine::Placement;
    const auto groups = [&](int members, Placement placement) {
        return tuning::l3_groups(machine, machine::place(machine, members, placement));
    };
    CHECK(groups(1, Placement::compact) == 1);
    CHECK(groups(4, Placement::compact) == 1);
    CHECK(groups(5, Placement::compact) == 2);
    CHECK(groups(16, Placement::compact) == 4);
    CHECK(groups(99, Placement::compact) == 4);
    CHECK(groups(2, Placement::scatter) == 2);
    CHECK(groups(4, Placement::scatter) == 4);
    CHECK(groups(2, Placement::none) == 2);
    CHECK(groups(16, Placement::none) == 4);
}
