// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/counts.hpp>
#include <tutti/detail/buffers.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/make_call.hpp>
#include <tutti/neighbors.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>
#include <tutti/shared.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::v0_1 {

/// The twelve collectives, common to all ways of calling them. `Self` decides what a call returns: nothing if
/// the call blocks (Member), a Request if it does not block (Member::start), or a Persistent that can be
/// started any number of times (Member::prepare).
///
/// p is the number of members, m the bytes of one member's whole buffer.
///
/// **Buffers** are contiguous ranges (std::vector, std::array, std::span, an array), views with several
/// indices (std::mdspan, Kokkos::mdspan, Kokkos::View) or single objects of a trivially copyable type. The
/// elements of a view must be contiguous (is_exhaustive()); otherwise the call throws ArgumentError. Other
/// members read and write the elements during the call, but never after it is complete. A buffer to which a
/// call writes must not overlap any buffer of another member, except the same buffer that all members pass
/// with tutti::shared(). A call in place has one buffer, which is both input and output. All members must use
/// the same form: a call in place does not match a call with two buffers.
///
/// **Single objects.** With one operand, a blocking call takes a single object by value and returns the
/// result: `double all = me.allreduce(mine, tutti::sum)`. The address of `mine` does not escape, so a loop
/// that accumulates it can keep it in a register. The same is true of a single object that a blocking call
/// only reads. A discarded result is a warning of the compiler ([[nodiscard]]), and an error with
/// -Werror=unused-result.
///
/// **What does not compile:**
///
/// - A temporary as the output, because the result would be lost.
/// - A temporary as an input of a nonblocking call, because it would be gone before it is read.
/// - A pointer, because the number of elements is unknown; use std::span(pointer, count). To send the address
///   itself, use std::span(&pointer, 1).
/// - One argument that is a range and an object as well, if the call has a form in place and a form by value:
///   a std::array, or a trivially copyable struct with begin() and end() that contains its elements. Pass
///   std::span(x), or wrap it in a struct.
/// - A single object that holds an address: an aggregate with a member that is a pointer, smart pointer,
///   iterator, view or reference (not to const). Another class holds an address if it has data_handle(), or a
///   data() that returns the same pointer type for a const object, as a view's does. A class that contains
///   its elements has a data() that returns a pointer to const for a const object, and another one.
///
/// The last rule is a help, not a guarantee. The first 16 members of an aggregate are examined, including
/// members of aggregates, elements of arrays, and the first member of a union. Members of other classes
/// cannot be examined, nor members after one whose class has a constructor template for any value.
/// The elements of a buffer are not examined: std::span(&object, 1) sends any trivially copyable object.
///
/// If types and operators are known only at run time, use DynamicVector, DynamicInput and DynamicOp
/// (tutti/bindings.hpp).
template <class Self, class Way = detail::BlockingWay>
class Collectives : protected detail::CallMaker {
public:
    /// Returns when every member has called it.
    auto barrier(const Options& options = {}) { return make(call(Collective::barrier, options)); }

    /// Copies `inout` of `root` to `inout` of every other member. It must have the same number of elements on
    /// every member. By default every member copies directly from the root's buffer.
    template <detail::InPlace<Way::blocks> InOut>
    auto broadcast(InOut&& inout, int root, const Options& options = {}) {
        return make(rooted(in_place<InOut, Way::blocks>(Collective::broadcast, inout, options), root));
    }

    /// Broadcast among several processes into one buffer per process, tutti::shared(inout): what the members
    /// of the root's process share goes into what those of every other process share. It must have the same
    /// number of elements in every process. Throws MismatchError if the members of a process pass different
    /// buffers.
    template <class T>
    requires(!Way::in_one_process) auto broadcast(Shared<T> inout, int root, const Options& options = {}) {
        const auto buffer = inout.span();
        return make(
            rooted(shared(in_place<const std::span<T>>(Collective::broadcast, buffer, options)), root));
    }

    /// Produces the compile-time error for a broadcast without a root.
    template <detail::BufferArgument InOut>
    InOut&& broadcast(InOut&& inout) {
        static_assert(
            !detail::BufferArgument<InOut>,
            "a broadcast needs a root: the rank whose buffer goes to all, as in broadcast(buffer, 0)");
        return static_cast<InOut&&>(inout);
    }

    /// Broadcast of a single object by value: returns the object that `root` passed.
    template <detail::Scalar T>
    requires detail::Blocking<Way>
    [[nodiscard("one object goes by value: use the result")]] T broadcast(T value, int root,
                                                                          const Options& options = {}) {
        detail::refuse_operand<T>();
        broadcast(detail::view(value), root, options);
        return value;
    }

    /// Reduce: out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i] on the root; `out` of the other members is
    /// ignored. `in` must have the same number of elements on every member, and `out` as many on the root.
    /// They must not overlap.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    auto reduce(In&& in, Out&& out, const Op& op, int root, const Options& options = {}) {
        return make(rooted(
            reduction(vectors<Out>(Collective::reduce, operand<In, Out, Op>(in), out, options), out, op),
            root));
    }

    /// Reduce in place: the result replaces `inout` on the root; `inout` of the other members is unchanged.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op, Way::blocks>
    auto reduce(InOut&& inout, const Op& op, int root, const Options& options = {}) {
        return make(rooted(
            reduction(in_place<InOut, Way::blocks>(Collective::reduce, inout, options), inout, op), root));
    }

    /// Reduce of a single object by value: returns the result on the root, and nothing on the other members.
    template <class T, class Op>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] std::optional<T>
    reduce(T value, const Op& op, int root, const Options& options = {}) {
        detail::refuse_operand<T>();
        const bool is_root = self().rank() == root; // a continuation may destroy the member
        reduce(detail::view(value), op, root, options);
        return is_root ? std::optional(value) : std::nullopt;
    }

    /// Allreduce: out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i], with the same bits on every member. `in`
    /// and `out` must have the same number of elements, equal on every member. They may be the same buffer,
    /// but must not overlap otherwise. Among up to 8 members by default one exchange, in which each member
    /// reads m and writes m bytes.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    auto allreduce(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        return make(
            reduction(vectors<Out>(Collective::allreduce, operand<In, Out, Op>(in), out, options), out, op));
    }

    /// Allreduce in place: the result replaces `inout`.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op, Way::blocks>
    auto allreduce(InOut&& inout, const Op& op, const Options& options = {}) {
        return make(
            reduction(in_place<InOut, Way::blocks>(Collective::allreduce, inout, options), inout, op));
    }

    /// Allreduce of a single object by value: `double all = me.allreduce(mine, tutti::sum)`. Returns the
    /// result.
    template <class T, class Op>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] T allreduce(T value, const Op& op,
                                                                          const Options& options = {}) {
        detail::refuse_operand<T>();
        allreduce(detail::view(value), op, options);
        return value;
    }

    /// Allreduce into one buffer that all members share, tutti::shared(out): each member combines its part of
    /// the result. Each process has one. Throws MismatchError if the members
    /// of a process pass different buffers.
    template <class In, class T, class Op>
    requires detail::Reduction<In, std::span<T>, Op>
    auto allreduce(In&& in, Shared<T> out, const Op& op, const Options& options = {}) {
        const auto output = out.span();
        return make(
            shared(reduction(vectors<const std::span<T>>(Collective::allreduce,
                                                         operand<In, std::span<T>, Op>(in), output, options),
                             output, op)));
    }

    /// Reduce-scatter: block[i] = in_0[r n + i] op ... op in_{p-1}[r n + i] on member r. `block` has n
    /// elements, `in` has p n. `block` may be the r-th block of `in`. Among members of one process it may
    /// also be the first n elements of `in`, the place at which MPI_IN_PLACE leaves the result; the input is
    /// then copied first. It must not overlap `in` otherwise. The rest of `in` is unchanged.
    template <class In, class Block, class Op>
    requires detail::Reduction<In, Block, Op>
    auto reduce_scatter(In&& in, Block&& block, const Op& op, const Options& options = {}) {
        return make(
            reduction(vectors<Block>(Collective::reduce_scatter, operand<In, Block, Op>(in), block, options),
                      block, op));
    }

    /// Reduce-scatter in place: the result replaces member r's block of `inout`; the other blocks are
    /// unchanged.
    template <class InOut, class Op>
    requires detail::Reduction<InOut, InOut, Op>
    auto reduce_scatter(InOut&& inout, const Op& op, const Options& options = {}) {
        return make(reduction(in_place<InOut>(Collective::reduce_scatter, inout, options), inout, op));
    }

    /// Reduce-scatter with irregular blocks: the r-th of the p counts is the number of elements of member r's
    /// block. Every member must pass the same counts. `in` must have their sum, and `block` the rank()-th
    /// count.
    template <class In, class Block, class Op>
    requires detail::Reduction<In, Block, Op>
    auto reduce_scatter(In&& in, Block&& block, Counts::View counts, const Op& op,
                        const Options& options = {}) {
        return make(reduction(
            irregular(vectors<Block>(Collective::reduce_scatter, operand<In, Block, Op>(in), block, options),
                      counts),
            block, op));
    }

    /// Reduce-scatter with irregular blocks, in place: the result replaces member r's block of `inout`.
    template <class InOut, class Op>
    requires detail::Reduction<InOut, InOut, Op>
    auto reduce_scatter(InOut&& inout, Counts::View counts, const Op& op, const Options& options = {}) {
        return make(reduction(irregular(in_place<InOut>(Collective::reduce_scatter, inout, options), counts),
                              inout, op));
    }

    /// Allgather: out = block_0, block_1, ..., block_{p-1}. `block` must have n elements on every member, and
    /// `out` p n. `block` may be this member's block of `out`, but must not overlap `out` otherwise.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    auto allgather(Block&& block, Out&& out, const Options& options = {}) {
        return make(vectors<Out>(Collective::allgather, operand<Block>(block), out, options));
    }

    /// Allgather in place: `inout` has p n elements; the member contributes its own block of n elements.
    template <detail::BufferArgument InOut>
    auto allgather(InOut&& inout, const Options& options = {}) {
        return make(in_place<InOut>(Collective::allgather, inout, options));
    }

    /// Allgather with irregular blocks: `block` must have the rank()-th of the p counts, and `out` their sum.
    /// Every member must pass the same counts.
    ///
    /// With displacements, block i is stored at displacement i of `out`. Either every member must pass
    /// displacements or none; their values may differ between members. Every member then copies each block
    /// itself ("flat", the only algorithm that supports them). Among processes, no call that sends blocks
    /// whose lengths only sender and receiver know takes an algorithm.
    ///
    /// If, in a call with displacements, a count differs from the length of a member's block, the member that
    /// detects it throws a MismatchError that names both numbers, and all others throw Aborted with that
    /// message. No element outside the buffers is read or written, and the contents of `out` are unspecified.
    /// This applies to every collective that takes displacements.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    auto allgather(Block&& block, Out&& out, Counts::View counts, const Options& options = {}) {
        return make(
            irregular(vectors<Out>(Collective::allgather, operand<Block>(block), out, options), counts));
    }

    /// Allgather with irregular blocks, in place: the member contributes its own block of `inout`.
    template <detail::BufferArgument InOut>
    auto allgather(InOut&& inout, Counts::View counts, const Options& options = {}) {
        return make(irregular(in_place<InOut>(Collective::allgather, inout, options), counts));
    }

    /// Allgather into one buffer that all members share, tutti::shared(out): each member copies its block
    /// there. Each process has one. Throws MismatchError if the members of a
    /// process pass different buffers. If a member of a group computes its block directly in the shared
    /// buffer, a barrier is enough.
    template <class Block, class T>
    requires detail::Vectors<Block, std::span<T>>
    auto allgather(Block&& block, Shared<T> out, const Options& options = {}) {
        const auto output = out.span();
        return make(shared(
            vectors<const std::span<T>>(Collective::allgather, operand<Block>(block), output, options)));
    }

    /// Allgather with irregular blocks into one buffer that all members share. Displacements are not
    /// supported.
    template <class Block, class T>
    requires detail::Vectors<Block, std::span<T>>
    auto allgather(Block&& block, Shared<T> out, Counts::View counts, const Options& options = {}) {
        const auto output = out.span();
        return make(shared(irregular(
            vectors<const std::span<T>>(Collective::allgather, operand<Block>(block), output, options),
            counts)));
    }

    /// Gather: out = block_0, block_1, ..., block_{p-1} on the root; `out` of the other members is ignored.
    /// `block` must have n elements on every member, and `out` p n on the root. They must not overlap.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    auto gather(Block&& block, Out&& out, int root, const Options& options = {}) {
        return make(rooted(vectors<Out>(Collective::gather, operand<Block>(block), out, options), root));
    }

    /// Gather in place. On the root, `inout` has p n elements, of which it contributes its own n. On the
    /// other members, `inout` is their block.
    template <detail::BufferArgument InOut>
    auto gather(InOut&& inout, int root, const Options& options = {}) {
        return make(rooted(in_place<InOut>(Collective::gather, inout, options), root));
    }

    /// Gather with irregular blocks, as MPI_Gatherv: the p counts, and displacements if any, of the root are
    /// the numbers of elements of the members' blocks. Those of the other members are not read; they may pass
    /// Counts(). `out` of the root must have the sum of the counts; `out` of the other members is ignored.
    /// With displacements, block i is stored at displacement i of `out`. A count that differs from the length
    /// of a member's block is reported as in an allgather with displacements.
    ///
    /// With CountsOnAll, every member passes the same counts. Either every member must pass displacements or
    /// none; only the root's are used.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    auto gather(Block&& block, Out&& out, detail::RootCounts counts, int root, const Options& options = {}) {
        return make(
            at_root(vectors<Out>(Collective::gather, operand<Block>(block), out, options), counts, root));
    }

    /// Gather with irregular blocks and one buffer: on the root the whole buffer, in place; on another member
    /// its block. The root and each of the others may choose independently between this form and the form
    /// with two buffers.
    template <detail::BufferArgument InOut>
    auto gather(InOut&& inout, detail::RootCounts counts, int root, const Options& options = {}) {
        return make(at_root(in_place<InOut>(Collective::gather, inout, options), counts, root));
    }

    /// Scatter: `block` of member r becomes elements r n .. r n + n - 1 of the root's `in`; `in` of the other
    /// members is ignored. `block` must have n elements on every member, and `in` p n on the root. They must
    /// not overlap.
    template <class In, class Block>
    requires detail::Vectors<In, Block>
    auto scatter(In&& in, Block&& block, int root, const Options& options = {}) {
        return make(rooted(vectors<Block>(Collective::scatter, operand<In>(in), block, options), root));
    }

    /// Scatter in place. On the root, `inout` has p n elements and is unchanged. On the other members,
    /// `inout` receives their block.
    template <detail::BufferArgument InOut>
    auto scatter(InOut&& inout, int root, const Options& options = {}) {
        return make(rooted(in_place<InOut>(Collective::scatter, inout, options), root));
    }

    /// Scatter with irregular blocks, as MPI_Scatterv: the p counts, and displacements if any, of the root
    /// are the numbers of elements of the members' blocks. Those of the other members are not read; they may
    /// pass Counts(). `in` of the root must have the sum of the counts; `in` of the other members is ignored.
    /// With displacements, block i is read from displacement i of `in`; blocks may overlap there. A count
    /// that differs from the length of a member's block is reported as in an allgather with displacements. A
    /// member that has received its block may return before another member's wrong count is found.
    /// CountsOnAll is used as in a gather.
    template <class In, class Block>
    requires detail::Vectors<In, Block>
    auto scatter(In&& in, Block&& block, detail::RootCounts counts, int root, const Options& options = {}) {
        return make(
            at_root(vectors<Block>(Collective::scatter, operand<In>(in), block, options), counts, root));
    }

    /// Scatter with irregular blocks and one buffer: on the root the whole buffer, in place; on another
    /// member its block. The root and each of the others may choose independently between this form and the
    /// form with two buffers.
    template <detail::BufferArgument InOut>
    auto scatter(InOut&& inout, detail::RootCounts counts, int root, const Options& options = {}) {
        return make(at_root(in_place<InOut>(Collective::scatter, inout, options), counts, root));
    }

    /// All-to-all: elements j n .. j n + n - 1 of member i's `in` become elements i n .. i n + n - 1 of
    /// member j's `out`. This transposes a p x p matrix of blocks. Both buffers must have p n elements on
    /// every member. They may be the same buffer, which is then copied first, but must not overlap otherwise.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    auto alltoall(In&& in, Out&& out, const Options& options = {}) {
        return make(vectors<Out>(Collective::alltoall, operand<In>(in), out, options));
    }

    /// All-to-all in place: block i of member j replaces block j of member i. The buffer is copied first.
    template <detail::BufferArgument InOut>
    auto alltoall(InOut&& inout, const Options& options = {}) {
        return make(in_place<InOut>(Collective::alltoall, inout, options));
    }

    /// All-to-all with irregular blocks. `in` has one block per member in rank order, of send_counts[j]
    /// elements for member j; `out` has blocks of recv_counts[j] elements from member j. Every member passes
    /// its own counts, which must add up to the lengths of its buffers; blocks may be empty. With
    /// displacements, which either counts may have, the buffer may be longer. `in` and `out` must not
    /// overlap.
    ///
    /// By default one exchange, in which every member copies its block of every `in`. "pairwise" takes p - 1
    /// rounds. Algorithms that forward blocks do not support irregular blocks.
    ///
    /// If recv_counts[j] of member i differs from send_counts[i] of member j, member i throws a MismatchError
    /// that names both numbers (among processes, the leader of its process does), and all others throw
    /// Aborted with that message. No element outside the buffers is read or written, and the contents of
    /// `out` are unspecified.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    auto alltoall(In&& in, Counts::View send_counts, Out&& out, Counts::View recv_counts,
                  const Options& options = {}) {
        detail::Call made =
            irregular(vectors<Out>(Collective::alltoall, operand<In>(in), out, options), send_counts);
        made.received = &recv_counts;
        return make(same(made));
    }

    /// All-to-all with irregular blocks, for members that do not know what they receive: `out` is resized to
    /// the sum of the blocks for this member, and receives them back to back in rank order. Returns the
    /// number of elements from each member. send_counts has no displacements. `in` and the numbers of
    /// send_counts must not lie in `out`: the call throws ArgumentError before anything is sent.
    ///
    /// Two calls: an all-to-all of the counts, and one of the blocks, to which the algorithm of `options`
    /// applies. If there is no memory for `out`, throws std::bad_alloc and fails the member: see
    /// Member::abort().
    template <class In, class T>
    requires detail::ResizedOutput<Way, In, T> std::vector<std::size_t>
    alltoall(In&& in, Counts::View send_counts, std::vector<T>& out, const Options& options = {}) {
        const auto members = static_cast<std::size_t>(self().size());
        detail::require_sent(send_counts, members, detail::view(in).size());
        detail::require_outside("in", std::addressof(in), out);
        detail::require_outside("in", detail::view(in).data(), out);
        detail::require_outside("send_counts", send_counts.span().data(), out);
        std::vector<std::size_t> received(members);
        return detail::as_one_call([&] {
            alltoall(send_counts.span(), received,
                     Options{.timeout = options.timeout, .where = options.where});
            try {
                out.resize(detail::sum_of(received));
            } catch (...) {
                self().abort("alltoall: no memory for the elements that this member receives");
                throw;
            }
            alltoall(in, send_counts, out, Counts(received), options);
            return std::move(received);
        });
    }

    /// All-to-all with irregular blocks, in place: block i of member j replaces block j of member i's
    /// `inout`. Both must have the same length. The buffer is copied first.
    template <detail::BufferArgument InOut>
    auto alltoall(InOut&& inout, Counts::View counts, const Options& options = {}) {
        detail::Call made = irregular(in_place<InOut>(Collective::alltoall, inout, options), counts);
        made.received = &counts;
        return make(same(made));
    }

    /// All-to-all among neighbours (halo exchange): block k of `in` is sent to destinations()[k] of
    /// `neighbors`, and block k of `out` is received from sources()[k]. Each buffer has blocks of equal
    /// length, one for each neighbour; all blocks of all members must have the same length, and the graph
    /// must be the same on every member. `in` and `out` must not overlap.
    ///
    /// A member copies each block once, from the buffer of its sender, and waits only for its neighbours:
    /// the call takes time proportional to their number, not to p. Leaders of processes also send the
    /// blocks for members of other processes, in one or two messages for each process.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    auto neighbor_alltoall(const Neighbors& neighbors, In&& in, Out&& out, const Options& options = {}) {
        const auto graph = Counts::View().among(neighbors.graph());
        return make(to_neighbors(vectors<Out>(Collective::alltoall, operand<In>(in), out, options), graph));
    }

    /// The same with irregular blocks, as MPI_Neighbor_alltoallv: send_counts[k] elements are sent to
    /// destinations()[k], and recv_counts[k] received from sources()[k]. Without displacements the counts
    /// must add up to the lengths of the buffers.
    ///
    /// `in` and `out` may be the same buffer if no block that is received overlaps one that is sent: with
    /// displacements, a stencil sends the border rows of a field and receives into its halo.
    ///
    /// If a receiver expects another length than its neighbour sends, it throws a MismatchError that names
    /// both numbers, and all others throw Aborted with that message; no element outside the buffers is read
    /// or written. Members that have received from all their neighbours may return before.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    auto neighbor_alltoall(const Neighbors& neighbors, In&& in, Counts::View send_counts, Out&& out,
                           Counts::View recv_counts, const Options& options = {}) {
        const auto sent = send_counts.among(neighbors.graph());
        detail::Call made =
            to_neighbors(vectors<Out>(Collective::alltoall, operand<In>(in), out, options), sent);
        made.received = &recv_counts;
        return make(same(made));
    }

    /// Inclusive scan: out[i] = in_0[i] op ... op in_r[i] on member r. `in` and `out` must have the same
    /// number of elements, equal on every member. They may be the same buffer, but must not overlap
    /// otherwise.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    auto scan(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        return make(
            reduction(vectors<Out>(Collective::scan, operand<In, Out, Op>(in), out, options), out, op));
    }

    /// Inclusive scan in place: the result replaces `inout`.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op, Way::blocks>
    auto scan(InOut&& inout, const Op& op, const Options& options = {}) {
        return make(reduction(in_place<InOut, Way::blocks>(Collective::scan, inout, options), inout, op));
    }

    /// Inclusive scan of a single object by value: returns the result.
    template <class T, class Op>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] T scan(T value, const Op& op,
                                                                     const Options& options = {}) {
        detail::refuse_operand<T>();
        scan(detail::view(value), op, options);
        return value;
    }

    /// Exclusive scan: out[i] = in_0[i] op ... op in_{r-1}[i] on member r. `out` of member 0 is unchanged, so
    /// it can be set to the result of member 0 before the call; MPI leaves it undefined. The buffers are
    /// those of scan.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    auto exscan(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        return make(
            reduction(vectors<Out>(Collective::exscan, operand<In, Out, Op>(in), out, options), out, op));
    }

    /// Exclusive scan in place: the result replaces `inout`, except on member 0, whose `inout` is unchanged.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op, Way::blocks>
    auto exscan(InOut&& inout, const Op& op, const Options& options = {}) {
        return make(reduction(in_place<InOut, Way::blocks>(Collective::exscan, inout, options), inout, op));
    }

    /// Exclusive scan of a single object by value: returns the result. On member 0 it is the identity of the
    /// operator (see HasIdentity), so `me.exscan(n, tutti::sum)` is the offset of a member that has n
    /// elements; std::plus<> serves as well. An operator without a known identity does not compile: pass an
    /// initial value.
    template <class T, class Op>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] T exscan(T value, const Op& op,
                                                                       const Options& options = {}) {
        detail::refuse_operand<T>();
        detail::refuse_unknown_identity<T, Op>();
        [[maybe_unused]] const bool is_first = self().rank() == 0; // the call may destroy the member
        exscan(detail::view(value), op, options);
        if constexpr (HasIdentity<Op, T>) {
            return is_first ? detail::identity_of<Op, T>() : value;
        } else {
            return value;
        }
    }

    /// Exclusive scan of a single object by value with an initial value, which every result contains, as in
    /// std::exclusive_scan: returns init op in_0 op ... op in_{r-1} on member r, and `init` on member 0. Each
    /// member combines its own `init` with the result, so all members should pass the same.
    template <class T, class Op, std::convertible_to<T> Init>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] T
    exscan(T value, const Op& op, const Init& init, const Options& options = {}) {
        detail::refuse_operand<T>();
        const T initial = static_cast<T>(init);
        return detail::as_one_call([&] {
            exscan(detail::view(value), op, options);
            if (self().rank() == 0) {
                return initial;
            }
            if constexpr (detail::combines_elements<Op, T>) {
                self().run_operator([&] { value = detail::combined(op, initial, value); });
            }
            return value;
        });
    }

    /// Shift: `in` of member r is copied to `out` of member r + distance (mod p); the distance may be
    /// negative. The number of elements must be equal on every member. `in` and `out` may be the same buffer,
    /// which is then copied first, but must not overlap otherwise.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    auto shift(In&& in, Out&& out, int distance, const Options& options = {}) {
        return make(shifted(vectors<Out>(Collective::shift, operand<In>(in), out, options), distance));
    }

    /// Shift in place: the contents received replace `inout`. The buffer is copied first.
    template <detail::InPlace<Way::blocks> InOut>
    auto shift(InOut&& inout, int distance, const Options& options = {}) {
        return make(shifted(in_place<InOut, Way::blocks>(Collective::shift, inout, options), distance));
    }

    /// Shift of a single object by value: returns the object that member r - distance (mod p) passed.
    template <detail::Scalar T>
    requires detail::Blocking<Way>
    [[nodiscard("one object goes by value: use the result")]] T shift(T value, int distance,
                                                                      const Options& options = {}) {
        detail::refuse_operand<T>();
        shift(detail::view(value), distance, options);
        return value;
    }

private:
    Self& self() { return static_cast<Self&>(*this); }

    auto make(detail::Call&& call) { return self().run(call); }

    /// The operand that a call reads. A blocking call has read a small object when it returns.
    template <class In, class Out = In, class Op = void>
    static decltype(auto) operand(std::remove_reference_t<In>& in) {
        if constexpr (!Way::blocks) {
            detail::refuse_short_lived<In>();
        }
        if constexpr (detail::MultiView<In>) {
            return (in); // itself, because it may be strided
        } else if constexpr (Way::blocks) {
            return detail::input(in);
        } else {
            return detail::view(in);
        }
    }

    template <class Out, class Op>
    static detail::Call&& reduction(detail::Call&& call, Out& out, const Op& op) {
        static_assert(Way::blocks || std::is_copy_constructible_v<Op>,
                      "the operator cannot be copied, but a nonblocking call must keep a copy of it");
        return CallMaker::reduction(same(call), out, op);
    }

    static detail::Call&& shared(detail::Call&& call) {
        call.shared_output = true;
        return same(call);
    }

    /// `counts` must live until the call has been made.
    detail::Call&& at_root(detail::Call&& call, const detail::RootCounts& counts, int root) {
        call.root = root;
        call.counts_at_root = !counts.on_all;
        call.counts = counts.on_all || self().rank() == root ? &counts.view : nullptr;
        return same(call);
    }

    /// `counts` must live until the call has been made.
    static detail::Call&& to_neighbors(detail::Call&& call, const Counts::View& counts) {
        if (counts.neighborhood() == nullptr) {
            call.reject(detail::Wrong::no_neighbors);
        }
        return irregular(same(call), counts);
    }

    /// Reduces a distance, which may exceed the number of members, to 0 .. p - 1.
    detail::Call&& shifted(detail::Call&& call, int distance) {
        const int members = self().size();
        call.root = (distance % members + members) % members;
        return same(call);
    }
};

} // namespace tutti::v0_1
