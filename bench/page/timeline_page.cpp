#include "page/timeline_page.hpp"

#include "page/embed.hpp"
#include "page/shell.hpp"
#include "page/timeline_findings.hpp"

#include <tutti/version.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace tutti::bench {

namespace {

using nlohmann::ordered_json;

/// Names are told once, spans are [kind, name, begin, end, peer, bytes, number], with times in ns.
ordered_json lanes_of(const trace::Timeline& timeline, std::vector<std::string>& names) {
    ordered_json lanes = ordered_json::array();
    for (const trace::Lane& lane : timeline.lanes) {
        ordered_json spans = ordered_json::array();
        for (const trace::Span& span : lane.spans) {
            const auto found = std::ranges::find(names, span.name);
            const std::ptrdiff_t name = found - names.begin();
            if (found == names.end()) {
                names.push_back(span.name);
            }
            spans.push_back({static_cast<int>(span.kind), name, span.begin_ns, span.end_ns, span.peer,
                             span.bytes, span.number});
        }
        lanes.push_back({{"rank", lane.rank}, {"thread", lane.thread}, {"spans", spans}});
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
    return {{"name", timeline.name}, {"names", names}, {"lanes", lanes}, {"paths", listed_paths}};
}

} // namespace

std::string timeline_page(std::span<const trace::Timeline> timelines) {
    ordered_json all = ordered_json::array();
    std::vector<Finding> findings;
    for (const trace::Timeline& timeline : timelines) {
        const std::vector<CriticalPath> paths = critical_paths(timeline);
        std::ranges::copy(timeline_findings(timeline, paths), std::back_inserter(findings));
        all.push_back(made(timeline, paths));
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

} // namespace tutti::bench
