// Collectives over vectors that one thread has.

#include "support.hpp"
#include "tests/associated.hpp"

using namespace tutti;
using namespace tutti::single_caller;

namespace {

using Element = std::int64_t;
using Vector = std::vector<Element>;
using Vectors = std::vector<Vector>;

/// Not associative: only one bracketing has the right result.
struct Fold {
    Element operator()(Element left, Element right) const {
        return static_cast<Element>(static_cast<std::uint64_t>(left) * 31 +
                                    static_cast<std::uint64_t>(right));
    }
};

Vectors inputs_of(std::size_t ranks, std::size_t elements) {
    Vectors inputs(ranks, Vector(elements));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        std::iota(inputs[rank].begin(), inputs[rank].end(), static_cast<Element>(1000000 * (rank + 1)));
    }
    return inputs;
}

template <class Op>
Vector prefix_of(const Vectors& inputs, std::size_t last) {
    Vector result;
    for (std::size_t i = 0; i < inputs[0].size(); ++i) {
        result.push_back(tutti::test::in_tree(
            last + 1, [&](std::size_t rank) { return inputs[rank][i]; }, Op()));
    }
    return result;
}

Vector part(const Vector& vector, std::size_t first, std::size_t count) {
    return {vector.begin() + static_cast<std::ptrdiff_t>(first),
            vector.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

template <class Op>
void reductions(std::size_t ranks, std::size_t block, const Executor& executor) {
    const Vectors ins = inputs_of(ranks, block * ranks);
    const Vector all = prefix_of<Op>(ins, ranks - 1);
    Vectors outs(ranks, Vector(block * ranks));
    allreduce(ins, outs, Op(), executor);
    CHECK(outs == Vectors(ranks, all));
    Vectors own = ins;
    allreduce(own, Op(), executor);
    CHECK(own == Vectors(ranks, all));
    Vector one(block * ranks);
    reduce(ins, one, Op(), executor);
    CHECK(one == all);
    Vectors prefixes(ranks, Vector(block * ranks));
    Vectors before = ins;
    scan(ins, prefixes, Op(), executor);
    exscan(before, Op(), executor);
    CHECK(before[0] == ins[0]);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        CHECK(prefixes[rank] == prefix_of<Op>(ins, rank));
        CHECK((rank == 0 || before[rank] == prefixes[rank - 1]));
    }
    Vectors blocks(ranks, Vector(block));
    reduce_scatter(ins, blocks, Op(), executor);
    Vectors in_place = ins;
    reduce_scatter(in_place, Op(), executor);
    std::vector<std::size_t> counts(ranks, block);
    if (ranks > 1) {
        counts.front() += std::exchange(counts.back(), 0);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        CHECK(blocks[rank] == part(all, rank * block, block));
        CHECK(part(in_place[rank], rank * block, block) == blocks[rank]);
        blocks[rank].resize(counts[rank]);
    }
    reduce_scatter(ins, blocks, Counts(counts), Op(), executor);
    CHECK(blocks[0] == part(all, 0, counts[0]));
}

void movements(std::size_t ranks, std::size_t block, const Executor& executor) {
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
    const std::vector<Counts> lists(counts.begin(), counts.end());
    alltoall(ins, lists, irregular, lists, executor);
    CHECK(irregular == outs);
    own = ins;
    alltoall(own, lists, executor);
    CHECK(own == outs);
    // The blocks from behind.
    std::vector<std::size_t> places(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        places[rank] = (ranks - 1 - rank) * block;
    }
    Vector whole(block * ranks);
    gather(blocks, whole, Counts(counts[0], places), executor);
    Vectors gathered_in_place(ranks, Vector(block * ranks));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        CHECK(part(whole, places[rank], block) == blocks[rank]);
        std::copy(blocks[rank].begin(), blocks[rank].end(),
                  gathered_in_place[rank].begin() + static_cast<std::ptrdiff_t>(places[rank]));
    }
    allgather(gathered_in_place, Counts(counts[0], places), executor);
    CHECK(gathered_in_place == Vectors(ranks, whole));
    Vectors scattered(ranks, Vector(block));
    scatter(whole, scattered, Counts(counts[0], places), executor);
    CHECK(scattered == blocks);
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
    Team team(3, {.placement = "none"});
    Team caller(2, {.placement = "none", .caller_is_member = true});
    const std::vector<std::size_t> all{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17};
    std::vector<Executor> executors{pool.executor(), team.executor(), caller.executor()};
    if (!test::reduced) {
        executors.insert(executors.end(), {Executor(), test::backwards()}); // of one thread
    }
    for (const std::size_t ranks : test::reduced ? std::vector<std::size_t>{1, 2, 3, 7, 17} : all) {
        for (const Executor& executor : executors) {
            // The last is more than one would do alone.
            const std::size_t most = 2000 + (test::reduced ? 300000 : 600000) / (ranks * ranks);
            for (const std::size_t block : {std::size_t{0}, std::size_t{1}, std::size_t{5}, most}) {
                CAPTURE(ranks);
                CAPTURE(block);
                reductions<Fold>(ranks, block, executor);
                reductions<Sum>(ranks, block, executor);
                movements(ranks, block, executor);
            }
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

TEST_CASE("a reduction may take the place of any of its operands") {
    for (const std::size_t block : {3U, 100'000U}) {
        for (const std::size_t root : {0U, 1U, 2U}) {
            Vectors vectors;
            for (const Element value : {Element(1), Element(2), Element(3)}) {
                vectors.emplace_back(block, value);
            }
            Vectors expected = vectors;
            expected[root] = Vector(block, Fold{}(Fold{}(1, 2), 3));
            reduce(vectors, vectors[root], Fold{});
            CHECK(vectors == expected);
        }
    }
}

TEST_CASE("counts are not taken for data, nor data for counts") {
    std::vector<std::vector<std::size_t>> data{{10, 20, 21}, {30, 31, 40}};
    const std::vector<std::size_t> first{1, 2};
    const std::vector<std::size_t> second{2, 1};
    alltoall(data, std::vector{Counts(first), Counts(second)});
    CHECK(data == std::vector<std::vector<std::size_t>>{{10, 30, 31}, {20, 21, 40}});
}

TEST_CASE("who is wrong is named by its rank") {
    Vectors ins{{1, 2}, {3, 4}, {5}};
    Vectors outs(3, Vector(2));
    CHECK_THROWS_WITH_AS(allreduce(ins, outs, sum),
                         "allreduce: `in` has 1 elements and `out` has 2 elements: they must have the same "
                         "number (rank 2)",
                         ArgumentError);
    const std::vector<std::size_t> counts{1, 1, 0};
    CHECK_THROWS_WITH_AS(alltoall(outs, std::vector(2, Counts(counts))),
                         "alltoall: there are 3 vectors, but 2 counts: the numbers must be equal",
                         ArgumentError);
    CHECK_THROWS_WITH_AS(broadcast(Vectors(), 0), "broadcast: there are 0 vectors, must be 1..65535",
                         ArgumentError);
    ins[2] = {5, 6, 7};
    CHECK_THROWS_WITH_AS(scan(ins, sum),
                         doctest::Contains("members 0 and 2 differ: member 0 calls scan of 16 bytes"),
                         MismatchError);
    Element (*const nothing)(Element, Element) = nullptr;
    CHECK_THROWS_AS(allreduce(outs, nothing), ArgumentError);
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

TEST_CASE("whether small vectors overlap is seen wherever they lie") {
    std::mt19937 random(1);
    constexpr std::size_t count = 3;
    for (int round = 0; round < 20000; ++round) {
        const std::size_t ranks = 1 + random() % 4;
        std::array<Element, 40> memory{};
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < 2 * ranks; ++i) {
            // Mostly where no other is.
            places.push_back(random() % 16 == 0 ? random() % (memory.size() - count) : 4 * (random() % 10));
        }
        const bool only_reduces = random() % 2 == 0;
        const bool in_place = !only_reduces && random() % 4 == 0;
        std::vector<std::span<Element>> ins;
        std::vector<std::span<Element>> outs;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            ins.push_back(std::span(memory).subspan(places[rank], count));
            outs.push_back(in_place ? ins[rank] : std::span(memory).subspan(places[ranks + rank], count));
        }
        bool allowed = true;
        const auto overlap = [](const auto& one, const auto& other) {
            return one.data() < other.data() + count && other.data() < one.data() + count;
        };
        // A reduction may take the place of one of its operands.
        std::size_t root = 0;
        while (only_reduces && root < ranks && outs[0].data() != ins[root].data()) {
            ++root;
        }
        for (std::size_t rank = 0; rank < (only_reduces ? 1 : ranks); ++rank) {
            for (std::size_t other = 0; other < ranks; ++other) {
                const bool outputs = !only_reduces && rank != other && overlap(outs[rank], outs[other]);
                const bool same =
                    only_reduces ? other == root : rank == other && outs[rank].data() == ins[rank].data();
                allowed = allowed && !outputs && (same || !overlap(outs[rank], ins[other]));
            }
        }
        bool threw = false;
        try {
            if (only_reduces) {
                reduce(ins, outs[0], sum);
            } else {
                allreduce(ins, outs, sum);
            }
        } catch (const Error&) {
            threw = true;
        }
        CAPTURE(round);
        CHECK(threw == !allowed);
    }
}

TEST_CASE("the caller gets what the operator or the executor throws") {
    const auto throws = [](Element, Element) -> Element { throw std::runtime_error("operator"); };
    Vectors own = inputs_of(2, 1000000);
    test::Pool pool(2);
    CHECK_THROWS_WITH_AS(allreduce(own, throws), "operator", std::runtime_error);
    CHECK_THROWS_WITH_AS(allreduce(own, throws, pool.executor()), "operator", std::runtime_error);
    Team team(2, {.placement = "none"});
    CHECK_THROWS_WITH_AS(allreduce(own, throws, team.executor()), "operator", std::runtime_error);
    // A member of the team would wait for itself.
    team.run([&](Member& me) {
        if (me.rank() == 0) {
            CHECK_THROWS_AS(allreduce(own, sum, team.executor()), Error);
        }
    });
    const Executor failing = [&](std::size_t, const std::function<void(std::size_t)>& task) {
        pool.add([task] { task(0); });
        throw std::runtime_error("executor");
    };
    CHECK_THROWS_WITH_AS(allreduce(own, sum, failing), "executor", std::runtime_error);
}

TEST_CASE("a caller does itself what an executor does not begin") {
    const Vectors ins = inputs_of(3, 1000000);
    const Vector all = prefix_of<Fold>(ins, 2);
    Vectors outs(3, Vector(1000000));
    test::Idle idle;
    for (const Executor& executor : {idle.executor(), Executor([](std::size_t, const auto&) {})}) {
        for (Vector& out : outs) {
            out.assign(out.size(), 0);
        }
        allreduce(ins, outs, Fold(), executor);
        CHECK(outs == Vectors(3, all));
    }
    outs = Vectors(3, Vector(1000000));
    idle.run();
    CHECK(outs == Vectors(3, Vector(1000000)));
}
