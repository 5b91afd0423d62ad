#pragma once

#include <tutti/tutti.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

constexpr std::size_t sweeps = 100; // in a run

/// A member's part of the plate, before and after a sweep.
struct Square {
    explicit Square(std::size_t side) : points(side), width(side + 2) {
        fields.fill(std::vector<double>(width * width));
    }
    const double* row(std::size_t field, std::size_t i) const { return &fields[field][i * width]; }

    /// From fields[from] to the other one, between these rows.
    void sweep(std::size_t from, const double* above, const double* below) {
        for (std::size_t i = 1; i <= points; ++i) {
            const double *up = i > 1 ? row(from, i - 1) : above,
                         *down = i < points ? row(from, i + 1) : below;
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

/// The part of a member of a group or of a cluster, with the squares of all in one column.
template <class Member>
void with_halo(Member& me, Square& own) {
    const std::size_t n = own.width, end = own.points + 1;
    const tutti::Neighbors column = me.grid({me.size()}, {false});
    const tutti::Counts border({n, n}, {n, own.points * n}), halo({n, n}, {std::size_t{0}, end * n});
    for (std::size_t i = 0; i < sweeps; ++i) {
        own.sweep(i % 2, own.row(i % 2, 0), own.row(i % 2, end));
        std::vector<double>& swept = own.fields[1 - i % 2];
        me.neighbor_alltoall(column, swept, border, swept, halo);
    }
}

inline bool equal_but_for_halo(const std::vector<Square>& plate, const std::vector<Square>& other) {
    return std::ranges::equal(plate, other, [](const Square& one, const Square& two) {
        return std::equal(one.row(0, 1), one.row(0, one.points + 1), two.row(0, 1));
    });
}
