#pragma once

#include <tutti/detail/export.hpp>

#include <vector>

namespace tutti::graph {

// A torus is given by its dimensions, slowest first: a rank is a number whose digits are its coordinates. A
// ring has one dimension, a mesh (of rows and columns, closed round) two or more, and a hypercube has as many
// dimensions of two as its ranks have bits. All functions throw std::invalid_argument when `ranks` < 1.

/// {ranks}
std::vector<int> ring(int ranks);

/// {rows, columns} with rows <= columns as nearly equal as the factors of `ranks` allow; a prime is one row.
std::vector<int> mesh(int ranks);

/// {2, 2, ..., 2}. Throws std::invalid_argument when `ranks` is not a power of two.
std::vector<int> hypercube(int ranks);

/// The distance in rank between neighbours in dimension `index`.
int stride(const std::vector<int>& dimensions, std::size_t index);

TUTTI_COMPONENT_API bool is_power_of_two(int ranks);

/// In increasing order; none of 1.
std::vector<int> prime_factors(int ranks);

} // namespace tutti::graph
