// A histogram whose bins are spread over the members: each counts the values of a range of its own. Nobody
// knows before how many values of a range another member has, so that one call exchanges the numbers as well
// as the values, with a block of any length from each member to each.

#include <tutti/tutti.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr std::size_t members = 4;
constexpr std::size_t values = 100'000; // of each member
constexpr int bins = 64;                // of each member

/// Most are small: the ranges are far from equally full.
std::vector<int> values_of(int rank) {
    std::mt19937 random(static_cast<unsigned>(rank));
    std::geometric_distribution<int> number(0.01);
    std::vector<int> result(values);
    std::ranges::generate(result,
                          [&] { return std::min(number(random), bins * static_cast<int>(members) - 1); });
    return result;
}

/// The counts of the member's own bins.
std::vector<std::size_t> count(tutti::Member& me) {
    std::vector<int> sent = values_of(me.rank());
    std::ranges::sort(sent, {}, [](int value) { return value / bins; }); // by owner
    std::vector<std::size_t> sizes(members);
    for (const int value : sent) {
        ++sizes[static_cast<std::size_t>(value / bins)];
    }
    std::vector<int> received; // becomes as long as what arrives
    me.alltoall(sent, tutti::Counts(sizes), received);
    std::vector<std::size_t> counts(bins);
    for (const int value : received) {
        ++counts[static_cast<std::size_t>(value - me.rank() * bins)];
    }
    return counts;
}

} // namespace

int main() {
    std::vector<std::size_t> histogram(members * bins), expected(members * bins);
    tutti::Team team(members);
    team.run([&](tutti::Member& me) { me.gather(count(me), histogram, 0); });
    for (int rank = 0; rank < static_cast<int>(members); ++rank) {
        for (const int value : values_of(rank)) {
            ++expected[static_cast<std::size_t>(value)];
        }
    }
    std::printf("%zu values of each of %zu members, counted by ranges:", values, members);
    for (std::size_t rank = 0; rank < members; ++rank) {
        const auto first = histogram.begin() + static_cast<std::ptrdiff_t>(rank * bins);
        std::printf(" %zu", std::accumulate(first, first + bins, std::size_t{0}));
    }
    std::printf("\n");
    return histogram == expected ? 0 : 1;
}
