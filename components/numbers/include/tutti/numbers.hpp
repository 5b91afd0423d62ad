#pragma once

// The component numbers: operators that accumulate in another type, extremes, and sums whose bits do not
// depend on the number of members.

#include <tutti/accumulate.hpp>
#include <tutti/extremes.hpp>
#include <tutti/ordered_reduce.hpp>
#include <tutti/reproducible.hpp>
#include <tutti/reproducible_sums.hpp>
