#include "hybrid/src/schedule/transport.hpp"

#include "algorithm/registry.hpp"
#include "cache_line.hpp"
#include "choose/select.hpp"
#include "graph/graphs.hpp"

#include <tutti/error.hpp>

#include <cstring>

namespace tutti::hybrid {

using algorithm::Algorithm;

namespace {

/// From how many bytes on volume counts more than rounds. Allreduce of doubles between two processes on one
/// node, butterfly (whole vectors) and circulant (halves), Open MPI, microseconds: 8 KiB 3.5 and 5.7, 32 KiB
/// 5.6 and 7.3, 64 KiB 8.6 and 9.8, 128 KiB 14.8 and 14.9.
constexpr std::size_t long_bytes = std::size_t{128} << 10U;

/// Why the row cannot serve the call among processes, or nothing.
std::string refusal(const Algorithm& row, const detail::Call& call, const Route& route) {
    if (!takes(row, route.processes)) {
        return "is for powers of two, not for " + std::to_string(route.processes) + " processes";
    }
    if (row.reach == algorithm::Reach::everybody) {
        return "needs memory that all processes share";
    }
    if (call.collective == Collective::alltoall && !route.even && !row.protocols.one_hop) {
        return "needs equally many members in all processes";
    }
    detail::Call in_any_order = call;
    in_any_order.order = Order::canonical; // or there is no row for it, see needs_chain()
    return library::refusal(row, in_any_order, route.processes);
}

std::string_view default_allreduce(const detail::Call& call, const Route& route) {
    const bool power = graph::is_power_of_two(route.processes);
    if (route.bytes < long_bytes) {
        return power ? "butterfly" : "butterfly-overlapping";
    }
    if (library::is_exact(call)) {
        return "circulant";
    }
    return power ? "butterfly-halving" : "butterfly-overlapping-halving";
}

std::string_view default_name(const detail::Call& call, const Route& route) {
    const bool is_long = route.bytes >= long_bytes && route.processes > 2;
    const bool power = graph::is_power_of_two(route.processes);
    const detail::CollectiveTraits& traits = detail::traits_of(call.collective);
    switch (traits.result) {
    case detail::Result::nothing:
        return "dissemination";
    case detail::Result::of_pair:
        return "pairwise";
    case detail::Result::of_owner:
        return "circulant";
    case detail::Result::of_root:
        return traits.is_divided() ? "circulant" : is_long ? "scatter-allgather" : "tree";
    case detail::Result::of_all:
        if (!traits.is_rooted()) {
            return traits.is_divided() ? library::is_exact(call) ? "circulant" : "butterfly"
                                       : default_allreduce(call, route);
        }
        // A tree associates as a butterfly only among a power of two of processes.
        return library::is_exact(call) ? is_long ? "reduce-scatter-gather" : "tree"
               : is_long || !power     ? "butterfly"
                                       : "tree";
    default:
        return "hypercube";
    }
}

std::string names_that_serve(const detail::Call& call, const Route& route) {
    std::string list;
    for (const Algorithm& row : algorithm::registry()) {
        if (row.collective == call.collective && refusal(row, call, route).empty()) {
            list += (list.empty() ? "" : ", ") + std::string(row.name);
        }
    }
    return list;
}

/// Longer messages a process may read from vectors of another that has failed meanwhile and given them back,
/// had it not looked. MPI libraries copy shorter ones when they are sent.
constexpr std::size_t most_buffered_bytes = 4096;

} // namespace

bool needs_chain(const detail::Call& call) {
    return call.order == Order::serial && detail::traits_of(call.collective).reduces() &&
           !library::is_exact(call);
}

std::uint32_t choose_algorithm(const detail::Call& call, std::string_view name, const Route& route) {
    if (needs_chain(call)) {
        if (!name.empty()) {
            throw ArgumentError(
                std::string(to_string(call.collective)) + ": algorithm \"" + std::string(name) +
                "\" does not combine from the left across processes, as order serial asks; leave "
                "the algorithm to the library");
        }
        return chain_algorithm;
    }
    const auto collective = call.collective;
    const Algorithm* const row = algorithm::find(collective, name.empty() ? default_name(call, route) : name);
    const std::string reason = row == nullptr ? "does not exist" : refusal(*row, call, route);
    if (!reason.empty()) {
        throw ArgumentError(std::string(to_string(collective)) + ": algorithm \"" + std::string(name) +
                            "\" " + reason +
                            "; these would work among processes: " + names_that_serve(call, route));
    }
    return static_cast<std::uint32_t>(algorithm::index_of(*row));
}

const RankSchedule& Transport::rank_schedule(const ScheduleName& name, Collective collective) {
    const auto [algorithm, root] = name;
    auto found = rank_schedules_.find(name);
    if (found == rank_schedules_.end()) {
        const algorithm::Algorithm& row = algorithm::registry()[algorithm];
        const bool in_one_hop = collective == Collective::alltoall && row.protocols.one_hop;
        found = rank_schedules_
                    .emplace(name, in_one_hop
                                       ? one_hop_alltoall(channel_.size(), channel_.rank())
                                       : rank_schedule_of(row.make(channel_.size(), root), channel_.rank()))
                    .first;
    }
    return found->second;
}

/// Whether the plan is that of the call before, for vectors that lie in the same way.
bool Transport::is_planned(const ScheduleName& name, const ProcessCall& call) const {
    return planned_ == name && call_.total == call.total && call_.element_bytes == call.element_bytes &&
           call_.element_align == call.element_align && offsets_.empty() == (call.offsets == nullptr) &&
           std::equal(offsets_.begin(), offsets_.end(), call.offsets);
}

void Transport::make_plan(const ScheduleName& name, const ProcessCall& call) {
    planned_ = none; // should there be no memory
    const RankSchedule& own = rank_schedule(name, call.collective);
    offsets_.clear();
    if (call.offsets != nullptr) {
        offsets_.assign(call.offsets, call.offsets + channel_.size() + 1);
    }
    compile(plan_, own, call);
    set_rooms(static_cast<std::size_t>(own.scratch_vectors), call);
    planned_ = name;
}

/// Sets the plan's memory besides the vectors.
void Transport::set_rooms(std::size_t scratch_vectors, const ProcessCall& call) {
    const std::size_t alignment = std::max(line_bytes, call.element_align);
    const std::size_t stride = (call.total * call.element_bytes + alignment - 1) / alignment * alignment;
    MpiChannel::Buffers& buffers = channel_.buffers();
    std::byte* const scratch = buffers.scratch.at_least(scratch_vectors * stride, alignment);
    bases_ = {nullptr,
              nullptr,
              scratch,
              scratch + stride,
              scratch + 2 * stride,
              buffers.landing.at_least(plan_.landing_bytes, alignment),
              buffers.outgoing.at_least(plan_.outgoing_bytes)};
}

/// Follows the plan up to a wait for messages that have not come. Returns whether nothing is left.
bool Transport::follow_plan() {
    using Kind = MessagePlan::Action;
    const Bases& base = bases_;
    for (; next_step_ < plan_.steps.size(); ++next_step_) {
        const MessagePlan::Step& step = plan_.steps[next_step_];
        switch (step.action) {
        case Kind::send:
        case Kind::receive:
            pieces_.push_back({step.to.in(base), step.bytes});
            if (!step.has_more) {
                step.action == Kind::send ? channel_.send(pieces_, step.peer)
                                          : channel_.receive(pieces_, step.peer);
                pieces_.clear();
            }
            break;
        case Kind::wait:
            if (channel_.awaits_messages()) {
                return false;
            }
            break;
        case Kind::copy:
            if (step.to.in(base) != step.left.in(base)) {
                std::memcpy(step.to.in(base), step.left.in(base), step.bytes);
            }
            break;
        case Kind::reduce:
            call_.kernels->reduce(call_.state, step.to.in(base), step.left.in(base), step.right.in(base),
                                  step.bytes / call_.element_bytes);
            break;
        }
    }
    return true;
}

void Transport::begin(const ProcessCall& call) {
    if (channel_.size() == 1) { // there is no plan, and no result of an exclusive prefix
        if (call.collective != Collective::exscan && call.total != 0 && call.output != call.input) {
            std::memcpy(call.output, call.input, call.total * call.element_bytes);
        }
        return;
    }
    if (call.total * call.element_bytes > most_buffered_bytes) {
        channel_.look_for_failures();
    }
    if (const ScheduleName name{call.algorithm, call.root}; !is_planned(name, call)) {
        make_plan(name, call);
    }
    pieces_.clear(); // of a call that has failed
    bases_[static_cast<std::size_t>(schedule::Space::input)] = call.input;
    bases_[static_cast<std::size_t>(schedule::Space::output)] = call.output;
    call_ = call;
    next_step_ = 0;
}

bool Transport::advance() {
    return channel_.carry_on(false, [this] { return follow_plan(); });
}

void Transport::perform(const ProcessCall& call) {
    begin(call);
    channel_.carry_on(true, [this] { return follow_plan(); });
}

bool Transport::works_in_place(const ProcessCall& call) {
    return channel_.size() == 1 || rank_schedule({call.algorithm, call.root}, call.collective).works_in_place;
}

} // namespace tutti::hybrid
