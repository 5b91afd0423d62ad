#include "schedule/symmetry.hpp"

#include <stdexcept>

namespace tutti::schedule {

Symmetry Symmetry::torus(std::span<const int> dimensions) {
    Symmetry symmetry(0);
    for (const int members : dimensions) {
        if (members <= 1) {
            continue;
        }
        if (symmetry.count_ == most_dimensions) {
            throw std::invalid_argument("torus: more than 16 dimensions");
        }
        symmetry.dimensions_[symmetry.count_++] = static_cast<std::uint16_t>(members);
    }
    return symmetry.count_ <= 1 ? rotation : symmetry;
}

int Symmetry::translated_on_torus(int rank, int by) const {
    int result = 0;
    int stride = 1;
    for (std::size_t i = count_; i-- > 0;) {
        const int members = dimensions_[i];
        const int sum = rank % members + by % members;
        result += (sum < members ? sum : sum - members) * stride;
        stride *= members;
        rank /= members;
        by /= members;
    }
    return result;
}

int Symmetry::inverse_on_torus(int by) const {
    int result = 0;
    int stride = 1;
    for (std::size_t i = count_; i-- > 0;) {
        const int members = dimensions_[i];
        result += (members - by % members) % members * stride;
        stride *= members;
        by /= members;
    }
    return result;
}

int Symmetry::unit_on_torus(int first, int count) const {
    int unit = 1;
    for (std::size_t i = count_; i-- > 0;) {
        const int next = unit * dimensions_[i];
        if (first % next != 0 || count % next != 0) {
            break;
        }
        unit = next;
    }
    return unit;
}

bool Symmetry::keeps_on_torus(int first, int count) const {
    int below_slowest = 1;
    for (std::size_t i = 1; i < count_; ++i) {
        below_slowest *= dimensions_[i];
    }
    const int unit = this->unit(first, count);
    return count == unit || unit >= below_slowest;
}

std::vector<int> Symmetry::generators() const {
    std::vector<int> steps;
    int stride = 1;
    for (std::size_t i = count_; i-- > 0;) {
        steps.push_back(stride);
        stride *= dimensions_[i];
    }
    return steps;
}

} // namespace tutti::schedule
