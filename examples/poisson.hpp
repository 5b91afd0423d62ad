#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

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

    /// Whether this is the first process.
    bool is_first() const { return rank_ == 0; }
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
