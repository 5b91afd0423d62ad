#pragma once

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

inline bool equal_but_for_halo(const std::vector<Square>& plate, const std::vector<Square>& other) {
    return std::ranges::equal(plate, other, [](const Square& one, const Square& two) {
        return std::equal(one.row(0, 1), one.row(0, one.points + 1), two.row(0, 1));
    });
}
