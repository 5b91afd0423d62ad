// The choice of an algorithm: by name, from tables, by size and, for many members or several L3 caches, by
// levels.

#include "../tuning/support.hpp"
#include "choose/select.hpp"
#include "choose/table.hpp"
#include "mailbox/slot.hpp"

#include <tutti/counts.hpp>

using namespace tutti;
using CallSize = library::Selection::Input;
using library::Reason;
using schedule::Protocol;
using tuning::Operands;

namespace {

constexpr int four = 4; // members

detail::Call call_of(Collective collective, Type type = Type::i32, Operator op = Operator::sum) {
    return {.collective = collective, .type = type, .op = op};
}

CallSize size_of(std::size_t bytes, bool in_place = false) {
    return {.message_bytes = bytes, .total_bytes = bytes, .in_place = in_place, .members = four};
}

tuning::Choices choices_of(std::vector<tuning::Entry> entries) {
    auto table = std::make_shared<tuning::Table>();
    table->entries = std::move(entries);
    return {table, {four, four, 1}};
}

tuning::Entry allreduce_entry(Operands operands, std::size_t bytes, const char* name, int ranks = four) {
    return test::entry({Collective::allreduce, operands, ranks, 1, bytes}, name);
}

std::string_view name_of(const library::Selection& selection) {
    return algorithm::registry()[selection.row].name;
}

std::string_view selected(const detail::Call& call, const CallSize& size,
                          const tuning::Choices& choices = {}) {
    return name_of(library::select(call, size, choices));
}

detail::Call f64_call(Collective collective) {
    return {
        .collective = collective, .type = Type::f64, .op = Operator::sum, .element_bytes = sizeof(double)};
}

/// As a call with an input and an output buffer.
CallSize size_on(std::size_t bytes, int members, int cpus, int l3_groups) {
    return {.message_bytes = bytes,
            .total_bytes = bytes,
            .touched_bytes = bytes * static_cast<std::size_t>(members),
            .in_place = false,
            .members = members,
            .cpus = cpus,
            .l3_groups = l3_groups};
}

} // namespace

TEST_CASE("what a table has measured is selected, and what it has not is selected as ever") {
    const tuning::Choices choices = choices_of({allreduce_entry(Operands::exact, 8, "circulant"),
                                                allreduce_entry(Operands::exact, 1 << 20, "ring")});
    const detail::Call call = call_of(Collective::allreduce);
    const auto small = library::select(call, size_of(8), choices);
    CHECK(name_of(small) == "circulant");
    CHECK(small.protocol == Protocol::zero_copy);
    CHECK(small.reason == Reason::measured);
    CHECK(selected(call, size_of(1 << 20), choices) == "ring");
    const auto between = library::select(call, size_of(1024), choices);
    CHECK(name_of(between) == "flat");
    CHECK(between.reason == Reason::eager);
    const auto built_in = library::select(call, size_of(1 << 20), {});
    CHECK(name_of(built_in) == "direct");
    CHECK(built_in.reason == Reason::vectors);
    CallSize large = size_of(std::size_t{1} << 30U);
    large.touched_bytes = std::size_t{1} << 40U;
    CHECK(library::select(call, large, choices).reason == Reason::long_vectors);
}

TEST_CASE("the built-in choice depends on the size and on whether the vectors fit into the caches") {
    const auto choice = [](Collective collective, int ranks, std::size_t bytes, bool in_place = false) {
        CallSize size = size_of(bytes, in_place);
        size.members = ranks;
        size.touched_bytes = library::touched_bytes(collective, bytes, ranks);
        return std::string(selected(call_of(collective), size));
    };
    using enum Collective;
    const library::StorePolicy& here = library::StorePolicy::here();
    constexpr std::size_t huge = std::size_t{1} << 40U;
    CHECK(choice(allreduce, 2, 8) == "flat");
    constexpr std::size_t staged = mailbox::staging_bytes;
    CHECK(choice(allreduce, 2, staged) == "flat");
    const std::size_t longest_alone = std::max(staged, here.profile().pull_between_two_bytes / 4);
    CHECK(choice(allreduce, 2, longest_alone) == "flat");
    CHECK(choice(allreduce, 2, longest_alone + 1) == "direct");
    CHECK(choice(allreduce, 3, 32768) == "direct");
    CHECK(choice(allreduce, 2, 32768, true) == "direct");
    CHECK(choice(reduce, 8, staged) == "flat");
    CHECK(choice(reduce, 8, staged + 1) == "direct");
    CHECK(choice(reduce, 64, staged) == "flat");
    CHECK(choice(reduce, 64, staged + 1) == "direct");
    const bool unread = here.leaves_unread({.touched_bytes = 65536, .members = 2, .cpus = 2});
    CHECK(choice(allgather, 4, 65536) == (unread ? "direct" : "flat"));
    CHECK(choice(allgather, 4, huge) == "direct");
    CHECK(choice(allreduce, 4, huge) == "direct");
    const bool fetches = here.fetches_results(library::touched_bytes(allreduce, 131072, 6), 6, 1);
    CHECK(choice(allreduce, 6, 131072) == (fetches ? "reduce-scatter-allgather" : "direct"));
    CHECK(choice(scan, 2, 8) == "flat");
    const std::size_t longest_along = here.profile().scan_between_two_bytes / 4;
    CHECK(choice(scan, 2, longest_along) == "ring");
    CHECK(choice(scan, 2, longest_along + 1) == "direct");
    CHECK(choice(scan, 3, longest_along) == "direct");
    CHECK(choice(broadcast, 2, 8) == "flat");
    CHECK(choice(broadcast, 2, 65536) == (unread ? "push" : "direct"));
    CHECK(choice(broadcast, 4, 16384) == "flat");
    CHECK(choice(broadcast, 2, huge) == (unread ? "push" : "direct"));
    CHECK(choice(broadcast, 4, huge) == "direct");
    CHECK(choice(scatter, 8, huge) == (unread ? "push" : "direct"));
    CHECK(choice(alltoall, 8, huge) == (unread ? "push" : "direct"));
    CHECK(choice(alltoall, 8, huge, true) == "direct");
}

TEST_CASE("a message goes over the stage as long as that is the shorter way") {
    const auto protocol = [](int ranks, int cpus, std::size_t bytes,
                             Collective collective = Collective::allreduce) {
        CallSize size = size_of(bytes);
        size.members = ranks;
        size.cpus = cpus;
        return library::select(call_of(collective), size, {}).protocol;
    };
    using enum Collective;
    constexpr std::size_t staged = mailbox::staging_bytes;
    for (const int cpus : {1, 2}) {
        CHECK(protocol(2, cpus, staged) == Protocol::eager);
        CHECK(protocol(2, cpus, staged + 1) == Protocol::zero_copy);
        CHECK(protocol(64, cpus, staged) == Protocol::eager);
        CHECK(protocol(64, cpus, staged + 1) == Protocol::zero_copy);
        CHECK(protocol(64, cpus, staged, reduce) == Protocol::eager);
        CHECK(protocol(3, cpus, staged + 1, broadcast) == Protocol::zero_copy);
    }
    // Each member reads the staging buffers of all.
    CHECK(protocol(4, 4, staged) == Protocol::eager);
    CHECK(protocol(64, 64, 4096, reduce) == Protocol::zero_copy);
}

TEST_CASE("an algorithm that the call names is taken, whatever a table says") {
    const tuning::Choices choices = choices_of({allreduce_entry(Operands::exact, 64, "circulant")});
    detail::Call call = call_of(Collective::allreduce);
    call.algorithm = "mesh";
    const auto selection = library::select(call, size_of(64), choices);
    CHECK(name_of(selection) == "mesh");
    CHECK(selection.reason == Reason::named);
}

TEST_CASE("only calls in which any order gives the same bits take what was measured in any order") {
    const tuning::Choices choices = choices_of({allreduce_entry(Operands::exact, 64, "circulant"),
                                                allreduce_entry(Operands::ordered, 64, "direct")});
    const auto chosen = [&](const detail::Call& call) { return selected(call, size_of(64), choices); };
    CHECK(chosen(call_of(Collective::allreduce)) == "circulant");
    CHECK(chosen(call_of(Collective::allreduce, Type::u8, Operator::bxor)) == "circulant");
    CHECK(chosen(call_of(Collective::allreduce, Type::f64)) == "direct");
    CHECK(chosen(call_of(Collective::allreduce, Type::f64, Operator::max)) == "circulant");
    CHECK(chosen(call_of(Collective::allreduce, Type::other, Operator::max)) == "direct");
    CHECK(chosen(call_of(Collective::allreduce, Type::i32, Operator::callable)) == "direct");
    detail::Call call = call_of(Collective::allreduce);
    call.order = Order::serial;
    CHECK(chosen(call) == "direct");
}

TEST_CASE("what needs one pass takes nothing that combines partial results, whatever a table says") {
    for (const Collective collective : detail::all_collectives) {
        if (!detail::traits_of(collective).reduces()) {
            continue;
        }
        for (const algorithm::Algorithm& row : algorithm::registry()) {
            if (row.collective != collective) {
                continue;
            }
            const tuning::Choices choices =
                choices_of({test::entry({collective, Operands::ordered, four, 1, 1 << 20}, row.name.data())});
            detail::Call call = call_of(collective, Type::other, Operator::callable);
            call.one_pass_operator = true;
            const bool serves = combines_in_one_pass(row, four) &&
                                (!detail::traits_of(collective).is_prefix() || combines_single_operands(row));
            CHECK((selected(call, size_of(1 << 20), choices) == row.name) ==
                  (serves || row.name == "direct"));
            for (const library::Selection& each : library::candidates(call, size_of(1 << 20), choices, 8)) {
                CHECK(combines_in_one_pass(algorithm::registry()[each.row], four));
            }
            call.algorithm = row.name;
            CHECK(library::refusal(row, call, four).empty() == serves);
        }
    }
}

TEST_CASE("everything that a table may say keeps the promise about the order of operands") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (detail::traits_of(row.collective).reduces()) {
            CHECK(tuning::may_choose(row, Operands::ordered, 4) ==
                  has_brackets(row, detail::Association::tree, 4));
            CHECK(tuning::may_choose(row, Operands::exact, 4));
            CHECK(!tuning::may_choose(row, Operands::moved, 4));
        } else {
            CHECK(tuning::may_choose(row, Operands::moved, 4));
            CHECK(!tuning::may_choose(row, Operands::exact, 4));
        }
        CHECK(
            !(row.ranks == algorithm::Ranks::powers_of_two &&
              (tuning::may_choose(row, Operands::moved, 6) || tuning::may_choose(row, Operands::exact, 6))));
    }
}

TEST_CASE("what serves powers of two only is passed over for others nearby") {
    auto table = std::make_shared<tuning::Table>();
    table->entries = {allreduce_entry(Operands::exact, 64, "butterfly")};
    const tuning::Choices choices(table, {3, 8, 1});
    CallSize size = size_of(64);
    CHECK(selected(call_of(Collective::allreduce), size, choices) == "butterfly");
    size.members = 3;
    CHECK(selected(call_of(Collective::allreduce), size, choices) == "flat");
}

TEST_CASE("in place nothing is chosen that must copy its input where the built-in choice need not") {
    const std::size_t bytes = 1 << 20;
    const tuning::Choices choices =
        choices_of({allreduce_entry(Operands::exact, bytes, "butterfly"),
                    test::entry({Collective::alltoall, Operands::moved, four, 1, bytes}, "pairwise")});
    const detail::Call allreduce = call_of(Collective::allreduce);
    CHECK(selected(allreduce, size_of(bytes), choices) == "butterfly");
    CHECK(selected(allreduce, size_of(bytes, true), choices) == "direct");
    // The built-in choice has to copy as well.
    const detail::Call alltoall = call_of(Collective::alltoall);
    CHECK(selected(alltoall, size_of(bytes, true), choices) == "pairwise");
}

TEST_CASE("irregular blocks are not what was measured") {
    const tuning::Choices choices =
        choices_of({test::entry({Collective::reduce_scatter, Operands::exact, four, 1, 1 << 16}, "ring")});
    detail::Call call = call_of(Collective::reduce_scatter);
    CHECK(selected(call, size_of(1 << 16), choices) == "ring");
    const std::vector<std::size_t> each(four, 4096);
    const Counts::View counts = Counts(std::span(each));
    call.counts = &counts;
    CHECK(selected(call, size_of(1 << 16), choices) == "direct");
}

TEST_CASE("the table is in order, and names algorithms that follow levels") {
    const auto choices = library::level_choices();
    CHECK(std::ranges::is_sorted(choices, [](const auto& one, const auto& other) {
        return std::pair(one.collective, one.from_bytes) < std::pair(other.collective, other.from_bytes);
    }));
    for (const library::LevelChoice& each : choices) {
        CAPTURE(each.row);
        CHECK((each.row.empty() || algorithm::find(each.collective, each.row) != nullptr));
        CHECK((each.row.empty() || each.row.starts_with("levels-")));
    }
}

TEST_CASE("members with a CPU each that are many, or in several caches, follow levels, and the size") {
    const auto reason = [](int members, int cpus, int l3_groups) {
        return library::select(f64_call(Collective::barrier), size_on(0, members, cpus, l3_groups), {})
            .reason;
    };
    CHECK(reason(2, 2, 1) == Reason::eager);
    CHECK(reason(8, 8, 1) == Reason::eager);
    CHECK(reason(9, 9, 1) == Reason::levels);
    CHECK(reason(9, 8, 1) == Reason::eager);
    CHECK(reason(4, 4, 2) == Reason::levels);
    CHECK(reason(4, 2, 2) == Reason::eager);
    const auto row = [](std::size_t bytes) {
        return selected(f64_call(Collective::allreduce), size_on(bytes, 64, 64, 8));
    };
    CHECK(row(8) == "levels-exchange");
    CHECK(row(std::size_t{64} << 10U) == "levels-direct");
    CHECK(row(std::size_t{64} << 20U) == "direct");
}

TEST_CASE("short blocks are carried, also those of different lengths, unless their elements are too long") {
    const std::array<std::size_t, 2> sizes{1, 100};
    const Counts::View counts = Counts(std::span(sizes));
    for (const Collective collective :
         {Collective::allgather, Collective::gather, Collective::scatter, Collective::reduce_scatter}) {
        detail::Call call = f64_call(collective);
        call.counts = &counts;
        CHECK(library::select(call, size_on(800, 2, 2, 1), {}).protocol == Protocol::eager);
        call.element_bytes = 8192;
        CHECK(library::select(call, size_on(800, 2, 2, 1), {}).protocol != Protocol::eager);
    }
}

TEST_CASE("levels give way to a call that names its algorithm, has counts or a shared result") {
    const CallSize size = size_on(64, 16, 16, 2);
    detail::Call named = f64_call(Collective::allreduce);
    CHECK(library::select(named, size, {}).reason == Reason::levels);
    named.algorithm = "ring";
    CHECK(library::select(named, size, {}).reason == Reason::named);
    const std::vector<std::size_t> sizes(16, 1);
    const Counts::View counts = Counts(std::span(sizes));
    detail::Call irregular = f64_call(Collective::allgather);
    irregular.counts = &counts;
    CHECK(library::select(irregular, size_on(8192, 16, 16, 2), {}).reason != Reason::levels);
    detail::Call shared = f64_call(Collective::allreduce);
    shared.shared_output = true;
    CHECK(library::select(shared, size, {}).reason == Reason::shared);
}

TEST_CASE("a group tries both the choice that follows levels and that for members near each other") {
    const auto all = library::candidates(f64_call(Collective::allreduce),
                                         size_on(std::size_t{64} << 10U, 64, 64, 8), {}, 4);
    REQUIRE(all.size() >= 2);
    CHECK(all[0].reason == Reason::levels);
    CHECK(!algorithm::registry()[all[1].row].name.starts_with("levels-"));
}
