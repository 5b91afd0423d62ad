#pragma once

#include "plan/partition.hpp"

#include <cstddef>
#include <vector>

namespace tutti::run {

/// The blocks of a call in which only the sender and the receiver of a block know of it: those that a member
/// sends to each and receives from each. The others read this during the call, except `received`.
struct PrivateLayout {
    /// Elements of the member's input and output, in which the blocks lie.
    std::size_t read = 0;
    std::size_t written = 0;
    std::vector<plan::BlockPlace> sent;
    std::vector<plan::BlockPlace> received;
};

} // namespace tutti::run
