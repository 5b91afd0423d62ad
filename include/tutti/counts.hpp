#pragma once

#include <cstddef>
#include <span>

namespace tutti {

/// The numbers of elements of irregular blocks, one for each member in rank order. A type of its own, so that
/// a vector of std::size_t that is data is not taken for them, nor they for data. Refers to the numbers and
/// does not keep them: they must live until the call returns.
class Counts {
public:
    /// From any contiguous range of std::size_t.
    explicit constexpr Counts(std::span<const std::size_t> counts) : counts_(counts) {}

    constexpr std::span<const std::size_t> span() const { return counts_; }

private:
    std::span<const std::size_t> counts_;
};

} // namespace tutti
