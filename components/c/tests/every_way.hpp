#pragma once

#include "support.hpp"
#include "tests/reference/calls_c.hpp"
#include "tests/ways/exam.hpp"

// Every collective from C in every way of calling, held against loops over the ranks.

namespace tutti::test {

inline const std::vector<int> few_sizes = {1, 2, 3, 5};

/// Operands are combined as type W. `lower` is that of Reference.
template <class T, class W = Wide<T>, class Make, class Op, class... Lower>
void check(const std::vector<int>& sizes, const Elements& elements, Make make, Op op, Lower... lower) {
    for (const int members : sizes) {
        const auto reference = std::make_shared<const Reference<T, W>>(members, make, op, lower...);
        const DynamicOp none(Operator::sum);
        Exam exam(reference, {.bytes = sizeof(T), .op = none, .c_type = elements.type, .c_op = elements.op});
        std::vector<Job> jobs;
        for (const std::size_t n : {0U, 1U, 3U, 200U}) {
            const std::vector<int> roots{members / 2};
            const auto lengths = [n](std::size_t from, std::size_t to) {
                return (from + 2 * to + n) % 4 + from * n / 2;
            };
            for (const auto& shapes :
                 {regular_shapes(n, roots, {1, -2, 20}), irregular_shapes(lengths, roots),
                  irregular_shapes(lengths, roots, static_cast<std::uint32_t>(n))}) {
                for (const Shape& shape : shapes) {
                    jobs.push_back({shape});
                }
            }
        }
        for (const Way& way : {c_blocking_way, c_nonblocking_way, c_persistent_way, c_async_way}) {
            INFO(way.name, ", ", members, " members");
            CHECK(exam.run(*way.make({.members = members}), jobs, way.abilities.has_requests ? 8 : 1) == "");
        }
    }
}

} // namespace tutti::test
