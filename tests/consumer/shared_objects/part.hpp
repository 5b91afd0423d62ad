#pragma once

#include <tutti/tutti.hpp>

#include <vector>

/// Each shared object has loops and typeinfo of its own for these operators.
struct Farthest {
    double operator()(double a, double b) const { return a * a < b * b ? b : a; }
};
struct Nearest {
    double operator()(double a, double b) const { return a * a < b * b ? a : b; }
};

/// The work of a shared object: an allreduce with one of the operators.
using Part = void(tutti::Member& me, std::vector<double>& values, bool farthest);

__attribute__((visibility("default"))) Part even, odd;
