#include "page/timeline_findings.hpp"

#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace tutti::bench {

namespace {

using trace::Kind;
using trace::Span;

constexpr double us_per_ns = 1e-3;

std::string format_ns(std::int64_t ns) {
    return format_us(static_cast<double>(ns) * us_per_ns);
}

/// What the members did in one operation.
struct Operation {
    struct Member {
        int rank = 0;
        std::int64_t begin_ns = 0;
        std::int64_t end_ns = 0;
        std::vector<const Span*> waits = {};
    };

    std::vector<Member> members = {};

    /// Null where nothing was kept of it.
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
            if (span.kind == Kind::operation) {
                member = &operations[span.number].members.emplace_back(
                    Operation::Member{lane.rank, span.begin_ns, span.end_ns});
            } else if (span.kind == Kind::wait && member != nullptr && span.end_ns <= member->end_ns) {
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
    // Members may have seen each other at the same time: who has been left is not come back to at once.
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

/// The sum of all, and whose is the most.
struct Sums {
    std::map<int, std::int64_t> of_member = {};
    std::int64_t all = 0;

    void add(int member, std::int64_t ns) {
        of_member[member] += ns;
        all += ns;
    }
    std::pair<int, std::int64_t> most() const {
        const auto most =
            std::ranges::max_element(of_member, {}, [](const auto& each) { return each.second; });
        return most == of_member.end() ? std::pair(-1, std::int64_t{0})
                                       : std::pair(most->first, most->second);
    }
};

double percent(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
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
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    std::int64_t inside = 0;
    std::string name;
    std::int64_t waited = 0;
    for (const trace::Lane& lane : timeline.lanes) {
        for (const Span& span : lane.spans) {
            const std::int64_t ns = span.end_ns - span.begin_ns;
            if (span.kind == Kind::operation) {
                first = std::min(first, span.begin_ns);
                last = std::max(last, span.end_ns);
                inside += ns;
                name = span.name;
            } else if (span.kind == Kind::wait) {
                waited += ns;
            }
        }
    }
    if (inside == 0) {
        return {{Tone::note, fmt::format("{}: no operation takes any time in it", timeline.name)}};
    }
    const std::string whole = fmt::format(
        "{}: {} among {} members, {} from the first entry to the last exit; {:.0f} % of the members' time in "
        "it is waiting",
        timeline.name, paths.size() == 1 ? name : fmt::format("{} operations", paths.size()),
        timeline.lanes.size(), format_ns(last - first), percent(waited, inside));
    Sums late;
    Sums on_path;
    for (const CriticalPath& path : paths) {
        late.add(path.parts.front().rank, path.late_ns);
        for (const PathPart& part : path.parts) {
            on_path.add(part.rank, part.end_ns - part.begin_ns);
        }
    }
    // Less than this share of the operations is how members come by chance.
    constexpr double least_late = 10;
    const auto [late_member, late_ns] = late.most();
    const auto [busy_member, busy_ns] = on_path.most();
    if (percent(late_ns, inside / static_cast<std::int64_t>(timeline.lanes.size())) >= least_late) {
        return {
            {Tone::warning, fmt::format("{}. Member {} is waited for: it comes {} after the median member{}",
                                        whole, late_member, format_ns(late_ns),
                                        paths.size() == 1 ? "" : ", all operations together")}};
    }
    return {{Tone::note, fmt::format("{}. Nobody comes late; {:.0f} % of the critical path is in member {}",
                                     whole, percent(busy_ns, on_path.all), busy_member)}};
}

} // namespace tutti::bench
