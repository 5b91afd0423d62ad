#pragma once

#include <cstddef>
#include <vector>

namespace tutti::distance {

/// The times of lines between each pair of CPUs, which are numbered from 0.
class Matrix {
public:
    explicit Matrix(std::size_t cpus) : cpus_(cpus), ns_(cpus * cpus) {}

    std::size_t cpus() const { return cpus_; }
    double ns(std::size_t one, std::size_t other) const { return ns_[one * cpus_ + other]; }
    void set(std::size_t one, std::size_t other, double ns) {
        ns_[one * cpus_ + other] = ns_[other * cpus_ + one] = ns;
    }

private:
    std::size_t cpus_;
    std::vector<double> ns_;
};

/// A partition of the CPUs: a number for each, counted from 0 in the order of the groups' first CPUs.
using Groups = std::vector<std::size_t>;

/// Groups of CPUs that are near each other, and far from all others.
struct FoundLevel {
    Groups groups;
    double inside_ns = 0;  ///< the median between CPUs of a group that no finer level has in one
    double between_ns = 0; ///< the median between CPUs of different groups that the next level has in one
};

/// The levels of groups that show in the times alone, the finest first; none if all CPUs are about as far
/// from each other. A level shows if nine tenths of the pairs inside of its groups are nearer than nine
/// tenths of those between them, and between takes 1.2 times as long in the median. Processors are regular
/// and noise is not: for groups of different sizes it is twice as long, and none may be a single CPU.
std::vector<FoundLevel> find_levels(const Matrix& matrix);

/// How many groups there are.
std::size_t count(const Groups& groups);

} // namespace tutti::distance
