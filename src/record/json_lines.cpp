#include "record/json_lines.hpp"

#include "record/json_string.hpp"

namespace tutti::trace {

namespace {

void add_lines(std::string& text, const Timeline& timeline) {
    const auto add = [&](const char* key, const auto& value) {
        text += std::string(",\"") + key + "\":" + std::to_string(value);
    };
    const auto add_span = [&](const Lane& lane, const Span& span) {
        text += "{\"group\":" + json_string(timeline.name);
        add("rank", lane.rank);
        add("thread", lane.thread);
        text += R"(,"kind":")" + std::string(to_string(span.kind)) + R"(","name":)" + json_string(span.name);
        add("begin_ns", span.begin_ns);
        add("end_ns", span.end_ns);
        text += ",\"peer\":" + (span.peer < 0 ? "null" : std::to_string(span.peer));
        add("bytes", span.bytes);
        add("number", span.number);
        text += "}\n";
    };
    for (const Lane& lane : timeline.lanes) {
        for (const auto* spans : {&lane.spans, &lane.flights}) {
            for (const Span& span : *spans) {
                add_span(lane, span);
            }
        }
    }
}

} // namespace

std::string json_lines(std::span<const Timeline> timelines) {
    std::string text;
    for (const Timeline& timeline : timelines) {
        add_lines(text, timeline);
    }
    return text;
}

} // namespace tutti::trace
