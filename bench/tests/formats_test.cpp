// Results in the formats of other tools, and files of traces.
#include "bench/tests/command.hpp"
#include "record/timeline.hpp"
#include "report/formats.hpp"
#include "report/timeline_file.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::bench;
using namespace tutti::test;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;
using tutti::trace::Span;
using tutti::trace::SpanKind;
using tutti::trace::Timeline;

namespace {

Point format_point(Collective collective, std::size_t bytes, bool in_place, double us) {
    Point point;
    point.provider = "tutti";
    point.problem = make_problem(collective, Type::f32, Operator::max, 4, bytes, in_place);
    point.samples_us = {us, us + 1, us - 1};
    point.time_us = summarise(point.samples_us);
    return point;
}

std::vector<std::string> words_of_line(const std::string& line) {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
        words.push_back(word);
    }
    return words;
}

/// The results as readers of nccl-tests find them: lines of 13 words that begin with a size.
std::vector<std::vector<std::string>> results_in(const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::vector<std::string>> results;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('#')) {
            results.push_back(words_of_line(line));
        }
    }
    return results;
}

using Words = std::vector<std::string>;

constexpr const char* span_line =
    R"({"group":"g","rank":0,"thread":7,"kind":"wait","name":"wait","begin_ns":1,"end_ns":2,"peer":1,"bytes":0,"number":3})";

/// The line with another text in the place of one.
std::string changed(const std::string& from, const std::string& to) {
    std::string text = span_line;
    return text.replace(text.find(from), from.size(), to);
}

std::string rejection_of(const std::string& text) {
    return message_of([&] { parse_timelines(text); });
}

} // namespace

TEST_CASE("points have the columns of nccl-tests, separate and in place") {
    const std::vector points{format_point(Collective::allreduce, 4'000'000, false, 100),
                             format_point(Collective::allreduce, 4'000'000, true, 80),
                             format_point(Collective::allreduce, 8'000'000, false, 1e8),
                             format_point(Collective::allgather, 4'000'000, true, 12345.678),
                             format_point(Collective::broadcast, 400, true, 2),
                             format_point(Collective::barrier, 0, false, 1)};
    const std::string text = nccl_text(points, true);
    CAPTURE(text);
    const auto results = results_in(text);
    REQUIRE(results.size() == 5);
    CHECK(results[0] == Words{"4000000", "1000000", "float", "max", "-1", "100.00", "40.00", "60.00", "0",
                              "80.00", "50.00", "75.00", "0"});
    CHECK(results[1] == Words{"8000000", "2000000", "float", "max", "-1", "1e+08", "0.00", "0.00", "0", "N/A",
                              "N/A", "N/A", "N/A"});
    CHECK(results[2] == Words{"4000000", "250000", "float", "none", "-1", "N/A", "N/A", "N/A", "N/A",
                              "12345.7", "0.32", "0.24", "0"});
    CHECK(results[3] == Words{"400", "100", "float", "none", "0", "2.00", "0.20", "0.20", "0", "2.00", "0.20",
                              "0.20", "0"});
    CHECK(results[4] ==
          Words{"0", "0", "float", "none", "-1", "1.00", "0.00", "0.00", "0", "N/A", "N/A", "N/A", "N/A"});
    CHECK(mentions(text, "# Avg bus bandwidth    : 45\n"));
    CHECK(mentions(text, "# Out of bounds values : 0 OK\n"));
    CHECK(results_in(nccl_text(points, false))[0][8] == "N/A");
}

TEST_CASE("what was wrong fails in the columns of nccl-tests") {
    Point point = format_point(Collective::reduce, 400, false, 2);
    point.wrong = 7;
    const std::string text = nccl_text(std::vector{point}, true);
    CHECK(results_in(text)[0][8] == "7");
    CHECK(mentions(text, "# Out of bounds values : 7 FAILED\n"));
}

TEST_CASE("points are what compare.py of Google Benchmark reads") {
    const std::vector points{format_point(Collective::allreduce, 4000, false, 100),
                             format_point(Collective::allreduce, 4000, true, 80),
                             format_point(Collective::barrier, 0, false, 1)};
    const auto json =
        nlohmann::json::parse(benchmark_text(detect_environment(), points, "2025-01-01T00:00:00+00:00"));
    CHECK(json.at("context").at("date") == "2025-01-01T00:00:00+00:00");
    CHECK(json.at("context").at("num_cpus").get<int>() > 0);
    const nlohmann::json& all = json.at("benchmarks");
    CHECK(all.size() == 3 * 4);
    std::set<std::string> names;
    for (const nlohmann::json& each : all) {
        CHECK(each.at("time_unit") == "ns");
        CHECK(each.at("cpu_time") == each.at("real_time"));
        CHECK(each.at("repetitions") == 3);
        names.insert(each.at("name").get<std::string>());
    }
    // A name and that of its median for each point.
    CHECK(names.size() == 3 * 2);
    CHECK(all[1].at("name") == "allreduce/f32/max/bytes:4000/members:4/tutti/auto");
    CHECK(all[1].at("run_type") == "iteration");
    CHECK(all[1].at("repetition_index") == 1);
    CHECK(all[1].at("real_time") == 101000);
    CHECK(all[3].at("run_type") == "aggregate");
    CHECK(all[3].at("aggregate_name") == "median");
    CHECK(all[3].at("real_time") == 100000);
    CHECK(all[3].at("bytes_per_second").get<double>() == doctest::Approx(4e7));
    CHECK_FALSE(all[11].contains("bytes_per_second"));
}

TEST_CASE("timelines are read as they were written") {
    const Span operation{0,         100, SpanKind::operation, "allreduce (algorithm \"<direct>\")", -1,
                         1U << 20U, 17};
    const Span step{10, 90, SpanKind::step, "combine", 1, 4096, 17};
    const Span wait{20, 30, SpanKind::wait, "wait", 0, 0, 17};
    const std::vector<Timeline> written{
        {"group 1 of 2 members", {{0, 4711, {operation, step}}, {1, 4712, {operation, step, wait}}}},
        {"group 2 of 1 members", {{0, 4711, {operation}}}}};
    const std::string text = json_lines(written);
    const std::vector<Timeline> read = parse_timelines(text);
    REQUIRE(read.size() == 2);
    CHECK(read[1].name == "group 2 of 1 members");
    REQUIRE(read[0].lanes.size() == 2);
    CHECK(read[0].lanes[1].thread == 4712);
    REQUIRE(read[0].lanes[1].spans.size() == 3);
    CHECK(read[0].lanes[1].spans[2].peer == 0);
    CHECK(read[0].lanes[1].spans[0].bytes == 1U << 20U);
    CHECK(json_lines(read) == text);
}

TEST_CASE("what was in flight is read in the order in which it began") {
    const Span one{10, 30, SpanKind::started, "barrier (algorithm tree)", -1, 0, 1};
    const Span other{20, 25, SpanKind::prepared, "barrier (algorithm tree)", -1, 0, 1};
    const Timeline written{"g", {{0, 7, {}, {other, one}}}};
    const std::vector<Timeline> read = parse_timelines(json_lines(std::vector{written}));
    CHECK(read[0].lanes[0].spans.empty());
    REQUIRE(read[0].lanes[0].flights.size() == 2);
    CHECK(read[0].lanes[0].flights[0].kind == SpanKind::started);
    CHECK(read[0].lanes[0].flights[1].kind == SpanKind::prepared);
}

TEST_CASE("a damaged line is named, with what is wrong with it") {
    CHECK(rejection_of(span_line).empty());
    CHECK(rejection_of("") == "there is no span in it");
    const std::string good = std::string(span_line) + "\n";
    CHECK(rejection_of(good + "{\"group\":") == "line 2: it is no object of JSON");
    CHECK(rejection_of(good + "7") == "line 2: it is no object of JSON");
    CHECK(rejection_of(changed("\"bytes\":0,", "")).find("line 1: a key of a span is missing") == 0);
    CHECK(rejection_of(changed("\"g\"", "1")).find("line 1: a key of a span is missing") == 0);
    CHECK(rejection_of(changed("\"wait\"", "\"nap\"")) ==
          "line 1: its kind \"nap\" is none of operation, step, wait, started, prepared");
    CHECK(rejection_of(changed("\"end_ns\":2", "\"end_ns\":0")) == "line 1: it ends before it begins");
    CHECK(rejection_of(changed("\"end_ns\":2", "\"end_ns\":2.5")) == "line 1: its end_ns is no such number");
    CHECK(rejection_of(changed("\"rank\":0", "\"rank\":-1")) == "line 1: its rank is no such number");
    CHECK(rejection_of(changed("\"peer\":1", "\"peer\":4294967297")) == "line 1: its peer is no such number");
    CHECK_THROWS_AS(read_timelines("/nowhere.jsonl"), std::invalid_argument);
}
