#pragma once

#include "poisson.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

/// The sum of every thread's value over all threads of all processes.
using Sum = std::function<double(double)>;

struct Result {
    int iterations = 0;
    double error = 0;
};

/// Solves A x = A 1 from x = 0. `region` runs what it is given on every thread, with a way to add up.
inline Result solve(const Poisson& matrix, int threads,
                    const std::function<void(const std::function<void(const Sum&)>&)>& region) {
    std::vector<double> x = matrix.vector(), r = x, p = x, q = x;
    std::fill(p.begin() + static_cast<std::ptrdiff_t>(matrix.plane()),
              p.end() - static_cast<std::ptrdiff_t>(matrix.plane()), 1.0);
    matrix.exchange(p);
    Result result;
    region([&](const Sum& sum) {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        const auto count = static_cast<std::size_t>(threads);
        const std::size_t first = 1 + matrix.planes() * thread / count;
        const std::size_t end = 1 + matrix.planes() * (thread + 1) / count;
        const std::size_t from = first * matrix.plane();
        const std::size_t to = end * matrix.plane();
        const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b) {
            double mine = 0;
            for (std::size_t i = from; i < to; ++i) {
                mine += a[i] * b[i];
            }
            return sum(mine);
        };
        matrix.multiply(p, r, first, end);
#pragma omp barrier
        std::copy(r.begin() + static_cast<std::ptrdiff_t>(from), r.begin() + static_cast<std::ptrdiff_t>(to),
                  p.begin() + static_cast<std::ptrdiff_t>(from));
        double rr = dot(r, r);
        const double goal = rr * 1e-20;
        int iterations = 0;
        for (; rr > goal; ++iterations) {
#pragma omp barrier
            if (thread == 0) {
                matrix.exchange(p);
            }
#pragma omp barrier
            matrix.multiply(p, q, first, end);
            const double alpha = rr / dot(p, q);
            for (std::size_t i = from; i < to; ++i) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            const double next = dot(r, r);
            for (std::size_t i = from; i < to; ++i) {
                p[i] = r[i] + next / rr * p[i];
            }
            rr = next;
        }
        double wrong = 0;
        for (std::size_t i = from; i < to; ++i) {
            wrong += (x[i] - 1) * (x[i] - 1);
        }
        wrong = sum(wrong);
        if (thread == 0) {
            result = {iterations, std::sqrt(wrong)};
        }
    });
    return result;
}
