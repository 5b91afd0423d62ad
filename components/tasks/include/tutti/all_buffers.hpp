// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/collectives.hpp>
#include <tutti/counts.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/executor.hpp>
#include <tutti/start.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <type_traits>

// The all-buffers form: collectives over p buffers that one thread owns. The thread makes one call for all
// ranks, with a range of inputs and a range of outputs, such as a std::vector<std::vector<double>> or an
// array of spans. Each function does what the calls of p members with these buffers would do
// (tutti/collectives.hpp). For a collective with a root, the root's buffer is passed by itself instead of a
// range. Operands are combined in the order of the buffers, associated as with Order::canonical.
//
// The calling thread does the work. If the call has an executor, slices of a large operation are handed to
// it, and the calling thread runs the slices that have not been started. The call returns when everything is
// done. Throws ArgumentError or MismatchError, which name buffers by their ranks (`rank`, `peer`); no buffer
// has then been written. DynamicVector is not supported, and there may be at most 65535 buffers.

namespace tutti::v0_1 {

namespace detail {

/// The calls of all ranks, in rank order. For the leading calls that have the same key, only the buffers are
/// stored, which makes a small operation cheap.
class TUTTI_API AllBuffersCalls {
public:
    /// The calls of `ranks` ranks of a collective. Throws ArgumentError if there are no ranks.
    AllBuffersCalls(const char* collective, std::size_t ranks) : collective_(collective), ranks_(ranks) {
        if (ranks == 0) {
            refuse_ranks(collective, ranks);
        }
    }
    AllBuffersCalls(const AllBuffersCalls&) = delete;
    AllBuffersCalls& operator=(const AllBuffersCalls&) = delete;

    int ranks() const { return static_cast<int>(ranks_); }

    /// Adds the call of the next rank. Throws ArgumentError if one of its arguments is wrong.
    void add(const Call& call) {
        const std::uint64_t key = alike_ == 0 && state_ == nullptr ? key_of(call) : 0;
        if (key == 0) {
            add_other(call);
        } else {
            key_ = key;
            builtin_ = call.builtin;
            input_count_ = call.input_count;
            output_count_ = call.output_count;
            keep(call.input, call.output);
        }
    }

    /// Adds the call of the next rank if it differs from the first rank's only in its buffers. Otherwise it
    /// does nothing and returns false: the call must then be added by add().
    bool repeat(const void* input, std::size_t input_count, void* output, std::size_t output_count) {
        if (alike_ == 0 || alike_ == most_alike || state_ != nullptr || input_count != input_count_ ||
            output_count != output_count_) {
            return false;
        }
        keep(input, output);
        return true;
    }

    void execute(const Executor& executor);

private:
    /// More calls than this are compared in another way.
    static constexpr std::size_t most_alike = 16;

    struct State;
    [[noreturn]] static void refuse_ranks(const char* collective, std::size_t ranks);
    void keep(const void* input, void* output) {
        inputs_[alike_] = input;
        outputs_[alike_] = output;
        ++alike_;
    }
    State& state();
    void add_other(const Call& call);

    const char* collective_;
    std::size_t ranks_;
    std::size_t alike_ = 0;
    std::uint64_t key_ = 0;
    Builtin builtin_ = nullptr;
    std::size_t input_count_ = 0;
    std::size_t output_count_ = 0;
    const void* inputs_[most_alike];
    void* outputs_[most_alike];
    std::shared_ptr<State> state_;
};

/// Records the calls of all ranks.
class Listing : public Collectives<Listing, NonblockingWay>, private AllBuffersCalls {
public:
    using AllBuffersCalls::AllBuffersCalls;
    using AllBuffersCalls::execute;

    int size() const { return ranks(); }
    /// Any: every rank has the counts of a gather or scatter.
    static int rank() { return 0; }
    bool repeat(const auto& in, const auto& out) {
        return AllBuffersCalls::repeat(in.data(), in.size(), out.data(), out.size());
    }

private:
    friend class Collectives<Listing, NonblockingWay>;
    void run(const Call& call) { add(call); }
};

/// A range of buffers, each valid as long as the range is.
template <class V>
concept VectorRange = std::ranges::forward_range<V> && std::ranges::sized_range<V> &&
    (Vector<std::ranges::range_reference_t<V>> || Scattered<std::ranges::range_reference_t<V>>)&&(
        std::is_lvalue_reference_v<std::ranges::range_reference_t<V>> ||
        std::ranges::borrowed_range<std::ranges::range_reference_t<V>>);

/// A range with the counts of every rank.
template <class Range>
concept CountsRange = std::ranges::forward_range<Range> && std::ranges::sized_range<Range> &&
    std::same_as<std::ranges::range_value_t<Range>, Counts>;

[[noreturn]] TUTTI_API void refuse_numbers(const char* collective, std::size_t vectors, std::size_t others,
                                           const char* what);

/// The number of ranks of two ranges that must be equally long: the buffers, and `what`. Throws ArgumentError
/// if their lengths differ.
inline std::size_t ranks_of(const char* collective, std::size_t vectors, std::size_t others,
                            const char* what = "outputs") {
    if (vectors != others) {
        refuse_numbers(collective, vectors, others, what);
    }
    return vectors;
}

void for_all(const char* collective, auto& inputs, auto& outputs, const Executor& executor, auto call) {
    Listing ranks(collective, ranks_of(collective, std::ranges::size(inputs), std::ranges::size(outputs)));
    auto output = std::ranges::begin(outputs);
    for (auto&& input : inputs) {
        auto&& own = *output;
        if (!ranks.repeat(view(input), view(own))) {
            call(ranks, view(input), view(own));
        }
        ++output;
    }
    ranks.execute(executor);
}

void for_all_in_place(const char* collective, auto& inouts, const Executor& executor, auto call) {
    for_all(collective, inouts, inouts, executor,
            [&](auto& me, auto inout, auto /*same*/) { call(me, inout); });
}

/// The rank whose buffer is `result` itself, or -1.
int place_of(const auto& result, auto& inouts) {
    int rank = 0;
    for (auto&& inout : inouts) {
        const auto own = view(inout);
        if (own.data() == result.data() && own.size() == result.size() && !own.empty()) {
            return rank;
        }
        ++rank;
    }
    return -1;
}

/// `whole` is the buffer of the root, rank 0; the other ranks have none.
void for_all_with_one(const char* collective, auto& blocks, auto& whole, const Executor& executor,
                      auto call) {
    Listing ranks(collective, std::ranges::size(blocks));
    auto own = view(whole);
    for (auto&& block : blocks) {
        call(ranks, view(block), own);
        own = own.first(0);
    }
    ranks.execute(executor);
}

} // namespace detail

namespace all_buffers {

using detail::CountsRange;
using detail::for_all;
using detail::for_all_in_place;
using detail::for_all_with_one;
using detail::VectorRange;

/// Copies buffer `root` to all others.
void broadcast(VectorRange auto&& inouts, int root, const Executor& executor = {}) {
    for_all_in_place("broadcast", inouts, executor, [&](auto& me, auto inout) { me.broadcast(inout, root); });
}

/// Stores the reduction of all inputs in `out`, which may be one of the inputs.
void reduce(VectorRange auto&& inputs, detail::Vector auto&& out, const auto& op,
            const Executor& executor = {}) {
    auto result = detail::view(out); // used only by the root
    using View = decltype(detail::view(*std::ranges::begin(inputs)));
    if constexpr (!std::is_const_v<typename View::element_type>) {
        if (const int root = detail::place_of(result, inputs); root >= 0) {
            for_all_in_place("reduce", inputs, executor,
                             [&](auto& me, auto inout) { me.reduce(inout, op, root); });
            return;
        }
    }
    detail::Listing ranks("reduce", std::ranges::size(inputs));
    for (auto&& input : inputs) {
        if (!ranks.repeat(detail::view(input), result)) {
            ranks.reduce(detail::view(input), result, op, 0);
        }
    }
    ranks.execute(executor);
}

/// Stores the reduction of all inputs in every output.
void allreduce(VectorRange auto&& inputs, VectorRange auto&& outputs, const auto& op,
               const Executor& executor = {}) {
    for_all("allreduce", inputs, outputs, executor,
            [&](auto& me, auto in, auto out) { me.allreduce(in, out, op); });
}

/// In place: replaces every buffer by the reduction of all.
void allreduce(VectorRange auto&& inouts, const auto& op, const Executor& executor = {}) {
    for_all_in_place("allreduce", inouts, executor, [&](auto& me, auto inout) { me.allreduce(inout, op); });
}

/// Stores the r-th part of the reduction of all inputs in block r; inputs are p times as long as blocks.
void reduce_scatter(VectorRange auto&& inputs, VectorRange auto&& blocks, const auto& op,
                    const Executor& executor = {}) {
    for_all("reduce_scatter", inputs, blocks, executor,
            [&](auto& me, auto in, auto block) { me.reduce_scatter(in, block, op); });
}

/// In place: the r-th block of buffer r receives the r-th part of the reduction; the rest is unchanged.
void reduce_scatter(VectorRange auto&& inouts, const auto& op, const Executor& executor = {}) {
    for_all_in_place("reduce_scatter", inouts, executor,
                     [&](auto& me, auto inout) { me.reduce_scatter(inout, op); });
}

/// Reduce-scatter with irregular blocks: `counts` has the length of each block.
void reduce_scatter(VectorRange auto&& inputs, VectorRange auto&& blocks, Counts::View counts, const auto& op,
                    const Executor& executor = {}) {
    for_all("reduce_scatter", inputs, blocks, executor,
            [&](auto& me, auto in, auto block) { me.reduce_scatter(in, block, counts, op); });
}

/// Stores all blocks, in order, in every output.
void allgather(VectorRange auto&& blocks, VectorRange auto&& outputs, const Executor& executor = {}) {
    for_all("allgather", blocks, outputs, executor,
            [&](auto& me, auto block, auto out) { me.allgather(block, out); });
}

/// In place: copies block r of buffer r to all other buffers.
void allgather(VectorRange auto&& inouts, const Executor& executor = {}) {
    for_all_in_place("allgather", inouts, executor, [&](auto& me, auto inout) { me.allgather(inout); });
}

/// Allgather with irregular blocks: `counts` has the length of each block.
void allgather(VectorRange auto&& blocks, VectorRange auto&& outputs, Counts::View counts,
               const Executor& executor = {}) {
    for_all("allgather", blocks, outputs, executor,
            [&](auto& me, auto block, auto out) { me.allgather(block, out, counts); });
}

/// In place, with irregular blocks: copies block r of buffer r to all other buffers.
void allgather(VectorRange auto&& inouts, Counts::View counts, const Executor& executor = {}) {
    for_all_in_place("allgather", inouts, executor,
                     [&](auto& me, auto inout) { me.allgather(inout, counts); });
}

/// Stores all blocks, in order, in `out`.
void gather(VectorRange auto&& blocks, detail::Vector auto&& out, const Executor& executor = {}) {
    for_all_with_one("gather", blocks, out, executor,
                     [](auto& me, auto block, auto whole) { me.gather(block, whole, 0); });
}

/// Gather with irregular blocks: `counts` has the length of each block.
void gather(VectorRange auto&& blocks, detail::Vector auto&& out, Counts::View counts,
            const Executor& executor = {}) {
    for_all_with_one("gather", blocks, out, executor, [&](auto& me, auto block, auto whole) {
        me.gather(block, whole, detail::RootCounts(counts, true), 0);
    });
}

/// Stores the r-th part of `in` in block r.
void scatter(detail::Vector auto&& in, VectorRange auto&& blocks, const Executor& executor = {}) {
    for_all_with_one("scatter", blocks, in, executor,
                     [](auto& me, auto block, auto whole) { me.scatter(whole, block, 0); });
}

/// Scatter with irregular blocks: `counts` has the length of each block.
void scatter(detail::Vector auto&& in, VectorRange auto&& blocks, Counts::View counts,
             const Executor& executor = {}) {
    for_all_with_one("scatter", blocks, in, executor, [&](auto& me, auto block, auto whole) {
        me.scatter(whole, block, detail::RootCounts(counts, true), 0);
    });
}

/// Copies block j of input i to block i of output j.
void alltoall(VectorRange auto&& inputs, VectorRange auto&& outputs, const Executor& executor = {}) {
    for_all("alltoall", inputs, outputs, executor,
            [&](auto& me, auto in, auto out) { me.alltoall(in, out); });
}

/// All-to-all with irregular blocks: element r of send_counts and of recv_counts has the counts of rank r;
/// either range can be a std::vector<Counts>.
void alltoall(VectorRange auto&& inputs, CountsRange auto&& send_counts, VectorRange auto&& outputs,
              CountsRange auto&& recv_counts, const Executor& executor = {}) {
    const std::size_t ranks = std::ranges::size(inputs);
    detail::ranks_of("alltoall", ranks, std::ranges::size(send_counts), "send_counts");
    detail::ranks_of("alltoall", ranks, std::ranges::size(recv_counts), "recv_counts");
    auto sent = std::ranges::begin(send_counts);
    auto received = std::ranges::begin(recv_counts);
    for_all("alltoall", inputs, outputs, executor,
            [&](auto& me, auto in, auto out) { me.alltoall(in, *sent++, out, *received++); });
}

/// In place: exchanges block j of buffer i and block i of buffer j.
void alltoall(VectorRange auto&& inouts, const Executor& executor = {}) {
    for_all_in_place("alltoall", inouts, executor, [&](auto& me, auto inout) { me.alltoall(inout); });
}

/// All-to-all with irregular blocks, in place: exchanges block j of buffer i and block i of buffer j. Element
/// r of `counts` has the counts of rank r.
void alltoall(VectorRange auto&& inouts, CountsRange auto&& counts, const Executor& executor = {}) {
    detail::ranks_of("alltoall", std::ranges::size(inouts), std::ranges::size(counts), "counts");
    auto own = std::ranges::begin(counts);
    for_all_in_place("alltoall", inouts, executor, [&](auto& me, auto inout) { me.alltoall(inout, *own++); });
}

/// Stores the reduction of inputs 0 .. r in output r.
void scan(VectorRange auto&& inputs, VectorRange auto&& outputs, const auto& op,
          const Executor& executor = {}) {
    for_all("scan", inputs, outputs, executor, [&](auto& me, auto in, auto out) { me.scan(in, out, op); });
}

/// In place: replaces buffer r by the reduction of buffers 0 .. r.
void scan(VectorRange auto&& inouts, const auto& op, const Executor& executor = {}) {
    for_all_in_place("scan", inouts, executor, [&](auto& me, auto inout) { me.scan(inout, op); });
}

/// Stores the reduction of inputs 0 .. r - 1 in output r; output 0 is unchanged.
void exscan(VectorRange auto&& inputs, VectorRange auto&& outputs, const auto& op,
            const Executor& executor = {}) {
    for_all("exscan", inputs, outputs, executor,
            [&](auto& me, auto in, auto out) { me.exscan(in, out, op); });
}

/// In place: replaces buffer r by the reduction of buffers 0 .. r - 1; buffer 0 is unchanged.
void exscan(VectorRange auto&& inouts, const auto& op, const Executor& executor = {}) {
    for_all_in_place("exscan", inouts, executor, [&](auto& me, auto inout) { me.exscan(inout, op); });
}

/// Copies input r to output r + distance (mod p).
void shift(VectorRange auto&& inputs, VectorRange auto&& outputs, int distance,
           const Executor& executor = {}) {
    for_all("shift", inputs, outputs, executor,
            [&](auto& me, auto in, auto out) { me.shift(in, out, distance); });
}

/// In place: buffer r + distance (mod p) receives the contents of buffer r.
void shift(VectorRange auto&& inouts, int distance, const Executor& executor = {}) {
    for_all_in_place("shift", inouts, executor, [&](auto& me, auto inout) { me.shift(inout, distance); });
}

} // namespace all_buffers

} // namespace tutti::v0_1
