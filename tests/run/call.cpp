#include "call.hpp"

#include "cache_line.hpp"
#include "mailbox/slot.hpp"
#include "mixed.hpp"
#include "plan/plan.hpp"

namespace tutti::test {

using algorithm::Algorithm;
using schedule::Protocol;

namespace {

constexpr std::size_t bytes_of(std::size_t elements) {
    return elements * sizeof(Element);
}

/// Blocks of 0, 1 or 2 elements; the first member has none.
std::vector<std::size_t> irregular_offsets(int ranks) {
    std::vector<std::size_t> offsets{0};
    for (int rank = 0; rank < ranks; ++rank) {
        offsets.push_back(offsets.back() + static_cast<std::size_t>(rank * 7 % 3));
    }
    return offsets;
}

/// The number of elements from each member to each.
std::vector<std::size_t> own_counts(Collective collective, int ranks, int root) {
    std::vector<std::size_t> counts;
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            const bool sends = (collective != Collective::gather || to == root) &&
                               (collective != Collective::scatter || from == root);
            counts.push_back(sends ? static_cast<std::size_t>((from * 2 + to * 5 + 1) % 4) : 0);
        }
    }
    return counts;
}

/// A message is a block, and not the whole vector.
bool sends_blocks(Collective collective) {
    return collective == Collective::allgather || collective == Collective::gather;
}

/// Elements that make no message, one of a word, one of half a slot, of a whole slot, and of a stage.
constexpr std::size_t word = sizeof(std::uint64_t) / sizeof(Element);
constexpr std::size_t carried_sizes[] = {0, 1, word, 2 * word + 1, 4 * word, 6 * word + 1};

std::vector<Call::Size> sizes(const Algorithm& row, const schedule::Schedule& schedule, Protocol protocol) {
    const auto ranks = static_cast<std::size_t>(schedule.ranks());
    const auto blocks = static_cast<std::size_t>(schedule.blocks());
    const bool is_divided = detail::traits_of(row.collective).is_divided();
    std::vector<Call::Size> list;
    const auto add = [&](std::size_t elements) {
        if (is_divided) {
            list.push_back({ranks * elements, elements});
        } else {
            list.push_back({elements, blocks == 1 ? elements : (elements + blocks - 1) / blocks});
        }
    };
    if (row.collective == Collective::barrier) {
        return {{0, 0}};
    }
    if (protocol != Protocol::eager) {
        const auto several =
            is_divided ? std::set<std::size_t>{1, 3} : std::set<std::size_t>{1, blocks + 1, 2 * blocks};
        std::ranges::for_each(several, add);
        if (is_divided && row.collective != Collective::alltoall) {
            list.push_back({irregular_offsets(schedule.ranks()).back(), 0, true});
        }
        return list;
    }
    for (const std::size_t elements : carried_sizes) {
        const std::size_t message = is_divided && !sends_blocks(row.collective) ? ranks * elements : elements;
        const std::size_t most_bytes = schedule.rounds() > 1 ? mailbox::eager_bytes : mailbox::staging_bytes;
        if (bytes_of(message) <= most_bytes) {
            add(elements);
        }
    }
    return list;
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

void set_scratch(run::Prepared& prepared) {
    const plan::Plan& plan = *prepared.plan;
    const plan::Partition& partition = prepared.partition;
    if (plan.scratch_vectors == 0) {
        return;
    }
    prepared.scratch_bytes = 2 * scratch_guard_bytes;
    prepared.scratch_start_bytes = -scratch_guard_bytes;
    if (plan.blocks == 1) {
        prepared.scratch_stride_bytes = round_up(bytes_of(partition.total), line_bytes);
        prepared.scratch_bytes += plan.scratch_vectors * prepared.scratch_stride_bytes;
        return;
    }
    const auto first = static_cast<std::size_t>(plan.scratch.first);
    for (std::size_t block = 0; block < static_cast<std::size_t>(plan.scratch.count); ++block) {
        const std::size_t index = (first + block) % static_cast<std::size_t>(plan.blocks);
        prepared.scratch_bytes += bytes_of(partition.elements(index, 1));
    }
    prepared.scratch_start_bytes += bytes_of(partition.offset(first));
}

/// A digest of everything on which members must agree.
run::Digests marks_of(const std::string& name) {
    std::uint64_t digest = 0;
    for (const char letter : name) {
        digest = tutti::mixed(digest, static_cast<unsigned char>(letter));
    }
    return {digest, digest >> 40U & mailbox::fingerprint_mask};
}

} // namespace

Call::Call(const Algorithm& row, int root, const Plans& plans, bool in_place, const Size& size)
    : row_(&row), size_(size), plans_(plans),
      offsets_(size.irregular ? irregular_offsets(ranks()) : std::vector<std::size_t>{}),
      sent_(size.has_private_counts ? own_counts(row.collective, ranks(), root) : std::vector<std::size_t>{}),
      partition_{size.total, plans.front()->plan.blocks == 1 ? size.total : size.block,
                 size.irregular ? offsets_.data() : nullptr},
      operator_(OrderOperator::showing(row.order)) {
    shape_.in_place = in_place;
    shape_.root = root;
    set_shape();
    constexpr const char* names[] = {" (separate): ", " (in place): ", " (carried): "};
    name_ = std::string(row.name) + names[static_cast<std::size_t>(plans.front()->plan.protocol)] +
            shape_.describe();
    for (int rank = 0; rank < ranks(); ++rank) {
        prepared_.push_back(prepare(rank, plans[static_cast<std::size_t>(rank)]));
    }
}

Call Call::again() const {
    return {*row_, shape_.root, plans_, shape_.in_place, size_};
}

/// As library::PreparedCall does it.
run::Prepared Call::prepare(int rank, const std::shared_ptr<const run::OwnPlan>& plan) const {
    run::Prepared prepared;
    prepared.owned_plan = plan;
    prepared.plan = &plan->plan;
    prepared.digests = marks_of(name_);
    prepared.kernels = operator_.kernels;
    prepared.association = association();
    prepared.element_bytes = prepared.element_align = sizeof(Element);
    prepared.partition = partition_;
    prepared.synchronises = detail::traits_of(row_->collective).needs_all;
    set_shifts(prepared, rank);
    const std::size_t total_bytes = bytes_of(size_.total);
    const std::size_t message_bytes = sends_blocks(row_->collective) ? bytes_of(size_.block) : total_bytes;
    prepared.staged = plan->plan.protocol == Protocol::eager && message_bytes > mailbox::eager_bytes;
    const std::size_t words = round_up(message_bytes, sizeof(std::uint64_t)) / sizeof(std::uint64_t);
    prepared.eager_words =
        prepared.staged ? std::uint8_t{1} : static_cast<std::uint8_t>(std::max(words, std::size_t{1}));
    prepared.set_words(message_bytes);
    prepared.exchanges_words &= !prepared.exchange.gathers || !size_.irregular;
    const detail::Call call{.collective = row_->collective,
                            .in_place = shape_.in_place,
                            .root = shape_.root,
                            .element_bytes = sizeof(Element)};
    prepared.footprint = {call, {size_.total, size_.block, partition_.offsets}};
    set_scratch(prepared);
    if (size_.has_private_counts) {
        set_counts(prepared, rank);
    }
    return prepared;
}

/// An exchange by counts is as an all-to-all, whichever blocks go where.
void Call::set_shape() {
    shape_.collective = size_.has_private_counts ? Collective::alltoall : row_->collective;
    shape_.count = shape_.traits().is_divided() ? size_.block : size_.total;
    if (size_.has_private_counts) {
        shape_.lengths = [sent = sent_, members = plans_.size()](std::size_t from, std::size_t to) {
            return sent[from * members + to];
        };
    } else if (size_.irregular) {
        shape_.lengths = [offsets = offsets_](std::size_t /*from*/, std::size_t to) {
            return offsets[to + 1] - offsets[to];
        };
    }
}

/// If one of the member's vectors is its own block, that begins where the block is in the whole one.
void Call::set_shifts(run::Prepared& prepared, int rank) const {
    const detail::Part in = shape_.traits().input.of(rank == shape_.root);
    const detail::Part out = shape_.traits().output.of(rank == shape_.root);
    const auto shift_bytes = [&](detail::Part part) {
        const bool is_own = part == detail::Part::block && !size_.has_private_counts;
        return is_own ? bytes_of(partition_.offset(static_cast<std::size_t>(rank))) : 0;
    };
    prepared.input_shift_bytes = shift_bytes(shape_.in_place ? std::max(in, out) : in);
    prepared.output_shift_bytes = shift_bytes(shape_.in_place ? std::max(in, out) : out);
}

void Call::set_counts(run::Prepared& prepared, int rank) const {
    const auto members = static_cast<std::size_t>(prepared.plan->ranks);
    const auto own = static_cast<std::size_t>(rank);
    prepared.has_private_counts = true;
    run::PrivateLayout& layout = prepared.layout;
    for (std::size_t peer = 0; peer < members; ++peer) {
        layout.sent.push_back({layout.read, sent_[own * members + peer]});
        layout.read += layout.sent.back().count;
        layout.received.push_back({layout.written, sent_[peer * members + own]});
        layout.written += layout.received.back().count;
    }
}

Call Call::colliding_with(const Call& other) const {
    Call forged = again();
    for (int rank = 0; rank < ranks(); ++rank) {
        forged.prepared_[static_cast<std::size_t>(rank)].digests.fingerprint =
            other.prepared(rank).digests.fingerprint;
    }
    return forged;
}

bool Call::is_carried() const {
    return prepared_.front().plan->protocol == Protocol::eager;
}

bool Call::fills_all_blocks() const {
    const auto blocks = static_cast<std::size_t>(prepared_.front().plan->blocks);
    for (std::size_t block = 0; block < blocks; ++block) {
        if (partition_.elements(block, 1) == 0) {
            return false;
        }
    }
    return true;
}

Call Call::without(int rank, std::size_t step) const {
    Call broken = again();
    run::Prepared& prepared = broken.prepared_[static_cast<std::size_t>(rank)];
    const auto plan = std::make_shared<run::OwnPlan>(*prepared.owned_plan);
    plan->plan.steps.erase(plan->plan.steps.begin() + static_cast<std::ptrdiff_t>(step));
    prepared.plan = &plan->plan;
    prepared.owned_plan = plan;
    prepared.exchanges_words = false; // which does not look at the steps
    return broken;
}

namespace {

template <class Change>
Call::Plans plans_of(const schedule::Synchronised& synchronised, Change change) {
    Call::Plans plans;
    for (int rank = 0; rank < synchronised.schedule.ranks(); ++rank) {
        plans.push_back(std::make_shared<const run::OwnPlan>(change(plan::compile(synchronised, rank))));
    }
    return plans;
}

} // namespace

Calls calls_of(const Algorithm& row, const schedule::Schedule& made) {
    Calls calls;
    for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place, Protocol::eager}) {
        if (!takes(row, protocol)) {
            continue;
        }
        const Call::Plans plans =
            plans_of(schedule::synchronise(made, protocol), [](plan::Plan plan) { return plan; });
        for (const Call::Size& size : sizes(row, made, protocol)) {
            for (const bool in_place : {false, true}) {
                if (protocol == Protocol::eager || in_place == (protocol == Protocol::in_place)) {
                    calls.push_back(std::make_unique<const Call>(row, made.root(), plans, in_place, size));
                }
            }
        }
    }
    if (row.protocols.one_hop) {
        const auto synchronised = schedule::synchronise(made, Protocol::zero_copy);
        const Call::Size size{.total = 1, .block = 0, .irregular = true, .has_private_counts = true};
        calls.push_back(std::make_unique<const Call>(
            row, made.root(), plans_of(synchronised, plan::for_irregular_exchange), false, size));
    }
    return calls;
}

Calls calls_of(const Algorithm& row, int ranks) {
    Calls calls;
    for (int root = 0; root < (has_root(row) ? ranks : 1); ++root) {
        std::ranges::move(calls_of(row, row.make(ranks, root)), std::back_inserter(calls));
    }
    return calls;
}

} // namespace tutti::test
