#pragma once

#include "../std.hpp"
#include "algorithm/registry.hpp"

#include <tutti/detail/template_loops.hpp>

namespace tutti::test {

/// Mixes all bits (the finaliser of splitmix64).
constexpr std::uint64_t scrambled(std::uint64_t word) {
    word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27U)) * 0x94D049BB133111EB;
    return word ^ (word >> 31U);
}

/// Random numbers that are the same everywhere (splitmix64).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(scrambled(seed)) {}

    std::uint64_t word() { return scrambled(state_ += 0x9E3779B97F4A7C15); }
    /// Less than `limit`.
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(word() >> 11U) % limit; }
    bool one_in(std::size_t times) { return below(times) == 0; }

private:
    std::uint64_t state_;
};

/// The elements that are reduced here. An input is a number of its own for each member, operation and
/// element, so that a result tells what it is made of.
using Element = std::uint32_t;

/// The content that a caller puts into vectors that it has back, and into results before the call.
inline constexpr Element rubbish = 0xDEADBEEF;

inline Element input_value(int member, std::size_t operation, std::size_t element) {
    const std::uint64_t name = (std::uint64_t{operation} << 40U) | (std::uint64_t{element} << 8U) |
                               static_cast<std::uint64_t>(member);
    return static_cast<Element>(scrambled(name + 1) >> 32U) | 0x10000U; // see AnyBracketing
}

/// The same in any order.
struct AnyOrder {
    Element operator()(Element left, Element right) const { return left + right; }
};

/// In the order of the operands, associated anyhow: the composition of x -> a x + b, with a above b.
struct AnyBracketing {
    Element operator()(Element left, Element right) const {
        const Element a = left >> 16U;
        const Element b = left & 0xFFFFU;
        return (a * (right >> 16U)) << 16U | ((b * (right >> 16U) + right) & 0xFFFFU);
    }
};

/// In that order, associated in one way and no other.
struct OneBracketing {
    Element operator()(Element left, Element right) const {
        return static_cast<Element>(scrambled((std::uint64_t{left} << 32U) | right) >> 32U);
    }
};

/// An operator that shows whether operands are combined as `order` promises.
struct OrderOperator {
    const detail::Kernels* kernels;
    const void* state;
    Element (*combine)(Element left, Element right);

    template <class Op>
    static OrderOperator of() {
        static constexpr Op op{};
        return {&detail::TemplateLoops<Element, Op>::kernels, &op,
                [](Element left, Element right) { return op(left, right); }};
    }
    static OrderOperator showing(algorithm::Order order) {
        switch (order) {
        case algorithm::Order::any:
        case algorithm::Order::same:
            return of<AnyOrder>();
        case algorithm::Order::rank:
            return of<AnyBracketing>();
        case algorithm::Order::none:
        case algorithm::Order::canonical:
        case algorithm::Order::serial:
        case algorithm::Order::asked:
            break;
        }
        return of<OneBracketing>();
    }
};

} // namespace tutti::test
