// tutti measure: its files, and what it refuses.
#include "../../test.hpp"
#include "machine/machine.hpp"
#include "support.hpp"

#include <unistd.h>

using namespace tutti;
using namespace tutti::test;

namespace {

/// A directory that is removed again.
struct Place {
    Place() : path(std::filesystem::temp_directory_path() / ("tutti-measure-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~Place() { std::filesystem::remove_all(path); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    std::string file(const std::string& name) const { return path / name; }
    std::string text(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(path / name).rdbuf();
        return text.str();
    }

    std::filesystem::path path;
};

} // namespace

TEST_CASE("measure writes a profile and a drawing, and prints what they say") {
    const Place place;
    const Outcome outcome = tutti_command({"measure", "-o", place.file("lines.json"), "--matrix",
                                           place.file("matrix.svg"), "--seconds", "0.2", "-q"});
    // A time of a millisecond instead of nanoseconds is not written.
    if (machine::here().pus.size() < 2 || outcome.says("other programs have disturbed it")) {
        CHECK(outcome.exit_code == 4);
        return;
    }
    CHECK_MESSAGE(outcome.exit_code == 0, outcome.text);
    CHECK(outcome.says("\nmemory          read     written      copied\ncore "));
    CHECK(outcome.says("an allreduce of 8 B between the two nearest cores"));
    CHECK(outcome.says("written to " + place.file("lines.json")));
    CHECK(outcome.says("drawn in " + place.file("matrix.svg")));
    CHECK(place.text("lines.json").starts_with("{\"format\": \"tutti-line-profile 2\",\n"));
    CHECK(place.text("matrix.svg").starts_with("<svg "));
    CHECK(place.text("lines.json").find("\"one-way-ns\": [\n[],\n[") != std::string::npos);
}

TEST_CASE("measure refuses what cannot be, before it measures") {
    const Place place;
    const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
        arguments.insert(arguments.begin(), "measure");
        const Outcome outcome = tutti_command(std::move(arguments));
        CHECK(outcome.exit_code == 2);
        CHECK_MESSAGE(outcome.says(part), outcome.text);
    };
    refused({"-o", place.file("none/lines.json")}, "--output: cannot write");
    refused({"-o", place.file("lines.json"), "--matrix", place.file("none/matrix.svg")},
            "--matrix: cannot write");
    refused({"-o", place.file("lines.json"), "--seconds", "0"}, "--seconds: 0 is not above 0");
    refused({"-o", place.file("lines.json"), "--seconds", "nan"}, "--seconds");
}
