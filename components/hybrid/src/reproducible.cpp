#include <tutti/detail/reproduced.hpp>
#include <tutti/mpi.hpp>

#include <span>

namespace tutti::inline TUTTI_NAMESPACE::mpi {

double Member::reproducible_sum(std::span<const double> terms, const Options& options) {
    return tutti::detail::reproduced_sum<double>(*this, {&terms, 1}, options);
}

float Member::reproducible_sum(std::span<const float> terms, const Options& options) {
    return tutti::detail::reproduced_sum<float>(*this, {&terms, 1}, options);
}

double Member::reproducible_dot(std::span<const double> a, std::span<const double> b,
                                const Options& options) {
    return tutti::detail::reproduced_dot<double>(*this, {&a, 1}, {&b, 1}, options);
}

float Member::reproducible_dot(std::span<const float> a, std::span<const float> b, const Options& options) {
    return tutti::detail::reproduced_dot<float>(*this, {&a, 1}, {&b, 1}, options);
}

double Member::reproducible_norm2(std::span<const double> x, const Options& options) {
    return tutti::detail::reproduced_norm2(*this, tutti::detail::TermLists<double>(&x, 1), options);
}

float Member::reproducible_norm2(std::span<const float> x, const Options& options) {
    return tutti::detail::reproduced_norm2(*this, tutti::detail::TermLists<float>(&x, 1), options);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi
