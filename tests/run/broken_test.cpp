// What the interleavings find: that they find it is what makes them a test.

#include "call.hpp"
#include "interleaving.hpp"
#include "plan/plan.hpp"
#include "program.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace tutti::test {

namespace {

using algorithm::Algorithm;
using schedule::Collective;
using What = Outcome::What;

constexpr std::size_t operations = 5;
constexpr long most_interleavings = 10'000;

Program repeated(const Call& call, std::size_t times) {
    Program program(call.ranks());
    for (std::size_t operation = 0; operation < times; ++operation) {
        program.add(call);
    }
    program.finish();
    return program;
}

/// After how many interleavings of the program something goes wrong, or 0.
long found_after(Program& program, Interleaving& interleaving, Breaks breaks = nullptr) {
    Random random(1);
    for (long run = 1; run <= most_interleavings; ++run) {
        if (interleaving.run(program, random, breaks).what != What::fine) {
            return run;
        }
    }
    return 0;
}

bool waits(const plan::Step& step) {
    return step.code == plan::Code::await || step.code == plan::Code::await_every;
}

} // namespace

TEST_CASE("a plan that lacks one of its waits is found") {
    long broken = 0;
    long most = 0;
    long missed = 0;
    for (const Algorithm& row : algorithm::registry()) {
        const int ranks = 4;
        Interleaving interleaving(ranks);
        for (const auto& call : calls_of(row, ranks)) {
            for (int rank = 0; rank < ranks && call->fills_all_blocks(); ++rank) {
                const auto& steps = call->prepared(rank).plan->steps;
                for (std::size_t step = 0; step < steps.size(); ++step) {
                    if (!waits(steps[step])) {
                        continue;
                    }
                    const Call lacking = call->without(rank, step);
                    Program program = repeated(lacking, operations);
                    const long found = found_after(program, interleaving);
                    ++broken;
                    most = std::max(most, found);
                    if (found == 0) {
                        ++missed;
                        std::printf("missed: %s member %d step %zu\n", call->name().c_str(), rank, step);
                    }
                }
            }
        }
    }
    std::printf("%ld broken, %ld missed, most %ld\n", broken, missed, most);
}

} // namespace tutti::test
