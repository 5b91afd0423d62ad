#pragma once

#include "std.hpp"

namespace tutti::test {

/// An element that lies at multiples of its own size only, as compilers are free to rely on.
template <std::size_t Bytes>
struct alignas(Bytes) Aligned {
    std::uint64_t values[Bytes / sizeof(std::uint64_t)];
    friend bool operator==(const Aligned&, const Aligned&) = default;
};

/// Whether the element lies where its type says, asked of the address that the compiler cannot argue about.
template <class T>
bool lies_well(const T& element) {
    auto address = reinterpret_cast<std::uintptr_t>(&element);
    asm volatile("" : "+r"(address));
    return address % alignof(T) == 0;
}

template <class T>
T added(const T& a, const T& b) {
    T result = a;
    for (std::size_t i = 0; i < std::size(a.values); ++i) {
        result.values[i] += b.values[i];
    }
    return result;
}

/// Element `index` of a member's input, in which each number is another one: make(rank, i) is number i.
template <class T, class Make>
T element_of(Make make, std::size_t rank, std::size_t index) {
    T made{};
    for (std::size_t i = 0; i < std::size(made.values); ++i) {
        made.values[i] = static_cast<std::uint64_t>(make(rank, index * std::size(made.values) + i));
    }
    return made;
}

} // namespace tutti::test
