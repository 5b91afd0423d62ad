#include "hybrid/carrier.hpp"

#include "algorithm/registry.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::hybrid {

using detail::Kind;

namespace {

/// Longer messages a process may read from vectors of another that has failed meanwhile and given them back,
/// had it not looked. MPI libraries copy shorter ones when they are sent.
constexpr std::size_t most_buffered_bytes = 4096;

plan::Partition partition_of(const Carriage& carriage, int blocks) {
    const auto count = static_cast<std::size_t>(blocks);
    return {.total = carriage.total,
            .block = count == 1 ? carriage.total : (carriage.total + count - 1) / count,
            .offsets = carriage.offsets};
}

/// What a collective of a single process leaves: its input, but nothing of an exclusive prefix.
void copy_alone(const Carriage& carriage) {
    if (carriage.kind != Kind::exscan && carriage.total != 0 && carriage.output != carriage.input) {
        std::memcpy(carriage.output, carriage.input, carriage.total * carriage.element_bytes);
    }
}

} // namespace

const Relay& Carrier::relay(const RelayName& name, detail::Kind kind) {
    const auto [algorithm, root] = name;
    auto found = relays_.find(name);
    if (found == relays_.end()) {
        const algorithm::Algorithm& row = algorithm::registry()[algorithm];
        const bool in_one_hop = kind == Kind::alltoall && row.forms.one_hop;
        found = relays_
                    .emplace(name, in_one_hop ? one_hop_alltoall(wire_.size(), wire_.rank())
                                              : relay_of(row.make(wire_.size(), root), wire_.rank()))
                    .first;
    }
    return found->second;
}

/// Whether the plan is that of the call before, for vectors that lie in the same way.
bool Carrier::is_planned(const RelayName& name, const Carriage& carriage) const {
    const bool is_like_it = planned_ == name && layout_.partition.total == carriage.total &&
                            layout_.element_bytes == carriage.element_bytes &&
                            layout_.element_align == carriage.element_align &&
                            (layout_.partition.offsets != nullptr) == (carriage.offsets != nullptr);
    return is_like_it &&
           (carriage.offsets == nullptr || std::equal(offsets_.begin(), offsets_.end(), carriage.offsets));
}

void Carrier::make_plan(const RelayName& name, const Carriage& carriage) {
    planned_.first = library_algorithm; // none, should there be no memory
    const Relay& own = relay(name, carriage.kind);
    const std::size_t processes = static_cast<std::size_t>(wire_.size());
    if (carriage.offsets != nullptr) {
        offsets_.assign(carriage.offsets, carriage.offsets + processes + 1);
    }
    layout_ = {.partition = partition_of(carriage, own.blocks),
               .element_bytes = carriage.element_bytes,
               .element_align = carriage.element_align};
    layout_.partition.offsets = carriage.offsets != nullptr ? offsets_.data() : nullptr;
    const std::size_t alignment = std::max(mailbox::line_bytes, carriage.element_align);
    scratch_vectors_ = own.scratch_vectors;
    stride_bytes_ = (carriage.total * carriage.element_bytes + alignment - 1) / alignment * alignment;
    compile(plan_, own, layout_);
    planned_ = name;
}

Bases Carrier::bases(const Carriage& carriage) {
    const std::size_t alignment = std::max(mailbox::line_bytes, carriage.element_align);
    Wire::Room& room = wire_.room();
    std::byte* const scratch =
        room.scratch.at_least(static_cast<std::size_t>(scratch_vectors_) * stride_bytes_, alignment);
    return {carriage.input,
            carriage.output,
            scratch,
            scratch + stride_bytes_,
            scratch + 2 * stride_bytes_,
            room.landing.at_least(plan_.landing_bytes, alignment),
            room.outgoing.at_least(plan_.outgoing_bytes)};
}

void Carrier::follow_plan(const Carriage& carriage) {
    using Action = MessagePlan::Action;
    const Bases base = bases(carriage);
    for (const MessagePlan::Step& step : plan_.steps) {
        switch (step.action) {
        case Action::send:
        case Action::receive:
            pieces_.push_back({step.to.in(base), step.bytes});
            if (!step.has_more) {
                step.action == Action::send ? wire_.send(pieces_, step.peer)
                                            : wire_.receive(pieces_, step.peer);
                pieces_.clear();
            }
            break;
        case Action::wait:
            wire_.wait();
            break;
        case Action::copy:
            if (step.to.in(base) != step.left.in(base)) {
                std::memcpy(step.to.in(base), step.left.in(base), step.bytes);
            }
            break;
        case Action::reduce:
            carriage.kernels->reduce(carriage.state, step.to.in(base), step.left.in(base),
                                     step.right.in(base), step.bytes / carriage.element_bytes);
            break;
        }
    }
}

void Carrier::carry(const Carriage& carriage, const Claim& claim) try {
    if (wire_.size() == 1) {
        return copy_alone(carriage);
    }
    wire_.begin(claim);
    if (claim.algorithm == library_algorithm) {
        return carry_by_library(carriage);
    }
    if (const RelayName name{claim.algorithm, carriage.root}; !is_planned(name, carriage)) {
        make_plan(name, carriage);
    }
    if (carriage.total * carriage.element_bytes > most_buffered_bytes) {
        wire_.look_for_failures();
    }
    pieces_.clear(); // of a call that has failed
    follow_plan(carriage);
} catch (...) { // there may be no memory to go on with, while messages come
    wire_.give_up();
    throw;
}

/// Whose messages do not show what others are calling: all come before, and are told where one fails.
void Carrier::carry_by_library(const Carriage& carriage) {
    meet(wire_);
    run_library(wire_, carriage);
    if (carriage.op == Operator::callable && carriage.kernels != nullptr) {
        meet(wire_); // nobody leaves with a result that somebody's operator has not finished
    }
}

} // namespace tutti::hybrid
