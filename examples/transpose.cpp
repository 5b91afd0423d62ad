// Transposes a matrix by an all-to-all (Grama et al. 2003, all-to-all personalized communication): every
// member has some rows, cut into one block for each member; block j goes to member j, where it becomes
// columns.

#include <tutti/tutti.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr int members = 4;
constexpr std::size_t rows = 25; // of each member
constexpr std::size_t size = members * rows;

double element(std::size_t i, std::size_t j) {
    return static_cast<double>(i * size + j);
}

/// Transposes; returns how many elements of this member's rows of the result are wrong.
int transpose(tutti::Member& me) {
    const std::size_t first = static_cast<std::size_t>(me.rank()) * rows;
    // Block j holds the elements of this member's rows in the columns of member j, column by column.
    std::vector<double> sent;
    for (std::size_t column = 0; column < size; ++column) {
        for (std::size_t row = 0; row < rows; ++row) {
            sent.push_back(element(first + row, column));
        }
    }
    std::vector<double> received(sent.size());
    me.alltoall(sent, received);

    // Block i has elements of member i's rows in this member's columns, which are the rows of the result.
    int wrong = 0;
    for (std::size_t from = 0; from < members; ++from) {
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t i = 0; i < rows; ++i) {
                const double found = received[(from * rows + row) * rows + i];
                wrong += found == element(from * rows + i, first + row) ? 0 : 1;
            }
        }
    }
    return wrong;
}

} // namespace

int main() {
    tutti::Team team(members);
    std::vector<int> wrong(members);
    team.run([&](tutti::Member& me) { wrong[static_cast<std::size_t>(me.rank())] = transpose(me); });
    int all = 0;
    for (const int each : wrong) {
        all += each;
    }
    std::printf("%zu x %zu matrix on %d members: %d wrong elements\n", size, size, members, all);
    return all == 0 ? 0 : 1;
}
