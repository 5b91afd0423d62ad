#include "page/findings.hpp"
#include "tests/test.hpp"

using namespace tutti;
using namespace tutti::viewer;
using test::mentions;
using trace::Lane;
using trace::Span;
using trace::SpanKind;
using trace::Timeline;

namespace {

/// A member from when it comes until it leaves, with the waits in that.
Lane lane(int rank, std::int64_t begin, std::int64_t end, const std::vector<Span>& waits) {
    Lane lane{rank, 0, {{begin, end, SpanKind::operation, "barrier (algorithm tree)", -1, 0, 1}}};
    lane.spans.insert(lane.spans.end(), waits.begin(), waits.end());
    return lane;
}

Span wait(std::int64_t begin, std::int64_t end, int peer) {
    return {begin, end, SpanKind::wait, "wait", peer, 0, 1};
}

std::string text_of(const Timeline& timeline) {
    return lines_of(timeline_findings(timeline, critical_paths(timeline)));
}

} // namespace

TEST_CASE("who comes late is named, and not who waits for it and lets others wait") {
    // Members 0, 1 and 2 wait for 3, which waits for 4, which comes late.
    const Timeline timeline{"made up",
                            {lane(0, 0, 1020, {wait(5, 1015, 3)}), lane(1, 0, 1030, {wait(5, 1015, 3)}),
                             lane(2, 0, 1020, {wait(5, 1015, 3)}), lane(3, 0, 1020, {wait(5, 1008, 4)}),
                             lane(4, 1000, 1020, {})}};
    const std::vector<CriticalPath> paths = critical_paths(timeline);
    REQUIRE(paths.size() == 1);
    CHECK(paths[0].late_ns == 1000);
    const std::vector<PathPart>& parts = paths[0].parts;
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].rank == 4);
    CHECK(parts[0].begin_ns == 1000);
    CHECK(parts[1].rank == 3);
    CHECK(parts[2].rank == 1);
    CHECK(parts[2].begin_ns == 1015);
    CHECK(parts[2].end_ns == 1030);
    CHECK(text_of(timeline) ==
          "! made up: barrier (algorithm tree) among 5 members, 1.030 us from the first entry to the last "
          "exit; "
          "98 % of the members' time in it is waiting. Member 4 is waited for: it comes 1.000 us after the "
          "median member\n");
}

TEST_CASE("where nobody comes late, it is said in whom most of the critical path is") {
    const Timeline timeline{"made up",
                            {lane(0, 0, 1010, {wait(10, 910, 1)}), lane(1, 0, 1000, {wait(950, 970, 0)})}};
    const std::string text = text_of(timeline);
    CHECK(mentions(text, "46 % of the members' time"));
    CHECK(mentions(text, "Nobody comes late; 90 % of the critical path is in member 1"));
}

TEST_CASE("members that have seen each other at the same time make no endless path") {
    const Timeline timeline{"made up", {lane(0, 0, 20, {wait(1, 10, 1)}), lane(1, 0, 20, {wait(1, 10, 0)})}};
    const std::vector<CriticalPath> paths = critical_paths(timeline);
    REQUIRE(paths.size() == 1);
    CHECK(paths[0].parts.size() == 2);
}

TEST_CASE("who has left is not in the path while another has yet to see what it did") {
    const Timeline timeline{"made up", {lane(0, 0, 10, {}), lane(1, 0, 100, {wait(1, 90, 0)})}};
    const std::vector<PathPart> parts = critical_paths(timeline).front().parts;
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].end_ns == 10);
    CHECK(parts[1].begin_ns == 90);
}

TEST_CASE("requests count, and waits for them are no part of an operation") {
    Timeline timeline{"made up", {lane(0, 0, 100, {}), lane(1, 0, 100, {})}};
    for (Lane& each : timeline.lanes) {
        each.spans.push_back({150, 250, SpanKind::wait, std::string(trace::request_wait), 1, 0, 1});
        each.flights = {{100, 200, SpanKind::started, "barrier (algorithm tree)", -1, 0, 1},
                        {110, 300, SpanKind::prepared, "barrier (algorithm tree)", -1, 0, 1}};
    }
    const std::string text = text_of(timeline);
    CHECK(mentions(text, "1 operation and 2 requests among 2 members, 0.300 us from the first"));
    CHECK(mentions(text, "50 % of the members' time"));
    CHECK(mentions(text, "Nobody comes late"));
    for (Lane& each : timeline.lanes) {
        each.spans.erase(each.spans.begin());
        each.flights.pop_back();
    }
    CHECK(mentions(text_of(timeline), "made up: 1 request among 2 members, 0.150 us"));
}

TEST_CASE("of an operation that is only half in the record there is a path") {
    const Timeline timeline{"made up", {{0, 0, {wait(1, 10, 1)}}, lane(1, 0, 20, {wait(1, 10, 0)})}};
    CHECK(critical_paths(timeline).front().parts.size() == 1);
    CHECK(mentions(text_of({"empty", {}}), "no operation takes any time"));
}

TEST_CASE("nobody is late by what clocks and cache lines take") {
    const Timeline timeline{"made up", {lane(0, 0, 120, {wait(5, 80, 1)}), lane(1, 75, 120, {})}};
    CHECK(mentions(text_of(timeline), "Nobody comes late"));
}

TEST_CASE("of two members one is later than the other, in so many operations, on average") {
    Timeline timeline{"made up", {{0, 0, {}}, {1, 0, {}}}};
    for (std::int64_t number = 1; number <= 4; ++number) {
        const std::int64_t begin = number * 100'000;
        const std::int64_t late = number == 4 ? 0 : number * 10'000;
        const auto add = [&](std::size_t rank, std::int64_t from, std::int64_t until, SpanKind kind) {
            timeline.lanes[rank].spans.push_back(
                {begin + from, begin + until, kind, "wait", 1, 0, static_cast<std::uint64_t>(number)});
        };
        add(0, 0, 50'000, SpanKind::operation);
        add(0, 1, 40'000, SpanKind::wait);
        add(1, late, 50'000, SpanKind::operation);
    }
    CHECK(mentions(text_of(timeline), "Member 1 is waited for: it comes 20.00 us after the other member on "
                                      "average, in 3 of 4 operations"));
}

TEST_CASE("who starts a request late is named by those who wait for it") {
    Timeline timeline{"made up", {{0, 0, {}}, {1, 0, {}}}};
    for (std::int64_t begin = 0; begin < 400'000; begin += 200'000) {
        timeline.lanes[0].flights.push_back({begin, begin + 90'000, SpanKind::prepared, "barrier", -1, 0, 1});
        timeline.lanes[0].spans.push_back(
            {begin + 10'000, begin + 90'000, SpanKind::wait, std::string(trace::request_wait), 1, 0, 1});
        timeline.lanes[1].flights.push_back(
            {begin + 60'000, begin + 90'000, SpanKind::prepared, "barrier", -1, 0, 1});
    }
    CHECK(mentions(text_of(timeline),
                   "Member 1 is waited for: it starts 2 requests while others wait for it, "
                   "50.00 us after these on average"));
}
