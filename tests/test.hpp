#pragma once

// What every test includes.

#include "reduced.hpp"
#include "std.hpp"
#include "texts.hpp"
