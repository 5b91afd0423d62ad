// SPDX-License-Identifier: Apache-2.0
#pragma once

// The component numbers: operators that accumulate in another type, extremes, and sums whose bits do not
// depend on the number of members. Experimental in version 1.0: a later 1.x may change it.

#include <tutti/accumulate.hpp>
#include <tutti/extremes.hpp>
#include <tutti/ordered_reduce.hpp>
#include <tutti/reproducible.hpp>
#include <tutti/reproducible_sums.hpp>
