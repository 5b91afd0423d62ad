#include "tests/std.hpp"

#include <tutti/reproducible.hpp>

namespace tutti::test {

template <int Fold>
Reproducible<double, Fold> with_fast_math(std::span<const double> terms) {
    Reproducible<double, Fold> made;
    for (const double term : terms) {
        made += term;
    }
    return made;
}

template Reproducible<double, 2> with_fast_math<2>(std::span<const double> terms);
template Reproducible<double, 3> with_fast_math<3>(std::span<const double> terms);

} // namespace tutti::test
