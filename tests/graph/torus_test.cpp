#include "../test.hpp"
#include "graph/torus.hpp"

using namespace tutti::graph;
using Dimensions = std::vector<int>;

namespace {

int product(const Dimensions& dimensions) {
    return std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies());
}

} // namespace

TEST_CASE("a ring is one dimension") {
    CHECK(ring(1) == Dimensions{1});
    CHECK(ring(12) == Dimensions{12});
    CHECK_THROWS_AS(ring(0), std::invalid_argument);
}

TEST_CASE("a mesh is as square as the factors allow, never higher than wide") {
    CHECK(mesh(1) == Dimensions{1, 1});
    CHECK(mesh(2) == Dimensions{1, 2});
    CHECK(mesh(9) == Dimensions{3, 3});
    CHECK(mesh(12) == Dimensions{3, 4});
    CHECK(mesh(13) == Dimensions{1, 13});
    CHECK(mesh(16) == Dimensions{4, 4});
    CHECK(mesh(18) == Dimensions{3, 6});
    CHECK(mesh(64) == Dimensions{8, 8});
    for (int ranks = 1; ranks <= 600; ++ranks) {
        const Dimensions found = mesh(ranks);
        CAPTURE(ranks);
        REQUIRE(found.size() == 2);
        REQUIRE(product(found) == ranks);
        REQUIRE(found[0] <= found[1]);
        for (int rows = found[0] + 1; rows * rows <= ranks; ++rows) {
            REQUIRE(ranks % rows != 0);
        }
    }
    CHECK_THROWS_AS(mesh(0), std::invalid_argument);
    CHECK_THROWS_AS(mesh(-4), std::invalid_argument);
}

TEST_CASE("a hypercube has a dimension of two for each bit, and only powers of two have one") {
    CHECK(product(hypercube(1)) == 1);
    CHECK(hypercube(2) == Dimensions{2});
    CHECK(hypercube(8) == Dimensions{2, 2, 2});
    for (int ranks = -2; ranks <= 130; ++ranks) {
        bool power = false;
        for (int bits = 0; bits <= 7; ++bits) {
            power = power || ranks == 1 << bits;
        }
        CAPTURE(ranks);
        if (ranks >= 1) {
            CHECK(is_power_of_two(ranks) == power);
        }
        if (power) {
            CHECK(product(hypercube(ranks)) == ranks);
        } else {
            CHECK_THROWS_AS(hypercube(ranks), std::invalid_argument);
        }
    }
}

TEST_CASE("strides: the last dimension runs fastest") {
    const Dimensions dimensions{2, 3, 4};
    CHECK(stride(dimensions, 2) == 1);
    CHECK(stride(dimensions, 1) == 4);
    CHECK(stride(dimensions, 0) == 12);
    CHECK(stride(ring(7), 0) == 1);
    // A step in each dimension of a hypercube flips one bit.
    const Dimensions cube = hypercube(16);
    for (std::size_t index = 0; index < cube.size(); ++index) {
        CHECK(stride(cube, index) == 8 >> index);
    }
    // Every rank is the sum of its coordinates times the strides.
    for (int rank = 0; rank < 24; ++rank) {
        int sum = 0;
        for (std::size_t index = 0; index < dimensions.size(); ++index) {
            const int unit = stride(dimensions, index);
            sum += rank / unit % dimensions[index] * unit;
        }
        CHECK(sum == rank);
    }
}
