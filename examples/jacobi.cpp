// Jacobi iterations for the temperatures of a plate, which its upper edge heats. Each member has a square of
// the plate, one below the other, between two rows of halo, which receive the border rows of its neighbours
// after each sweep. Beside it, in turns, the same by hand: after a std::barrier, threads read the border rows
// where they are.
//   jacobi [points per side of a square] [turns] [members]

#include "in_turns.hpp"
#include "plate.hpp"

#include <tutti/tutti.hpp>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>

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
    const auto number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
    const auto points = static_cast<std::size_t>(number(1, 1024));
    const int members = number(3, static_cast<int>(std::thread::hardware_concurrency()));
    tutti::Team team(members);
    std::barrier all(members);
    std::vector<Square> plate(static_cast<std::size_t>(members), Square(points));
    for (std::vector<double>& field : plate[0].fields) {
        std::fill_n(field.begin(), points + 2, 100.0);
    }
    std::vector<Square> hand = plate;
    const auto us = in_turns(
        number(2, 15),
        {[&] { team.run([&](auto& me) { with_halo(me, plate[static_cast<std::size_t>(me.rank())]); }); },
         [&] { team.run([&](auto& me) { by_hand(me, hand, all); }); }});
    std::printf(
        "%d members of %zu x %zu points, us for a sweep: with a halo %.1f, by hand %.1f; ratio %.3f\n",
        members, points, points, us[0] / sweeps, us[1] / sweeps, us[0] / us[1]);
    return plate[0].row(0, 1)[points / 2] > 50 && equal_but_for_halo(plate, hand) ? 0 : 1;
}
