#pragma once

#include <cstddef>
#include <functional>

namespace tutti::bench {

/// Performs something so many times, as one member.
using Calls = std::function<void(std::size_t calls)>;

} // namespace tutti::bench
