// The parts that every report has, whatever is in its files.
#include "bench/tests/command.hpp"
#include "page/page.hpp"

#include <nlohmann/json.hpp>

using namespace tutti;
using namespace tutti::test;
using namespace tutti::viewer;

namespace {

Subjects subjects_of(std::vector<bench::Point> points,
                     const nlohmann::json& environment = nlohmann::json::object()) {
    return {.results = {{"a.json",
                         {.environment = bench::text_of(environment),
                          .circumstances = bench::circumstances(environment),
                          .points = std::move(points)}}},
            .profiles = {}};
}

nlohmann::json data_of(const Subjects& subjects) {
    return nlohmann::json::parse(page_data(subjects));
}

/// Waits of two members in turns, late in a long run.
trace::Timeline waits(std::size_t spans) {
    trace::Timeline timeline{.name = "made up", .lanes = {{.rank = 0}, {.rank = 1}}};
    for (std::size_t index = 0; index < spans; ++index) {
        const auto begin = 10'000'000'000 + static_cast<std::int64_t>(index * 2000);
        timeline.lanes[index % 2].spans.push_back({.begin_ns = begin,
                                                   .end_ns = begin + 900,
                                                   .kind = trace::SpanKind::wait,
                                                   .name = "await",
                                                   .peer = 1,
                                                   .bytes = 1'000'000,
                                                   .number = index});
    }
    return timeline;
}

} // namespace

TEST_CASE("a page has all fields of all points") {
    const bench::Point point = point_with(8, {1.25, 2, 3.25});
    const nlohmann::json file = data_of(subjects_of({point}))["files"][0];
    nlohmann::json found;
    for (std::size_t i = 0; i < file["fields"].size(); ++i) {
        found[file["fields"][i].get<std::string>()] = file["rows"][0][i];
    }
    CHECK(found == bench::to_json(point));
}

TEST_CASE("whatever a file says, it ends neither the data nor the script") {
    const std::string evil = "</script><script>alert(1)</script><!--";
    bench::Point point = point_with(8, {1});
    point.algorithm = evil;
    Subjects subjects = subjects_of({point}, {{"machine", {{"model", evil}}}, {"system", "\xff\xfe bytes"}});
    subjects.results[0].name = evil;
    distance::MachineModel profile;
    profile.name = evil;
    profile.sources = {{"none", distance::Origin::estimated, evil}};
    subjects.profiles.push_back({evil, profile, {}});
    const std::string text = page_data(subjects);
    CHECK(text.find('<') == std::string::npos);
    const nlohmann::json data = nlohmann::json::parse(text);
    CHECK(data["files"][0]["name"] == evil);
    CHECK(data["files"][0]["environment"]["machine"]["model"] == evil);
    CHECK(data["profiles"][0]["title"] == evil);
    CHECK(occurrences(page_text(subjects), "</script>") ==
          occurrences(std::string(report_shell), "</script>"));
}

TEST_CASE("a page asks for nothing") {
    const std::string shell = page_text({}) + timeline_page({});
    for (const char* const what : {"<link", "<img", "<iframe", " src=", "@import", "url("}) {
        CAPTURE(what);
        CHECK(shell.find(what) == std::string::npos);
    }
    CHECK(shell.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("thousands of points make no page of more than 2 MB") {
    std::vector<double> samples(256, 123.456789);
    samples[1] = 123.466666;
    bench::Point point = point_with(std::size_t{1} << 26U, samples);
    point.algorithm = "reduce-scatter-allgather";
    point.floor_us = point.loop_us = 1.23456789;
    const std::string page = page_text(subjects_of(std::vector<bench::Point>(5000, point)));
    CHECK(page.size() < 2'000'000);
    CHECK(data_of(subjects_of({point}))["files"][0]["rows"][0].dump().find("123.457,123.467") !=
          std::string::npos);
}

TEST_CASE("further files come with what compare says of them") {
    Subjects subjects = subjects_of({point_with(8, std::vector<double>(64, 1.0)), point_with(16, {1})});
    subjects.results.push_back(
        subjects_of({point_with(32, {1}), point_with(8, std::vector<double>(64, 2.0))}).results[0]);
    subjects.results[1].name = "b.json";
    const nlohmann::json data = data_of(subjects);
    REQUIRE(data["changes"].size() == 1);
    REQUIRE(data["changes"][0]["rows"].size() == 1);
    nlohmann::json row = data["changes"][0]["rows"][0];
    CHECK(row[3].get<double>() < 0.001);
    row.erase(3);
    CHECK(row == nlohmann::json{0, 1, "slower"});
    CHECK(mentions(findings_text(subjects), "! From a.json to b.json: 1 of 1 point of Tutti is slower"));
    subjects.results[0].results.is_complete = false;
    CHECK(findings_text(subjects).starts_with("! The run of a.json was interrupted after 2 points."));
}

TEST_CASE("a profile comes with its pairs, the same both ways, and groups that show in them") {
    Subjects subjects;
    laboratory::Pairs pairs{.cpus = {0, 2, 1, 3}, .one_way_ns = distance::Matrix(4)};
    for (std::size_t one = 0; one < 4; ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            pairs.one_way_ns.set(one, other, one / 2 == other / 2 ? 10 : 100);
        }
    }
    distance::MachineModel profile;
    profile.name = "four";
    profile.sources = {{"timed", distance::Origin::measured, "here"}};
    profile.has[static_cast<std::size_t>(distance::Class::l3)] = true;
    subjects.profiles.push_back({"lines.json", profile, pairs});
    const nlohmann::json made = data_of(subjects)["profiles"][0];
    CHECK(made["one_way_ns"][1] == nlohmann::json{10.0, nullptr, 100.0, 100.0});
    CHECK(made["groups"] == nlohmann::json{{0, 0, 1, 1}});
    CHECK_FALSE(made["levels"][0].contains("one_way"));
    CHECK(made["levels"].at(1)["one_way"][1][1] == "measured");
}

TEST_CASE("a page of many spans keeps the last ones, stays below 2 MB and says so") {
    const std::vector<trace::Timeline> fits{waits(most_spans_of_page)};
    const std::string whole = timeline_page(fits);
    CHECK_FALSE(mentions(whole, "this page has the last"));
    CHECK(whole.size() < 2'000'000);
    const std::vector<trace::Timeline> two{waits(most_spans_of_page / 2 + 1), waits(10 * most_spans_of_page)};
    const std::string page = timeline_page(two);
    CHECK(page.size() < 2'000'000);
    CHECK(mentions(page, "made up: this page has the last 12500 of 12501 spans"));
    CHECK(mentions(page, "made up: this page has the last 12500 of 250000 spans"));
    CHECK(mentions(page, "," + std::to_string(10 * most_spans_of_page - 1) + "]"));
}
