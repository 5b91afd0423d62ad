// How a call is prepared.

#include "algorithm/registry.hpp"
#include "call/prepared_call.hpp"

#include <tutti/detail/kernels.hpp>

#include <algorithm>

namespace tutti::library {

using detail::Call;
using schedule::Protocol;

namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// Words that a slot carries for a message of so many bytes; a signal is one word as well.
std::uint8_t eager_words(std::size_t message_bytes) {
    constexpr std::size_t word_bytes = sizeof(std::uint64_t);
    return static_cast<std::uint8_t>(std::max<std::size_t>(1, (message_bytes + word_bytes - 1) / word_bytes));
}

/// The kernels of a reduction; null for other calls.
const detail::Kernels* kernels_of(const Call& call) {
    return detail::traits_of(call.collective).reduces() ? &call.loops() : nullptr;
}

ScheduleName::Variant variant_of(const Call& call) {
    using enum ScheduleName::Variant;
    return exchanges(call) ? irregular_exchange : call.shared_output ? shared_output : plain;
}

/// The inputs of the selection besides the call.
Selection::Input size_of(const Call& call, const Shape& shape, const Plans& plans) {
    const std::size_t total_bytes = shape.total * call.element_bytes;
    return {.message_bytes = shape.message_bytes,
            .total_bytes = total_bytes,
            .touched_bytes = touched_bytes(call.collective, total_bytes, plans.members()),
            .in_place = call.in_place,
            .members = plans.members(),
            .cpus = plans.config().cpus,
            .l3_groups = plans.config().l3_groups};
}

/// The root on which a schedule depends, if it has one.
int root_of(const Call& call, const Selection& selection) {
    return algorithm::has_root(algorithm::registry()[selection.row]) ? call.root : 0;
}

ScheduleName schedule_of(const Call& call, const Selection& selection) {
    return {selection.row, selection.protocol, root_of(call, selection), variant_of(call)};
}

} // namespace

void PreparedCall::prepare(const Call& asked, Plans& plans, Explorations* explorations) {
    prepare_with(asked, plans, [&](const Call& call, const Selection::Input& size) -> const Selection* {
        exploration_ = explorations != nullptr ? explorations->of(call, size) : nullptr;
        return exploration_ != nullptr ? &explorations->begin(*exploration_) : nullptr;
    });
}

void PreparedCall::prepare_as_learnt(const Call& asked, Plans& plans, const Explorations* explorations) {
    prepare_with(asked, plans, [&](const Call& call, const Selection::Input& size) {
        return explorations != nullptr ? explorations->chosen(call, size) : nullptr;
    });
}

/// `choose` returns a selection that has been tried, or null. Calls with counts are not tried.
template <class Choose>
void PreparedCall::prepare_with(const Call& asked, Plans& plans, Choose choose) {
    known_.forget();
    const auto members = static_cast<std::size_t>(plans.members());
    prepared_.has_private_counts = exchanges(asked);
    prepared_.offsets.resize(asked.counts != nullptr && !prepared_.has_private_counts ? members + 1 : 0);
    known_.remember(asked,
                    prepared_.has_private_counts
                        ? checked_layout(asked, plans.rank(), plans.members(), prepared_.layout)
                        : checked_shape(asked, plans.rank(), plans.members(), prepared_.offsets.data()));
    const Call call = reduced_to_one(asked);
    const Selection::Input size = size_of(call, shape(), plans);
    exploration_ = nullptr;
    const Selection* const chosen = asked.counts == nullptr ? choose(call, size) : nullptr;
    use(chosen != nullptr ? *chosen : select(call, size, plans.config().choices), call, size,
        asked.input_count * asked.element_bytes, plans);
}

void PreparedCall::begin_again(const Call& asked, Plans& plans, Explorations& explorations) {
    const Selection& selection = explorations.begin(*exploration_);
    if (exploration_->selection_number() != selection_number_ || !exploration_->to_prepare().empty()) {
        known_.forget();
        use(selection, asked, size_of(asked, shape(), plans), asked.input_count * asked.element_bytes, plans);
    }
}

void PreparedCall::use(const Selection& selection, const Call& call, const Selection::Input& size,
                       std::size_t input_bytes, Plans& plans) {
    selection_ = selection;
    selection_number_ = 0;
    if (exploration_ != nullptr) {
        selection_number_ = exploration_->selection_number();
        for (const std::size_t candidate : exploration_->to_prepare()) {
            plans.plan(schedule_of(call, exploration_->candidates()[candidate]));
        }
    }
    set_plan(call, plans);
    set_messages(call, plans.members());
    set_partition(call);
    set_scratch();
    set_copy(call, input_bytes, plans);
    set_stores(call, size, plans.rank());
    set_call_signature(call);
}

void PreparedCall::set_plan(const Call& call, Plans& plans) {
    const detail::Neighborhood* const graph = neighborhood_of(call);
    prepared_.owned_plan = graph != nullptr ? graph->plan() : plans.plan(schedule_of(call, selection_));
    prepared_.plan = &prepared_.owned_plan->plan;
    prepared_.kernels = kernels_of(call);
    prepared_.association = association_of(call);
    prepared_.element_bytes = call.element_bytes;
    prepared_.element_align = call.element_align;
    // Nobody else can be through before a single member has entered.
    prepared_.synchronises =
        (detail::traits_of(call.collective).needs_all && graph == nullptr) || plans.members() == 1;
    prepared_.shares_output = call.shared_output && shape().total != 0;
    // In an exchange blocks start where its tables say, behind the vectors' own addresses.
    const std::size_t own_bytes = prepared_.has_private_counts ? 0 : shape().own_offset * call.element_bytes;
    prepared_.input_shift_bytes = shape().input_is_block ? own_bytes : 0;
    prepared_.output_shift_bytes = shape().output_is_block ? own_bytes : 0;
}

void PreparedCall::set_messages(const Call& call, int members) {
    // Operands that come in slots are combined as they come, two at a time.
    const bool combines_all = call.needs_one_pass() && members > 2 && shape().message_bytes != 0;
    // A block that begins within its own length would overlap the operand that came in a slot.
    const bool overlaps = call.counts != nullptr && call.collective == Collective::reduce_scatter;
    prepared_.staged = selection_.protocol == Protocol::eager &&
                       (combines_all || overlaps || shape().message_bytes > mailbox::eager_bytes);
    prepared_.eager_words = prepared_.staged ? std::uint8_t{1} : eager_words(shape().message_bytes);
    prepared_.set_words(shape().message_bytes);
    prepared_.exchanges_words &= !combines_all && call.counts == nullptr;
}

void PreparedCall::set_partition(const Call& call) {
    const auto blocks = static_cast<std::size_t>(prepared_.plan->blocks);
    plan::Partition& partition = prepared_.partition;
    partition.total = shape().total;
    partition.block = blocks == 1          ? shape().total
                      : shape().block != 0 ? shape().block
                                           : plan::free_block(shape().total, blocks, call.element_bytes);
    partition.offsets =
        call.counts != nullptr && !prepared_.has_private_counts ? prepared_.offsets.data() : nullptr;
}

void PreparedCall::set_scratch() {
    const plan::Plan& plan = *prepared_.plan;
    const plan::Partition& partition = prepared_.partition;
    prepared_.scratch_bytes = prepared_.scratch_start_bytes = prepared_.scratch_stride_bytes = 0;
    if (plan.scratch_vectors == 0) {
        return;
    }
    if (plan.blocks == 1) {
        prepared_.scratch_stride_bytes = round_up(partition.total * prepared_.element_bytes,
                                                  std::max(line_bytes, prepared_.element_align));
        prepared_.scratch_bytes = plan.scratch_vectors * prepared_.scratch_stride_bytes;
        return;
    }
    const auto first = static_cast<std::size_t>(plan.scratch.first);
    const std::size_t end = first + static_cast<std::size_t>(plan.scratch.count);
    const auto blocks = static_cast<std::size_t>(plan.blocks);
    const std::size_t wrapped = end > blocks ? partition.elements(0, end - blocks) : 0;
    const std::size_t straight = partition.offset(std::min(end, blocks)) - partition.offset(first);
    prepared_.scratch_bytes = (straight + wrapped) * prepared_.element_bytes;
    prepared_.scratch_start_bytes = partition.offset(first) * prepared_.element_bytes;
}

/// If this member's output is the same memory as its input, the input has to be copied before anybody reads
/// it. Other members cannot know this of a call with two vectors, so the protocol does not depend on it. But
/// if the row needs no other waits in place, only some members may make the copy.
void PreparedCall::set_copy(const Call& call, std::size_t input_bytes, Plans& plans) {
    copied_bytes_ = 0;
    if (prepared_.has_private_counts) {
        // Elsewhere a block that a member sends is in its place already.
        copied_bytes_ = call.collective == Collective::alltoall && call.in_place ? input_bytes : 0;
        return;
    }
    if (shape().aliasing == Aliasing::front) {
        // The result is written over blocks that the call still needs, in whichever protocol.
        copied_bytes_ = input_bytes;
        return;
    }
    if (shape().aliasing != Aliasing::same || selection_.protocol != Protocol::zero_copy) {
        return;
    }
    const algorithm::Algorithm& row = algorithm::registry()[selection_.row];
    const int root = root_of(call, selection_);
    const auto waits = [&](Protocol protocol) {
        return plans.schedule({selection_.row, protocol, root})->waits;
    };
    if (call.in_place || !row.protocols.in_place || waits(Protocol::zero_copy) != waits(Protocol::in_place)) {
        copied_bytes_ = input_bytes;
    }
}

void PreparedCall::set_stores(const Call& call, const Selection::Input& size, int rank) {
    const bool apart = stores_apart(call.collective, selection_.protocol) &&
                       (call.collective == Collective::broadcast || copied_bytes_ != 0 ||
                        shape().aliasing == Aliasing::separate);
    const WaysToStore ways = StorePolicy::here().ways_to_store(selection_.stores, call.collective, size);
    prepared_.all_stores = {.stream = apart && ways.streams_to_others,
                            .cached_out = ways.streams_to_own ? -1 : rank,
                            .move = apart && ways.moves_to_others};
    prepared_.own_stores = call.shared_output ? prepared_.all_stores.to_others()
                                              : detail::StoreHints{.stream = apart && ways.streams_to_own};
}

void PreparedCall::set_call_signature(const Call& call) {
    signature_ = signature_of(call, shape(), selection_.row, root_of(call, selection_));
    signature_.protocol = selection_.protocol;
    prepared_.digests = signature_.digests(prepared_.has_private_counts ? 0 : shape().message_bytes);
    prepared_.footprint = {call, {shape().total, shape().block, prepared_.partition.offsets}};
}

} // namespace tutti::library
