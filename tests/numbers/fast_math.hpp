#pragma once

#include <tutti/reproducible.hpp>

#include <span>

namespace tutti::test {

/// The terms one by one, in a file that is compiled with -ffast-math.
template <int Fold>
Reproducible<double, Fold> with_fast_math(std::span<const double> terms);

} // namespace tutti::test
