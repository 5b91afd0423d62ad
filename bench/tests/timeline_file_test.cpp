// Files of traces.
#include "bench/tests/command.hpp"
#include "record/timeline.hpp"
#include "report/results_file.hpp"

using namespace tutti::bench;
using namespace tutti::test;
using tutti::trace::Span;
using tutti::trace::SpanKind;
using tutti::trace::Timeline;

namespace {

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

TEST_CASE("timelines are read as they were written") {
    const Span operation{0,         100, SpanKind::operation, "allreduce (algorithm \"<direct>\")", -1,
                         1U << 20U, 17};
    const Span step{10, 90, SpanKind::step, "combine", 1, 4096, 17};
    const Span wait{20, 30, SpanKind::wait, "wait", 0, 0, 17};
    const std::vector<Timeline> written{
        {"group 1 of 2 members", {{0, 4711, {operation, step}}, {1, 4712, {operation, step, wait}}}},
        {"group 2 of 1 members", {{0, 4711, {operation}}}}};
    const std::string text = json_lines(written);
    CHECK(json_lines(parse_timelines(text)) == text);
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
