#pragma once

#include "cache_line.hpp"
#include "run/prepared.hpp"
#include "schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace tutti::run {

/// Memory that grows when more of it is needed than ever before, and loses its content when it does.
class Memory {
public:
    /// On a cache line, and with at least that alignment. The old memory is given back before new memory is
    /// allocated; if there is none, this is left without any.
    std::byte* at_least(std::size_t bytes, std::size_t alignment = line_bytes) {
        if (bytes_ < bytes || alignment_ < alignment) {
            const std::size_t most_bytes = std::max(bytes, bytes_);
            const std::size_t widest = std::max(alignment, alignment_);
            const std::align_val_t where{widest};
            memory_.reset();
            bytes_ = 0;
            memory_ = {static_cast<std::byte*>(::operator new(most_bytes, where)), Delete{where}};
            bytes_ = most_bytes;
            alignment_ = widest;
        }
        return memory_.get();
    }

    /// The result of the last at_least(), null if it threw.
    std::byte* data() const { return memory_.get(); }

private:
    struct Delete {
        std::align_val_t alignment;
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };

    std::unique_ptr<std::byte, Delete> memory_;
    std::size_t bytes_ = 0;
    std::size_t alignment_ = line_bytes;
};

/// The start of a member's vectors, each as if it were whole: the output of a reduce-scatter starts where
/// block 0 would be. Addresses, not pointers, since those places need not exist.
struct Bases {
    std::array<std::uintptr_t, schedule::space_count> at{};

    std::uintptr_t operator[](schedule::Space space) const { return at[static_cast<std::size_t>(space)]; }
    std::uintptr_t& operator[](schedule::Space space) { return at[static_cast<std::size_t>(space)]; }
};

/// An exchange needs no scratch. In its place a member shows where its blocks are.
inline const PrivateLayout& layout_of(const Bases& bases) {
    return *reinterpret_cast<const PrivateLayout*>( // NOLINT(performance-no-int-to-ptr)
        bases[schedule::Space::scratch0]);
}
inline void set_layout(Bases& bases, const PrivateLayout& layout) {
    bases[schedule::Space::scratch0] = reinterpret_cast<std::uintptr_t>(&layout);
}

/// Scratch vectors lie one after the other, `stride_bytes` apart.
inline void set_scratch_bases(Bases& bases, std::uintptr_t first, std::size_t stride_bytes) {
    for (auto space = static_cast<std::size_t>(schedule::Space::scratch0); space < bases.at.size(); ++space) {
        bases.at[space] = first;
        first += stride_bytes;
    }
}

/// The addresses of one run: of the member's own vectors, of those of others as they become known, and of
/// its scratch.
class Bindings {
public:
    /// Makes room for runs of `prepared`, so that they allocate nothing.
    void reserve(const Prepared& prepared) {
        const OwnPlan& own_plan = *prepared.owned_plan;
        peers.resize(std::max(peers.size(), own_plan.peers));
        if (own_plan.lists_all) {
            ins.resize(std::max(ins.size(), static_cast<std::size_t>(own_plan.plan.ranks)));
            outs.resize(ins.size());
        }
        if (prepared.scratch_bytes != 0) {
            scratch_.at_least(prepared.scratch_bytes, prepared.element_align);
        }
    }

    /// To the vectors of the next run, and to the operator's state.
    void bind(const Prepared& prepared, const void* input, void* output, const void* operator_state) {
        using schedule::Space;
        state = operator_state;
        own[Space::input] = reinterpret_cast<std::uintptr_t>(input) - prepared.input_shift_bytes;
        own[Space::output] = reinterpret_cast<std::uintptr_t>(output) - prepared.output_shift_bytes;
        if (prepared.scratch_bytes != 0) {
            const auto start = reinterpret_cast<std::uintptr_t>(scratch_.data());
            set_scratch_bases(own, start - prepared.scratch_start_bytes, prepared.scratch_stride_bytes);
        } else if (prepared.has_private_counts) {
            set_layout(own, prepared.layout);
        }
    }

    /// The member's input as it was passed, and its output if that is whole.
    const void* input(const Prepared& prepared) const {
        return reinterpret_cast<const void*>( // NOLINT(performance-no-int-to-ptr)
            own[schedule::Space::input] + prepared.input_shift_bytes);
    }
    void* output() const {
        return reinterpret_cast<void*>(own[schedule::Space::output]); // NOLINT(performance-no-int-to-ptr)
    }

    Bases own;
    const void* state = nullptr;
    /// The vectors of others, by their number in the plan.
    std::vector<Bases> peers;
    /// Those of all members, for a step that touches them together.
    std::vector<void*> outs;
    std::vector<const void*> ins;

private:
    Memory scratch_;
};

/// The differences that two members may find between their calls.
enum class Fault : std::uint8_t {
    calls,         ///< they make different ones
    shared_output, ///< the result that all members share is not the same memory
    both_write,    ///< they write to the same memory
    one_writes,    ///< one writes to memory that the other reads
    counts,        ///< one expects a block of another length than the other sends
    none
};

/// The fault, if any, of member `rank`, whose vectors are `own`, in sharing memory with a peer.
Fault fault_of_memory(const Prepared& prepared, const Bases& own, int rank, const Bases& theirs, int peer);

/// A block whose length differs between its sender and its receiver, in elements, with its numbers in the
/// lists of these.
struct DifferingBlock {
    std::size_t sent;
    std::size_t expected;
    std::size_t number_of_sender;
    std::size_t number_of_receiver;
};
/// The first from `peer`, whose vectors are `theirs`. \pre there is one.
DifferingBlock differing_block(const Prepared& prepared, const Bases& theirs, int peer);

} // namespace tutti::run
