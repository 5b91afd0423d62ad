#pragma once

#include <tutti/collective.hpp>
#include <tutti/member.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace tutti::bench {

/// The calls that can replace a collective, as in the guidelines: other collectives, one after the other on
/// the same vectors, with the same result. The sum of doubles.
struct MockUp {
    const char* name;
    /// The collective that it replaces.
    Collective collective;
    /// As member `me`, with its whole vector and the elements of its result.
    std::function<void(std::size_t calls)> (*calls)(Member& me, std::span<double> in, std::span<double> out);
};

std::span<const MockUp> mock_ups();

} // namespace tutti::bench
