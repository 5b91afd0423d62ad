#include "graph/torus.hpp"

#include <bit>
#include <stdexcept>
#include <string>

namespace tutti::graph {

namespace {

void require_ranks(const char* what, int ranks) {
    if (ranks < 1) {
        throw std::invalid_argument(std::string(what) + ": ranks is " + std::to_string(ranks) +
                                    ", must be at least 1");
    }
}

} // namespace

bool is_power_of_two(int ranks) {
    return ranks > 0 && std::has_single_bit(static_cast<unsigned>(ranks));
}

std::vector<int> ring(int ranks) {
    require_ranks("ring", ranks);
    return {ranks};
}

std::vector<int> mesh(int ranks) {
    require_ranks("mesh", ranks);
    int rows = 1;
    for (int factor = 1; factor * factor <= ranks; ++factor) {
        rows = ranks % factor == 0 ? factor : rows;
    }
    return {rows, ranks / rows};
}

std::vector<int> hypercube(int ranks) {
    require_ranks("hypercube", ranks);
    if (!is_power_of_two(ranks)) {
        throw std::invalid_argument("hypercube: ranks is " + std::to_string(ranks) +
                                    ", must be a power of two");
    }
    std::vector<int> dimensions(static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(ranks))), 2);
    return dimensions;
}

std::vector<int> prime_factors(int ranks) {
    require_ranks("prime_factors", ranks);
    std::vector<int> factors;
    for (int factor = 2; ranks > 1; ++factor) {
        for (; ranks % factor == 0; ranks /= factor) {
            factors.push_back(factor);
        }
    }
    return factors;
}

int stride(const std::vector<int>& dimensions, std::size_t index) {
    int stride = 1;
    for (std::size_t faster = index + 1; faster < dimensions.size(); ++faster) {
        stride *= dimensions[faster];
    }
    return stride;
}

} // namespace tutti::graph
