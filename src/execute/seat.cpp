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

/// Words that a slot carries for a message of so many bytes; a signal is one word as well.
int carried_words(std::size_t message_bytes) {
    constexpr std::size_t word_bytes = sizeof(std::uint64_t);
    return message_bytes <= word_bytes ? 1 : static_cast<int>((message_bytes + word_bytes - 1) / word_bytes);
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

/// The bytes of all members' vectors together, when each member's whole vector has `total_bytes`.
std::size_t touched_bytes(Kind kind, std::size_t total_bytes, std::size_t members) {
    return kind == Kind::allreduce ? 2 * members * total_bytes : (members + 1) * total_bytes;
}

/// The compiled kernels of a reduction; nothing for what does not reduce.
const Kernels* kernels_of(const Call& call) {
    const bool reduces = call.kind == Kind::allreduce || call.kind == Kind::reduce_scatter;
    return reduces ? &builtin(call.type, call.op) : nullptr;
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
        operation.scratch_stride_bytes = 0;
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
           call.in_place == last.in_place && call.element_bytes == last.element_bytes &&
           call.input_count == last.input_count && call.output_count == last.output_count &&
           call.kernels == last.kernels && call.counts.empty() && call.algorithm == last.algorithm;
}

void Seat::prepare(const Call& call) {
    const execute::Shape& shape = shape_ =
        execute::checked_shape(call, rank_, group_.size(), offsets_.data());
    const std::size_t total_bytes = shape.total * call.element_bytes;
    const bool beyond_caches = group_.exceeds_caches(touched_bytes(call.kind, total_bytes, members()));
    const auto [row, form] = execute::select(call, {.message_bytes = shape.message_bytes,
                                                    .in_place = shape.aliasing == execute::Aliasing::same,
                                                    .members = group_.size(),
                                                    .beyond_caches = beyond_caches});
    Operation& operation = operation_;
    operation.plan = &plan(row, form);
    operation.kernels = call.kernels != nullptr ? call.kernels : kernels_of(call);
    operation.element_bytes = call.element_bytes;
    operation.staged = form == Form::carried && shape.message_bytes > mailbox::carried_bytes;
    operation.carried_words = operation.staged ? 1 : carried_words(shape.message_bytes);

    const auto blocks = static_cast<std::size_t>(operation.plan->blocks);
    operation.partition.total = shape.total;
    operation.partition.block = blocks == 1 ? shape.total
                                : call.kind == Kind::allreduce
                                    ? free_block(shape.total, blocks, call.element_bytes)
                                    : shape.block;
    operation.partition.offsets = call.counts.empty() ? nullptr : offsets_.data();
    set_scratch(operation);

    // In place every line that is written has just been read: writing past the caches only loses it.
    operation.stream = form == Form::separate && beyond_caches;
    const execute::Claim claim(row, form, call.type, call.op, total_bytes);
    operation.claim = claim.word();
    operation.print = claim.print();
    operation.counts = call.counts.empty() ? 0 : digest(call.counts);

    execute::MemberBoard& board = group_.board(rank_);
    board.claim.put(operation.claim);
    board.counts.put(operation.counts);

    const std::uintptr_t own_bytes = call.in_place ? 0 : shape.own_offset * call.element_bytes;
    input_shift_bytes_ = call.kind == Kind::allgather ? own_bytes : 0;
    output_shift_bytes_ = call.kind == Kind::reduce_scatter ? own_bytes : 0;
    prepared_ = call;
    prepared_.algorithm = call.algorithm.empty() ? std::string_view() : algorithm::registry()[row].name;
    is_prepared_ = call.counts.empty();
    prepared_key_ = key_of(call);
    input_bytes_ = call.input_count * call.element_bytes;
    output_bytes_ = call.output_count * call.element_bytes;
}

void Seat::run_prepared(const void* input, void* output) {
    operation_.own.at[static_cast<std::size_t>(Space::input)] =
        reinterpret_cast<std::uintptr_t>(input) - input_shift_bytes_;
    operation_.own.at[static_cast<std::size_t>(Space::output)] =
        reinterpret_cast<std::uintptr_t>(output) - output_shift_bytes_;
    try {
        execute::Executor(*this).run();
    } catch (...) {
        group_.fail(rank_, std::current_exception());
        group_.leave(rank_);
        throw;
    }
}

void Seat::run(const Call& call) {
    if (!is_prepared_for(call) || execute::aliasing_of(call, shape_.own_offset) != shape_.aliasing) {
        is_prepared_ = false;
        prepared_key_ = 0;
        prepare(call);
    }
    operation_.state = call.state;
    run_prepared(call.input, call.output);
}

bool Seat::run_again(std::uint64_t key, const void* input, void* output) {
    const auto in = reinterpret_cast<std::uintptr_t>(input);
    const auto out = reinterpret_cast<std::uintptr_t>(output);
    // Null pointers, and vectors that are the same memory without the caller's saying so, go the long way; in
    // place the caller has said so. Distances wrap around where the other vector comes first, and are huge
    // then.
    const bool apart = out - in >= input_bytes_ && in - out >= output_bytes_ && in != 0 && out != 0 &&
                       shape_.aliasing == execute::Aliasing::separate;
    if (key != prepared_key_ ||
        !(apart || (prepared_.in_place && in != 0) || prepared_.kind == Kind::barrier)) {
        return false;
    }
    run_prepared(input, output);
    return true;
}

void execute(Seat& seat, const Call& call) {
    seat.run(call);
}

bool execute_again(Seat& seat, std::uint64_t key, const void* input, void* output) {
    return seat.run_again(key, input, output);
}

} // namespace tutti::detail
