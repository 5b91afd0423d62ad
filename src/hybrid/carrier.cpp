#include "hybrid/carrier.hpp"

#include "algorithm/registry.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::hybrid {

using detail::Kind;
using schedule::Place;
using schedule::Space;

namespace {

/// Longer messages a process may read from vectors of another that has failed meanwhile and given them back,
/// had it not looked. MPI libraries copy shorter ones when they are sent.
constexpr std::size_t most_buffered_bytes = 4096;

/// Every process sends to every other, block by block, whatever their sizes: what the registry's schedule
/// does, which takes blocks of one size only.
Relay pairwise(int processes, int rank) {
    Relay relay;
    relay.blocks = processes;
    for (int distance = 1; distance < processes; ++distance) {
        const int to = (rank + distance) % processes;
        const int from = (rank + processes - distance) % processes;
        const Place source{from, Space::input, {rank, 1}};
        const schedule::Move move{
            {rank, Space::output, {from, 1}}, source, {}, false, schedule::Prefix::none};
        relay.rounds.push_back({.sends = {{to, {{rank, Space::input, {to, 1}}}}},
                                .receives = {{from, {source}}},
                                .moves = {{move, 0, Relay::own_place}},
                                .stores_only = true});
    }
    return relay;
}

bool is_pairwise(const Claim& claim) {
    return claim.kind == Kind::alltoall && claim.algorithm != library_algorithm &&
           algorithm::registry()[claim.algorithm].name == "pairwise";
}

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

void copy_own_block(const Carriage& carriage, int rank) {
    const auto own = static_cast<std::size_t>(rank);
    const std::size_t first = carriage.offsets[own] * carriage.element_bytes;
    const std::size_t bytes = carriage.offsets[own + 1] * carriage.element_bytes - first;
    if (bytes != 0) {
        std::memcpy(carriage.output + first, carriage.input + first, bytes);
    }
}

} // namespace

const Relay& Carrier::relay(const Claim& claim, int root) {
    const std::pair name{claim.algorithm, root};
    if (last_relay_ != nullptr && last_name_ == name) {
        return *last_relay_;
    }
    auto found = relays_.find(name);
    if (found == relays_.end()) {
        const algorithm::Algorithm& row = algorithm::registry()[claim.algorithm];
        found = relays_
                    .emplace(name, is_pairwise(claim) ? pairwise(wire_.size(), wire_.rank())
                                                      : relay_of(row.make(wire_.size(), root), wire_.rank()))
                    .first;
    }
    last_name_ = name;
    last_relay_ = &found->second;
    return found->second;
}

void Carrier::carry(const Carriage& carriage, const Claim& claim) try {
    if (wire_.size() == 1) {
        return copy_alone(carriage);
    }
    wire_.begin(claim);
    if (claim.algorithm == library_algorithm) {
        return carry_by_library(carriage);
    }
    const Relay& own = relay(claim, carriage.root);
    Freight freight{.partition = partition_of(carriage, own.blocks),
                    .element_bytes = carriage.element_bytes,
                    .element_align = carriage.element_align,
                    .kernels = carriage.kernels,
                    .state = carriage.state};
    const std::size_t total_bytes = carriage.total * carriage.element_bytes;
    const std::size_t alignment = std::max(mailbox::line_bytes, carriage.element_align);
    const std::size_t stride = (total_bytes + alignment - 1) / alignment * alignment;
    std::byte* const scratch =
        wire_.room().scratch.at_least(static_cast<std::size_t>(own.scratch_vectors) * stride, alignment);
    freight.spaces = {carriage.input, carriage.output, scratch, scratch + stride, scratch + 2 * stride};
    if (total_bytes > most_buffered_bytes) {
        wire_.look_for_failures();
    }
    if (is_pairwise(claim)) {
        copy_own_block(carriage, wire_.rank());
    }
    runner_.run(own, freight);
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
