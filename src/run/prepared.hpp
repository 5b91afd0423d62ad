#pragma once

#include "plan/partition.hpp"
#include "run/digests.hpp"
#include "run/footprint.hpp"
#include "run/own_plan.hpp"
#include "run/private_layout.hpp"

#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::run {

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
    /// The plan is one exchange of messages of at most one word, of so many bytes.
    bool exchanges_words = false;
    std::uint8_t word_bytes = 0;
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
};

} // namespace tutti::run
