// The valid and invalid contents of a machine model's file.
#include "../../test.hpp"
#include "survey/profile_json.hpp"

using namespace tutti;
using namespace tutti::laboratory;
using distance::Class;

namespace {

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

std::string text() {
    return to_text(made());
}

/// The text with `what` replaced, once.
std::string with(const std::string& what, const std::string& instead) {
    std::string changed = text();
    const std::size_t at = changed.find(what);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, what.size(), instead);
}

std::string refusal(const std::string& of) {
    return test::message_of([&] { parse_line_profile(of); });
}

} // namespace

TEST_CASE("what is written is read as it was") {
    CHECK(parse_line_profile(text()) == made());
}

TEST_CASE("a profile that is cut off anywhere, or has a byte too many, is refused") {
    const std::string whole = text();
    for (std::size_t bytes = 0; bytes + 1 < whole.size(); ++bytes) {
        REQUIRE(refusal(whole.substr(0, bytes)) == "it is no JSON, or cut off");
    }
    CHECK(refusal(whole + "}") == "it is no JSON, or cut off");
    CHECK(refusal("[]") == "it is no object");
    CHECK(refusal(std::string(most_profile_bytes + 1, ' ')) == "it is longer than 65536 bytes");
    CHECK(refusal(std::string(most_profile_bytes, '[')) == "it is no JSON, or cut off");
}

TEST_CASE("what is missing, unknown or twice there is refused by its name") {
    CHECK(refusal("{}") == "\"format\" is missing");
    CHECK(refusal(with("profile 2", "profile 3")) ==
          "its format is \"tutti-line-profile 3\", this tutti reads \"tutti-line-profile 2\"");
    CHECK(refusal(with("\"name\"", "\"nome\"")) == "\"nome\" is unknown in \"the file\"");
    CHECK(refusal(with("\"name\": ", "\"topology\": ")) == "\"topology\" is there twice");
    CHECK(refusal(with("\"core.flag\"", "\"core.flog\"")) ==
          "\"core.flog\" is no number of a profile with these classes");
    CHECK(refusal(with("\"call\": {\"ns\": 18.125, \"source\": \"timed\"}", "\"core.flag\": 1")) ==
          "\"core.flag\" is there twice");
    CHECK(refusal(with(",\n\"call\": {\"ns\": 18.125, \"source\": \"timed\"}", "")) == "\"call\" is missing");
    CHECK(refusal(with("[\"core\"]", "[\"core\", \"l3\"]")) == "\"l3.one-way.min\" is missing");
    CHECK(refusal(with("[\"core\"]", "[\"far\"]")) == "\"far\" is no class of distances");
    CHECK(refusal(with("\"source\": \"timed\"", "\"source\": \"nobody\"")) ==
          "the source \"nobody\" of \"call\" is none of \"sources\"");
    CHECK(refusal(with("\"measured\"", "\"dreamt\"")) == "\"dreamt\" is no origin");
    CHECK(refusal(with("\"text\": \"by hand\"", "\"txt\": \"by hand\"")) ==
          "\"txt\" is unknown in \"timed\"");
    CHECK(refusal(with(", \"text\": \"by hand\"", "")) == "\"text\" is missing");
}

TEST_CASE("numbers that cannot be and numbers of another unit are refused by their names") {
    const std::string flag = "\"core.flag\": {\"ns\": 5.125";
    CHECK(refusal(with(flag, "\"core.flag\": {\"ns\": -1")).starts_with("\"core.flag\" cannot be"));
    CHECK(refusal(with(flag, "\"core.flag\": {\"ns\": 1e7")).starts_with("\"core.flag\" cannot be"));
    CHECK(refusal(with(flag, "\"core.flag\": {\"ns\": 1e999")) == "it is no JSON, or cut off");
    CHECK(refusal(with(flag, "\"core.flag\": {\"ns\": \"5\"")) == "\"core.flag\" is no number");
    CHECK(refusal(with(flag, "\"core.flag\": {\"GB/s\": 5")) == "\"GB/s\" is unknown in \"core.flag\"");
    CHECK(refusal(with("{\"ns\": 1.125", "{\"ns\": 0.1")) == "\"core.one-way.min\" is above the median");
    CHECK(refusal(with("by hand", "by\\u0007hand")) ==
          "\"text\" is no text of at most 1000 printable characters");
    CHECK(refusal(with("\"core:1 pu:2\"", "7")) == "\"topology\" is no text");
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
    CHECK_FALSE(parse_measured_profile(text()).pairs);

    const auto refused = [&](const std::string& what, const std::string& instead) {
        std::string changed = whole;
        REQUIRE(changed.find(what) != std::string::npos);
        return refusal(changed.replace(changed.find(what), what.size(), instead));
    };
    CHECK(refused("[31.25]", "[]") == "row 1 of \"pairs\" has not 1 numbers");
    CHECK(refused("[31.25]", "[-1]") == "row 1 of \"pairs\" has what is no time");
    CHECK(refused("[31.25]", "[\"far\"]") == "row 1 of \"pairs\" has what is no time");
    CHECK(refused("[0, 2, 1]", "[0, 2]") == "\"pairs\" has not a row for each of at least two CPUs");
    CHECK(refused("[0, 2, 1]", "[0, 2, -1]") == "\"cpus\" has what is no CPU");
    CHECK(refused("[0, 2, 1]", "[0, 2, 0.5]") == "\"cpus\" has what is no CPU");
    CHECK(refused("\"cpus\"", "\"cups\"") == "\"cups\" is unknown in \"pairs\"");
}

TEST_CASE("a file that cannot be read is named") {
    CHECK_THROWS_WITH_AS(read_line_profile("/none.json"), "/none.json: No such file or directory",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(read_line_profile("/dev/null"), "/dev/null: it is not a regular file",
                         std::invalid_argument);
}
