#include "page/findings.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace tutti::viewer {

namespace {

using trace::Span;
using trace::SpanKind;

constexpr double us_per_ns = 1e-3;

std::string format_ns(std::int64_t ns) {
    return bench::format_us(static_cast<double>(ns) * us_per_ns);
}

/// The members' actions in one operation.
struct Operation {
    struct Member {
        int rank = 0;
        std::int64_t begin_ns = 0;
        std::int64_t end_ns = 0;
        std::vector<const Span*> waits = {};
    };

    std::vector<Member> members = {};

    /// Null if nothing was kept of it.
    const Member* find(int rank) const {
        const auto found = std::ranges::find(members, rank, &Member::rank);
        return found == members.end() ? nullptr : &*found;
    }
};

std::map<std::uint64_t, Operation> operations_in(const trace::Timeline& timeline) {
    std::map<std::uint64_t, Operation> operations;
    for (const trace::Lane& lane : timeline.lanes) {
        Operation::Member* member = nullptr;
        for (const Span& span : lane.spans) {
            if (span.kind == SpanKind::operation) {
                member = &operations[span.number].members.emplace_back(
                    Operation::Member{lane.rank, span.begin_ns, span.end_ns});
            } else if (span.kind == SpanKind::wait && member != nullptr && span.end_ns <= member->end_ns) {
                member->waits.push_back(&span);
            }
        }
    }
    return operations;
}

CriticalPath path_through(std::uint64_t number, const Operation& operation) {
    CriticalPath path{.number = number};
    const Operation::Member* member =
        &*std::ranges::max_element(operation.members, {}, &Operation::Member::end_ns);
    std::int64_t now = member->end_ns;
    // Members may have seen each other at the same time: the path does not come back at once to a member that
    // it has left.
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    while (true) {
        const auto last =
            std::ranges::find_if(member->waits.rbegin(), member->waits.rend(), [&](const Span* wait) {
                return wait->end_ns <= now && wait->end_ns < before && operation.find(wait->peer) != nullptr;
            });
        if (last == member->waits.rend()) {
            break;
        }
        path.parts.push_back({member->rank, (*last)->end_ns, std::min(now, member->end_ns)});
        before = now = (*last)->end_ns;
        member = operation.find((*last)->peer);
    }
    path.parts.push_back({member->rank, std::min(member->begin_ns, now), std::min(now, member->end_ns)});
    std::ranges::reverse(path.parts);
    std::vector<std::int64_t> begins;
    std::ranges::transform(operation.members, std::back_inserter(begins), &Operation::Member::begin_ns);
    const auto middle = begins.begin() + static_cast<std::ptrdiff_t>((begins.size() - 1) / 2);
    std::ranges::nth_element(begins, middle);
    path.late_ns = std::max<std::int64_t>(member->begin_ns - *middle, 0);
    return path;
}

/// Times of a member.
struct Sum {
    int member = -1;
    std::int64_t ns = 0;
    /// How many there are in it that are not 0.
    std::int64_t count = 0;

    std::int64_t mean_ns() const { return count == 0 ? 0 : ns / count; }
};

/// The sum of all, and whose is the most.
struct Sums {
    std::map<int, Sum> of_member = {};
    std::int64_t all = 0;

    void add(int member, std::int64_t ns) {
        Sum& sum = of_member[member];
        sum.member = member;
        sum.ns += ns;
        sum.count += ns > 0 ? 1 : 0;
        all += ns;
    }
    Sum most() const {
        const auto most =
            std::ranges::max_element(of_member, {}, [](const auto& each) { return each.second.ns; });
        return most == of_member.end() ? Sum{} : most->second;
    }
};

double percent(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// The contents and the length of a timeline.
struct Extent {
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
    /// The sums over members of their time in operations and in waits for requests, and of that in waits.
    std::int64_t inside_ns = 0;
    std::int64_t waited_ns = 0;
    /// The outstanding requests of the member that has had the most of them.
    std::size_t requests = 0;
    /// The name of an operation, if there is one.
    std::string name;

    void include(const Span& span) {
        const std::int64_t ns = span.end_ns - span.begin_ns;
        const bool is_for_request = span.name == trace::request_wait;
        if (span.kind == SpanKind::operation || is_in_flight(span.kind) || is_for_request) {
            first_ns = std::min(first_ns, span.begin_ns);
            last_ns = std::max(last_ns, span.end_ns);
        }
        inside_ns += span.kind == SpanKind::operation || is_for_request ? ns : 0;
        waited_ns += span.kind == SpanKind::wait ? ns : 0;
        if (span.kind == SpanKind::operation) {
            name = span.name;
        }
    }
};

Extent extent_of(const trace::Timeline& timeline) {
    Extent extent;
    for (const trace::Lane& lane : timeline.lanes) {
        for (const auto* spans : {&lane.spans, &lane.flights}) {
            std::ranges::for_each(*spans, [&](const Span& span) { extent.include(span); });
        }
        extent.requests = std::max(extent.requests, lane.flights.size());
    }
    return extent;
}

std::string what_is_in(const Extent& extent, std::size_t operations) {
    if (extent.requests == 0) {
        return operations == 1 ? extent.name : bench::counted(operations, "operation");
    }
    const std::string requests = bench::counted(extent.requests, "request");
    return operations == 0 ? requests : bench::counted(operations, "operation") + " and " + requests;
}

/// Starts of requests for which another member was waiting by then: how long at most, of each. Those that are
/// prepared may be started again under their number, so a start is known by its time.
Sums late_starts(const trace::Timeline& timeline) {
    std::map<std::pair<int, std::int64_t>, std::int64_t> waited;
    for (const trace::Lane& lane : timeline.lanes) {
        for (const Span& wait : lane.spans) {
            const auto peer = std::ranges::find(timeline.lanes, wait.peer, &trace::Lane::rank);
            if (wait.name != trace::request_wait || peer == timeline.lanes.end()) {
                continue;
            }
            for (const Span& flight : peer->flights) {
                if (flight.number == wait.number && flight.begin_ns > wait.begin_ns &&
                    flight.begin_ns <= wait.end_ns) {
                    std::int64_t& ns = waited[{peer->rank, flight.begin_ns}];
                    ns = std::max(ns, flight.begin_ns - wait.begin_ns);
                }
            }
        }
    }
    Sums late;
    for (const auto& [start, ns] : waited) {
        late.add(start.first, ns);
    }
    return late;
}

/// Whether that is more than how members come by chance, and than what clocks and cache lines take.
bool is_late(const Sum& late, const Extent& extent, std::size_t members) {
    constexpr double least_percent = 10;
    constexpr std::int64_t least_ns = 1000;
    return late.mean_ns() >= least_ns &&
           percent(late.ns, extent.inside_ns / static_cast<std::int64_t>(members)) >= least_percent;
}

/// "60.00 us after the median member", of several operations "5.200 ms after ... on average, in 10 of 12
/// operations".
std::string how_late(const Sum& late, std::size_t members, std::size_t operations) {
    const std::string text =
        fmt::format("{} after the {} member", format_ns(late.mean_ns()), members == 2 ? "other" : "median");
    return operations == 1
               ? text
               : fmt::format("{} on average, in {} of {} operations", text, late.count, operations);
}

} // namespace

std::vector<CriticalPath> critical_paths(const trace::Timeline& timeline) {
    std::vector<CriticalPath> paths;
    for (const auto& [number, operation] : operations_in(timeline)) {
        paths.push_back(path_through(number, operation));
    }
    return paths;
}

std::vector<Finding> timeline_findings(const trace::Timeline& timeline,
                                       const std::vector<CriticalPath>& paths) {
    const Extent extent = extent_of(timeline);
    if (extent.last_ns <= extent.first_ns) {
        return {{Tone::note, fmt::format("{}: no operation takes any time in it", timeline.name)}};
    }
    const std::string whole =
        fmt::format("{}: {} among {} members, {} from the first entry to the last exit; {:.0f} % of the "
                    "members' time in it is waiting",
                    timeline.name, what_is_in(extent, paths.size()), timeline.lanes.size(),
                    format_ns(extent.last_ns - extent.first_ns), percent(extent.waited_ns, extent.inside_ns));
    const std::size_t members = timeline.lanes.size();
    if (const Sum starts = late_starts(timeline).most(); is_late(starts, extent, members)) {
        return {{Tone::warning,
                 fmt::format("{}. Member {} is waited for: it starts {} while others wait for it, {} after "
                             "these on average",
                             whole, starts.member,
                             bench::counted(static_cast<std::size_t>(starts.count), "request"),
                             format_ns(starts.mean_ns()))}};
    }
    if (paths.empty()) {
        return {{Tone::note, whole}};
    }
    Sums late;
    Sums on_path;
    for (const CriticalPath& path : paths) {
        late.add(path.parts.front().rank, path.late_ns);
        for (const PathPart& part : path.parts) {
            on_path.add(part.rank, part.end_ns - part.begin_ns);
        }
    }
    if (const Sum latest = late.most(); is_late(latest, extent, members)) {
        return {{Tone::warning, fmt::format("{}. Member {} is waited for: it comes {}", whole, latest.member,
                                            how_late(latest, members, paths.size()))}};
    }
    const Sum busy = on_path.most();
    return {{Tone::note, fmt::format("{}. Nobody comes late; {:.0f} % of the critical path is in member {}",
                                     whole, percent(busy.ns, on_path.all), busy.member)}};
}

} // namespace tutti::viewer
