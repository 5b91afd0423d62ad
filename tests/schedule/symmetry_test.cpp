#include "../test.hpp"
#include "schedule/blocks.hpp"

using namespace tutti::schedule;

namespace {

const std::vector<std::vector<int>> shapes{{1},       {5},          {2, 3},    {3, 2},       {4, 4}, {1, 6},
                                           {2, 3, 4}, {2, 2, 2, 2}, {5, 1, 2}, {3, 3, 2, 2}, {7, 2}};

int product(const std::vector<int>& dimensions) {
    return std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies());
}

/// The coordinates of a rank, slowest first.
std::vector<int> coordinates(const std::vector<int>& dimensions, int rank) {
    std::vector<int> digits(dimensions.size());
    for (std::size_t i = dimensions.size(); i-- > 0;) {
        digits[i] = rank % dimensions[i];
        rank /= dimensions[i];
    }
    return digits;
}

int rank_at(const std::vector<int>& dimensions, const std::vector<int>& digits) {
    int rank = 0;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        rank = rank * dimensions[i] + digits[i];
    }
    return rank;
}

/// `rank` translated by `by`, or with sign -1 back.
int reference(const std::vector<int>& dimensions, int rank, int by, int sign = 1) {
    auto digits = coordinates(dimensions, rank);
    const auto steps = coordinates(dimensions, by);
    for (std::size_t i = 0; i < digits.size(); ++i) {
        digits[i] = wrap(digits[i] + sign * steps[i], dimensions[i]);
    }
    return rank_at(dimensions, digits);
}

} // namespace

TEST_CASE("translation adds coordinate by coordinate, and its inverse takes it back") {
    for (const auto& dimensions : shapes) {
        const Symmetry torus = Symmetry::torus(dimensions);
        const int ranks = product(dimensions);
        REQUIRE(torus.translates());
        for (int by = 0; by < ranks; ++by) {
            CHECK(torus.inverse(by, ranks) == reference(dimensions, 0, by, -1));
            for (int rank = 0; rank < ranks; ++rank) {
                const int moved = torus.translated(rank, by, ranks);
                CHECK(moved == reference(dimensions, rank, by));
                CHECK(torus.translated(moved, torus.inverse(by, ranks), ranks) == rank);
            }
        }
    }
}

TEST_CASE("a torus of one dimension is the ring, whatever dimensions of one it has besides") {
    CHECK(Symmetry::torus(std::vector<int>{7}) == Symmetry::rotation);
    CHECK(Symmetry::torus(std::vector<int>{1, 7, 1}) == Symmetry::rotation);
    CHECK(Symmetry::torus(std::vector<int>{1}) == Symmetry::rotation);
    CHECK(Symmetry::torus(std::vector<int>{2, 1, 3}) == Symmetry::torus(std::vector<int>{2, 3}));
    CHECK(Symmetry::torus(std::vector<int>{2, 3}) != Symmetry::torus(std::vector<int>{3, 2}));
    CHECK_NOTHROW(Symmetry::torus(std::vector<int>(16, 2)));
    CHECK_THROWS_AS(Symmetry::torus(std::vector<int>(17, 2)), std::invalid_argument);
}

TEST_CASE("from the generators all translations follow") {
    for (const auto& dimensions : shapes) {
        const Symmetry torus = Symmetry::torus(dimensions);
        const int ranks = product(dimensions);
        // The generators of the ring are those of one dimension of unsaid size.
        std::set<int> reached{0};
        for (bool grown = true; grown;) {
            grown = false;
            for (const int rank : std::vector<int>(reached.begin(), reached.end())) {
                for (const int step : torus.generators()) {
                    grown = reached.insert(torus.translated(rank, step, ranks)).second || grown;
                }
            }
        }
        CHECK(reached.size() == static_cast<std::size_t>(ranks));
        const auto large = std::ranges::count_if(dimensions, [](int members) { return members > 1; });
        CHECK(torus.generators().size() == static_cast<std::size_t>(std::max<std::ptrdiff_t>(large, 1)));
    }
}

TEST_CASE(
    "ranges that are kept stay ranges of the same blocks, in an order that is the same for equal units") {
    long kept = 0;
    long refused = 0;
    for (const auto& dimensions : shapes) {
        const Symmetry torus = Symmetry::torus(dimensions);
        const int ranks = product(dimensions);
        // For a count, unit and translation: where in the renamed range the blocks of the range come to lie.
        std::map<std::tuple<int, int, int>, std::vector<int>> places;
        for (int first = 0; first < ranks; ++first) {
            for (int count = 1; count <= ranks; ++count) {
                bool stays = true;
                for (int by = 0; by < ranks && torus.keeps(first, count); ++by) {
                    const Blocks range = Translation(torus, ranks, ranks, by).range({first, count});
                    CHECK(range.count == count);
                    std::vector<int> place;
                    for (int i = 0; i < count; ++i) {
                        const int renamed = reference(dimensions, wrap(first + i, ranks), by);
                        place.push_back(wrap(renamed - range.first, ranks));
                        stays = stays && place.back() < count;
                    }
                    const auto key = std::tuple(count, torus.unit(first, count), by);
                    stays = stays && places.try_emplace(key, place).first->second == place;
                }
                if (torus.keeps(first, count)) {
                    ++kept;
                    INFO(first, ", ", count);
                    CHECK(stays);
                    CHECK(first % torus.unit(first, count) == 0);
                    CHECK(count % torus.unit(first, count) == 0);
                } else {
                    ++refused;
                }
            }
        }
    }
    CHECK(kept > 200);
    CHECK(refused > 200);
}

TEST_CASE("units: the fastest dimensions as far as they divide the range") {
    const std::vector<int> dimensions{2, 3, 4};
    const Symmetry torus = Symmetry::torus(dimensions);
    CHECK(torus.unit(0, 1) == 1);
    CHECK(torus.unit(4, 4) == 4);
    CHECK(torus.unit(4, 8) == 4);
    CHECK(torus.unit(2, 4) == 1);
    CHECK(torus.unit(12, 12) == 12);
    CHECK(torus.unit(0, 24) == 24);
    CHECK(torus.keeps(5, 1));
    CHECK(torus.keeps(8, 4));
    CHECK(torus.keeps(12, 12));
    CHECK(torus.keeps(0, 24));
    CHECK_FALSE(torus.keeps(4, 8));
    CHECK_FALSE(torus.keeps(5, 2));
    CHECK(Symmetry::rotation.keeps(5, 17));
}
