// y = A x on a grid of members (Grama et al. 2003, broadcast and reduction): member (row, column) has one
// block of A, the members of the first row have the blocks of x. Each column broadcasts its block of x from
// the first row, everybody multiplies, and each row reduces to its first member, which then has a block of y.

#include <tutti/tutti.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr int grid = 3;
constexpr std::size_t block = 64;

/// Element (i, j) of A, and element j of x.
double a(std::size_t i, std::size_t j) {
    return static_cast<double>((i * 7 + j * 3) % 11);
}
double x(std::size_t j) {
    return static_cast<double>(j % 5);
}

/// Multiplies; returns how many elements of this member's block of y are wrong.
int multiply(tutti::Member& all) {
    const int row = all.rank() / grid;
    const int column = all.rank() % grid;
    tutti::Member across = all.split(row, column).value();
    tutti::Member down = all.split(column, row).value();
    const std::size_t first_i = static_cast<std::size_t>(row) * block;
    const std::size_t first_j = static_cast<std::size_t>(column) * block;

    std::vector<double> x_block(block, 0);
    for (std::size_t j = 0; row == 0 && j < block; ++j) {
        x_block[j] = x(first_j + j);
    }
    down.broadcast(x_block, 0);

    std::vector<double> y_block(block, 0);
    for (std::size_t i = 0; i < block; ++i) {
        for (std::size_t j = 0; j < block; ++j) {
            y_block[i] += a(first_i + i, first_j + j) * x_block[j];
        }
    }
    across.reduce(y_block, tutti::sum, 0);

    int wrong = 0;
    for (std::size_t i = 0; column == 0 && i < block; ++i) {
        double expected = 0;
        for (std::size_t j = 0; j < grid * block; ++j) {
            expected += a(first_i + i, j) * x(j);
        }
        wrong += y_block[i] == expected ? 0 : 1; // small integers: exact in any order
    }
    return wrong;
}

} // namespace

int main() {
    tutti::Team team(grid * grid);
    int wrong = 0;
    team.run([&](tutti::Member& me) {
        if (const auto all = me.reduce(multiply(me), tutti::sum, 0)) { // on the root only
            wrong = *all;
        }
    });
    std::printf("%d x %d members, %zu x %zu matrix: %d wrong elements\n", grid, grid, grid * block,
                grid * block, wrong);
    return wrong == 0 ? 0 : 1;
}
