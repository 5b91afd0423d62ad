#pragma once

#include <tutti/counts.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/detail/make_call.hpp>
#include <tutti/detail/operands.hpp>
#include <tutti/error.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>
#include <tutti/shared.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tutti {

namespace detail {

class GroupState;

/// What a member's leaving its seat means to those that wait for it: somebody else will take the seat, or
/// nobody, which they are told.
enum class Leaving : bool { for_now, for_good };

} // namespace detail

/// The color of a member that Member::split gives no group.
inline constexpr int no_color = -1;

/// One thread's seat in a group: where collectives are called.
///
/// All members of the group must make the same calls in the same order, each from its own thread. Vectors are
/// contiguous ranges (std::vector, std::array, std::span, an array) or single objects of a trivially copyable
/// type; their elements are read and written by other members while the call lasts, and by nobody after it
/// has returned. What a member's call writes must overlap no other member's vectors. Calls with one vector,
/// in place, and calls with two are different calls.
///
/// With one operand a call works on a range in place, and takes a single object by value and returns the
/// result: `double all = me.allreduce(mine, tutti::sum)`. Nobody learns the address of `mine` then, which the
/// loop that adds it up can keep in a register; the same holds for a single object that a call only reads.
/// Calls do not compile with a temporary for a result that would be lost, nor with a pointer, which does not
/// say how many elements there are: std::span(pointer, count) does. std::span(&pointer, 1) sends an address.
///
/// Every call throws ArgumentError when an argument of its own is wrong, MismatchError when the members
/// disagree, Aborted when another member has failed, and whatever the operator throws. Small broadcasts,
/// reductions, gathers, scatters, scans and shifts let go members that have nothing to wait for: where these
/// are in different calls, the next call of the group that waits says so, or of a team the end of its run. p
/// is the number of members, m the bytes of the whole vector of one member.
class TUTTI_API Member : detail::CallMaker {
public:
    Member(std::shared_ptr<detail::GroupState> group, detail::Seat& seat,
           detail::Leaving leaving = detail::Leaving::for_now);
    ~Member();
    Member(Member&& other) noexcept;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    Member& operator=(Member&&) = delete;

    /// This member's rank, 0 .. size() - 1.
    int rank() const { return rank_; }

    /// The number of members of the group, p.
    int size() const { return size_; }

    /// Returns when every member has called it.
    void barrier(const Options& options = {}) { run(call(detail::Kind::barrier, options)); }

    /// `inout` of every member becomes that of `root`: as many elements on every member. By default every
    /// member copies the root's vector.
    template <detail::InPlace InOut>
    void broadcast(InOut&& inout, int root, const Options& options = {}) {
        run(rooted(in_place<InOut>(detail::Kind::broadcast, inout, options), root));
    }

    /// The same of one object, by value: returns the one that `root` has passed.
    template <detail::Scalar T>
    [[nodiscard("one object goes by value: use the result")]] T broadcast(T value, int root,
                                                                          const Options& options = {}) {
        broadcast(detail::view(value), root, options);
        return value;
    }

    /// out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i] on the root; `out` of the others is not looked at.
    /// `in` has equally many elements on every member, and so has `out` on the root. They must not overlap.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    void reduce(In&& in, Out&& out, const Op& op, int root, const Options& options = {}) {
        const auto mine = detail::input(in);
        run(rooted(reduction(vectors<Out>(detail::Kind::reduce, mine, out, options), out, op), root));
    }

    /// The same in place: `inout` of the root is replaced by the result, that of the others is kept.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op>
    void reduce(InOut&& inout, const Op& op, int root, const Options& options = {}) {
        run(rooted(reduction(in_place<InOut>(detail::Kind::reduce, inout, options), inout, op), root));
    }

    /// The same of one object, by value: returns the result on the root, and `value` on the others.
    template <class T, class Op>
    requires detail::OneReduction<T, Op>
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
    void allreduce(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        const auto mine = detail::input(in);
        run(reduction(vectors<Out>(detail::Kind::allreduce, mine, out, options), out, op));
    }

    /// The same in place: `inout` is replaced by the result.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op>
    void allreduce(InOut&& inout, const Op& op, const Options& options = {}) {
        run(reduction(in_place<InOut>(detail::Kind::allreduce, inout, options), inout, op));
    }

    /// The same of one object, by value: `double all = me.allreduce(mine, tutti::sum)`. Returns the result.
    template <class T, class Op>
    requires detail::OneReduction<T, Op>
    [[nodiscard("one object goes by value: use the result")]] T allreduce(T value, const Op& op,
                                                                          const Options& options = {}) {
        allreduce(detail::view(value), op, options);
        return value;
    }

    /// The same into one vector that all members share, tutti::shared(out): each combines its part of it.
    /// Throws MismatchError where members give different vectors.
    template <class In, class T, class Op>
    requires detail::Reduction<In, std::span<T>, Op>
    void allreduce(In&& in, Shared<T> out, const Op& op, const Options& options = {}) {
        const auto output = out.span();
        const auto mine = detail::input(in);
        run(shared(reduction(vectors<const std::span<T>>(detail::Kind::allreduce, mine, output, options),
                             output, op)));
    }

    /// block[i] = in_0[r n + i] op ... op in_{p-1}[r n + i] on member r, where n is the number of elements of
    /// `block` and `in` has p n. `block` may be that part of `in`, but not overlap otherwise; the rest of
    /// `in` is kept.
    template <class In, class Block, class Op>
    requires detail::Reduction<In, Block, Op>
    void reduce_scatter(In&& in, Block&& block, const Op& op, const Options& options = {}) {
        run(reduction(vectors<Block>(detail::Kind::reduce_scatter, in, block, options), block, op));
    }

    /// The same in place: member r's block of `inout` is replaced by the result, the other blocks are kept.
    template <class InOut, class Op>
    requires detail::Reduction<InOut, InOut, Op>
    void reduce_scatter(InOut&& inout, const Op& op, const Options& options = {}) {
        run(reduction(in_place<InOut>(detail::Kind::reduce_scatter, inout, options), inout, op));
    }

    /// Reduce-scatter with irregular blocks: the r-th of the p counts is the number of elements of member r's
    /// block, the same list on every member; `in` has their sum, `block` has the rank()-th.
    template <class In, class Block, class Op>
    requires detail::Reduction<In, Block, Op>
    void reduce_scatter(In&& in, Block&& block, Counts counts, const Op& op, const Options& options = {}) {
        run(reduction(irregular(vectors<Block>(detail::Kind::reduce_scatter, in, block, options), counts),
                      block, op));
    }

    /// The irregular form in place.
    template <class InOut, class Op>
    requires detail::Reduction<InOut, InOut, Op>
    void reduce_scatter(InOut&& inout, Counts counts, const Op& op, const Options& options = {}) {
        run(reduction(irregular(in_place<InOut>(detail::Kind::reduce_scatter, inout, options), counts), inout,
                      op));
    }

    /// out = block_0, block_1, ..., block_{p-1}: `block` has n elements on every member, `out` has p n.
    /// `block` may be this member's part of `out`, but not overlap otherwise.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    void allgather(Block&& block, Out&& out, const Options& options = {}) {
        const auto mine = detail::input(block);
        run(vectors<Out>(detail::Kind::allgather, mine, out, options));
    }

    /// The same in place: `inout` has p n elements, of which this member's n are its contribution.
    template <detail::Operand InOut>
    void allgather(InOut&& inout, const Options& options = {}) {
        run(in_place<InOut>(detail::Kind::allgather, inout, options));
    }

    /// Allgather of irregular blocks: `block` has the rank()-th of the p counts, `out` has their sum; the
    /// same list on every member.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    void allgather(Block&& block, Out&& out, Counts counts, const Options& options = {}) {
        const auto mine = detail::input(block);
        run(irregular(vectors<Out>(detail::Kind::allgather, mine, out, options), counts));
    }

    /// The same into one vector that all members share, tutti::shared(out): each copies its block there.
    /// Throws MismatchError where members give different vectors. A member that computes its block where it
    /// belongs in such a vector needs no allgather, but a barrier.
    template <class Block, class T>
    requires detail::Vectors<Block, std::span<T>>
    void allgather(Block&& block, Shared<T> out, const Options& options = {}) {
        const auto output = out.span();
        const auto mine = detail::input(block);
        run(shared(vectors<const std::span<T>>(detail::Kind::allgather, mine, output, options)));
    }

    /// The irregular form into one vector that all members share.
    template <class Block, class T>
    requires detail::Vectors<Block, std::span<T>>
    void allgather(Block&& block, Shared<T> out, Counts counts, const Options& options = {}) {
        const auto output = out.span();
        const auto mine = detail::input(block);
        run(shared(
            irregular(vectors<const std::span<T>>(detail::Kind::allgather, mine, output, options), counts)));
    }

    /// out = block_0, block_1, ..., block_{p-1} on the root; `out` of the others is not looked at. `block`
    /// has n elements on every member, `out` has p n on the root. They must not overlap.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    void gather(Block&& block, Out&& out, int root, const Options& options = {}) {
        const auto mine = detail::input(block);
        run(rooted(vectors<Out>(detail::Kind::gather, mine, out, options), root));
    }

    /// The same in place: `inout` of the root has p n elements, of which its own n are its contribution; that
    /// of the others is their block.
    template <detail::Operand InOut>
    void gather(InOut&& inout, int root, const Options& options = {}) {
        run(rooted(in_place<InOut>(detail::Kind::gather, inout, options), root));
    }

    /// Gather of irregular blocks: `block` has the rank()-th of the p counts, `out` of the root has their
    /// sum; the same list on every member.
    template <class Block, class Out>
    requires detail::Vectors<Block, Out>
    void gather(Block&& block, Out&& out, Counts counts, int root, const Options& options = {}) {
        const auto mine = detail::input(block);
        run(irregular(rooted(vectors<Out>(detail::Kind::gather, mine, out, options), root), counts));
    }

    /// `block` of member r becomes elements r n .. r n + n - 1 of the root's `in`; `in` of the others is not
    /// looked at. `block` has n elements on every member, `in` has p n on the root. They must not overlap.
    template <class In, class Block>
    requires detail::Vectors<In, Block>
    void scatter(In&& in, Block&& block, int root, const Options& options = {}) {
        run(rooted(vectors<Block>(detail::Kind::scatter, in, block, options), root));
    }

    /// The same in place: `inout` of the root has p n elements and is kept; that of the others becomes their
    /// block.
    template <detail::Operand InOut>
    void scatter(InOut&& inout, int root, const Options& options = {}) {
        run(rooted(in_place<InOut>(detail::Kind::scatter, inout, options), root));
    }

    /// Scatter of irregular blocks: `block` has the rank()-th of the p counts, `in` of the root has their
    /// sum; the same list on every member.
    template <class In, class Block>
    requires detail::Vectors<In, Block>
    void scatter(In&& in, Block&& block, Counts counts, int root, const Options& options = {}) {
        run(irregular(rooted(vectors<Block>(detail::Kind::scatter, in, block, options), root), counts));
    }

    /// Elements j n .. j n + n - 1 of member i's `in` become elements i n .. i n + n - 1 of member j's `out`:
    /// a matrix transposition. Both have p n elements on every member; they may be the same vector, which is
    /// copied first then, but not overlap otherwise.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    void alltoall(In&& in, Out&& out, const Options& options = {}) {
        run(vectors<Out>(detail::Kind::alltoall, in, out, options));
    }

    /// The same in place.
    template <detail::Operand InOut>
    void alltoall(InOut&& inout, const Options& options = {}) {
        run(in_place<InOut>(detail::Kind::alltoall, inout, options));
    }

    /// All-to-all of irregular blocks: `in` is made of p blocks, one for each member in rank order, of
    /// send_counts[j] elements for member j, and `out` of p blocks of recv_counts[j] elements from member j.
    /// Every member has counts of its own, which add up to the elements of its vectors; blocks may be empty.
    /// `in` and `out` must not overlap: there is no form in place. By default one exchange in which every
    /// member copies its block of every `in`; "pairwise" does it in p - 1 rounds, and no algorithm can that
    /// passes blocks on.
    ///
    /// If recv_counts[j] of member i is not send_counts[i] of another member j, member i throws a
    /// MismatchError that names both, and all others are released with Aborted, which carries that message.
    /// Nothing is read or written outside the vectors then; `out` holds anything.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    void alltoall(In&& in, Counts send_counts, Out&& out, Counts recv_counts, const Options& options = {}) {
        detail::Call made = irregular(vectors<Out>(detail::Kind::alltoall, in, out, options), send_counts);
        made.received = &recv_counts;
        run(made);
    }

    /// out[i] = in_0[i] op ... op in_r[i] on member r. `in` and `out` have equally many elements, the same
    /// number on every member; they may be the same vector, but not overlap otherwise.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    void scan(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        const auto mine = detail::input(in);
        run(reduction(vectors<Out>(detail::Kind::scan, mine, out, options), out, op));
    }

    /// The same in place: `inout` is replaced by the result.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op>
    void scan(InOut&& inout, const Op& op, const Options& options = {}) {
        run(reduction(in_place<InOut>(detail::Kind::scan, inout, options), inout, op));
    }

    /// The same of one object, by value: returns the result.
    template <class T, class Op>
    requires detail::OneReduction<T, Op>
    [[nodiscard("one object goes by value: use the result")]] T scan(T value, const Op& op,
                                                                     const Options& options = {}) {
        scan(detail::view(value), op, options);
        return value;
    }

    /// out[i] = in_0[i] op ... op in_{r-1}[i] on member r; `out` of member 0 is kept. Otherwise as scan.
    template <class In, class Out, class Op>
    requires detail::Reduction<In, Out, Op>
    void exscan(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        const auto mine = detail::input(in);
        run(reduction(vectors<Out>(detail::Kind::exscan, mine, out, options), out, op));
    }

    /// The same in place: `inout` is replaced by the result, but on member 0.
    template <class InOut, class Op>
    requires detail::InPlaceReduction<InOut, Op>
    void exscan(InOut&& inout, const Op& op, const Options& options = {}) {
        run(reduction(in_place<InOut>(detail::Kind::exscan, inout, options), inout, op));
    }

    /// The same of one object, by value: returns the result, and `value` on member 0.
    template <class T, class Op>
    requires detail::OneReduction<T, Op>
    [[nodiscard("one object goes by value: use the result")]] T exscan(T value, const Op& op,
                                                                       const Options& options = {}) {
        exscan(detail::view(value), op, options);
        return value;
    }

    /// `out` of member r + distance (mod p) becomes `in` of member r; the distance may be negative. Equally
    /// many elements on every member; `in` and `out` may be the same vector, which is copied first then, but
    /// not overlap otherwise.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    void shift(In&& in, Out&& out, int distance, const Options& options = {}) {
        const auto mine = detail::input(in);
        run(shifted(vectors<Out>(detail::Kind::shift, mine, out, options), distance));
    }

    /// The same in place.
    template <detail::InPlace InOut>
    void shift(InOut&& inout, int distance, const Options& options = {}) {
        run(shifted(in_place<InOut>(detail::Kind::shift, inout, options), distance));
    }

    /// The same of one object, by value: returns the one that member r - distance (mod p) has passed.
    template <detail::Scalar T>
    [[nodiscard("one object goes by value: use the result")]] T shift(T value, int distance,
                                                                      const Options& options = {}) {
        shift(detail::view(value), distance, options);
        return value;
    }

    /// Members that give the same `color` become a group of their own, ranked by `key` and then by their rank
    /// here; returns this member's seat in it, or nothing if its color is negative, as no_color is. Every
    /// member must call it; groups of different colors need not wait for each other afterwards.
    ///
    /// The new group is served by the same threads and lasts as long as one of its members, whatever becomes
    /// of this group; its members may be kept from one Team::run, or region of a Group, to the next. Nobody
    /// can take the seat of a member that has been destroyed: those that wait for it are released with
    /// MismatchError, or with Aborted if an exception destroyed it. So are those that wait for a member that
    /// has returned from its run of the team. What fails in this group reaches all groups made of it,
    /// wherever their members are, and a group made of another that has failed stays so: it is to be made
    /// anew. Three exchanges with memory allocated; where that fails every member is released.
    std::optional<Member> split(int color, int key);

    /// The same members, with the same ranks, in a group of its own.
    Member dup();

private:
    static detail::Call shared(detail::Call call) {
        call.shared_output = true;
        return call;
    }

    /// A distance may be any number of times round.
    detail::Call shifted(detail::Call call, int distance) const {
        call.root = (distance % size_ + size_) % size_;
        return call;
    }

    /// What a split asks the others.
    template <class T>
    void allgather_for_split(const T& mine, std::vector<T>& out);

    void run(const detail::Call& call) { detail::execute_or_repeat(*seat_, call); }

    std::shared_ptr<detail::GroupState> group_;
    detail::Seat* seat_;
    int rank_;
    int size_;
    int exceptions_on_entry_;
    detail::Leaving leaving_;
};

} // namespace tutti
