// The profiles of machines that others have measured.
#include "../../test.hpp"
#include "distance/published.hpp"
#include "machine/machine.hpp"
#include "survey/distances.hpp"
#include "survey/find_profile.hpp"
#include "survey/profile_json.hpp"

using namespace tutti;
using namespace tutti::laboratory;
using distance::Class;
using distance::MachineModel;

namespace {

constexpr std::array names{
    "epyc-7742-2s",      "epyc-7773x",       "epyc-9274f-2s",      "graviton2",     "graviton4-2s",
    "kunpeng-920",       "ryzen-7950x",      "sapphire-rapids-2s", "xeon-8375c-2s", "xeon-cascade-lake-2x24",
    "xeon-gold-6242-2s", "xeon-skylake-2x12"};

MachineModel published(const std::string& name) {
    return find_line_profile(name);
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
    std::ifstream file(TUTTI_CLASS_TABLE);
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

/// The sources of the two are in different orders.
void check_same(MachineModel one, MachineModel other) {
    CHECK(one.name == other.name);
    CHECK(one.topology == other.topology);
    CHECK(one.has == other.has);
    CHECK(one.sources.size() == other.sources.size());
    const auto numbers = numbers_of(one);
    const auto others = numbers_of(other);
    REQUIRE(numbers.size() == others.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CAPTURE(numbers[i].name);
        CHECK(numbers[i].number->value == others[i].number->value);
        CHECK(one.sources[numbers[i].number->source] == other.sources[others[i].number->source]);
    }
}

} // namespace

TEST_CASE("every published profile is read, hwloc knows its machine, and its classes are the machine's") {
    CHECK(std::ranges::equal(distance::published(), names, {}, &distance::Published::name));
    for (const char* name : names) {
        CAPTURE(name);
        MachineModel profile = published(name);
        CHECK(parse_line_profile(to_text(profile)) == profile);
        check_same(profile, read_line_profile(std::string(TUTTI_PROFILES "/") + name + ".json"));
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
        CAPTURE(row.profile);
        CAPTURE(row.name);
        MachineModel profile = published(row.profile);
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

TEST_CASE("published machines tell of themselves what their processors have") {
    const machine::Machine rome = machine::from_synthetic(published("epyc-7742-2s").topology);
    CHECK(rome.pus.size() == 256);
    CHECK(rome.l3_groups() == 32);
    CHECK(rome.l3_bytes == std::size_t{16} << 20U);
    CHECK(rome.numa_nodes() == 8);
    const machine::Machine mesh = machine::from_synthetic(published("xeon-gold-6242-2s").topology);
    CHECK(mesh.cores() == 32);
    CHECK(mesh.l2_bytes == std::size_t{1} << 20U);
    CHECK(mesh.packages() == 2);
}

TEST_CASE("a profile is found by its name, or else as a file") {
    const std::string path = (std::filesystem::temp_directory_path() / "tutti-found-profile.json").string();
    MachineModel profile = published("graviton2");
    profile.name = "another";
    std::ofstream(path) << to_text(profile);
    CHECK(find_line_profile(path) == profile);
    std::filesystem::remove(path);
    CHECK_THROWS_WITH_AS(find_line_profile(path), doctest::Contains("there are: epyc-7742-2s, epyc-7773x"),
                         std::invalid_argument);
}
