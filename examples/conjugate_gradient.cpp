// Conjugate gradients for the Poisson equation on a cube, with OpenMP threads in several MPI processes:
//
//   mpirun -n 2 conjugate_gradient [points in each direction] [threads]
//
// Every iteration needs two dot products over all threads of all processes. With Tutti each is one call that
// every thread makes; beside it, the same by hand: the threads add up in shared memory, the master calls
// MPI_Allreduce, and two barriers keep everybody in step.

#include <tutti/mpi.hpp>

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

/// The matrix of the 7-point stencil on n x n x n points, in slabs of planes: a process has some consecutive
/// planes, and each of its threads some of these. Vectors have a plane from either neighbour around them.
class Poisson {
public:
    explicit Poisson(std::size_t n) : n_(n) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        const auto rank = static_cast<std::size_t>(rank_);
        const auto size = static_cast<std::size_t>(size_);
        planes_ = n * (rank + 1) / size - n * rank / size;
    }

    std::size_t plane() const { return n_ * n_; }
    std::size_t planes() const { return planes_; }
    std::vector<double> vector() const { return std::vector<double>((planes_ + 2) * plane(), 0.0); }

    /// Brings the neighbours' planes of v. By the main thread.
    void exchange(std::vector<double>& v) const {
        const int below = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
        const int above = rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL;
        const int count = static_cast<int>(plane());
        double* const first = v.data() + plane();
        double* const last = v.data() + planes_ * plane();
        MPI_Sendrecv(first, count, MPI_DOUBLE, below, 0, last + plane(), count, MPI_DOUBLE, above, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(last, count, MPI_DOUBLE, above, 1, v.data(), count, MPI_DOUBLE, below, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }

    /// y = A x on planes first .. end - 1, of which 1 is the process's first.
    void multiply(const std::vector<double>& x, std::vector<double>& y, std::size_t first,
                  std::size_t end) const {
        for (std::size_t z = first; z < end; ++z) {
            for (std::size_t row = 0; row < n_; ++row) {
                for (std::size_t column = 0; column < n_; ++column) {
                    const std::size_t at = z * plane() + row * n_ + column;
                    double sum = 6 * x[at] - x[at - plane()] - x[at + plane()];
                    sum -= row > 0 ? x[at - n_] : 0;
                    sum -= row + 1 < n_ ? x[at + n_] : 0;
                    sum -= column > 0 ? x[at - 1] : 0;
                    sum -= column + 1 < n_ ? x[at + 1] : 0;
                    y[at] = sum;
                }
            }
        }
    }

private:
    std::size_t n_;
    std::size_t planes_ = 0;
    int rank_ = 0;
    int size_ = 1;
};

/// The sum of every thread's value over all threads of all processes.
using Sum = std::function<double(double)>;

struct Result {
    int iterations = 0;
    double error = 0;
    double seconds = 0;
};

/// Solves A x = A 1 from x = 0. `region` runs what it is given on every thread, with a way to add up.
Result solve(const Poisson& matrix, int threads,
             const std::function<void(const std::function<void(const Sum&)>&)>& region) {
    std::vector<double> x = matrix.vector();
    std::vector<double> r = matrix.vector();
    std::vector<double> p = matrix.vector();
    std::vector<double> q = matrix.vector();
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
        const auto start = std::chrono::steady_clock::now();
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
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        double wrong = 0;
        for (std::size_t i = from; i < to; ++i) {
            wrong += (x[i] - 1) * (x[i] - 1);
        }
        wrong = sum(wrong);
        if (thread == 0) {
            result = {iterations, std::sqrt(wrong), taken.count()};
        }
    });
    return result;
}

Result with_tutti(const Poisson& matrix, int threads) {
    tutti::mpi::Cluster cluster(tutti::Group(threads), MPI_COMM_WORLD);
    return solve(matrix, threads, [&](const auto& body) {
#pragma omp parallel num_threads(threads)
        {
            tutti::mpi::Member me = cluster.join(omp_get_thread_num());
            body([&](double value) { return me.allreduce(value, tutti::sum); });
        }
    });
}

Result by_hand(const Poisson& matrix, int threads) {
    double local = 0;
    double all = 0;
    return solve(matrix, threads, [&](const auto& body) {
#pragma omp parallel num_threads(threads)
        body([&](double value) {
#pragma omp atomic
            local += value;
#pragma omp barrier
            if (omp_get_thread_num() == 0) {
                MPI_Allreduce(&local, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                local = 0;
            }
#pragma omp barrier
            return all;
        });
    });
}

} // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    const std::size_t n = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 64;
    const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
    const Poisson matrix(n);
    const Result tutti = with_tutti(matrix, threads);
    const Result hand = by_hand(matrix, threads);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        const auto report = [](const char* name, const Result& result) {
            std::printf("%-32s %4d iterations, error %.1e, %.3f s, %.1f us an iteration\n", name,
                        result.iterations, result.error, result.seconds,
                        1e6 * result.seconds / std::max(1, result.iterations));
        };
        std::printf("%zu^3 points\n", n);
        report("one call of every thread:", tutti);
        report("OpenMP + MPI_Allreduce by hand:", hand);
    }
    MPI_Finalize();
    return tutti.error < 1e-6 && hand.error < 1e-6 ? 0 : 1;
}
