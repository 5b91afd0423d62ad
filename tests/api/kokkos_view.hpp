#pragma once

#include "../std.hpp"

namespace tutti::test {

/// As much of Kokkos::View as makes an object a view for the library.
struct KokkosView {
    double* elements;
    std::size_t count;
    bool contiguous = true;

    double* data() const { return elements; }
    std::size_t span() const { return count; }
    bool span_is_contiguous() const { return contiguous; }
};

} // namespace tutti::test
