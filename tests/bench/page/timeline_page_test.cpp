#include "../../test.hpp"
#include "page/timeline_page.hpp"

using namespace tutti;
using trace::Lane;
using trace::Span;
using trace::SpanKind;
using trace::Timeline;
using viewer::most_spans_of_page;
using viewer::timeline_page;

namespace {

/// Barriers of two members in turns, each with a step and a wait for the other one, late in a long run.
Timeline barriers(std::size_t spans) {
    Timeline timeline{.name = "made up", .lanes = {{.rank = 0}, {.rank = 1}}};
    constexpr std::int64_t late = 10'000'000'000;
    for (std::size_t index = 0; index < spans; ++index) {
        const std::size_t number = index / 6 + 1;
        const auto begin = late + static_cast<std::int64_t>(number * 10'000 + index % 6);
        const auto kind = static_cast<SpanKind>(index % 6 / 2);
        timeline.lanes[index % 2].spans.push_back({.begin_ns = begin,
                                                   .end_ns = begin + 9000,
                                                   .kind = kind,
                                                   .name = kind == SpanKind::operation ? "barrier" : "await",
                                                   .peer = 1 - static_cast<int>(index % 2),
                                                   .bytes = 1'000'000,
                                                   .number = number});
    }
    return timeline;
}

} // namespace

TEST_CASE("a page of many spans keeps the last ones, stays below 2 MB and says so") {
    const std::vector<Timeline> fits{barriers(most_spans_of_page)};
    const std::string whole = timeline_page(fits);
    CHECK(whole.find("this page has the last") == std::string::npos);
    CHECK(whole.size() < 2'000'000);
    const std::vector<Timeline> two{barriers(most_spans_of_page / 2 + 1), barriers(10 * most_spans_of_page)};
    const std::string page = timeline_page(two);
    CHECK(page.size() < 2'000'000);
    CHECK(page.find("made up: this page has the last 12500 of 12501 spans") != std::string::npos);
    CHECK(page.find("made up: this page has the last 12500 of 250000 spans") != std::string::npos);
    CHECK(page.find("," + std::to_string(10 * most_spans_of_page / 6 + 1) + "]") != std::string::npos);
    CHECK(page.find(",10000010000,") == std::string::npos);
}
