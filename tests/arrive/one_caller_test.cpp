// Collectives over vectors that one thread has.

#include "pool.hpp"

#include <tutti/error.hpp>
#include <tutti/one_caller.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace tutti;

namespace {

using Element = std::int64_t;
using Vector = std::vector<Element>;
using Vectors = std::vector<Vector>;

struct Fold {
    Element operator()(Element left, Element right) const { return left * 31 + right; }
};

constexpr std::size_t block = 20000;

Vectors inputs_of(std::size_t ranks, std::size_t elements) {
    Vectors inputs(ranks, Vector(elements));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        std::iota(inputs[rank].begin(), inputs[rank].end(), static_cast<Element>(1000000 * (rank + 1)));
    }
    return inputs;
}

Vector prefix_of(const Vectors& inputs, std::size_t last) {
    Vector result = inputs[0];
    for (std::size_t rank = 1; rank <= last; ++rank) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] = Fold()(result[i], inputs[rank][i]);
        }
    }
    return result;
}

Vector part(const Vector& vector, std::size_t first, std::size_t count) {
    return {vector.begin() + static_cast<std::ptrdiff_t>(first),
            vector.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

void reductions(std::size_t ranks, const Executor& executor) {
    const Vectors ins = inputs_of(ranks, block * ranks);
    const Vector all = prefix_of(ins, ranks - 1);
    Vectors outs(ranks, Vector(block * ranks));
    allreduce(ins, outs, Fold(), executor);
    CHECK(outs == Vectors(ranks, all));
    Vectors own = ins;
    allreduce(own, Fold(), executor);
    CHECK(own == Vectors(ranks, all));
    Vector one(block * ranks);
    reduce(ins, one, Fold(), executor);
    CHECK(one == all);
    Vectors prefixes(ranks, Vector(block * ranks));
    Vectors before = ins;
    scan(ins, prefixes, Fold(), executor);
    exscan(before, Fold(), executor);
    CHECK(before[0] == ins[0]);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        CHECK(prefixes[rank] == prefix_of(ins, rank));
        CHECK((rank == 0 || before[rank] == prefixes[rank - 1]));
    }
    Vectors blocks(ranks, Vector(block));
    reduce_scatter(ins, blocks, Fold(), executor);
    Vectors in_place = ins;
    reduce_scatter(in_place, Fold(), executor);
    std::vector<std::size_t> counts(ranks, block);
    if (ranks > 1) {
        counts.front() += std::exchange(counts.back(), 0);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        CHECK(blocks[rank] == part(all, rank * block, block));
        CHECK(part(in_place[rank], rank * block, block) == blocks[rank]);
        blocks[rank].resize(counts[rank]);
    }
    reduce_scatter(ins, blocks, Counts(counts), Fold(), executor);
    CHECK(blocks[0] == part(all, 0, counts[0]));
}

void movements(std::size_t ranks, const Executor& executor) {
    const Vectors ins = inputs_of(ranks, block * ranks);
    Vectors outs(ranks, Vector(block * ranks));
    Vectors own = ins;
    broadcast(own, static_cast<int>(ranks - 1), executor);
    CHECK(own == Vectors(ranks, ins.back()));
    Vectors blocks(ranks, Vector(block));
    scatter(ins[0], blocks, executor);
    Vector gathered(block * ranks);
    gather(blocks, gathered, executor);
    CHECK(gathered == ins[0]);
    allgather(blocks, outs, executor);
    CHECK(outs == Vectors(ranks, ins[0]));
    allgather(blocks, outs, Counts(std::vector<std::size_t>(ranks, block)), executor);
    CHECK(outs == Vectors(ranks, ins[0]));
    alltoall(ins, outs, executor);
    own = ins;
    alltoall(own, executor);
    CHECK(own == outs);
    const std::vector<std::vector<std::size_t>> counts(ranks, std::vector<std::size_t>(ranks, block));
    Vectors irregular(ranks, Vector(block * ranks));
    alltoall(ins, counts, irregular, counts, executor);
    CHECK(irregular == outs);
    for (std::size_t from = 0; from < ranks; ++from) {
        CHECK(part(outs[ranks - 1], from * block, block) == part(ins[from], (ranks - 1) * block, block));
    }
    shift(ins, outs, 1, executor);
    own = ins;
    shift(own, 1, executor);
    CHECK(own == outs);
    CHECK(outs[0] == ins[ranks - 1]);
}

} // namespace

TEST_CASE("every collective over the vectors of one caller") {
    test::Pool pool(2);
    for (const std::size_t ranks : {1U, 2U, 3U, 4U, 7U}) {
        for (const Executor& executor : {Executor(), test::backwards(), pool.executor()}) {
            CAPTURE(ranks);
            reductions(ranks, executor);
            movements(ranks, executor);
        }
    }
}

TEST_CASE("vectors may be spans, arrays and ranges of them") {
    std::array<std::array<double, 2>, 3> ins{{{1, 2}, {3, 4}, {5, 6}}};
    std::array<double, 6> memory{};
    std::vector<std::span<double>> outs;
    for (std::size_t rank = 0; rank < 3; ++rank) {
        outs.push_back(std::span(memory).subspan(2 * rank, 2));
    }
    allreduce(ins, outs, sum);
    CHECK(memory == std::array<double, 6>{9, 12, 9, 12, 9, 12});
}

TEST_CASE("what is wrong is told before anything is touched") {
    Vectors ins{{1, 2}, {3, 4}};
    Vectors outs{{0, 0}, {0, 0}};
    Vectors three(3, Vector(2));
    CHECK_THROWS_AS(allreduce(ins, three, sum), ArgumentError);
    CHECK_THROWS_AS(allreduce(Vectors(), Vectors(), sum), ArgumentError);
    CHECK_THROWS_AS(broadcast(ins, 2), ArgumentError);
    Vectors uneven{{1, 2}, {3}};
    CHECK_THROWS_AS(allreduce(uneven, sum), MismatchError);
    std::array<std::span<Element>, 2> overlapping{std::span(outs[0]), std::span(outs[0])};
    CHECK_THROWS_AS(allreduce(ins, overlapping, sum), MismatchError);
    CHECK(outs == Vectors{{0, 0}, {0, 0}});
}

TEST_CASE("the caller gets what the operator or the executor throws") {
    const auto throws = [](Element, Element) -> Element { throw std::runtime_error("operator"); };
    Vectors own = inputs_of(2, 100000);
    test::Pool pool(2);
    CHECK_THROWS_WITH_AS(allreduce(own, throws), "operator", std::runtime_error);
    CHECK_THROWS_WITH_AS(allreduce(own, throws, pool.executor()), "operator", std::runtime_error);
    const Executor failing = [&](std::size_t, const std::function<void(std::size_t)>& task) {
        pool.add([task] { task(0); });
        throw std::runtime_error("executor");
    };
    CHECK_THROWS_WITH_AS(allreduce(own, sum, failing), "executor", std::runtime_error);
}
