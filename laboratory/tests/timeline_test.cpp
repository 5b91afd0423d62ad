// The members' actions in time in a simulated operation.
#include "algorithm/registry.hpp"
#include "laboratory/tests/two_sockets.hpp"
#include "record/timeline.hpp"
#include "simulate/predictor.hpp"
#include "tests/test.hpp"

using namespace tutti;
using schedule::Protocol;
using simulate::Predictor;
using trace::Span;
using trace::SpanKind;

namespace {

std::vector<Span> of_kind(const trace::Lane& lane, SpanKind kind) {
    std::vector<Span> spans;
    std::ranges::copy_if(lane.spans, std::back_inserter(spans),
                         [&](const Span& span) { return span.kind == kind; });
    return spans;
}

std::int64_t ns_in(const std::vector<Span>& spans) {
    std::int64_t sum = 0;
    for (const Span& span : spans) {
        sum += span.end_ns - span.begin_ns;
    }
    return sum;
}

/// Steps follow each other from the beginning of the operation to its end, and waits each other in a step.
void check_nested(const trace::Lane& lane) {
    const Span& operation = lane.spans.front();
    CHECK(operation.kind == SpanKind::operation);
    std::int64_t step_end = operation.begin_ns;
    std::int64_t wait_end = operation.begin_ns;
    for (const Span& span : lane.spans) {
        CHECK(span.number == 1);
        CHECK(span.begin_ns <= span.end_ns);
        if (span.kind == SpanKind::step) {
            CHECK(span.begin_ns == step_end);
            step_end = span.end_ns;
        } else if (span.kind == SpanKind::wait) {
            CHECK(span.begin_ns >= wait_end);
            CHECK(span.end_ns <= step_end);
            CHECK(span.peer != lane.rank);
            wait_end = span.end_ns;
        }
    }
    CHECK(step_end == operation.end_ns);
    CHECK(ns_in(of_kind(lane, SpanKind::step)) == operation.end_ns - operation.begin_ns);
}

} // namespace

TEST_CASE("the steps of a member take its time, of every algorithm in every form") {
    const distance::MachineModel profile = two_sockets();
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!takes(row, 8)) {
            continue;
        }
        CAPTURE(row.name);
        Predictor predictor(row.make(8, detail::traits_of(row.collective).example_number(8)), profile,
                            in_sockets({0, 0, 0, 0, 1, 1, 1, 1}));
        const simulate::Vector vector{.elements = 8 * 100, .element_bytes = 8};
        for (const auto& [protocol, has] : {std::pair(Protocol::eager, row.protocols.eager),
                                            std::pair(Protocol::zero_copy, row.protocols.pulled)}) {
            if (!has) {
                continue;
            }
            const simulate::Handling handling{.staged = protocol == Protocol::eager, .touched_bytes = 0};
            const double ns = predictor.ns(vector, protocol, handling);
            const trace::Timeline timeline = predictor.timeline(vector, protocol, handling, "call");
            REQUIRE(timeline.lanes.size() == 8);
            std::int64_t last = 0;
            for (const trace::Lane& lane : timeline.lanes) {
                check_nested(lane);
                CHECK(lane.spans.front().bytes == vector.elements * vector.element_bytes);
                last = std::max(last, lane.spans.front().end_ns);
            }
            CHECK(last == std::llround(ns));
            CHECK(predictor.ns(vector, protocol, handling) == ns);
        }
    }
}

TEST_CASE("a timeline says what is moved, and who is waited for") {
    distance::MachineModel profile = two_sockets();
    profile.name = "two-sockets";
    const algorithm::Algorithm& row = *algorithm::find(Collective::broadcast, "flat");
    Predictor predictor(row.make(2, 0), profile, in_sockets({0, 0}));
    const trace::Timeline timeline =
        predictor.timeline({.elements = 6400, .element_bytes = 1}, Protocol::in_place,
                           {.staged = false, .touched_bytes = 0}, "broadcast (algorithm flat)");
    CHECK(timeline.name == "predicted on two-sockets");
    // It enters, waits for the root to be seen there, and reads a hundred lines.
    const trace::Lane& reader = timeline.lanes[1];
    CHECK(reader.spans.front().name == "broadcast (algorithm flat)");
    const std::vector<Span> steps = of_kind(reader, SpanKind::step);
    const auto copy = std::ranges::find(steps, "copy", &Span::name);
    REQUIRE(copy != steps.end());
    CHECK(copy->peer == 0);
    CHECK(copy->bytes == 6400);
    CHECK(copy->begin_ns == entering + near);
    CHECK(copy->end_ns == entering + near + 50 + 100 * 4);
    const std::vector<Span> waits = of_kind(reader, SpanKind::wait);
    REQUIRE(waits.size() == 1);
    CHECK(waits[0].peer == 0);
    CHECK(waits[0].begin_ns == entering);
    CHECK(waits[0].end_ns == entering + near);
    // The root waits until it is read, and moves nothing.
    const std::vector<Span> of_root = of_kind(timeline.lanes[0], SpanKind::wait);
    REQUIRE(of_root.size() == 1);
    CHECK(of_root[0].peer == 1);
    CHECK(of_root[0].end_ns == entering + near + 50 + 100 * 4 + near);
    CHECK(std::ranges::none_of(timeline.lanes[0].spans,
                               [](const Span& span) { return span.name == "copy" || span.peer > 1; }));
}

TEST_CASE("flags that are there already are looked at, and not waited for") {
    const distance::MachineModel profile = two_sockets();
    const algorithm::Algorithm& row = *algorithm::find(Collective::reduce, "flat");
    Predictor predictor(row.make(4, 0), profile, in_sockets({0, 0, 0, 0}));
    const trace::Timeline timeline = predictor.timeline({.elements = 8, .element_bytes = 1}, Protocol::eager,
                                                        {.staged = false, .touched_bytes = 0}, "reduce");
    const std::vector<Span> waits = of_kind(timeline.lanes[0], SpanKind::wait);
    REQUIRE(waits.size() == 1);
    CHECK(waits[0].peer == 1);
    CHECK(ns_in(waits) == near);
}
