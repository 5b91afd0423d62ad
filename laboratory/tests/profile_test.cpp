// Machine models: their numbers, their files, and the published ones.
#include "distance/line_profile.hpp"
#include "machine/machine.hpp"
#include "survey/distances.hpp"
#include "survey/profile_json.hpp"
#include "tests/test.hpp"

using namespace tutti;
using namespace tutti::distance;
using namespace tutti::laboratory;

namespace {

MachineModel profile_with(std::initializer_list<Class> classes) {
    MachineModel profile;
    profile.name = "made";
    profile.sources.push_back({"rule", Origin::estimated, "made up"});
    for (const Class each : classes) {
        profile.has[static_cast<std::size_t>(each)] = true;
    }
    for (const NamedNumber& named : numbers_of(profile)) {
        named.number->value = 1;
    }
    return profile;
}

std::string rejection(const MachineModel& profile) {
    return test::message_of([&] { check(profile); });
}

Number& number(MachineModel& profile, const std::string& name) {
    const auto numbers = numbers_of(profile);
    const auto found = std::ranges::find(numbers, name, &NamedNumber::name);
    REQUIRE(found != numbers.end());
    return *found->number;
}

distance::MachineModel made() {
    distance::MachineModel profile;
    profile.name = "two \"threads\"";
    profile.topology = "core:1 pu:2";
    profile.sources = {{"timed", distance::Origin::measured, "by hand"},
                       {"rule", distance::Origin::estimated, "made up"}};
    profile.has[static_cast<std::size_t>(Class::core)] = true;
    double value = 0.125;
    for (const distance::NamedNumber& named : numbers_of(profile)) {
        *named.number = {value, profile.sources.size() - 1};
        value += 1;
    }
    profile.call.source = 0;
    return profile;
}

std::string made_text() {
    return to_text({made()});
}

/// The text with `what` replaced, once.
std::string with(const std::string& what, const std::string& instead) {
    std::string changed = made_text();
    const std::size_t at = changed.find(what);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, what.size(), instead);
}

std::string rejection(const std::string& of) {
    return test::message_of([&] { parse_line_profile(of); });
}

std::map<Class, int> pairs_of(const machine::Machine& machine) {
    std::map<Class, int> pairs;
    for (std::size_t one = 0; one < machine.pus.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            ++pairs[laboratory::class_of(machine.pus[one], machine.pus[other])];
        }
    }
    return pairs;
}

struct ClassRow {
    std::string profile;
    std::string name;
    int pairs = 0;
    double least = 0;
    double median = 0;
    double most = 0;
};

/// Values derived from whole matrices.
std::vector<ClassRow> class_rows() {
    std::ifstream file(TUTTI_FIXTURES "classes.csv");
    std::string line;
    std::getline(file, line);
    std::vector<ClassRow> rows;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        ClassRow& row = rows.emplace_back();
        char comma = 0;
        std::getline(words, row.profile, ',');
        std::getline(words, row.name, ',');
        words >> row.pairs >> comma >> row.least >> comma >> row.median >> comma >> row.most;
        REQUIRE(words);
    }
    return rows;
}

} // namespace

TEST_CASE("a profile has the numbers of its classes, each with a name of its own, and those of a core") {
    MachineModel profile = profile_with({Class::l3, Class::link});
    std::set<std::string> names;
    std::set<Number*> places;
    for (const NamedNumber& named : numbers_of(profile)) {
        names.insert(named.name);
        places.insert(named.number);
        CHECK(!named.name.starts_with("node."));
    }
    CHECK(names.size() == 2 * 13 + 3 + 4 + 2);
    CHECK(places.size() == names.size());
    CHECK(names.contains("core.memory.read"));
    CHECK(!names.contains("core.flag"));
    CHECK(names.contains("link.one-way.median"));
    CHECK(names.contains("call"));
    CHECK(rejection(profile).empty());
}

TEST_CASE("what a number cannot be is rejected by its name") {
    const auto with = [](const char* name, double value) {
        MachineModel profile = profile_with({Class::core, Class::l3});
        number(profile, name).value = value;
        return rejection(profile);
    };
    CHECK(with("l3.flag", -1) == "\"l3.flag\" cannot be: it is not from 0 to 1000000");
    CHECK(with("call", 1e7).starts_with("\"call\" cannot be"));
    CHECK(
        with("exclusive-store", std::numeric_limits<double>::quiet_NaN()).starts_with("\"exclusive-store\""));
    CHECK(with("l3.readers.each", 0).empty());
    CHECK(with("core.memory.copy", 0) == "\"core.memory.copy\" cannot be: it is 0");
    CHECK(with("l3.one-way.min", 2) == "\"l3.one-way.min\" is above the median");
    CHECK(with("core.one-way.max", 0.5) == "\"core.one-way.max\" is below the median");
    MachineModel profile = profile_with({Class::l3});
    number(profile, "l3.fetch").source = 1;
    CHECK(rejection(profile) == "\"l3.fetch\" has no source");
}

TEST_CASE("what is written is read as it was") {
    CHECK(parse_line_profile(made_text()) == made());
}

TEST_CASE("a profile that is cut off anywhere, or has a byte too many, is rejected") {
    const std::string whole = made_text();
    for (std::size_t bytes = 0; bytes + 1 < whole.size(); ++bytes) {
        REQUIRE(rejection(whole.substr(0, bytes)) == "it is no JSON, or cut off");
    }
    CHECK(rejection(whole + "}") == "it is no JSON, or cut off");
    CHECK(rejection("[]") == "it is no object");
    CHECK(rejection(std::string(most_profile_bytes + 1, ' ')) == "it is longer than 65536 bytes");
    CHECK(rejection(std::string(most_profile_bytes, '[')) == "it is no JSON, or cut off");
}

TEST_CASE("what is missing, unknown or twice there is rejected by its name") {
    CHECK(rejection("{}") == "\"format\" is missing");
    CHECK(rejection(with("profile 2", "profile 3")) ==
          "its format is \"tutti-line-profile 3\", this tutti reads \"tutti-line-profile 2\"");
    CHECK(rejection(with("\"name\"", "\"nome\"")) == "\"nome\" is unknown in \"the file\"");
    CHECK(rejection(with("\"name\": ", "\"topology\": ")) == "\"topology\" is there twice");
    CHECK(rejection(with("\"core.flag\"", "\"core.flog\"")) ==
          "\"core.flog\" is no number of a profile with these classes");
    CHECK(rejection(with("\"call\": {\"ns\": 18.125, \"source\": \"timed\"}", "\"core.flag\": 1")) ==
          "\"core.flag\" is there twice");
    CHECK(rejection(with(",\n\"call\": {\"ns\": 18.125, \"source\": \"timed\"}", "")) ==
          "\"call\" is missing");
    CHECK(rejection(with("[\"core\"]", "[\"core\", \"l3\"]")) == "\"l3.one-way.min\" is missing");
    CHECK(rejection(with("[\"core\"]", "[\"far\"]")) == "\"far\" is no class of distances");
    CHECK(rejection(with("\"source\": \"timed\"", "\"source\": \"nobody\"")) ==
          "the source \"nobody\" of \"call\" is none of \"sources\"");
    CHECK(rejection(with("\"measured\"", "\"dreamt\"")) == "\"dreamt\" is no origin");
    CHECK(rejection(with("\"text\": \"by hand\"", "\"txt\": \"by hand\"")) ==
          "\"txt\" is unknown in \"timed\"");
    CHECK(rejection(with(", \"text\": \"by hand\"", "")) == "\"text\" is missing");
}

TEST_CASE("numbers that cannot be and numbers of another unit are rejected by their names") {
    const std::string flag = "\"core.flag\": {\"ns\": 5.125";
    CHECK(rejection(with(flag, "\"core.flag\": {\"ns\": -1")).starts_with("\"core.flag\" cannot be"));
    CHECK(rejection(with(flag, "\"core.flag\": {\"ns\": 1e999")) == "it is no JSON, or cut off");
    CHECK(rejection(with(flag, "\"core.flag\": {\"ns\": \"5\"")) == "\"core.flag\" is no number");
    CHECK(rejection(with(flag, "\"core.flag\": {\"GB/s\": 5")) == "\"GB/s\" is unknown in \"core.flag\"");
    CHECK(rejection(with("by hand", "by\\u0007hand")) ==
          "\"text\" is no text of at most 1000 printable characters");
    CHECK(rejection(with("\"core:1 pu:2\"", "7")) == "\"topology\" is no text");
}

TEST_CASE("times between pairs of CPUs are read as they were written, and may be missing") {
    MeasuredProfile measured{made(), Pairs{.cpus = {0, 2, 1}, .one_way_ns = distance::Matrix(3)}};
    measured.pairs->one_way_ns.set(0, 1, 31.25);
    measured.pairs->one_way_ns.set(0, 2, 88.5);
    measured.pairs->one_way_ns.set(1, 2, 1234.5);
    const std::string whole = to_text(measured);
    const MeasuredProfile read = parse_measured_profile(whole);
    CHECK(read.profile == measured.profile);
    REQUIRE(read.pairs);
    CHECK(read.pairs->cpus == measured.pairs->cpus);
    CHECK(read.pairs->one_way_ns.ns(0, 1) == 31.25);
    CHECK(read.pairs->one_way_ns.ns(2, 0) == 88.5);
    CHECK(read.pairs->one_way_ns.ns(2, 1) == 1234.5);
    CHECK(parse_line_profile(whole) == made());
    CHECK_FALSE(parse_measured_profile(made_text()).pairs);

    const auto rejected = [&](const std::string& what, const std::string& instead) {
        std::string changed = whole;
        REQUIRE(changed.find(what) != std::string::npos);
        return rejection(changed.replace(changed.find(what), what.size(), instead));
    };
    CHECK(rejected("[31.25]", "[]") == "row 1 of \"pairs\" has not 1 numbers");
    CHECK(rejected("[31.25]", "[-1]") == "row 1 of \"pairs\" has what is no time");
    CHECK(rejected("[31.25]", "[\"far\"]") == "row 1 of \"pairs\" has what is no time");
    CHECK(rejected("[0, 2, 1]", "[0, 2]") == "\"pairs\" has not a row for each of at least two CPUs");
    CHECK(rejected("[0, 2, 1]", "[0, 2, -1]") == "\"cpus\" has what is no CPU");
    CHECK(rejected("[0, 2, 1]", "[0, 2, 0.5]") == "\"cpus\" has what is no CPU");
    CHECK(rejected("\"cpus\"", "\"cups\"") == "\"cups\" is unknown in \"pairs\"");
}

TEST_CASE("a file that cannot be read is named") {
    CHECK_THROWS_WITH_AS(read_measured_profile("/none.json"), "/none.json: No such file or directory",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(read_measured_profile("/dev/null"), "/dev/null: it is not a regular file",
                         std::invalid_argument);
}

TEST_CASE("every published profile is read, hwloc knows its machine, and its classes are the machine's") {
    CHECK(laboratory::published().size() == 13);
    for (const laboratory::Published& known : laboratory::published()) {
        CAPTURE(known.name);
        std::ifstream file(TUTTI_PROFILES "/" + std::string(known.name) + ".json");
        CHECK(known.text == std::string(std::istreambuf_iterator<char>(file), {}));
        const MachineModel profile = parse_line_profile(known.text);
        CHECK(parse_line_profile(to_text({profile})) == profile);
        const auto pairs = pairs_of(machine::from_synthetic(profile.topology));
        for (const Class each : distance::all_classes) {
            CHECK(profile.has_class(each) == pairs.contains(each));
        }
    }
}

TEST_CASE("published one-way times are those of the matrices") {
    const std::vector<ClassRow> rows = class_rows();
    CHECK(rows.size() == 20);
    for (const ClassRow& row : rows) {
        INFO(row.profile, " ", row.name);
        MachineModel profile = find_line_profile(row.profile);
        const auto* const found = std::ranges::find_if(
            distance::all_classes, [&](Class each) { return distance::to_string(each) == row.name; });
        REQUIRE(found != distance::all_classes.end());
        const distance::LineCosts& lines = profile.lines_at(*found);
        CHECK(lines.least_one_way.value == row.least);
        CHECK(lines.median_one_way.value == row.median);
        CHECK(lines.most_one_way.value == row.most);
        CHECK(profile.sources[lines.median_one_way.source].origin == distance::Origin::published);
        // The table has only the pairs in the second socket.
        const bool half = row.profile == "epyc-7742-2s" && (row.name == "node" || row.name == "socket");
        const auto pairs = pairs_of(machine::from_synthetic(profile.topology));
        CHECK(pairs.at(*found) == (half ? 2 : 1) * row.pairs);
    }
}

TEST_CASE("a profile is found by its name, or else as a file") {
    const std::string path = (std::filesystem::temp_directory_path() / "tutti-found-profile.json").string();
    MachineModel profile = find_line_profile("graviton2");
    profile.name = "another";
    std::ofstream(path) << to_text({profile});
    CHECK(find_line_profile(path) == profile);
    std::filesystem::remove(path);
    CHECK_THROWS_WITH_AS(find_line_profile(path), doctest::Contains("there are: epyc-7742-2s, epyc-7773x"),
                         std::invalid_argument);
}
