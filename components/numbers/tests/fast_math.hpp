#pragma once

#include "tests/std.hpp"

#include <tutti/reproducible.hpp>

namespace tutti::test {

/// The terms one by one, in a file that is compiled with -ffast-math.
template <int Fold>
Reproducible<double, Fold> with_fast_math(std::span<const double> terms);

} // namespace tutti::test
