// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/make_call.hpp>
#include <tutti/member.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>
#include <tutti/source_line.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>

namespace tutti::v0_1 {

namespace detail {

class OrderedTree;

/// One member's part of a fixed tree. A Call has the elements and the operator.
class TUTTI_API OrderedReduction {
public:
    /// Every member must make one at the same time.
    OrderedReduction(Seat& seat, std::size_t first_index, const Call& call, bool has_identity);
    ~OrderedReduction();
    OrderedReduction(OrderedReduction&&) noexcept;
    OrderedReduction& operator=(OrderedReduction&&) noexcept;
    OrderedReduction(const OrderedReduction&) = delete;
    OrderedReduction& operator=(const OrderedReduction&) = delete;

    /// Reduces the inputs of all members to the output, one element. Without any terms it writes none, and
    /// returns false.
    bool run(const Call& call);

private:
    std::unique_ptr<OrderedTree> tree_;
};

} // namespace detail

/// A reduction of one sequence of terms, of which each member has a range, that has been prepared by
/// `prepare_ordered_reduce(me, first_index, count, op)`. The result is the value of one fixed tree over
/// the indices of the terms: it has the same bits for every number of members, every division of the terms
/// among them and every instruction set. components/numbers/README.md describes the tree.
///
/// Each call is a blocking call of the member, of which all members must make the same. It can be moved, not
/// copied, and has a copy of the operator.
///
/// @warning It must be destroyed before its member, and only the member's thread may use it.
template <class T, class Op>
class OrderedReduce : detail::CallMaker {
public:
    /// Internal: use prepare_ordered_reduce().
    OrderedReduce(detail::Seat& seat, std::size_t first_index, std::size_t count, const Op& op,
                  const SourceLine& where)
        : op_(op), reduction_(seat, first_index, call_of({static_cast<const T*>(nullptr), count}, {}, where),
                              HasIdentity<Op, T>) {
        static_assert(
            !detail::Half<T> && !detail::is_one_pass<T, Op>,
            "the operator rounds after the last combination of these elements, and a fixed tree would "
            "round in each of its nodes: convert the terms to a wider type, such as float");
    }

    /// The reduction of the terms of all members, on every member. `terms` are this member's, as many as were
    /// prepared. Without any terms in the sequence, the result is the operator's identity.
    ///
    /// Throws what a blocking call throws, and ArgumentError if `terms` has another length; the member may
    /// then call again. If the operator throws, the group fails, and the other members throw Aborted.
    [[nodiscard]] T operator()(std::span<const T> terms, const SourceLine& where = SourceLine::here()) {
        alignas(T) std::array<std::byte, sizeof(T)> result;
        [[maybe_unused]] const bool has_terms =
            reduction_.run(call_of(terms, {reinterpret_cast<T*>(result.data()), 1}, where));
        if constexpr (HasIdentity<Op, T>) {
            if (!has_terms) {
                return detail::identity_of<Op, T>();
            }
        }
        return std::bit_cast<T>(result);
    }

private:
    detail::Call call_of(std::span<const T> terms, std::span<T> result, const SourceLine& where) const {
        detail::Call made =
            vectors<std::span<T>&>(Collective::allreduce, terms, result, Options{.where = where});
        reduction(same(made), result, op_);
        return made;
    }

    Op op_;
    detail::OrderedReduction reduction_;
};

/// Prepares a reduction of one sequence of terms of type T to one element, whose bits depend neither on the
/// number of members nor on the division of the terms among them. This member has the `count` terms from the
/// index `first_index` on; it may have none, and the members' ranges may come in any order. Operands are
/// combined in the order of their indices, except by compiled operators of the library, which commute.
///
/// This is a blocking call, which every member must make. Every member throws CombinationError if an index
/// belongs to no member or to several, if there are no terms and the operator has no identity, or if
/// elements or operators differ. The members can then prepare again.
template <class T, class Op>
requires Applicable<Op, T>
[[nodiscard]] OrderedReduce<T, Op> prepare_ordered_reduce(Member& me, std::size_t first_index,
                                                          std::size_t count, const Op& op,
                                                          const SourceLine& where = SourceLine::here()) {
    return OrderedReduce<T, Op>(detail::Inside::seat_of(me), first_index, count, op, where);
}

} // namespace tutti::v0_1
