#pragma once

#include "../affine.hpp"

namespace tutti::test {

/// An element of a size that is no power of two.
struct Odd {
    std::array<std::uint8_t, 3> bytes;
    friend bool operator==(const Odd&, const Odd&) = default;
};

/// Element `index` of what `sender` has for `receiver`.
template <class T>
T element(std::size_t sender, std::size_t receiver, std::size_t index) {
    const std::size_t value = (sender * 31 + receiver) * 1009 + index;
    if constexpr (std::is_same_v<T, Odd>) {
        return {{static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8U),
                 static_cast<std::uint8_t>(value >> 16U)}};
    } else {
        return static_cast<T>(value);
    }
}

} // namespace tutti::test
