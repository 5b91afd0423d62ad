// Groups of CPUs, found in times alone: published ones, and made ones with noise.
#include "distance/groups.hpp"
#include "tests/test.hpp"

using namespace tutti::distance;

namespace {

Matrix published(const std::string& name) {
    std::ifstream file(TUTTI_FIXTURES "matrices/" + name + ".csv");
    REQUIRE(file);
    constexpr std::size_t cpus = 32;
    Matrix matrix(cpus);
    for (std::size_t cpu = 1; cpu < cpus; ++cpu) {
        for (std::size_t other = 0; other < cpu; ++other) {
            double ns = 0;
            char comma = 0;
            file >> ns;
            matrix.set(cpu, other, ns);
            if (other + 1 < cpu) {
                file >> comma;
            }
        }
    }
    REQUIRE(file);
    return matrix;
}

/// CPUs in groups of groups: so many of the level below in each, and what lines take in it.
struct MadeLevel {
    std::size_t size;
    double ns;
};

/// Every time is off by up to `noise` of itself.
Matrix made(const std::vector<MadeLevel>& levels, double noise, unsigned seed) {
    std::size_t cpus = 1;
    for (const MadeLevel& level : levels) {
        cpus *= level.size;
    }
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> off(1 - noise, 1 + noise);
    Matrix matrix(cpus);
    for (std::size_t cpu = 0; cpu < cpus; ++cpu) {
        for (std::size_t other = 0; other < cpu; ++other) {
            std::size_t width = 1;
            for (const MadeLevel& level : levels) {
                width *= level.size;
                if (cpu / width == other / width) {
                    matrix.set(cpu, other, level.ns * off(random));
                    break;
                }
            }
        }
    }
    return matrix;
}

/// CPUs in groups of this many neighbours.
Groups neighbours(std::size_t cpus, std::size_t size) {
    Groups groups(cpus);
    for (std::size_t cpu = 0; cpu < cpus; ++cpu) {
        groups[cpu] = cpu / size;
    }
    return groups;
}

void check_sizes(const std::vector<FoundLevel>& levels, std::size_t cpus,
                 const std::vector<std::size_t>& sizes) {
    REQUIRE(levels.size() == sizes.size());
    for (std::size_t level = 0; level < sizes.size(); ++level) {
        CHECK(levels[level].groups == neighbours(cpus, sizes[level]));
        CHECK(levels[level].inside_ns < levels[level].between_ns);
    }
}

} // namespace

TEST_CASE("published matrices show threads of cores, L3 caches, dies and sockets") {
    check_sizes(find_levels(published("epyc-7773x")), 32, {2, 8});
    check_sizes(find_levels(published("xeon-8375c-2s")), 32, {2, 16});
    check_sizes(find_levels(published("xeon-gold-6242-2s")), 32, {2, 16});
    check_sizes(find_levels(published("kunpeng-920")), 32, {16});
    // One mesh with one cache is one group.
    CHECK(find_levels(published("graviton2")).empty());
    // A clock has ticks of 5 ns: what is lost in them is not found, and nothing else is.
    check_sizes(find_levels(published("ryzen-7950x")), 32, {16});
}

TEST_CASE("lines whose home is on the second socket make the first one look apart") {
    const std::vector<FoundLevel> levels = find_levels(published("epyc-7742-2s"));
    REQUIRE(levels.size() >= 2);
    CHECK(levels[0].groups == neighbours(32, 2));
    CHECK(levels[1].groups == neighbours(32, 4));
    CHECK(levels[1].inside_ns == 25);
    REQUIRE(levels.size() == 3);
    const Groups& sockets = levels[2].groups;
    CHECK(count(sockets) == 5);
    CHECK(std::ranges::count(sockets, sockets.back()) == 16);
}

TEST_CASE("five levels with noise are found whatever the noise") {
    const std::vector<MadeLevel> levels{{2, 8}, {4, 25}, {4, 100}, {2, 135}, {2, 250}};
    for (unsigned seed = 0; seed < 8; ++seed) {
        check_sizes(find_levels(made(levels, 0.1, seed)), 128, {2, 8, 32, 64});
    }
}

TEST_CASE(
    "CPUs that are equally far from each other are no groups, whatever the noise, nor are a few by chance") {
    CHECK(find_levels(Matrix(1)).empty());
    CHECK(find_levels(made({{2, 50}}, 0, 0)).empty());
    for (unsigned seed = 0; seed < 200; ++seed) {
        CHECK((seed >= 20 || find_levels(made({{48, 50}}, 0.25, seed)).empty()));
        CHECK(find_levels(made({{4, 50}}, 0.08, seed)).empty());
        CHECK(find_levels(made({{8, 50}}, 0.5, seed)).empty());
    }
}

TEST_CASE("what takes longer the further it is over a mesh is no group") {
    constexpr std::size_t width = 6;
    for (unsigned seed = 0; seed < 50; ++seed) {
        Matrix matrix = made({{width * width, 1}}, 0.05, seed);
        for (std::size_t cpu = 0; cpu < width * width; ++cpu) {
            for (std::size_t other = 0; other < cpu; ++other) {
                const auto hops =
                    std::abs(static_cast<double>(cpu / width) - static_cast<double>(other / width)) +
                    std::abs(static_cast<double>(cpu % width) - static_cast<double>(other % width));
                matrix.set(cpu, other, matrix.ns(cpu, other) * (40 + 4 * hops));
            }
        }
        CHECK(find_levels(matrix).empty());
    }
}

TEST_CASE("a few pairs that were disturbed change nothing") {
    Matrix matrix = made({{2, 8}, {8, 25}, {2, 110}}, 0.1, 7);
    std::mt19937 random(1);
    for (int disturbed = 0; disturbed < 10; ++disturbed) {
        const std::size_t cpu = random() % 32;
        matrix.set(cpu, (cpu + 1 + random() % 31) % 32, 5000);
    }
    const std::vector<FoundLevel> levels = find_levels(matrix);
    REQUIRE(levels.size() == 2);
    CHECK(levels[1].groups == neighbours(32, 16));
}

TEST_CASE("a pair that seems near though its groups are apart changes nothing") {
    Matrix matrix = made({{8, 25}, {4, 110}}, 0.1, 3);
    matrix.set(20, 4, 26);
    check_sizes(find_levels(matrix), 32, {8});
}

TEST_CASE("equal groups count from 1.2 times on") {
    for (unsigned seed = 0; seed < 8; ++seed) {
        check_sizes(find_levels(made({{8, 50}, {4, 50 * 1.25}}, 0.02, seed)), 32, {8});
        CHECK(find_levels(made({{8, 50}, {4, 50 * 1.15}}, 0.02, seed)).empty());
    }
}

TEST_CASE("groups need not be neighbours, nor of one size if they are clear") {
    Matrix matrix(5);
    for (std::size_t cpu = 0; cpu < 5; ++cpu) {
        for (std::size_t other = 0; other < cpu; ++other) {
            matrix.set(cpu, other, (cpu % 2 == other % 2) ? 25 : 100);
        }
    }
    const std::vector<FoundLevel> levels = find_levels(matrix);
    REQUIRE(levels.size() == 1);
    CHECK(levels[0].groups == Groups{0, 1, 0, 1, 0});
    CHECK(levels[0].inside_ns == 25);
    CHECK(levels[0].between_ns == 100);
}
