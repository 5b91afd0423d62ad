#include "../test.hpp"
#include "distance/line_profile.hpp"

using namespace tutti::distance;

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

std::string refusal(const MachineModel& profile) {
    return tutti::test::message_of([&] { check(profile); });
}

Number& number(MachineModel& profile, const std::string& name) {
    const auto numbers = numbers_of(profile);
    const auto found = std::ranges::find(numbers, name, &NamedNumber::name);
    REQUIRE(found != numbers.end());
    return *found->number;
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
    CHECK(refusal(profile).empty());
}

TEST_CASE("what a number cannot be is refused by its name") {
    const auto with = [](const char* name, double value) {
        MachineModel profile = profile_with({Class::core, Class::l3});
        number(profile, name).value = value;
        return refusal(profile);
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
    CHECK(refusal(profile) == "\"l3.fetch\" has no source");
}
