#pragma once

#include <cstddef>
#include <vector>

namespace tutti::run {

/// Where a block lies in a vector, in elements.
struct BlockPlace {
    std::size_t start = 0;
    std::size_t count = 0;
};

/// The blocks of a call in which only who sends a block and who receives it know of it: what a member sends
/// to each and receives from each. The others read this during the call, but for `received`.
struct Exchange {
    /// Elements of the member's input and output, in which the blocks lie.
    std::size_t read = 0;
    std::size_t written = 0;
    std::vector<BlockPlace> sent;
    std::vector<BlockPlace> received;
};

} // namespace tutti::run
