#pragma once

#include <tutti/detail/call.hpp>
#include <tutti/error.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>

#include <concepts>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>

namespace tutti {

namespace detail {

class GroupState;

template <class T>
concept Element = std::is_trivially_copyable_v<T> && !std::is_const_v<T>;

/// A vector of elements: any contiguous range, or one single element that is not itself a range.
template <class V>
concept Vector = std::ranges::contiguous_range<V> && std::ranges::sized_range<V> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<V>>;

template <class V>
concept Scalar = !std::ranges::range<V> && Element<std::remove_cvref_t<V>>;

template <class V>
concept Operand = Vector<V> || Scalar<V>;

template <Operand V>
auto view(V&& operand) {
    if constexpr (Vector<V>) {
        return std::span(std::ranges::data(operand), std::ranges::size(operand));
    } else {
        return std::span<std::remove_reference_t<V>, 1>(&operand, 1);
    }
}

template <class V>
using element_t = std::remove_cv_t<typename decltype(view(std::declval<V>()))::element_type>;

template <class In, class Out>
concept SameElement = std::same_as<element_t<In>, element_t<Out>> &&
    !std::is_const_v<typename decltype(view(std::declval<Out>()))::element_type>;

} // namespace detail

/// One thread's seat in a group: where collectives are called.
///
/// All members of the group must make the same calls in the same order, each from its own thread. Vectors are
/// contiguous ranges (std::vector, std::array, std::span, an array) or single objects of a trivially copyable
/// type; their elements are read and written by other members while the call lasts, and by nobody after it
/// has returned.
///
/// Every call throws ArgumentError when an argument of its own is wrong, MismatchError when the members
/// disagree, Aborted when another member has failed, and whatever the operator throws. p is the number of
/// members, m the bytes of the whole vector of one member.
class Member {
public:
    Member(std::shared_ptr<detail::GroupState> group, detail::Seat& seat);
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
    void barrier(const Options& options = {}) {
        run({.kind = detail::Kind::barrier, .type = Type::u8, .algorithm = options.algorithm});
    }

    /// out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i], the same bits on every member. `in` and `out` have
    /// equally many elements, the same number on every member; they may be the same vector, but not overlap
    /// otherwise. By default one exchange with (m read + m written) a member.
    template <class In, class Out, class Op>
    requires detail::Operand<In> && detail::Operand<Out> && detail::SameElement<In, Out> &&
        Applicable<Op, detail::element_t<Out>>
    void allreduce(In&& in, Out&& out, const Op& op, const Options& options = {}) {
        run(reduction(detail::Kind::allreduce, detail::view(in), detail::view(out), op, options));
    }

    /// The same in place: `inout` is replaced by the result.
    template <class InOut, class Op>
    requires detail::Operand<InOut> && detail::SameElement<InOut, InOut> &&
        Applicable<Op, detail::element_t<InOut>>
    void allreduce(InOut&& inout, const Op& op, const Options& options = {}) {
        run(in_place(
            reduction(detail::Kind::allreduce, detail::view(inout), detail::view(inout), op, options)));
    }

    /// block[i] = in_0[r n + i] op ... op in_{p-1}[r n + i] on member r, where n is the number of elements of
    /// `block` and `in` has p n. `block` may be that part of `in`, but not overlap otherwise; the rest of
    /// `in` is kept.
    template <class In, class Block, class Op>
    requires detail::Operand<In> && detail::Operand<Block> && detail::SameElement<In, Block> &&
        Applicable<Op, detail::element_t<Block>>
    void reduce_scatter(In&& in, Block&& block, const Op& op, const Options& options = {}) {
        run(reduction(detail::Kind::reduce_scatter, detail::view(in), detail::view(block), op, options));
    }

    /// The same in place: member r's block of `inout` is replaced by the result, the other blocks are kept.
    template <class InOut, class Op>
    requires detail::Operand<InOut> && detail::SameElement<InOut, InOut> &&
        Applicable<Op, detail::element_t<InOut>>
    void reduce_scatter(InOut&& inout, const Op& op, const Options& options = {}) {
        run(in_place(
            reduction(detail::Kind::reduce_scatter, detail::view(inout), detail::view(inout), op, options)));
    }

    /// Reduce-scatter with irregular blocks: counts[r] is the number of elements of member r's block, the
    /// same list on every member; `in` has their sum, `block` has counts[rank()].
    template <class In, class Block, class Op>
    requires detail::Operand<In> && detail::Operand<Block> && detail::SameElement<In, Block> &&
        Applicable<Op, detail::element_t<Block>>
    void reduce_scatter(In&& in, Block&& block, std::span<const std::size_t> counts, const Op& op,
                        const Options& options = {}) {
        detail::Call call =
            reduction(detail::Kind::reduce_scatter, detail::view(in), detail::view(block), op, options);
        call.counts = counts;
        run(call);
    }

    /// The irregular form in place.
    template <class InOut, class Op>
    requires detail::Operand<InOut> && detail::SameElement<InOut, InOut> &&
        Applicable<Op, detail::element_t<InOut>>
    void reduce_scatter(InOut&& inout, std::span<const std::size_t> counts, const Op& op,
                        const Options& options = {}) {
        detail::Call call = in_place(
            reduction(detail::Kind::reduce_scatter, detail::view(inout), detail::view(inout), op, options));
        call.counts = counts;
        run(call);
    }

    /// out = block_0, block_1, ..., block_{p-1}: `block` has n elements on every member, `out` has p n.
    /// `block` may be this member's part of `out`, but not overlap otherwise.
    template <class Block, class Out>
    requires detail::Operand<Block> && detail::Operand<Out> && detail::SameElement<Block, Out>
    void allgather(Block&& block, Out&& out, const Options& options = {}) {
        run(gathering(detail::view(block), detail::view(out), options));
    }

    /// The same in place: `inout` has p n elements, of which this member's n are its contribution.
    template <class InOut>
    requires detail::Operand<InOut> && detail::SameElement<InOut, InOut>
    void allgather(InOut&& inout, const Options& options = {}) {
        run(in_place(gathering(detail::view(inout), detail::view(inout), options)));
    }

private:
    template <class In, class Out>
    static detail::Call gathering(In in, Out out, const Options& options) {
        using T = std::remove_cv_t<typename Out::element_type>;
        return {.kind = detail::Kind::allgather,
                .type = type_of<T>(),
                .input = in.data(),
                .output = out.data(),
                .input_count = in.size(),
                .output_count = out.size(),
                .element_bytes = sizeof(T),
                .algorithm = options.algorithm};
    }

    template <class In, class Out, class Op>
    static detail::Call reduction(detail::Kind kind, In in, Out out, const Op& op, const Options& options) {
        using T = std::remove_cv_t<typename Out::element_type>;
        detail::Call call = gathering(in, out, options);
        call.kind = kind;
        call.op = operator_of<Op>();
        if constexpr (!detail::has_builtin_kernels<T, Op>) {
            call.kernels = &detail::TemplateLoops<T, Op>::kernels;
        }
        call.state = &op;
        return call;
    }

    static detail::Call in_place(detail::Call call) {
        call.in_place = true;
        return call;
    }

    void run(const detail::Call& call) {
        const std::uint64_t key = detail::key_of(call);
        if (key == 0 || !detail::execute_again(*seat_, key, call.input, call.output)) {
            detail::execute(*seat_, call);
        }
    }

    std::shared_ptr<detail::GroupState> group_;
    detail::Seat* seat_;
    int rank_;
    int size_;
    int exceptions_on_entry_;
};

} // namespace tutti
