// Jacobi iterations for the temperature of a plate, which its upper edge heats: each member has a square of
// the plate, one above the other, and a row of halo above and below that. After each sweep it receives the
// border rows of its neighbours into its halo. Beside it, in turns, the same by hand: threads read the border
// rows where they are, after a std::barrier:  jacobi [points per side of a square] [turns] [members]

#include "in_turns.hpp"

#include <tutti/tutti.hpp>

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

constexpr int sweeps = 20; // in a run

/// A member's part of the plate, before and after a sweep.
struct Square {
    explicit Square(std::size_t side, bool is_heated)
        : points(side), width(side + 2), fields{std::vector<double>((side + 2) * width),
                                                std::vector<double>((side + 2) * width)} {
        for (std::vector<double>& field : fields) {
            std::fill_n(field.begin(), is_heated ? width : 0, 100.0);
        }
    }

    const double* row(std::size_t field, std::size_t row) const { return &fields[field][row * width]; }

    /// From fields[from] to the other one, with these rows for the halo.
    void sweep(std::size_t from, const double* above, const double* below) {
        for (std::size_t i = 1; i <= points; ++i) {
            const double* const up = i == 1 ? above : row(from, i - 1);
            const double* const down = i == points ? below : row(from, i + 1);
            const double* const old = row(from, i);
            double* const out = &fields[1 - from][i * width];
            for (std::size_t j = 1; j <= points; ++j) {
                out[j] = 0.25 * (up[j] + down[j] + old[j - 1] + old[j + 1]);
            }
        }
    }

    std::size_t points, width;
    std::array<std::vector<double>, 2> fields;
};

static void with_halo(tutti::Member& me, std::vector<Square>& plate) {
    Square& own = plate[static_cast<std::size_t>(me.rank())];
    const tutti::Neighbors above_and_below = me.grid({me.size()}, {false});
    const tutti::Counts border({own.width, own.width}, {own.width, own.points * own.width});
    const tutti::Counts halo({own.width, own.width}, {std::size_t{0}, (own.points + 1) * own.width});
    std::array<tutti::Persistent, 2> exchanges;
    for (std::size_t i = 0; i < 2; ++i) {
        std::vector<double>& field = own.fields[i];
        exchanges[i] = me.prepare.neighbor_alltoall(above_and_below, field, border, field, halo);
    }
    for (std::size_t i = 0; i < sweeps; ++i) {
        own.sweep(i % 2, own.row(i % 2, 0), own.row(i % 2, own.points + 1));
        exchanges[1 - i % 2].start();
        exchanges[1 - i % 2].wait();
    }
}

static void by_hand(tutti::Member& me, std::vector<Square>& plate, std::barrier<>& all) {
    const auto rank = static_cast<std::size_t>(me.rank());
    Square& own = plate[rank];
    for (std::size_t i = 0; i < sweeps; ++i) {
        own.sweep(i % 2, rank > 0 ? plate[rank - 1].row(i % 2, own.points) : own.row(i % 2, 0),
                  rank + 1 < plate.size() ? plate[rank + 1].row(i % 2, 1) : own.row(i % 2, own.points + 1));
        all.arrive_and_wait();
    }
}

int main(int argc, char** argv) {
    const auto argument = [&](int i, unsigned otherwise) {
        return argc > i ? static_cast<unsigned>(std::atoi(argv[i])) : otherwise;
    };
    const std::size_t points = argument(1, 1024);
    const int members = static_cast<int>(argument(3, std::thread::hardware_concurrency()));
    tutti::Team team(members);
    std::barrier all(members);
    std::array<std::vector<Square>, 2> plates;
    for (std::vector<Square>& plate : plates) {
        for (int rank = 0; rank < members; ++rank) {
            plate.emplace_back(points, rank == 0);
        }
    }
    const std::vector<double> us =
        in_turns(static_cast<int>(argument(2, 15)),
                 {[&] { team.run([&](tutti::Member& me) { with_halo(me, plates[0]); }); },
                  [&] { team.run([&](tutti::Member& me) { by_hand(me, plates[1], all); }); }});
    std::printf(
        "%d members of %zu x %zu points; us for a sweep: with a halo %.1f, by hand %.1f, ratio %.3f\n",
        members, points, points, us[0] / sweeps, us[1] / sweeps, us[0] / us[1]);
    for (std::size_t rank = 0; rank < plates[0].size(); ++rank) {
        for (std::size_t i = 1; i <= points; ++i) { // the halos differ
            if (!std::equal(plates[0][rank].row(0, i), plates[0][rank].row(0, i + 1),
                            plates[1][rank].row(0, i))) {
                return 1;
            }
        }
    }
    return plates[0][0].row(0, 1)[points / 2] > 50 ? 0 : 1;
}
