#!/bin/bash
# thirteenth.sh WORK COMPILER: a new collective touches at most 8 files of the library, the interfaces and the tools.
# thirteenth.patch adds `replicate`, a broadcast between two buffers, to a copy of the tree: for C++ and C, with its rows in the
# pages. The library, the components, and the parts of the tools that distinguish the collectives are compiled, with
# warnings as errors, and a program makes the call. The tools report that they do not measure the collective.
# Tests do not count: the compiler asks for a row in tests/reference/reference.hpp and in calls_c.hpp.
set -eu
tree=$(realpath "$(dirname "$0")/../..") work=$1 compiler=$2
patch=$tree/tests/layers/thirteenth.patch
files=$(grep -c '^+++ ' "$patch")
[ "$files" -le 8 ] || { echo "a new collective touches $files files"; exit 1; }
rm -rf "$work"
mkdir -p "$work/tree"
cd "$work"
(cd "$tree" && tar --exclude-vcs --exclude=./build --exclude=./tests -cf - .) | tar -xf - -C tree
patch --silent --fuzz=0 -p1 -d tree <"$patch"
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(thirteenth LANGUAGES CXX)
add_subdirectory(tree EXCLUDE_FROM_ALL)
add_executable(thirteenth main.cpp)
target_include_directories(thirteenth PRIVATE tree/bench)
target_link_libraries(thirteenth PRIVATE tutti::tutti tutti::c)
# What is there: a machine may lack MPI, Fortran, or the libraries of the tools.
foreach(part tutti_tasks tutti_numbers tutti_fortran tutti_mpi_openmpi tutti_verify tutti_bench_threads tutti-mpi-bench)
  if(TARGET ${part})
    message(STATUS "with ${part}")
    add_dependencies(thirteenth ${part})
  endif()
endforeach()
END
cat >main.cpp <<'END'
#include <tutti/tutti.h>
#include <tutti/tutti.hpp>

#include <measure/by_collective.hpp>

#include <atomic>
#include <span>
#include <string>
#include <vector>

/// Whether the tools report that they do not measure the collective.
bool is_reported(tutti::Member& me) {
    std::vector<int> in(3), out(3);
    try {
        tutti::call_by_collective(me, tutti::Collective::replicate, tutti::sum, 0, tutti::Options{}, std::span(in), std::span(out));
    } catch (const std::invalid_argument& error) {
        return std::string(error.what()) == "this collective is not measured";
    }
    return false;
}

int main() {
    tutti::Team team(3);
    std::atomic<int> wrong{&tutti_replicate == nullptr ? 1 : 0};
    for (const std::size_t elements : {3, 30'000}) {
        team.run([&](tutti::Member& me) {
            std::vector<int> out(elements);
            me.replicate(std::vector<int>(elements, me.rank() + 7), out, 1);
            wrong += out == std::vector<int>(elements, 8) && is_reported(me) ? 0 : 1;
        });
    }
    return wrong;
}
END
cmake -S . -B build -DCMAKE_CXX_COMPILER="$compiler" -DTUTTI_WARNINGS_AS_ERRORS=ON -DTUTTI_BUILD_COMMAND=AUTO -DTUTTI_BUILD_FORTRAN=AUTO \
    -DCMAKE_CXX_FLAGS=-O0 >configured
grep '^-- with ' configured
cmake --build build --parallel 2 >built
build/thirteenth
echo "a new collective touches $files files"
