#!/bin/bash
# thirteenth.sh WORK COMPILER: a new collective touches at most 8 files. thirteenth.patch adds `replicate`, a broadcast between two
# buffers, to a copy of the tree: for C++ and C, with its rows in the pages. The copy is compiled, and a program makes the call.
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
target_link_libraries(thirteenth PRIVATE tutti::tutti tutti::c)
END
cat >main.cpp <<'END'
#include <tutti/tutti.h>
#include <tutti/tutti.hpp>

#include <atomic>
#include <vector>

int main() {
    tutti::Team team(3);
    std::atomic<int> wrong{&tutti_replicate == nullptr ? 1 : 0};
    for (const std::size_t elements : {3, 30'000}) {
        team.run([&](tutti::Member& me) {
            std::vector<int> out(elements);
            me.replicate(std::vector<int>(elements, me.rank() + 7), out, 1);
            wrong += out != std::vector<int>(elements, 8) ? 1 : 0;
        });
    }
    return wrong;
}
END
cmake -S . -B build -DCMAKE_CXX_COMPILER="$compiler" >configured
cmake --build build --parallel 2 >built
build/thirteenth
echo "a new collective touches $files files"
