#pragma once

#include "plan/plan.hpp"
#include "schedule/schedule.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::pass {

/// Where the blocks of a collective call lie in the vectors of its members.
struct Layout {
    /// Its vectors are not looked at, nor its counts and its root. A broadcast is always in place.
    detail::Call call;
    int members = 1;
    /// Elements of the longest vector that a member holds: that of a broadcast, a reduction, a scan or a
    /// shift, the input of a reduce_scatter, a scatter or an alltoall, the result of an allgather or a
    /// gather. Blocks are equal, rounded up; the last ones are shorter or empty, but those of an alltoall
    /// are equal.
    std::size_t elements = 0;
    /// Irregular blocks: where each member's starts, members + 1 of them; null: blocks are equal.
    const std::size_t* offsets = nullptr;
    /// A call whose blocks lie anywhere: where, in the input of each member the block to each, and in its
    /// output that from each, empty if there is none; null: blocks are equal or given by `offsets`.
    const plan::BlockPlace* const* sent = nullptr;
    const plan::BlockPlace* const* received = nullptr;
    /// The root of a rooted collective, the distance of a shift (0 <= root < members).
    int root = 0;
};

/// The vectors of all members, by rank. In place, a member's input and output are the same.
struct Vectors {
    std::vector<std::byte*> inputs;
    std::vector<std::byte*> outputs;
};

/// One sweep over memory that one member makes.
struct Pass {
    enum class Kind : std::uint8_t {
        copy,   ///< the only input to every output
        reduce, ///< all inputs, combined in rank order, to every output
        scan,   ///< inputs 0 .. j, combined in rank order, to output j
        exscan, ///< inputs 0 .. j - 1 to output j, none to output 0
        rotate, ///< output j to output j + 1, and the last one to output 0; has no inputs
    };
    Kind kind = Kind::copy;
    std::vector<const void*> ins;
    std::vector<void*> outs;
    std::size_t elements = 0;
};

/// Whether blocks that several members want are copied by their owner to all, or by each member for itself.
enum class Direction : std::uint8_t { push, pull };

/// Whether the members of the call can make its passes each for themselves. A barrier has nothing to pass
/// over, and blocks that are exchanged in place belong to several members.
bool has_passes(const Layout& layout);

/// Whether the direction makes a difference.
bool has_directions(const Layout& layout);

/// The passes of member `rank`: every element that has to be loaded is loaded once, and every result stored
/// once, divided among the members as evenly as possible. They synchronise nothing: all members must have
/// entered the call before, and none may leave before all have carried theirs out. \pre has_passes(layout)
std::vector<Pass> passes_of(const Layout& layout, int rank, const Vectors& vectors, Direction direction);

/// The passes of all members together, not divided among them and none of them empty: any call is done when
/// all have been carried out. They touch different elements, so that their order does not matter, and each
/// can be cut between any two elements.
std::vector<Pass> passes_of_all(const Layout& layout, const Vectors& vectors);

/// The treatment of elements by passes. Only reductions and scans use the operator's kernels and state, and
/// its association.
struct Elements {
    std::size_t bytes = 1;
    const detail::Kernels* kernels = nullptr;
    const void* state = nullptr;
    detail::Association association = detail::Association::tree;
    detail::StoreHints stores = {};
};

/// Makes the pass.
void execute(const Pass& pass, const Elements& elements);

/// `elements` elements of a pass, from `first` on.
Pass part(const Pass& pass, std::size_t first, std::size_t elements, std::size_t element_bytes);

/// Passes and their elements.
struct Work {
    std::vector<Pass> passes = {};
    Elements elements = {};
};

/// The bytes that the passes read and write.
std::size_t touched_bytes(const Work& work);

/// Slice `index` of `slices` that touch about as many bytes each. All of them together are the work; they
/// touch different elements. The more they are, the fewer elements has each, none if there are not enough.
void carry_out_slice(const Work& work, std::size_t index, std::size_t slices);

} // namespace tutti::pass
