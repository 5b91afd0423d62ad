// Collectives over vectors that one thread has.

#include "support.hpp"
#include "tests/reference/reference.hpp"

using namespace tutti;
using namespace tutti::all_buffers;

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

Element element_of(std::size_t rank, std::size_t index) {
    return static_cast<Element>(1'000'000 * (rank + 1) + index);
}

/// The calls that there are: the root is named by its buffer.
std::vector<test::Shape> shapes_of(int ranks, std::size_t block) {
    std::vector<test::Shape> shapes = test::regular_shapes(block, {0, ranks - 1}, {1, -2});
    const auto lengths = [block](std::size_t from, std::size_t to) { return (from + 2 * to) % 3 * block; };
    for (const std::optional<std::uint32_t> displaced : {std::optional<std::uint32_t>(), {7U}}) {
        std::ranges::copy(test::irregular_shapes(lengths, {0}, displaced), std::back_inserter(shapes));
    }
    std::erase_if(shapes, [](const test::Shape& shape) {
        const bool replaces_an_operand = shape.collective == Collective::reduce && shape.in_place;
        return shape.collective == Collective::barrier || shape.counts_at_root ||
               (shape.traits().is_rooted() && shape.collective != Collective::broadcast &&
                !replaces_an_operand && (shape.in_place || shape.root != 0));
    });
    return shapes;
}

template <class Op>
void call(const test::Shape& shape, std::vector<test::Vectors<Element>>& all, const Op& op,
          const Executor& executor) {
    std::vector<std::span<const Element>> ins;
    std::vector<std::span<Element>> outs;
    std::vector<Counts> sent, received;
    const auto counts_of = [&](const auto& layout) {
        return shape.displaced ? Counts(layout.counts, layout.starts) : Counts(layout.counts);
    };
    for (auto& own : all) {
        ins.emplace_back(own.in);
        outs.emplace_back(own.out);
        sent.push_back(counts_of(own.sent));
        received.push_back(counts_of(own.received));
    }
    const auto made = [&](auto function) { shape.in_place ? function(outs) : function(ins, outs); };
    const bool irregular = shape.is_irregular();
    switch (shape.collective) {
    case Collective::barrier:
        return;
    case Collective::broadcast:
        return broadcast(outs, shape.root, executor);
    case Collective::reduce:
        return shape.in_place ? reduce(outs, outs[static_cast<std::size_t>(shape.root)], op, executor)
                              : reduce(ins, outs[0], op, executor);
    case Collective::allreduce:
        return made([&](auto&... vectors) { allreduce(vectors..., op, executor); });
    case Collective::reduce_scatter:
        return irregular ? reduce_scatter(ins, outs, sent[0], op, executor)
                         : made([&](auto&... vectors) { reduce_scatter(vectors..., op, executor); });
    case Collective::allgather:
        return irregular ? made([&](auto&... vectors) { allgather(vectors..., received[0], executor); })
                         : made([&](auto&... vectors) { allgather(vectors..., executor); });
    case Collective::gather:
        return irregular ? gather(ins, outs[0], received[0], executor) : gather(ins, outs[0], executor);
    case Collective::scatter:
        return irregular ? scatter(ins[0], outs, sent[0], executor) : scatter(ins[0], outs, executor);
    case Collective::alltoall:
        return !irregular       ? made([&](auto&... vectors) { alltoall(vectors..., executor); })
               : shape.in_place ? alltoall(outs, sent, executor)
                                : alltoall(ins, sent, outs, received, executor);
    case Collective::scan:
        return made([&](auto&... vectors) { scan(vectors..., op, executor); });
    case Collective::exscan:
        return made([&](auto&... vectors) { exscan(vectors..., op, executor); });
    case Collective::shift:
        return made([&](auto&... vectors) { shift(vectors..., shape.root, executor); });
    }
}

template <class Op>
void examine(int ranks, std::size_t block, const Op& op, const Executor& executor) {
    const test::Reference<Element> reference(ranks, element_of, op);
    for (const test::Shape& shape : shapes_of(ranks, block)) {
        std::vector<test::Vectors<Element>> all;
        for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
            all.push_back(reference.vectors(rank, shape));
        }
        call(shape, all, op, executor);
        for (const auto& own : all) {
            CHECK_MESSAGE(own.out == own.expected, shape.describe(), ", ", ranks, " ranks, rank ", own.rank);
        }
    }
}

} // namespace

TEST_CASE("every collective over the all-buffers form") {
    test::Pool pool(2);
    Team team(3, {.placement = Placement::none});
    Team caller(2, {.placement = Placement::none, .caller_is_member = true});
    for (const Executor& executor :
         {pool.executor(), executor_of(team), executor_of(caller), Executor(), test::backwards()}) {
        for (const int ranks : {1, 2, 3, 7, 16, 17}) {
            for (const std::size_t block : {0U, 1U, 5U}) {
                examine(ranks, block, Fold(), executor);
                examine(ranks, block, sum, executor);
            }
        }
        examine(3, 20'000, Fold(), executor); // which one would not do alone
        examine(3, 20'000, sum, executor);
    }
}

TEST_CASE("an executor of a team runs each task once") {
    Team team(3, {.placement = Placement::none});
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 100U}) {
        std::vector<std::atomic<int>> runs(count);
        executor_of(team)(count, [&](std::size_t index) { ++runs[index]; });
        CHECK(std::ranges::all_of(runs, [](const auto& number) { return number == 1; }));
    }
}

TEST_CASE("vectors may be spans, arrays and ranges of them") {
    std::array<std::array<double, 2>, 3> ins{{{1, 2}, {3, 4}, {5, 6}}};
    std::array<double, 6> memory{};
    std::vector<std::span<double>> outs{std::span(memory).first(2), std::span(memory).subspan(2, 2),
                                        std::span(memory).last(2)};
    allreduce(ins, outs, sum);
    CHECK(memory == std::array<double, 6>{9, 12, 9, 12, 9, 12});
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
                         "allreduce: `in` has 1 element and `out` has 2 elements: they must have the same "
                         "number (rank 2)",
                         ArgumentError);
    const std::vector<std::size_t> counts{1, 1, 0};
    CHECK_THROWS_WITH_AS(alltoall(outs, std::vector(2, Counts(counts))),
                         "alltoall: there are 3 vectors, but 2 counts: the numbers must be equal",
                         ArgumentError);
    CHECK_THROWS_WITH_AS(broadcast(Vectors(), 0), "broadcast: there are 0 vectors, must be 1..65535",
                         ArgumentError);
    CHECK_THROWS_AS(broadcast(outs, 3), ArgumentError);
    ins[2] = {5, 6, 7};
    CHECK_THROWS_WITH_AS(scan(ins, sum),
                         doctest::Contains("members 0 and 2 differ: member 0 calls scan of 16 bytes"),
                         MismatchError);
    CHECK_THROWS_AS(allreduce(outs, std::vector(3, std::span(outs[0])), sum), MismatchError);
    Element (*const nothing)(Element, Element) = nullptr;
    CHECK_THROWS_AS(allreduce(outs, nothing), ArgumentError);
    CHECK(outs == Vectors(3, Vector(2))); // nothing is touched
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

TEST_CASE("the calling thread gets what the operator or the executor throws") {
    const auto throws = [](Element, Element) -> Element { throw std::runtime_error("operator"); };
    Vectors own(2, Vector(1000000, 1));
    test::Pool pool(2);
    CHECK_THROWS_WITH_AS(allreduce(own, throws), "operator", std::runtime_error);
    CHECK_THROWS_WITH_AS(allreduce(own, throws, pool.executor()), "operator", std::runtime_error);
    Team team(2, {.placement = Placement::none});
    CHECK_THROWS_WITH_AS(allreduce(own, throws, executor_of(team)), "operator", std::runtime_error);
    // A member of the team would wait for itself.
    team.run([&](Member& me) {
        if (me.rank() == 0) {
            CHECK_THROWS_AS(allreduce(own, sum, executor_of(team)), Error);
        }
    });
    const Executor failing = [&](std::size_t, const std::function<void(std::size_t)>& task) {
        pool.add([task] { task(0); });
        throw std::runtime_error("executor");
    };
    CHECK_THROWS_WITH_AS(allreduce(own, sum, failing), "executor", std::runtime_error);
}

TEST_CASE("the calling thread does what an executor does not begin") {
    const Vectors ins{Vector(1000000, 1), Vector(1000000, 2), Vector(1000000, 3)};
    Vectors outs(3, Vector(1000000));
    test::Idle idle;
    for (const Executor& executor : {idle.executor(), Executor([](std::size_t, const auto&) {})}) {
        outs.assign(3, Vector(1000000));
        allreduce(ins, outs, Fold(), executor);
        CHECK(outs == Vectors(3, Vector(1000000, Fold()(Fold()(1, 2), 3))));
    }
    outs.assign(3, Vector(1000000));
    idle.run();
    CHECK(outs == Vectors(3, Vector(1000000)));
}
