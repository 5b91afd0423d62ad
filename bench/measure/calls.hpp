#pragma once

#include <cstddef>
#include <functional>

namespace tutti::bench {

/// Performs something so many times, as one member.
using Calls = std::function<void(std::size_t calls)>;

/// body(), so many times.
template <class Body>
Calls repeated(Body body) {
    return [body](std::size_t calls) {
        for (std::size_t call = 0; call < calls; ++call) {
            body();
        }
    };
}

} // namespace tutti::bench
