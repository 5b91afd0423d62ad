#pragma once

#include <cstdint>
#include <string_view>

namespace tutti {

/// In what order a reduction combines the members' operands.
///
/// - any: whichever the algorithm has. In rank order where the operator is not commutative. The same bits on
///   every member, and every time with the same algorithm
/// - serial: in rank order from the left, as a loop over the ranks would: the same bits whichever algorithm,
///   size or number of elements is chosen
enum class Order : std::uint8_t { any, serial };

/// What a caller may choose for one collective call. Every member must choose the same.
struct Options {
    /// Name of the algorithm (`tutti info --algorithms` lists them); empty: the library chooses.
    std::string_view algorithm = {};
    Order order = Order::any;
};

} // namespace tutti
