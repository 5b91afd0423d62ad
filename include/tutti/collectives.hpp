#pragma once

#include <tutti/counts.hpp>
#include <tutti/detail/buffers.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/make_call.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>
#include <tutti/shared.hpp>

#include <span>
#include <type_traits>

namespace tutti {

/// The twelve collectives, which every way of calling them has alike: `Self` says what a call returns.
/// Nothing where the caller's thread blocks, as a Member does; a Request where it does not
/// (Member::start); a Persistent that can be started any number of times (Member::prepare).
///
/// Vectors are contiguous ranges (std::vector, std::array, std::span, an array) or single objects of a
/// trivially copyable type; their elements are read and written by other members while the call lasts, and by
/// nobody after it is complete. What a member's call writes must overlap no other member's vectors. Calls
/// with one vector, in place, and calls with two are different calls.
///
/// With one operand a call works on a range in place. Where it blocks, it takes a single object by value and
/// returns the result: `double all = me.allreduce(mine, tutti::sum)`. Nobody learns the address of `mine`
/// then, which the loop that adds it up can keep in a register; the same holds for a single object that a
/// blocking call only reads. Calls do not compile with a temporary for a result that would be lost, nor with
/// a pointer, which does not say how many elements there are: std::span(pointer, count) does.
/// std::span(&pointer, 1) sends an address. A call that does not block does not compile with a temporary that
/// it would read later. Where types and operators are known at run time only, vectors are DynamicVector and
/// DynamicInput, and operators DynamicOp (tutti/dynamic.hpp).
///
/// p is the number of members, m the bytes of the whole vector of one member.
template <class Self, class Way = detail::BlockingWay>
class Collectives : protected detail::CallMaker {
public:
    /// What may be chosen for one call.
    using Options = typename Way::Options;

    /// Returns when every member has called it.
    auto barrier(const Options& options = {}) {
        return self().run(call(Collective::barrier, options), options);
    }

    /// `inout` of every member becomes that of `root`: as many elements on every member. By default every
    /// member copies the root's vector.
    template <detail::InPlace InOut>
    auto broadcast(InOut&& inout, int root, const Options& options = {}) {
        return self().run(rooted(in_place<InOut>(Collective::broadcast, inout, options), root), options);
    }

    /// Says that no root is named.
    template <detail::BufferArgument InOut>
    InOut&& broadcast(InOut&& inout) {
        static_assert(
            !detail::BufferArgument<InOut>,
            "a broadcast needs a root: the rank whose vector goes to all, as in broadcast(vector, 0)");
        return static_cast<InOut&&>(inout);
    }

    /// The same of one object, by value: returns the one that `root` has passed.
    template <detail::Scalar T>
    requires detail::Blocking<Way>
    [[nodiscard("one object goes by value: use the result")]] T broadcast(T value, int root,
                                                                          const Options& options = {}) {
        broadcast(detail::view(value), root, options);
        return value;
    }

    /// out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i] on the root; `out` of the others is not looked at.
    /// `in` has equally many elements on every member, and so has `out` on the root. They must not overlap.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    auto reduce(In&& in, Out&& out, const Op& op, int root, const Options& options = {}) {
        return self().run(
            rooted(reduction(vectors<Out>(Collective::reduce, operand<In>(in), out, options), out, op), root),
            options);
    }

    /// The same in place: `inout` of the root is replaced by the result, that of the others is kept.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op>
    auto reduce(InOut&& inout, const Op& op, int root, const Options& options = {}) {
        return self().run(
            rooted(reduction(in_place<InOut>(Collective::reduce, inout, options), inout, op), root), options);
    }

    /// The same of one object, by value: returns the result on the root, and `value` on the others.
    template <class T, class Op>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] T reduce(T value, const Op& op, int root,
                                                                       const Options& options = {}) {
        reduce(detail::view(value), op, root, options);
        return value;
    }

    /// out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i], the same bits on every member. `in` and `out` have
    /// equally many elements, the same number on every member; they may be the same vector, but not overlap
    /// otherwise. By default one exchange with (m read + m written) a member.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    auto allreduce(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        return self().run(
            reduction(vectors<Out>(Collective::allreduce, operand<In>(in), out, options), out, op), options);
    }

    /// The same in place: `inout` is replaced by the result.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op>
    auto allreduce(InOut&& inout, const Op& op, const Options& options = {}) {
        return self().run(reduction(in_place<InOut>(Collective::allreduce, inout, options), inout, op),
                          options);
    }

    /// The same of one object, by value: `double all = me.allreduce(mine, tutti::sum)`. Returns the result.
    template <class T, class Op>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] T allreduce(T value, const Op& op,
                                                                          const Options& options = {}) {
        allreduce(detail::view(value), op, options);
        return value;
    }

    /// The same into one vector that all members share, tutti::shared(out): each combines its part of it.
    /// Throws MismatchError where members give different vectors.
    template <class In, class T, class Op>
    requires detail::SharedReduction<Way, In, T, Op>
    auto allreduce(In&& in, Shared<T> out, const Op& op, const Options& options = {}) {
        const auto output = out.span();
        return self().run(shared(reduction(vectors<const std::span<T>>(Collective::allreduce, operand<In>(in),
                                                                       output, options),
                                           output, op)),
                          options);
    }

    /// block[i] = in_0[r n + i] op ... op in_{p-1}[r n + i] on member r, where n is the number of elements of
    /// `block` and `in` has p n. `block` may be that part of `in`, or, among members of one process, the
    /// first n elements of `in`, where MPI_IN_PLACE leaves the result and for which the input is copied
    /// first; it must not overlap otherwise. The rest of `in` is kept.
    template <class In, class Block, class Op>
    requires detail::Reduction<In, Block, Op>
    auto reduce_scatter(In&& in, Block&& block, const Op& op, const Options& options = {}) {
        return self().run(
            reduction(vectors<Block>(Collective::reduce_scatter, operand<In>(in), block, options), block, op),
            options);
    }

    /// The same in place: member r's block of `inout` is replaced by the result, the other blocks are kept.
    template <class InOut, class Op>
    requires detail::Reduction<InOut, InOut, Op>
    auto reduce_scatter(InOut&& inout, const Op& op, const Options& options = {}) {
        return self().run(reduction(in_place<InOut>(Collective::reduce_scatter, inout, options), inout, op),
                          options);
    }

    /// Reduce-scatter with irregular blocks: the r-th of the p counts is the number of elements of member r's
    /// block, the same list on every member; `in` has their sum, `block` has the rank()-th.
    template <class In, class Block, class Op>
    requires detail::Reduction<In, Block, Op>
    auto reduce_scatter(In&& in, Block&& block, Counts counts, const Op& op, const Options& options = {}) {
        return self().run(
            reduction(irregular(vectors<Block>(Collective::reduce_scatter, operand<In>(in), block, options),
                                counts),
                      block, op),
            options);
    }

    /// The irregular form in place.
    template <class InOut, class Op>
    requires detail::Reduction<InOut, InOut, Op>
    auto reduce_scatter(InOut&& inout, Counts counts, const Op& op, const Options& options = {}) {
        return self().run(
            reduction(irregular(in_place<InOut>(Collective::reduce_scatter, inout, options), counts), inout,
                      op),
            options);
    }

    /// out = block_0, block_1, ..., block_{p-1}: `block` has n elements on every member, `out` has p n.
    /// `block` may be this member's part of `out`, but not overlap otherwise.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    auto allgather(Block&& block, Out&& out, const Options& options = {}) {
        return self().run(vectors<Out>(Collective::allgather, operand<Block>(block), out, options), options);
    }

    /// The same in place: `inout` has p n elements, of which this member's n are its contribution.
    template <detail::BufferArgument InOut>
    auto allgather(InOut&& inout, const Options& options = {}) {
        return self().run(in_place<InOut>(Collective::allgather, inout, options), options);
    }

    /// Allgather of irregular blocks: `block` has the rank()-th of the p counts, `out` has their sum; the
    /// same list on every member. With displacements, which every member then gives, block i comes to the
    /// displacement i of `out`, which is each member's own affair; members of one process only.
    ///
    /// With displacements every member copies each block itself ("flat"; no other algorithm can that). Where
    /// a count is not the length of a member's block, who notices throws a MismatchError that names both, and
    /// all others are released with Aborted, which carries that message. Nothing is read or written outside
    /// the vectors then; `out` holds anything. All that is so wherever a call takes displacements.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    auto allgather(Block&& block, Out&& out, Counts counts, const Options& options = {}) {
        return self().run(
            irregular(vectors<Out>(Collective::allgather, operand<Block>(block), out, options), counts),
            options);
    }

    /// The irregular form in place: the member's contribution is its own block of `inout`.
    template <detail::BufferArgument InOut>
    requires detail::Local<Way>
    auto allgather(InOut&& inout, Counts counts, const Options& options = {}) {
        return self().run(irregular(in_place<InOut>(Collective::allgather, inout, options), counts), options);
    }

    /// The same into one vector that all members share, tutti::shared(out): each copies its block there.
    /// Throws MismatchError where members give different vectors. A member that computes its block where it
    /// belongs in such a vector needs no allgather, but a barrier.
    template <class Block, class T>
    requires detail::LocalVectors<Way, Block, std::span<T>>
    auto allgather(Block&& block, Shared<T> out, const Options& options = {}) {
        const auto output = out.span();
        return self().run(shared(vectors<const std::span<T>>(Collective::allgather, operand<Block>(block),
                                                             output, options)),
                          options);
    }

    /// The irregular form into one vector that all members share; without displacements.
    template <class Block, class T>
    requires detail::LocalVectors<Way, Block, std::span<T>>
    auto allgather(Block&& block, Shared<T> out, Counts counts, const Options& options = {}) {
        const auto output = out.span();
        return self().run(shared(irregular(vectors<const std::span<T>>(
                                               Collective::allgather, operand<Block>(block), output, options),
                                           counts)),
                          options);
    }

    /// out = block_0, block_1, ..., block_{p-1} on the root; `out` of the others is not looked at. `block`
    /// has n elements on every member, `out` has p n on the root. They must not overlap.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    auto gather(Block&& block, Out&& out, int root, const Options& options = {}) {
        return self().run(rooted(vectors<Out>(Collective::gather, operand<Block>(block), out, options), root),
                          options);
    }

    /// The same in place: `inout` of the root has p n elements, of which its own n are its contribution; that
    /// of the others is their block.
    template <detail::BufferArgument InOut>
    auto gather(InOut&& inout, int root, const Options& options = {}) {
        return self().run(rooted(in_place<InOut>(Collective::gather, inout, options), root), options);
    }

    /// Gather of irregular blocks: `block` has the rank()-th of the p counts, `out` of the root has their
    /// sum; the same list on every member. With displacements, which every member then gives but of which
    /// only the root's say anything, block i comes to displacement i of `out`; see allgather.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    auto gather(Block&& block, Out&& out, Counts counts, int root, const Options& options = {}) {
        return self().run(
            irregular(rooted(vectors<Out>(Collective::gather, operand<Block>(block), out, options), root),
                      counts),
            options);
    }

    /// The irregular form in place.
    template <detail::BufferArgument InOut>
    requires detail::Local<Way>
    auto gather(InOut&& inout, Counts counts, int root, const Options& options = {}) {
        return self().run(
            irregular(rooted(in_place<InOut>(Collective::gather, inout, options), root), counts), options);
    }

    /// Gather of irregular blocks whose counts, and displacements if any, only the root gives, as with
    /// MPI_Gatherv: the others give tutti::counts_at_root, and neither their counts nor their `out` is looked
    /// at. A count that is not the length of a member's block is a mismatch as of an allgather with
    /// displacements.
    template <class Block, class Out>
    requires detail::LocalVectors<Way, Block, Out>
    auto gather(Block&& block, Out&& out, CountsAtRoot counts, int root, const Options& options = {}) {
        return self().run(
            at_root(vectors<Out>(Collective::gather, operand<Block>(block), out, options), counts, root),
            options);
    }

    /// The same with one vector: that of the root in place, that of another member its block. The root may
    /// call in either way, and so may each of the others.
    template <detail::BufferArgument InOut>
    requires detail::Local<Way>
    auto gather(InOut&& inout, CountsAtRoot counts, int root, const Options& options = {}) {
        return self().run(at_root(in_place<InOut>(Collective::gather, inout, options), counts, root),
                          options);
    }

    /// `block` of member r becomes elements r n .. r n + n - 1 of the root's `in`; `in` of the others is not
    /// looked at. `block` has n elements on every member, `in` has p n on the root. They must not overlap.
    template <class In, class Block>
    requires detail::Vectors<In, Block>
    auto scatter(In&& in, Block&& block, int root, const Options& options = {}) {
        return self().run(rooted(vectors<Block>(Collective::scatter, operand<In>(in), block, options), root),
                          options);
    }

    /// The same in place: `inout` of the root has p n elements and is kept; that of the others becomes their
    /// block.
    template <detail::BufferArgument InOut>
    auto scatter(InOut&& inout, int root, const Options& options = {}) {
        return self().run(rooted(in_place<InOut>(Collective::scatter, inout, options), root), options);
    }

    /// Scatter of irregular blocks: `block` has the rank()-th of the p counts, `in` of the root has their
    /// sum; the same list on every member. With displacements, which every member then gives but of which
    /// only the root's say anything, block i comes from displacement i of `in`, where blocks may overlap; see
    /// allgather. A member that has its block need not wait for another whose count is wrong.
    template <class In, class Block>
    requires detail::Vectors<In, Block>
    auto scatter(In&& in, Block&& block, Counts counts, int root, const Options& options = {}) {
        return self().run(
            irregular(rooted(vectors<Block>(Collective::scatter, operand<In>(in), block, options), root),
                      counts),
            options);
    }

    /// The irregular form in place.
    template <detail::BufferArgument InOut>
    requires detail::Local<Way>
    auto scatter(InOut&& inout, Counts counts, int root, const Options& options = {}) {
        return self().run(
            irregular(rooted(in_place<InOut>(Collective::scatter, inout, options), root), counts), options);
    }

    /// Scatter of irregular blocks whose counts, and displacements if any, only the root gives, as with
    /// MPI_Scatterv: the others give tutti::counts_at_root, and neither their counts nor their `in` is looked
    /// at. A count that is not the length of a member's block is a mismatch as in the form above.
    template <class In, class Block>
    requires detail::LocalVectors<Way, In, Block>
    auto scatter(In&& in, Block&& block, CountsAtRoot counts, int root, const Options& options = {}) {
        return self().run(
            at_root(vectors<Block>(Collective::scatter, operand<In>(in), block, options), counts, root),
            options);
    }

    /// The same with one vector: that of the root in place, that of another member its block. The root may
    /// call in either way, and so may each of the others.
    template <detail::BufferArgument InOut>
    requires detail::Local<Way>
    auto scatter(InOut&& inout, CountsAtRoot counts, int root, const Options& options = {}) {
        return self().run(at_root(in_place<InOut>(Collective::scatter, inout, options), counts, root),
                          options);
    }

    /// Elements j n .. j n + n - 1 of member i's `in` become elements i n .. i n + n - 1 of member j's `out`:
    /// a matrix transposition. Both have p n elements on every member; they may be the same vector, which is
    /// copied first then, but not overlap otherwise.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    auto alltoall(In&& in, Out&& out, const Options& options = {}) {
        return self().run(vectors<Out>(Collective::alltoall, operand<In>(in), out, options), options);
    }

    /// The same in place.
    template <detail::BufferArgument InOut>
    auto alltoall(InOut&& inout, const Options& options = {}) {
        return self().run(in_place<InOut>(Collective::alltoall, inout, options), options);
    }

    /// All-to-all of irregular blocks: `in` is made of p blocks, one for each member in rank order, of
    /// send_counts[j] elements for member j, and `out` of p blocks of recv_counts[j] elements from member j.
    /// Every member has counts of its own, which add up to the elements of its vectors; blocks may be empty.
    /// Counts of either kind may have displacements, with which their vector may be longer. `in` and `out`
    /// must not overlap. By default one exchange in which every member copies its block of every `in`;
    /// "pairwise" does it in p - 1 rounds, and no algorithm can that passes blocks on.
    ///
    /// If recv_counts[j] of member i is not send_counts[i] of another member j, member i throws a
    /// MismatchError that names both, and all others are released with Aborted, which carries that message.
    /// Nothing is read or written outside the vectors then; `out` holds anything.
    template <class In, class Out>
    requires detail::LocalVectors<Way, In, Out>
    auto alltoall(In&& in, Counts send_counts, Out&& out, Counts recv_counts, const Options& options = {}) {
        detail::Call made =
            irregular(vectors<Out>(Collective::alltoall, operand<In>(in), out, options), send_counts);
        made.received = &recv_counts;
        return self().run(made, options);
    }

    /// The same in place: member i's block j of `inout` is replaced by block i of member j, which must have
    /// the same length. The vector is copied first.
    template <detail::BufferArgument InOut>
    requires detail::Local<Way>
    auto alltoall(InOut&& inout, Counts counts, const Options& options = {}) {
        detail::Call made = irregular(in_place<InOut>(Collective::alltoall, inout, options), counts);
        made.received = &counts;
        return self().run(made, options);
    }

    /// out[i] = in_0[i] op ... op in_r[i] on member r. `in` and `out` have equally many elements, the same
    /// number on every member; they may be the same vector, but not overlap otherwise.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    auto scan(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        return self().run(reduction(vectors<Out>(Collective::scan, operand<In>(in), out, options), out, op),
                          options);
    }

    /// The same in place: `inout` is replaced by the result.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op>
    auto scan(InOut&& inout, const Op& op, const Options& options = {}) {
        return self().run(reduction(in_place<InOut>(Collective::scan, inout, options), inout, op), options);
    }

    /// The same of one object, by value: returns the result.
    template <class T, class Op>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] T scan(T value, const Op& op,
                                                                     const Options& options = {}) {
        scan(detail::view(value), op, options);
        return value;
    }

    /// out[i] = in_0[i] op ... op in_{r-1}[i] on member r; `out` of member 0 is kept. Otherwise as scan.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    auto exscan(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        return self().run(reduction(vectors<Out>(Collective::exscan, operand<In>(in), out, options), out, op),
                          options);
    }

    /// The same in place: `inout` is replaced by the result, but on member 0.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op>
    auto exscan(InOut&& inout, const Op& op, const Options& options = {}) {
        return self().run(reduction(in_place<InOut>(Collective::exscan, inout, options), inout, op), options);
    }

    /// The same of one object, by value: returns the result, and `value` on member 0.
    template <class T, class Op>
    requires detail::ReturnedReduction<Way, T, Op>
    [[nodiscard("one object goes by value: use the result")]] T exscan(T value, const Op& op,
                                                                       const Options& options = {}) {
        exscan(detail::view(value), op, options);
        return value;
    }

    /// `out` of member r + distance (mod p) becomes `in` of member r; the distance may be negative. Equally
    /// many elements on every member; `in` and `out` may be the same vector, which is copied first then, but
    /// not overlap otherwise.
    template <class In, class Out>
    requires detail::LocalVectors<Way, In, Out>
    auto shift(In&& in, Out&& out, int distance, const Options& options = {}) {
        return self().run(shifted(vectors<Out>(Collective::shift, operand<In>(in), out, options), distance),
                          options);
    }

    /// The same in place.
    template <detail::InPlace InOut>
    requires detail::Local<Way>
    auto shift(InOut&& inout, int distance, const Options& options = {}) {
        return self().run(shifted(in_place<InOut>(Collective::shift, inout, options), distance), options);
    }

    /// The same of one object, by value: returns the one that member r - distance (mod p) has passed.
    template <detail::Scalar T>
    requires detail::Local<Way> && detail::Blocking<Way>
    [[nodiscard("one object goes by value: use the result")]] T shift(T value, int distance,
                                                                      const Options& options = {}) {
        shift(detail::view(value), distance, options);
        return value;
    }

private:
    Self& self() { return static_cast<Self&>(*this); }

    /// What a call reads. One that blocks has read a small object when it returns.
    template <class In>
    static auto operand(std::remove_reference_t<In>& in) {
        if constexpr (Way::blocks) {
            return detail::input(in);
        } else {
            detail::refuse_short_lived<In>();
            return detail::view(in);
        }
    }

    template <class Out, class Op>
    static detail::Call&& reduction(detail::Call&& call, Out& out, const Op& op) {
        static_assert(Way::blocks || std::is_copy_constructible_v<Op>,
                      "the operator is needed after the call has returned, and cannot be copied");
        return CallMaker::reduction(same(call), out, op);
    }

    static detail::Call&& shared(detail::Call&& call) {
        call.shared_output = true;
        return same(call);
    }

    /// `counts` must live until the call has been made.
    detail::Call&& at_root(detail::Call&& call, const CountsAtRoot& counts, int root) {
        call.root = root;
        call.counts_at_root = true;
        call.counts = self().rank() == root ? &counts.counts() : nullptr;
        return same(call);
    }

    /// A distance may be any number of times round.
    detail::Call&& shifted(detail::Call&& call, int distance) {
        const int members = self().size();
        call.root = (distance % members + members) % members;
        return same(call);
    }
};

} // namespace tutti
