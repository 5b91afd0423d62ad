#pragma once

#include "calls.hpp"

namespace tutti::test {

/// Vectors of `count` elements, and of as many for each rank, for calls whose results are not looked at.
template <class T>
struct Operands {
    std::vector<T> one;
    std::vector<T> out;
    std::vector<T> all;
    std::vector<T> all_out;

    Operands(int ranks, std::size_t count, const T& value = T(1))
        : one(count, value), out(count), all(count * static_cast<std::size_t>(ranks), value),
          all_out(all.size()) {}
};

/// Makes a call of that collective for `me`, as make_call() does. Vectors go out from rank `from`, and
/// results to rank `to`.
template <class Me, class T, class Op>
auto call(Me& me, Collective collective, Operands<T>& operands, const Op& op, int from, int to,
          const Options& options = {}) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    const bool is_in_place = traits.in_place == detail::OneVector::always;
    const bool reads_all = traits.is_divided() && traits.input.root == detail::Part::whole;
    const bool fills_all = traits.is_divided() && traits.output.root == detail::Part::whole;
    const int root = traits.input.others == detail::Part::none ? from : to;
    const Shape shape{.collective = collective,
                      .in_place = is_in_place,
                      .root = traits.is_rooted() || !traits.takes_number() ? root : 1};
    const std::span<const T> in(reads_all ? operands.all : operands.one);
    const std::span<T> out(is_in_place ? operands.one : fills_all ? operands.all_out : operands.out);
    return make_call(me, shape, Vectors<T>(), in, out, op, options);
}

} // namespace tutti::test
