#include "execute/seat.hpp"

#include "algorithm/registry.hpp"
#include "execute/arguments.hpp"
#include "execute/claim.hpp"
#include "execute/executor.hpp"
#include "execute/group_state.hpp"
#include "execute/select.hpp"

namespace tutti::detail {

using execute::Operation;
using schedule::Form;
using schedule::Space;

namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// Elements of each of `blocks` equal blocks of a vector that may be divided anyhow. Blocks that are not
/// small start on cache lines (of a vector that does), so that no two members write to one line.
std::size_t free_block(std::size_t total, std::size_t blocks, std::size_t element_bytes) {
    const std::size_t block = (total + blocks - 1) / blocks;
    const bool divides = mailbox::line_bytes % element_bytes == 0;
    constexpr std::size_t small_lines = 8;
    if (!divides || block * element_bytes < small_lines * mailbox::line_bytes) {
        return block;
    }
    return round_up(block, mailbox::line_bytes / element_bytes);
}

/// A digest of irregular counts that is never 0, which stands for equal blocks.
std::uint64_t digest(std::span<const std::size_t> counts) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const std::size_t count : counts) {
        value = (value ^ count) * 0x100000001b3;
        value ^= value >> 29U;
    }
    return value | 1U;
}

} // namespace

Seat::Seat(GroupState& group, int rank, int members)
    : group_(group), rank_(rank), peers_(static_cast<std::size_t>(members)),
      outs_(static_cast<std::size_t>(members)), ins_(static_cast<std::size_t>(members)),
      offsets_(static_cast<std::size_t>(members) + 1), plans_(algorithm::registry().size()) {}

const plan::Plan& Seat::plan(std::size_t row, Form form) {
    auto& entry = plans_[row][static_cast<std::size_t>(form)];
    if (entry == nullptr) {
        entry = std::make_unique<plan::Plan>(plan::compile(*group_.synchronised(row, form), rank_));
    }
    return *entry;
}

void Seat::set_scratch(Operation& operation) {
    const plan::Plan& plan = *operation.plan;
    const plan::Partition& partition = operation.partition;
    if (plan.scratch_vectors == 0) {
        return;
    }
    std::size_t bytes = 0;
    std::size_t start_bytes = 0;
    if (plan.blocks == 1) {
        operation.scratch_stride_bytes =
            round_up(partition.total * operation.element_bytes, mailbox::line_bytes);
        bytes = plan.scratch_vectors * operation.scratch_stride_bytes;
    } else {
        const std::size_t end = std::size_t{plan.scratch.first} + plan.scratch.count;
        const auto blocks = static_cast<std::size_t>(plan.blocks);
        const std::size_t wrapped = end > blocks ? partition.elements(0, end - blocks) : 0;
        const std::size_t straight =
            partition.offset(std::min(end, blocks)) - partition.offset(plan.scratch.first);
        bytes = (straight + wrapped) * operation.element_bytes;
        start_bytes = partition.offset(plan.scratch.first) * operation.element_bytes;
    }
    if (scratch_bytes_ < bytes) {
        scratch_.reset(
            static_cast<std::byte*>(::operator new (bytes, std::align_val_t{mailbox::line_bytes})));
        scratch_bytes_ = bytes;
    }
    const auto start = reinterpret_cast<std::uintptr_t>(scratch_.get());
    execute::set_scratch_bases(operation.own, start - start_bytes, operation.scratch_stride_bytes);
}

bool Seat::is_prepared_for(const Call& call) const {
    const Call& last = prepared_;
    return is_prepared_ && call.kind == last.kind && call.type == last.type && call.op == last.op &&
           call.in_place == last.in_place && call.input_count == last.input_count &&
           call.output_count == last.output_count && call.element_bytes == last.element_bytes &&
           call.counts.empty() && call.algorithm == last.algorithm;
}

void Seat::prepare(const Call& call) {
    const execute::Shape& shape = shape_ =
        execute::checked_shape(call, rank_, group_.size(), offsets_.data());
    const auto [row, form] = execute::select(call, {shape.message_bytes, shape.in_place});
    Operation& operation = operation_;
    operation.plan = &plan(row, form);
    operation.element_bytes = call.element_bytes;
    operation.message_bytes = shape.message_bytes;

    const auto blocks = static_cast<std::size_t>(operation.plan->blocks);
    operation.partition.total = shape.total;
    operation.partition.block = blocks == 1 ? shape.total
                                : call.kind == Kind::allreduce
                                    ? free_block(shape.total, blocks, call.element_bytes)
                                    : shape.block;
    operation.partition.offsets = call.counts.empty() ? nullptr : offsets_.data();
    set_scratch(operation);

    const std::size_t total_bytes = shape.total * call.element_bytes;
    const bool to_all = call.kind != Kind::reduce_scatter;
    operation.stream =
        group_.streams(to_all ? total_bytes * static_cast<std::size_t>(group_.size()) : total_bytes);
    const execute::Claim claim(row, form, call.type, call.op, total_bytes);
    operation.claim = claim.word();
    operation.print = claim.print();
    operation.counts = call.counts.empty() ? 0 : digest(call.counts);

    prepared_ = call;
    prepared_.algorithm = call.algorithm.empty() ? std::string_view() : algorithm::registry()[row].name;
    is_prepared_ = call.counts.empty();
}

void Seat::set_addresses(const Call& call) {
    const std::uintptr_t own = shape_.own_offset * call.element_bytes;
    const bool whole = call.in_place;
    operation_.own.at[static_cast<std::size_t>(Space::input)] =
        reinterpret_cast<std::uintptr_t>(call.input) - (call.kind == Kind::allgather && !whole ? own : 0);
    operation_.own.at[static_cast<std::size_t>(Space::output)] =
        reinterpret_cast<std::uintptr_t>(call.output) -
        (call.kind == Kind::reduce_scatter && !whole ? own : 0);
    operation_.kernels = call.kernels;
    operation_.state = call.state;
}

void Seat::run(const Call& call) {
    if (!is_prepared_for(call) || execute::checked_aliasing(call, shape_.own_offset) != shape_.in_place) {
        is_prepared_ = false;
        prepare(call);
    }
    set_addresses(call);
    try {
        execute::Executor(*this, operation_).run();
    } catch (...) {
        group_.fail(rank_, std::current_exception());
        throw;
    }
}

void execute(Seat& seat, const Call& call) {
    seat.run(call);
}

} // namespace tutti::detail
