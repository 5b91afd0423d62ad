#include "algorithm/registry.hpp"
#include "record/recorder.hpp"

#include <tutti/statistics.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tutti::engine {

namespace {

/// When members have come to one operation, in ticks.
struct Arrivals {
    Collective collective = {};
    std::vector<std::uint64_t> ticks = {};
};

/// The arrivals at each operation that all members have kept, by number.
std::map<std::uint64_t, Arrivals> arrivals_in(const Recorder& recorder, int members) {
    std::map<std::uint64_t, Arrivals> arrivals;
    for (int member = 0; member < members; ++member) {
        for (const Event& event : recorder.of(member).events()) {
            if (event.kind == trace::SpanKind::operation && event.sequence == Sequence::blocking &&
                !event.has_failed) {
                Arrivals& of_call = arrivals[event.number];
                of_call.collective = algorithm::registry()[event.what].collective;
                of_call.ticks.push_back(event.begin_ticks);
            }
        }
    }
    std::erase_if(arrivals, [members](const auto& entry) {
        return static_cast<int>(entry.second.ticks.size()) != members;
    });
    return arrivals;
}

void compare_arrivals(CollectiveStatistics& of_calls, Collective collective,
                      const std::map<std::uint64_t, Arrivals>& arrivals, const TickScale& scale) {
    std::vector<std::uint64_t> late(of_calls.members.size());
    std::uint64_t spread = 0;
    std::uint64_t worst = 0;
    for (const auto& [number, of_call] : arrivals) {
        if (of_call.collective != collective) {
            continue;
        }
        const auto [first, last] = std::ranges::minmax(of_call.ticks);
        for (std::size_t rank = 0; rank < late.size(); ++rank) {
            late[rank] += of_call.ticks[rank] - first;
        }
        spread += last - first;
        worst = std::max(worst, last - first);
        ++of_calls.compared;
    }
    if (of_calls.compared == 0) {
        return;
    }
    const auto time = [&](std::uint64_t ticks) { return std::chrono::nanoseconds(scale.ns_of(ticks)); };
    for (std::size_t rank = 0; rank < late.size(); ++rank) {
        of_calls.members[rank].late = time(late[rank] / of_calls.compared);
    }
    of_calls.spread = time(spread / of_calls.compared);
    of_calls.worst_spread = time(worst);
}

CollectiveStatistics totals_of(const Recorder& recorder, int members, Collective collective,
                               const TickScale& scale) {
    const auto time = [&](std::uint64_t ticks) { return std::chrono::nanoseconds(scale.ns_of(ticks)); };
    CollectiveStatistics of_calls;
    of_calls.collective = to_string(collective);
    of_calls.members.resize(static_cast<std::size_t>(members));
    for (std::size_t row = 0; row < algorithm::registry().size(); ++row) {
        const algorithm::Algorithm& algorithm = algorithm::registry()[row];
        if (algorithm.collective != collective) {
            continue;
        }
        AlgorithmStatistics by_this{.algorithm = algorithm.name};
        for (int member = 0; member < members; ++member) {
            const MemberRecord::Totals totals = recorder.of(member).totals(row);
            MemberStatistics& of_member = of_calls.members[static_cast<std::size_t>(member)];
            of_member.calls += totals.calls;
            of_member.bytes += totals.bytes;
            of_member.time += time(totals.ticks);
            of_member.waited += time(totals.waited_ticks);
            by_this.calls += totals.calls;
            by_this.time += time(totals.ticks);
        }
        if (by_this.calls != 0 || by_this.time.count() != 0) {
            of_calls.algorithms.push_back(by_this);
        }
    }
    return of_calls;
}

} // namespace

Statistics Recorder::statistics() const {
    const TickScale& scale = tick_scale();
    const std::map<std::uint64_t, Arrivals> arrivals = arrivals_in(*this, members_);
    Statistics statistics;
    for (const Collective collective : detail::all_collectives) {
        CollectiveStatistics of_calls = totals_of(*this, members_, collective, scale);
        if (!of_calls.algorithms.empty()) {
            compare_arrivals(of_calls, collective, arrivals, scale);
            statistics.collectives.push_back(std::move(of_calls));
        }
    }
    return statistics;
}

} // namespace tutti::engine
