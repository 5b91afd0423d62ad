// Tables in memory: how they are loaded, and which entry speaks for a call.

#include "machine/placement.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;
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
        table->entries.push_back(entry(point, "direct"));
    }
    return table;
}

tuning::Point allreduce_of(int members, std::size_t bytes, int l3_groups = 1) {
    return {Collective::allreduce, Operands::exact, members, l3_groups, bytes};
}

} // namespace

TEST_CASE("a table of another machine, whatever of it differs, or of another version is refused") {
    const Directory directory;
    const auto refusal = [&](const tuning::Table& table, const machine::Machine& here) {
        const std::string path = directory.file("foreign", tuning::to_text(table));
        return message_of([&] { tuning::load(path, here); });
    };
    for (std::size_t line = 0; line < tuning::fingerprint_lines; ++line) {
        tuning::Table table = small_table();
        table.machine[line] += "0";
        CHECK_MESSAGE(mentions(refusal(table, tuning::this_machine()), "another machine"), line);
    }
    machine::Machine fewer = tuning::this_machine();
    fewer.pus.resize(1);
    if (tuning::this_machine().pus.size() > 1) {
        CHECK(mentions(refusal(small_table(), fewer), "another machine"));
    }
    tuning::Table old = small_table();
    old.library = "0.0.1-other";
    CHECK(mentions(refusal(old, tuning::this_machine()), "made with version 0.0.1-other"));
}

TEST_CASE("processors may name themselves as they like") {
    machine::Machine machine = tuning::this_machine();
    machine.model = "Evil\nend 0 0\x01 \xC3\xBC";
    tuning::Table table = small_table();
    table.machine = tuning::fingerprint(machine);
    CHECK(tuning::parse(tuning::to_text(table)) == table);
    machine.model = "";
    table.machine = tuning::fingerprint(machine);
    CHECK(tuning::parse(tuning::to_text(table)) == table);
}

TEST_CASE("what is refused is reported once, and the built-in choice is used") {
    const Directory directory;
    for (const std::string& path : {directory.file("empty", ""), directory.path("missing")}) {
        const Collected collected;
        const tuning::Source source = tuning::source_of(path);
        CHECK(source.table == nullptr);
        const std::string refusal = "GroupOptions::tuning: tuning file " + path + " is rejected: ";
        CHECK(mentions(source.text, "built-in choice; " + refusal));
        CHECK(tuning::source_of(path).text == source.text);
        REQUIRE(collected.messages().size() == 1);
        CHECK(mentions(collected.first().second, refusal));
    }
}

TEST_CASE("the environment variable is for those who name no file") {
    const Directory directory;
    const std::string first = directory.file("first", tuning::to_text(small_table()));
    const std::string second = directory.file("second", tuning::to_text(small_table()));
    CHECK(tuning::source_of("").table == nullptr);
    CHECK(tuning::source_of("").text == "built-in choice");
    const Environment environment("TUTTI_TUNING", first);
    CHECK(tuning::source_of("").text == "file " + first);
    REQUIRE(tuning::source_of("").table != nullptr);
    CHECK(*tuning::source_of("").table == small_table());
    CHECK(tuning::source_of(second).text == "file " + second);
    const Environment empty("TUTTI_TUNING", "");
    CHECK(tuning::source_of("").text == "built-in choice");
}

TEST_CASE("a file that is refused is reported under the name of the variable that names it") {
    const Directory directory;
    const std::string path = directory.file("wrong", "wrong");
    for (const char* name : {"TUTTI_TUNING", "TUTTI_TUNING_SAVE"}) {
        const Environment environment(name, path);
        const Collected collected;
        CHECK(mentions(tuning::source_of("").text, std::string(name) + ": tuning file "));
        CHECK(mentions(collected.first().second,
                       std::string(name) + ": tuning file " + path + " is rejected: "));
    }
}

TEST_CASE("the file that a program saves to is read if there is one, unless another one is named") {
    const Directory directory;
    const std::string saved = directory.path("saved");
    const Environment environment("TUTTI_TUNING_SAVE", saved);
    const Collected collected;
    CHECK(tuning::source_of("").text == "built-in choice");
    CHECK(collected.messages().empty());
    CHECK(directory.file("saved", tuning::to_text(small_table())) == saved);
    CHECK(tuning::source_of("").text == "file " + saved);
    CHECK(tuning::source_of("").explores);
    CHECK(tuning::source_of("on").text == "file " + saved);
    CHECK(tuning::source_of("on").explores);
    CHECK(tuning::source_of("off").table == nullptr);
    CHECK_FALSE(tuning::source_of("off").explores);
    const std::string other = directory.file("other", tuning::to_text(small_table()));
    CHECK(tuning::source_of(other).text == "file " + other);
}

TEST_CASE("threads that ask at the same time get the same table") {
    const Directory directory;
    const std::string path = directory.file("good", tuning::to_text(small_table()));
    std::vector<const tuning::Table*> tables(4);
    on_threads(4, [&](int thread) {
        tables[static_cast<std::size_t>(thread)] = tuning::source_of(path).table.get();
    });
    CHECK(tables.front() != nullptr);
    CHECK(tables == std::vector<const tuning::Table*>(4, tables.front()));
}

TEST_CASE("the entry of the nearest size speaks, as a ratio, up to a factor of 8") {
    const tuning::Choices choices(table_of({allreduce_of(4, 64), allreduce_of(4, 4096)}), {4, 4, 1});
    CHECK(chosen(tuning::Choices(), 64).members == 0); // without a table
    CHECK(chosen(choices, 7).members == 0);
    CHECK(chosen(choices, 8).bytes == 64);
    CHECK(chosen(choices, 64).bytes == 64);
    CHECK(chosen(choices, 511).bytes == 64);
    CHECK(chosen(choices, 513).bytes == 4096);
    CHECK(chosen(choices, 32768).bytes == 4096);
    CHECK(chosen(choices, 32769).members == 0);
    CHECK(choices.entry(Collective::allreduce, Operands::ordered, 64) == nullptr);
    CHECK(choices.entry(Collective::broadcast, Operands::moved, 64) == nullptr);
    const auto table = std::make_shared<tuning::Table>(small_table());
    CHECK(tuning::Choices(table, {4, 4, 1}).entry(Collective::barrier, Operands::moved, 0) ==
          table->entries.data());
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
