#include "execute/seat.hpp"

#include "algorithm/registry.hpp"
#include "execute/arguments.hpp"
#include "execute/claim.hpp"
#include "execute/executor.hpp"
#include "execute/group_state.hpp"
#include "execute/select.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

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

/// The compiled kernels of a reduction; nothing for what does not reduce.
const Kernels* kernels_of(const Call& call) {
    return reduces(execute::collective_of(call.kind)) ? &builtin(call.type, call.op) : nullptr;
}

/// Marks that an operator of the caller's may run, for a while.
class Running {
public:
    Running(bool& mark, bool runs) : mark_(mark) { mark = runs; }
    ~Running() { mark_ = false; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    Running(Running&&) = delete;
    Running& operator=(Running&&) = delete;

private:
    bool& mark_;
};

using Variant = execute::ScheduleName::Variant;

Variant variant_of(const Call& call) {
    return call.received != nullptr ? Variant::irregular_exchange
           : call.shared_output     ? Variant::shared_output
                                    : Variant::plain;
}

plan::Plan varied(plan::Plan plan, Variant variant) {
    switch (variant) {
    case Variant::irregular_exchange:
        return plan::for_irregular_exchange(std::move(plan));
    case Variant::shared_output:
        return plan::for_shared_output(std::move(plan));
    case Variant::plain:
        break;
    }
    return plan;
}

/// What selection looks at besides the call.
execute::CallSize size_of(const Call& call, const execute::Shape& shape, const GroupState& group) {
    const std::size_t total_bytes = shape.total * call.element_bytes;
    return {.message_bytes = shape.message_bytes,
            .total_bytes = total_bytes,
            .touched_bytes = execute::touched_bytes(call.kind, total_bytes, group.size()),
            .in_place = call.in_place,
            .members = group.size(),
            .cpus = group.setting().cpus,
            .l3_groups = group.setting().l3_groups};
}

} // namespace

Seat::Seat(GroupState& group, int rank, int members)
    : group_(group), rank_(rank),
      plans_(std::max(execute::most_plan_bytes / static_cast<std::size_t>(members),
                      execute::least_plan_bytes)) {}

bool Seat::is_new_here() {
    static std::atomic<std::uint64_t> threads{0};
    thread_local const std::uint64_t own = threads.fetch_add(1, std::memory_order_relaxed) + 1; // only unique
    return std::exchange(thread_, own) != own;
}

void Seat::release() {
    group_.leave_seat(rank_);
}

const execute::OwnPlan& Seat::plan(const execute::ScheduleName& name) try {
    if (const execute::OwnPlan* const known = plans_.find(name)) {
        return *known;
    }
    plan::Plan plan = plan::compile(*group_.synchronised({name.row, name.form, name.root}), rank_);
    execute::OwnPlan own(varied(std::move(plan), name.variant));
    const std::size_t bytes = own.bytes();
    return plans_.keep(name, std::move(own), bytes);
} catch (const std::invalid_argument& error) { // rounds and blocks have limits
    const algorithm::Algorithm& row = algorithm::registry()[name.row];
    throw ArgumentError(std::string(to_string(row.collective)) + ": algorithm \"" + std::string(row.name) +
                        "\" cannot serve " + std::to_string(group_.size()) + " members: " + error.what());
}

void Seat::set_scratch(Operation& operation, std::size_t element_align) {
    const plan::Plan& plan = *operation.plan;
    const plan::Partition& partition = operation.partition;
    if (plan.scratch_vectors == 0) {
        return;
    }
    std::size_t bytes = 0;
    std::size_t start_bytes = 0;
    if (plan.blocks == 1) {
        operation.scratch_stride_bytes =
            round_up(partition.total * operation.element_bytes, std::max(mailbox::line_bytes, element_align));
        bytes = plan.scratch_vectors * operation.scratch_stride_bytes;
    } else {
        const auto first = static_cast<std::size_t>(plan.scratch.first);
        const std::size_t end = first + static_cast<std::size_t>(plan.scratch.count);
        const auto blocks = static_cast<std::size_t>(plan.blocks);
        const std::size_t wrapped = end > blocks ? partition.elements(0, end - blocks) : 0;
        const std::size_t straight = partition.offset(std::min(end, blocks)) - partition.offset(first);
        bytes = (straight + wrapped) * operation.element_bytes;
        operation.scratch_stride_bytes = 0;
        start_bytes = partition.offset(first) * operation.element_bytes;
    }
    const auto start = reinterpret_cast<std::uintptr_t>(scratch_.at_least(bytes, element_align));
    execute::set_scratch_bases(operation.own, start - start_bytes, operation.scratch_stride_bytes);
}

bool Seat::is_prepared_for(const Call& call) const {
    const Call& last = prepared_;
    return is_prepared_ && call.kind == last.kind && call.type == last.type && call.op == last.op &&
           call.in_place == last.in_place && call.element_bytes == last.element_bytes &&
           call.element_align == last.element_align && call.input_count == last.input_count &&
           call.output_count == last.output_count && call.kernels == last.kernels &&
           call.function == last.function && call.algorithm == last.algorithm && call.root == last.root &&
           call.serial == last.serial && call.commutative == last.commutative &&
           call.shared_output == last.shared_output && has_prepared_counts(call);
}

bool Seat::has_prepared_counts(const Call& call) const {
    const auto are_of = [&](const Counts* counts, const std::vector<std::size_t>& offsets) {
        std::size_t before = 0;
        const auto ends = std::span(offsets).subspan(1, static_cast<std::size_t>(group_.size()));
        return std::ranges::equal(counts->span(), ends, [&](std::size_t count, std::size_t offset) {
            return offset - std::exchange(before, offset) == count;
        });
    };
    if ((call.counts != nullptr) != has_counts_ || (call.received != nullptr) != has_received_) {
        return false;
    }
    if (call.received != nullptr) {
        return are_of(call.counts, sent_offsets_) && are_of(call.received, offsets_);
    }
    return call.counts == nullptr || are_of(call.counts, offsets_);
}

void Seat::prepare(const Call& asked) {
    note_meeting();
    const auto members = static_cast<std::size_t>(group_.size());
    if (asked.counts != nullptr) {
        offsets_.resize(members + 1);
    }
    if (asked.received != nullptr) {
        sent_offsets_.resize(members + 2);
    }
    shape_ = execute::checked_shape(asked, rank_, group_.size(), offsets_.data(), sent_offsets_.data());
    const Call call = execute::reduced_to_one(asked);
    const execute::CallSize size = size_of(call, shape_, group_);
    const execute::Selection selection = execute::select(call, size, group_.setting().choices);
    set_plan(call, selection);
    set_partition(call);
    set_scratch(operation_, call.element_align);
    if (call.received != nullptr) {
        sent_offsets_.back() = shape_.total;
        execute::set_sent_offsets(operation_.own, sent_offsets_.data());
    }
    copies_input_ = must_copy_input(call, selection);
    set_stores(call, size, selection.form);
    set_claim(call, selection);

    const std::uintptr_t own_bytes = shape_.own_offset * call.element_bytes;
    input_shift_bytes_ = shape_.input_is_block ? own_bytes : 0;
    output_shift_bytes_ = shape_.output_is_block ? own_bytes : 0;
    input_bytes_ = asked.input_count * asked.element_bytes;
    output_bytes_ = asked.output_count * asked.element_bytes;
    if (copies_input_) {
        input_copy_.at_least(input_bytes_, asked.element_align);
    }
    prepared_ = asked;
    has_counts_ = std::exchange(prepared_.counts, nullptr) != nullptr;
    has_received_ = std::exchange(prepared_.received, nullptr) != nullptr;
    if (!asked.algorithm.empty()) { // the caller's text may not last
        prepared_.algorithm = algorithm::registry()[selection.row].name;
    }
    is_prepared_ = true;
    prepared_key_ = key_of(asked);
    record();
}

/// Whether the input has to be copied before anybody reads it, since this member's output is the same memory.
/// Others cannot know that of a call with two vectors, so the form does not depend on it; but where the row
/// needs no other waits in place, it may as well be so on some members only.
bool Seat::must_copy_input(const Call& call, const execute::Selection& selection) {
    if (shape_.aliasing != execute::Aliasing::same || selection.form != Form::separate) {
        return false;
    }
    const algorithm::Algorithm& row = algorithm::registry()[selection.row];
    if (call.in_place || !row.forms.in_place) {
        return true;
    }
    const int root = algorithm::has_root(row) ? call.root : 0;
    return group_.synchronised({selection.row, Form::separate, root})->waits !=
           group_.synchronised({selection.row, Form::in_place, root})->waits;
}

void Seat::set_plan(const Call& call, const execute::Selection& selection) {
    const bool has_root = algorithm::has_root(algorithm::registry()[selection.row]);
    const std::size_t total_bytes = shape_.total * call.element_bytes;
    Operation& operation = operation_;
    const execute::OwnPlan& own =
        plan({selection.row, selection.form, has_root ? call.root : 0, variant_of(call)});
    operation.plan = &own.plan;
    peers_.resize(std::max(peers_.size(), own.peers));
    if (own.lists_all) {
        ins_.resize(static_cast<std::size_t>(own.plan.ranks));
        outs_.resize(ins_.size());
    }
    operation.kernels = call.kernels != nullptr ? call.kernels : kernels_of(call);
    operation.element_bytes = call.element_bytes;
    operation.carries = operation.plan->carries;
    operation.settles = depends_on_all(execute::collective_of(call.kind));
    operation.staged = selection.form == Form::carried && shape_.message_bytes > mailbox::carried_bytes;
    operation.carried_words = operation.staged ? 1 : carried_words(shape_.message_bytes);
    operation.exchanges_words = operation.plan->exchanges_once && total_bytes <= sizeof(std::uint64_t);
    operation.word_bytes = static_cast<std::uint8_t>(operation.exchanges_words ? total_bytes : 0);
}

void Seat::set_partition(const Call& call) {
    const auto blocks = static_cast<std::size_t>(operation_.plan->blocks);
    plan::Partition& partition = operation_.partition;
    partition.total = shape_.total;
    partition.block = blocks == 1         ? shape_.total
                      : shape_.block != 0 ? shape_.block
                                          : free_block(shape_.total, blocks, call.element_bytes);
    partition.offsets = call.counts != nullptr ? offsets_.data() : nullptr;
}

void Seat::set_stores(const Call& call, const execute::CallSize& size, Form form) {
    // In place every line that is written has just been read, and writing past the caches would lose it; but
    // what a broadcast writes nobody has read.
    const bool separate =
        (form == Form::separate && (copies_input_ || shape_.aliasing == execute::Aliasing::separate)) ||
        call.kind == Kind::broadcast;
    const execute::Caches& caches = execute::Caches::here();
    const int cpus = std::min(size.members, size.cpus);
    const bool to_own = caches.streams_to_own(size.touched_bytes, cpus, size.l3_groups);
    const bool to_others = separate && caches.streams_to_others(size.touched_bytes, cpus, size.l3_groups);
    operation_.shares_output = call.shared_output && size.total_bytes != 0;
    operation_.own_stores = {.stream = call.shared_output ? to_others : separate && to_own};
    operation_.all_stores = {.stream = to_others, .cached_out = to_own ? -1 : rank_};
}

void Seat::set_claim(const Call& call, const execute::Selection& selection) {
    const bool has_root = algorithm::has_root(algorithm::registry()[selection.row]);
    const bool exchanges = call.received != nullptr;
    Operation& operation = operation_;
    operation.claim = {.row = selection.row,
                       .form = selection.form,
                       .type = call.type,
                       .op = call.op,
                       .in_place = call.in_place,
                       .serial = call.serial,
                       .shared_output = call.shared_output,
                       .by_counts = exchanges,
                       .root = has_root ? static_cast<std::uint32_t>(call.root) : 0,
                       .bytes = exchanges ? 0 : shape_.total * call.element_bytes,
                       .element_bytes = call.element_bytes,
                       .counts =
                           call.counts != nullptr && !exchanges ? execute::digest(call.counts->span()) : 0,
                       .function = call.function,
                       .loops = call.loops};
    operation.marks = operation.claim.marks(exchanges ? 0 : shape_.message_bytes);
    if (selection.form != Form::carried) { // nobody shows addresses
        operation.footprint = {call, shape_.total, shape_.block,
                               call.counts != nullptr ? offsets_.data() : nullptr};
    }
}

void Seat::record() {
    const std::uint64_t points = operation_.plan->points;
    const bool is_first = recorded_.number == 0;
    if (!is_first && recorded_digest_ == operation_.marks.digest && recorded_.points == points) {
        return;
    }
    recorded_ = {is_first ? 1 : recorded_.number_at(epoch_), epoch_, points};
    recorded_digest_ = operation_.marks.digest;
    group_.board(rank_).log.add(recorded_, operation_.claim);
}

void Seat::resume(std::uint64_t epoch) {
    note_meeting();
    epoch_ = prepared_at_ = epoch;
    parity_ = 0;
    must_settle_ = carried_before_ = false;
    history_ = 0;
    is_prepared_ = false;
    prepared_key_ = 0;
    recorded_ = {};
    execute::MemberBoard& board = group_.board(rank_);
    board.log.clear();
    // Relaxed: whoever made this the time for it orders it before the next call of any member.
    board.progress.store(0, std::memory_order_relaxed);
}

void Seat::run_prepared(const void* input, void* output) {
    if (copies_input_ && input != nullptr && input_bytes_ != 0) {
        input = std::memcpy(input_copy_.data(), input, input_bytes_);
    }
    operation_.own[Space::input] = reinterpret_cast<std::uintptr_t>(input) - input_shift_bytes_;
    operation_.own[Space::output] = reinterpret_cast<std::uintptr_t>(output) - output_shift_bytes_;
    try {
        execute::Executor executor(*this);
        operation_.exchanges_words && !must_settle_ ? executor.exchange_words() : executor.run();
    } catch (...) {
        group_.fail(rank_, std::current_exception());
        group_.leave(rank_);
        throw;
    }
}

void Seat::run(const Call& call) {
    if (runs_operator_) {
        throw Error(std::string(to_string(execute::collective_of(call.kind))) +
                    ": called by an operator, inside another call of the same member: operators must not "
                    "make calls of the group that they reduce for");
    }
    if (!is_prepared_for(call) || execute::aliasing_of(call, shape_) != shape_.aliasing) {
        is_prepared_ = false;
        prepared_key_ = 0;
        try {
            prepare(call);
        } catch (const ArgumentError&) {
            throw; // the member may call again
        } catch (...) {
            group_.fail(rank_, std::current_exception());
            throw;
        }
    }
    operation_.state = call.state;
    const Running running(runs_operator_, call.kernels != nullptr);
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
