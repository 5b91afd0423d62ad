#pragma once

#include "measure/problem.hpp"

#include <tutti/member.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace tutti::bench {

/// What a caller could do in place of a collective, as the guidelines have it: other collectives, one after
/// the other on the same vectors, with the same result. The sum of doubles.
struct MockUp {
    const char* name;
    /// What it stands in for.
    Collective collective;
    /// As member `me`, with its whole vector and the elements of its result.
    std::function<void(std::size_t calls)> (*calls)(Member& me, std::span<double> in, std::span<double> out);
};

std::span<const MockUp> mock_ups();

} // namespace tutti::bench
