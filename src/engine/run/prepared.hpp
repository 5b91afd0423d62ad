#pragma once

#include "mailbox/slot.hpp"
#include "plan/plan.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::run {

/// The blocks of a call in which only the sender and the receiver of a block know of it: those that a member
/// sends to each and receives from each. The others read this during the call, except `received`.
struct PrivateLayout {
    /// Elements of the member's input and output, in which the blocks lie.
    std::size_t read = 0;
    std::size_t written = 0;
    std::vector<plan::BlockPlace> sent;
    std::vector<plan::BlockPlace> received;
};

/// The parts of their calls that members compare.
struct Digests {
    /// A digest of everything on which they must agree.
    std::uint64_t digest = 0;
    /// The bits that travel in every tag.
    std::uint64_t fingerprint = 0;
};

/// The part of a history's digest that goes into a tag.
constexpr std::uint64_t fingerprint_of_history(std::uint64_t history) {
    return history >> (64U - mailbox::fingerprint_bits);
}

/// A piece of memory.
struct Range {
    std::uintptr_t start = 0;
    std::size_t bytes = 0;

    friend bool overlap(const Range& a, const Range& b) {
        // Distances wrap around if the other piece comes first, and are huge then.
        return a.bytes != 0 && b.bytes != 0 && (a.start - b.start < b.bytes || b.start - a.start < a.bytes);
    }
};

/// Which memory of each member's vectors a call reads, and which it writes.
class Footprint {
public:
    Footprint() = default;
    /// The footprint of a call whose whole vector is divided into these blocks, one for each member.
    TUTTI_COMPONENT_API Footprint(const detail::Call& call, const plan::Partition& blocks);

    /// The ranges of the vectors of `member`, for vectors that would start there as wholes.
    Range read(int member, std::uintptr_t input) const { return range(reads_, member, input); }
    Range written(int member, std::uintptr_t output) const { return range(writes_, member, output); }

    /// Whether any vectors that would start there as wholes may overlap.
    bool may_overlap(std::uintptr_t one, std::uintptr_t other) const {
        const std::size_t bytes = blocks_.total * element_bytes_;
        return one - other + bytes < 2 * bytes;
    }

private:
    TUTTI_COMPONENT_API Range range(detail::Parts parts, int member, std::uintptr_t whole) const;

    detail::Parts reads_;
    detail::Parts writes_;
    int root_ = 0;
    std::size_t element_bytes_ = 1;
    plan::Partition blocks_;
};

/// A member's plan as its seat keeps it. The members into whose vectors it looks are numbered, so that the
/// seat keeps nothing of others. If a step touches the vectors of all members, the numbers are the ranks.
struct OwnPlan {
    plan::Plan plan;
    std::size_t peers = 0;
    /// Whether a step combines vectors of several members or stores to all, and needs lists of them.
    bool lists_all = false;

    explicit OwnPlan(plan::Plan compiled);

    /// Its size in memory, roughly.
    std::size_t bytes() const {
        return sizeof(*this) + plan.steps.capacity() * sizeof(plan::Step) +
               plan.operands.capacity() * sizeof(plan::Operand);
    }
};

/// Everything that a run of a plan needs but addresses. Not changed while it runs, so that any number of runs
/// may share it.
struct Prepared {
    Prepared() = default;
    ~Prepared() = default;
    // Not copyable: a copy would point into its original. The targets of the pointers stay where they are in
    // a move.
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    Prepared(Prepared&&) = default;
    Prepared& operator=(Prepared&&) = default;

    // The fields that a run of one exchange reads.
    Digests digests;
    const plan::Plan* plan = nullptr;
    const detail::Kernels* kernels = nullptr;
    detail::Association association = detail::Association::tree;
    /// Elements, `partition.total` of them, start that far behind the addresses of the member's vectors,
    /// which are moved to where block 0 would be.
    std::size_t input_shift_bytes = 0;
    std::size_t output_shift_bytes = 0;
    /// The plan is one exchange of messages of at most one word, of so many bytes: see set_words().
    bool exchanges_words = false;
    std::uint8_t word_bytes = 0;
    plan::Exchange exchange;
    /// The member's word starts that far behind the address of its input.
    std::ptrdiff_t word_offset = 0;
    /// The message does not fit into a slot and goes over the staging buffer; the slot then carries the
    /// digest.
    bool staged = false;
    /// Words that a slot carries, in the eager protocol.
    std::uint8_t eager_words = 1;
    /// The result depends on every member's input, so that no member can be through before all have entered.
    bool synchronises = false;
    /// The output is one vector for all members, which must pass the same.
    bool shares_output = false;
    /// Only the sender and the receiver of a block know of it: `exchange` has their places.
    bool has_private_counts = false;

    std::size_t element_bytes = 1;
    std::size_t element_align = 1;
    plan::Partition partition;
    /// How the member's own vectors are written, and how those of all members.
    detail::StoreHints own_stores;
    detail::StoreHints all_stores;
    /// The size of all scratch vectors together, which are `scratch_stride_bytes` apart. Only the part behind
    /// the first `scratch_start_bytes` exists.
    std::size_t scratch_bytes = 0;
    std::size_t scratch_start_bytes = 0;
    std::size_t scratch_stride_bytes = 0;
    Footprint footprint;

    /// The owner of the memory into which `plan` and `partition` point.
    std::shared_ptr<const OwnPlan> owned_plan;
    /// The offsets of irregular blocks.
    std::vector<std::size_t> offsets;
    PrivateLayout layout;

    /// Determines whether the plan exchanges words if a message has so many bytes.
    TUTTI_COMPONENT_API void set_words(std::size_t message_bytes);
};

} // namespace tutti::run
