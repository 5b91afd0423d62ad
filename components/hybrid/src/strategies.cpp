#include "hybrid/src/strategies.hpp"

#include "choose/select.hpp"
#include "hybrid/src/schedule/algorithms.hpp"

#include <tutti/error.hpp>

#include <string>

namespace tutti::hybrid {

bool can_be_cut(Collective collective) {
    return collective == Collective::broadcast || collective == Collective::reduce ||
           collective == Collective::allreduce || collective == Collective::reduce_scatter ||
           collective == Collective::allgather;
}

namespace {

std::string refusal_start(Collective collective, std::string_view name) {
    return std::string(to_string(collective)) + ": way \"" + std::string(name) + "\" ";
}

/// A shared result of an allgather is received whole, because the parts of it do not lie one after the other.
bool lands_whole(const detail::Call& call) {
    return call.shared_output && call.collective == Collective::allgather;
}

/// Where members share CPUs, or are alone, a leader that does everything is ahead. Where they
/// are not, it leaves combining and storing to all: then nothing overlaps the channel, and pipelines are
/// ahead from a few segments on (docs/measurements/hybrid-ways.md).
Strategy default_strategy(const detail::Call& call, std::size_t bytes, bool have_cpus) {
    const bool several = can_be_cut(call.collective) && !needs_chain(call) && !lands_whole(call);
    return several && have_cpus && bytes > 2 * segment_bytes ? Strategy::pipelined : Strategy::leader;
}

} // namespace

Strategy choose_strategy(const detail::Call& call, std::size_t bytes, std::string_view name, bool have_cpus) {
    const Collective collective = call.collective;
    if (name.empty()) {
        return default_strategy(call, bytes, have_cpus);
    }
    for (const Strategy way : {Strategy::leader, Strategy::pipelined}) {
        if (name != (way == Strategy::leader ? "leader" : "pipelined")) {
            continue;
        }
        if (way != Strategy::leader && !can_be_cut(collective)) {
            throw ArgumentError(
                refusal_start(collective, name) +
                R"(is for broadcast, reduce, allreduce, reduce_scatter and allgather; "leader" would work)");
        }
        if (way != Strategy::leader && needs_chain(call)) {
            throw ArgumentError(refusal_start(collective, name) +
                                R"(cannot keep order serial; "leader" can)");
        }
        if (way != Strategy::leader && lands_whole(call)) {
            throw ArgumentError(refusal_start(collective, name) +
                                R"(cannot gather into a shared result; "leader" can)");
        }
        return way;
    }
    throw ArgumentError(std::string(to_string(collective)) + ": there is no way \"" + std::string(name) +
                        "\"; there are: leader, pipelined");
}

} // namespace tutti::hybrid
