#pragma once

#include "run/bases.hpp"
#include "run/memory.hpp"
#include "run/prepared.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::run {

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

    /// The member's own vectors, if they are whole.
    const void* input() const { return pointer_to(schedule::Space::input); }
    void* output() const { return pointer_to(schedule::Space::output); }

    Bases own;
    const void* state = nullptr;
    /// The vectors of others, by their number in the plan.
    std::vector<Bases> peers;
    /// Those of all members, for a step that touches them together.
    std::vector<void*> outs;
    std::vector<const void*> ins;

private:
    void* pointer_to(schedule::Space space) const {
        return reinterpret_cast<void*>(own[space]); // NOLINT(performance-no-int-to-ptr)
    }

    Memory scratch_;
};

} // namespace tutti::run
