// Conjugate gradients whose iterates have the same bits with every number of threads, beside plain ones:
//
//   reproducible_cg [points in each direction]
//
// Both solve the Poisson equation on a square. They differ in the dot products only: a loop and an allreduce,
// or one call of reproducible_dot. All else is computed element by element, in the same way on each thread,
// so that the bits of the dot products decide over those of the iterates.

#include <tutti/numbers.hpp>
#include <tutti/team.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <vector>

namespace {

using Part = std::span<const double>;
using Dot = std::function<double(tutti::Member&, Part, Part)>;

double plain_dot(tutti::Member& me, Part a, Part b) {
    double mine = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        mine += a[i] * b[i];
    }
    return me.allreduce(mine, tutti::sum);
}

double reproducible_dot(tutti::Member& me, Part a, Part b) {
    return tutti::reproducible_dot(me, a, b);
}

/// Vectors that all threads share, with a row of zeros at both ends.
struct Vectors {
    explicit Vectors(std::size_t n) : x((n + 2) * n), r(x), p(x), q(x) {}
    std::vector<double> x, r, p, q;
};

/// A v, for rows first .. end - 1 of n.
void multiply(const std::vector<double>& v, std::vector<double>& result, std::size_t n, std::size_t first,
              std::size_t end) {
    for (std::size_t row = first; row < end; ++row) {
        for (std::size_t column = 0; column < n; ++column) {
            const std::size_t at = row * n + column;
            const double west = column > 0 ? v[at - 1] : 0;
            const double east = column + 1 < n ? v[at + 1] : 0;
            result[at] = 4 * v[at] - ((west + east) + (v[at - n] + v[at + n]));
        }
    }
}

struct Result {
    std::uint64_t bits = 0;
    int iterations = 0;
    double error = 0;
    double milliseconds = 0;
};

/// One member's rows. The solution is 1 everywhere.
int iterate(tutti::Member& me, Vectors& v, std::size_t n, const Dot& dot) {
    const auto rank = static_cast<std::size_t>(me.rank());
    const auto size = static_cast<std::size_t>(me.size());
    const std::size_t first = 1 + n * rank / size;
    const std::size_t end = 1 + n * (rank + 1) / size;
    const auto mine = [&](const std::vector<double>& all) {
        return std::span(all).subspan(first * n, (end - first) * n);
    };
    std::fill(v.p.begin() + static_cast<std::ptrdiff_t>(first * n),
              v.p.begin() + static_cast<std::ptrdiff_t>(end * n), 1.0);
    me.barrier();
    multiply(v.p, v.r, n, first, end);
    me.barrier();
    for (std::size_t i = first * n; i < end * n; ++i) {
        v.p[i] = v.r[i];
    }
    double rr = dot(me, mine(v.r), mine(v.r));
    const double goal = rr * 1e-20;
    int iterations = 0;
    for (; rr > goal; ++iterations) {
        me.barrier(); // the neighbours' rows of p are there
        multiply(v.p, v.q, n, first, end);
        const double alpha = rr / dot(me, mine(v.p), mine(v.q));
        for (std::size_t i = first * n; i < end * n; ++i) {
            v.x[i] += alpha * v.p[i];
            v.r[i] -= alpha * v.q[i];
        }
        const double next = dot(me, mine(v.r), mine(v.r));
        const double beta = next / rr;
        for (std::size_t i = first * n; i < end * n; ++i) {
            v.p[i] = v.r[i] + beta * v.p[i];
        }
        rr = next;
    }
    return iterations;
}

Result solve(int threads, std::size_t n, const Dot& dot) {
    Vectors vectors(n);
    Result result;
    tutti::Team team(threads);
    const auto begin = std::chrono::steady_clock::now();
    team.run([&](tutti::Member& me) {
        const int iterations = iterate(me, vectors, n, dot);
        if (me.rank() == 0) {
            result.iterations = iterations;
        }
    });
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    result.milliseconds = time.count();
    for (std::size_t i = n; i < vectors.x.size() - n; ++i) {
        const double x = vectors.x[i];
        result.bits = std::rotl(result.bits, 7) * 3 + std::bit_cast<std::uint64_t>(x);
        result.error = std::max(result.error, std::fabs(x - 1));
    }
    return result;
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t n = argc > 1 ? static_cast<std::size_t>(std::max(1, std::atoi(argv[1]))) : 200;
    std::printf("threads  plain: bits of x, iterations, ms    reproducible: bits of x, iterations, ms\n");
    std::uint64_t expected = 0;
    bool right = true;
    for (const int threads : {1, 2, 3, 4, 7}) {
        const Result plain = solve(threads, n, plain_dot);
        const Result reproducible = solve(threads, n, reproducible_dot);
        std::printf("%7d  %016llx %5d %8.2f            %016llx %5d %8.2f\n", threads,
                    static_cast<unsigned long long>(plain.bits), plain.iterations, plain.milliseconds,
                    static_cast<unsigned long long>(reproducible.bits), reproducible.iterations,
                    reproducible.milliseconds);
        expected = threads == 1 ? reproducible.bits : expected;
        right = right && reproducible.bits == expected && reproducible.error < 1e-6 && plain.error < 1e-6;
    }
    return right ? 0 : 1;
}
