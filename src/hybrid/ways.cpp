#include "hybrid/ways.hpp"

#include "choose/select.hpp"
#include "hybrid/algorithms.hpp"

#include <tutti/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <string>

namespace tutti::hybrid {

using detail::Kind;

bool can_be_cut(Kind kind) {
    return kind == Kind::broadcast || kind == Kind::reduce || kind == Kind::allreduce ||
           kind == Kind::reduce_scatter || kind == Kind::allgather;
}

namespace {

std::string refusal_start(Kind kind, std::string_view name) {
    return std::string(to_string(execute::collective_of(kind))) + ": way \"" + std::string(name) + "\" ";
}

/// Where members share CPUs, or are alone, a leader that does everything is ahead. Where they
/// are not, it leaves combining and storing to all: then nothing overlaps the wire, and pipelines are ahead
/// from a few segments on (docs/measurements/hybrid-ways.md).
Way default_way(const detail::Call& call, std::size_t bytes, const Crew& crew) {
    const bool several = can_be_cut(call.kind) && !needs_chain(call);
    return several && crew.have_cpus && bytes > 2 * segment_bytes ? Way::pipelined : Way::leader;
}

} // namespace

Way choose_way(const detail::Call& call, std::size_t bytes, std::string_view name, const Crew& crew) {
    const Kind kind = call.kind;
    if (name.empty()) {
        return default_way(call, bytes, crew);
    }
    for (const Way way : {Way::leader, Way::leaders, Way::lane, Way::pipelined}) {
        if (name != to_string(way)) {
            continue;
        }
        if (way != Way::leader && !can_be_cut(kind)) {
            throw ArgumentError(
                refusal_start(kind, name) +
                R"(is for broadcast, reduce, allreduce, reduce_scatter and allgather; "leader" would work)");
        }
        if (way != Way::leader && needs_chain(call)) {
            throw ArgumentError(refusal_start(kind, name) + R"(cannot keep order serial; "leader" can)");
        }
        if ((way == Way::leaders || way == Way::lane) && crew.thread_level < MPI_THREAD_MULTIPLE) {
            throw ArgumentError(refusal_start(kind, name) +
                                "needs MPI_THREAD_MULTIPLE from MPI_Init_thread in all processes; "
                                "\"leader\" and \"pipelined\" would work");
        }
        return way;
    }
    throw ArgumentError(std::string(to_string(execute::collective_of(kind))) + ": there is no way \"" +
                        std::string(name) + "\"; there are: leader, leaders, lane, pipelined");
}

int carriers_for(Way way, int leaders, const Crew& crew) {
    if (way == Way::lane) {
        return crew.most_carriers;
    }
    if (way != Way::leaders) {
        return 1;
    }
    if (leaders < 0 || (leaders > crew.most_carriers && crew.processes > 1)) {
        throw ArgumentError("`leaders` is " + std::to_string(leaders) + ", must be in 0.." +
                            std::to_string(crew.most_carriers) +
                            ": the process with the fewest members has no more");
    }
    return std::min(leaders == 0 ? 2 : leaders, crew.most_carriers);
}

} // namespace tutti::hybrid
