#include "page/page.hpp"

#include <tutti/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tutti::viewer {

namespace {

using nlohmann::ordered_json;

/// As [kind, name, begin, end, peer, bytes, number], with times in ns; names are listed once.
ordered_json listed_spans(const std::vector<trace::Span>& spans, std::vector<std::string>& names) {
    ordered_json list = ordered_json::array();
    for (const trace::Span& span : spans) {
        const auto found = std::ranges::find(names, span.name);
        const std::ptrdiff_t name = found - names.begin();
        if (found == names.end()) {
            names.push_back(span.name);
        }
        list.push_back({static_cast<int>(span.kind), name, span.begin_ns, span.end_ns, span.peer, span.bytes,
                        span.number});
    }
    return list;
}

/// The outstanding operations of a member are in rows, in each of which nothing overlaps.
ordered_json lanes_of(const trace::Timeline& timeline, std::vector<std::string>& names) {
    ordered_json lanes = ordered_json::array();
    for (const trace::Lane& lane : timeline.lanes) {
        ordered_json flights = ordered_json::array();
        for (const std::vector<trace::Span>& row : rows_of(lane.flights)) {
            flights.push_back(listed_spans(row, names));
        }
        lanes.push_back({{"rank", lane.rank},
                         {"thread", lane.thread},
                         {"spans", listed_spans(lane.spans, names)},
                         {"flights", flights}});
    }
    return lanes;
}

ordered_json made(const trace::Timeline& timeline, const std::vector<CriticalPath>& paths) {
    ordered_json listed_paths = ordered_json::array();
    for (const CriticalPath& path : paths) {
        ordered_json parts = ordered_json::array();
        for (const PathPart& part : path.parts) {
            parts.push_back({part.rank, part.begin_ns, part.end_ns});
        }
        listed_paths.push_back(parts);
    }
    std::vector<std::string> names;
    ordered_json lanes = lanes_of(timeline, names);
    return {{"name", timeline.name},
            {"kinds", trace::kind_names},
            {"names", names},
            {"lanes", lanes},
            {"paths", listed_paths}};
}

std::size_t spans_in(const trace::Timeline& timeline) {
    std::size_t count = 0;
    for (const trace::Lane& lane : timeline.lanes) {
        count += lane.spans.size() + lane.flights.size();
    }
    return count;
}

/// At most so many spans: those that have begun last.
trace::Timeline latest_of(trace::Timeline timeline, std::size_t most) {
    std::vector<std::int64_t> begins;
    for (const trace::Lane& lane : timeline.lanes) {
        for (const auto* spans : {&lane.spans, &lane.flights}) {
            std::ranges::transform(*spans, std::back_inserter(begins), &trace::Span::begin_ns);
        }
    }
    const auto before = begins.end() - static_cast<std::ptrdiff_t>(most) - 1;
    std::ranges::nth_element(begins, before);
    for (trace::Lane& lane : timeline.lanes) {
        for (auto* spans : {&lane.spans, &lane.flights}) {
            std::erase_if(*spans, [&](const trace::Span& span) { return span.begin_ns <= *before; });
        }
    }
    return timeline;
}

} // namespace

std::string timeline_page(std::span<const trace::Timeline> timelines) {
    ordered_json all = ordered_json::array();
    std::vector<Finding> findings;
    const std::size_t most = most_spans_of_page / std::max<std::size_t>(timelines.size(), 1);
    for (const trace::Timeline& timeline : timelines) {
        const std::size_t spans = spans_in(timeline);
        const bool is_whole = spans <= most;
        const trace::Timeline drawn = is_whole ? timeline : latest_of(timeline, most);
        const std::vector<CriticalPath> paths = critical_paths(drawn);
        std::ranges::copy(timeline_findings(drawn, paths), std::back_inserter(findings));
        if (!is_whole) {
            findings.push_back({Tone::note, fmt::format("{}: this page has the last {} of {} spans",
                                                        timeline.name, spans_in(drawn), spans)});
        }
        all.push_back(made(drawn, paths));
    }
    return filled(
        timeline_shell,
        embedded({{"version", TUTTI_VERSION_STRING}, {"findings", listed(findings)}, {"timelines", all}}));
}

std::string timeline_findings_text(std::span<const trace::Timeline> timelines) {
    std::string text;
    for (const trace::Timeline& timeline : timelines) {
        text += lines_of(timeline_findings(timeline, critical_paths(timeline)));
    }
    return text;
}

} // namespace tutti::viewer
