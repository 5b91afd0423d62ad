#include "graph/graphs.hpp"

#include <bit>
#include <stdexcept>
#include <string>

namespace tutti::graph {

namespace {

int ceil_half(int value) {
    return value - value / 2;
}

int ceil_sqrt(int value) {
    int root = 0;
    while (root * root < value) {
        ++root;
    }
    return root;
}

int next_skip(int skip, Skips kind, int root) {
    switch (kind) {
    case Skips::halving:
        return ceil_half(skip);
    case Skips::power_of_two:
        return static_cast<int>(std::bit_floor(static_cast<unsigned>(skip - 1)));
    case Skips::fully_connected:
        return skip - 1;
    case Skips::square_root:
        return skip - root > root ? skip - root : ceil_half(skip);
    }
    throw std::invalid_argument("skips: unknown kind of skip sequence");
}

void require_ranks(int ranks) {
    if (ranks < 1) {
        throw std::invalid_argument("skips: ranks is " + std::to_string(ranks) + ", must be at least 1");
    }
}

void require_ranks(const char* what, int ranks) {
    if (ranks < 1) {
        throw std::invalid_argument(std::string(what) + ": ranks is " + std::to_string(ranks) +
                                    ", must be at least 1");
    }
}

} // namespace

std::string_view to_string(Skips kind) {
    switch (kind) {
    case Skips::halving:
        return "halving";
    case Skips::power_of_two:
        return "power-of-two";
    case Skips::fully_connected:
        return "fully-connected";
    case Skips::square_root:
        return "square-root";
    }
    return "unknown";
}

std::vector<int> skips(int ranks, Skips kind) {
    require_ranks(ranks);
    const int root = ceil_sqrt(ranks);
    std::vector<int> sequence{ranks};
    while (sequence.back() > 1) {
        sequence.push_back(next_skip(sequence.back(), kind, root));
    }
    return sequence;
}

std::vector<int> checked_skips(int ranks, std::span<const int> sequence) {
    require_ranks(ranks);
    if (sequence.empty() || sequence.front() != ranks) {
        throw std::invalid_argument("skips: the sequence must start with the number of ranks, " +
                                    std::to_string(ranks));
    }
    for (std::size_t k = 0; k + 1 < sequence.size(); ++k) {
        if (sequence[k] == 1) {
            throw std::invalid_argument("skips: the sequence goes on after 1, must end there");
        }
        const int low = ceil_half(sequence[k]);
        const int high = sequence[k] - 1;
        if (sequence[k + 1] < low || sequence[k + 1] > high) {
            throw std::invalid_argument("skips: " + std::to_string(sequence[k + 1]) + " cannot follow " +
                                        std::to_string(sequence[k]) + ", must be in " + std::to_string(low) +
                                        ".." + std::to_string(high));
        }
    }
    if (sequence.back() != 1) {
        throw std::invalid_argument("skips: the sequence ends with " + std::to_string(sequence.back()) +
                                    ", must end with 1");
    }
    return {sequence.begin(), sequence.end()};
}

int rounds_log2(int ranks) {
    require_ranks(ranks);
    return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

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
