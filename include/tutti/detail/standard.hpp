// SPDX-License-Identifier: Apache-2.0
#pragma once

// One error message, instead of a page of syntax errors, if the compiler uses an older standard. Every header
// that includes no other header of the library must include this one first. GCC 10 has 201709L for C++20.
#if __cplusplus <= 201703L
#error "Tutti needs C++20: compile with -std=c++20, or link tutti::tutti in CMake, which sets it"
#include "nothing more is compiled" // what is not there ends compilation, as #error does not
#endif

// Whether a call keeps its types, and what a failure does, must not differ between the files of a program:
// the linker keeps one copy of each inline function.
#if !defined(__cpp_exceptions)
#error "Tutti's C++ headers need exceptions: compile without -fno-exceptions, or use the interface for C"
#include "nothing more is compiled"
#endif
#if !defined(__cpp_rtti)
#error "Tutti's C++ headers need RTTI: compile without -fno-rtti, or use the interface for C"
#include "nothing more is compiled"
#endif

// Lengths, keys of calls and addresses between members use words of 64 bits.
static_assert(sizeof(void*) == 8, "Tutti needs a 64-bit system: compile for one, for example with -m64");

#include <tutti/version.hpp>
