// Every collective in every way of calling, held against loops over the ranks.

#include "../affine.hpp"
#include "../pool.hpp"
#include "../test.hpp"
#include "exam.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// All collectives, with vectors or blocks of `n` elements or about as many: in place and not, irregular,
/// with displacements, and with counts at the root.
std::vector<Job> jobs_of(int members, const std::vector<std::size_t>& sizes, const Abilities& abilities) {
    std::vector<Job> jobs;
    int turn = 0;
    for (const std::size_t n : sizes) {
        const std::vector<int> roots{turn++ % members};
        const auto lengths = [n](std::size_t from, std::size_t to) {
            return (from + 2 * to + n) % 4 + from % 4 * n / 2;
        };
        const auto add = [&](const std::vector<Shape>& shapes) {
            for (const Shape& shape : shapes) {
                jobs.push_back({shape});
                if (shape.is_irregular() && shape.collective == Collective::alltoall &&
                    abilities.names_algorithms) {
                    jobs.push_back({shape, "direct"});
                    jobs.push_back({shape, "pairwise"});
                }
                if (shape.counts_at_root && !shape.in_place) {
                    jobs.push_back({.shape = shape, .in_place_on_some = true});
                }
            }
        };
        add(regular_shapes(n, roots, {1, -2, 20}));
        add(irregular_shapes(lengths, roots));
        add(irregular_shapes(lengths, roots, static_cast<std::uint32_t>(n)));
    }
    return jobs;
}

struct Examined {
    std::vector<int> members;
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> outstanding;
    AsyncGroupOptions async = {};
};

const Examined in_full{reduced ? std::vector{1, 2, 3, 5} : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17},
                       {0, 1, 2, 3, 7, 64, 600},
                       {8}};
const Examined of_long_vectors{{2, 3, 5}, {40, reduced ? 1000U : 10'000U}, {1, 100}};
const Examined in_brief{reduced ? std::vector{3} : std::vector{2, 3, 8}, {1, 3, 200}, {3}};

template <class T, class Op>
void examine(const std::vector<Way>& ways, const Examined& what, T (*make)(std::size_t, std::size_t),
             const Op& op, const DynamicOp& dynamic) {
    for (const int members : what.members) {
        Exam exam(members, 0, make, op, dynamic);
        for (const Way& way : ways) {
            const std::vector<Job> jobs = jobs_of(members, what.sizes, way.abilities);
            const auto ranks = way.make({.members = members, .async = what.async});
            for (const std::size_t outstanding : what.outstanding) {
                if (way.abilities.has_requests || outstanding == what.outstanding.front()) {
                    INFO(way.name, ", ", outstanding, " outstanding");
                    CHECK(exam.run(*ranks, jobs, way.abilities.has_requests ? outstanding : 1) == "");
                }
            }
        }
    }
}

template <class T, class Op>
void examine(const std::vector<Way>& ways, const Examined& what, T (*make)(std::size_t, std::size_t),
             const Op& op) {
    examine(ways, what, make, op, dynamic_of<T>(op));
}

/// Not associative: only one association has the right result.
struct Fold {
    std::int64_t operator()(std::int64_t left, std::int64_t right) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) * 31 +
                                         static_cast<std::uint64_t>(right));
    }
};

Affine affine(std::size_t rank, std::size_t i) {
    const auto value = static_cast<unsigned>((rank * 31 + i) % 100);
    return {static_cast<std::uint8_t>(2 * value + 1), static_cast<std::uint8_t>(value + rank * rank), 1};
}

const std::vector<Way> sliced_ways{async_way, all_buffers_way};

} // namespace

TEST_CASE("every collective in every way of calling: integers") {
    examine<std::int32_t>(all_ways(), in_full, ordinary, sum);
    examine<std::int32_t>(all_ways(), of_long_vectors, ordinary, sum);
}

TEST_CASE("every collective in every way of calling: rounding shows the order") {
    examine<double>(all_ways(), in_brief, ordinary, sum);
    examine<std::complex<double>>(all_ways(), in_brief, ordinary, sum);
    examine<float>(all_ways(), in_brief, ordinary, max);
}

TEST_CASE("every collective in every way of calling: numbers of 16 bits, which are rounded once") {
    std::vector<Way> ways = all_ways();
    std::erase_if(ways, [](const Way& way) { return !way.abilities.has_16_bits; });
    examine<bfloat16>(ways, in_brief, ordinary, std::plus<float>(), DynamicOp(Operator::sum));
    examine<float16>(ways, in_brief, ordinary, std::multiplies<float>(), DynamicOp(Operator::prod));
}

TEST_CASE("every collective in every way of calling: elements and operators of the program, in rank order") {
    examine<Affine>(all_ways(), in_brief, affine, compose);
    examine<std::int64_t>(all_ways(), in_brief, ordinary, Fold());
}

TEST_CASE("the same in slices that an executor runs at once, from the last on") {
    const Executor backwards = [](std::size_t count, const std::function<void(std::size_t)>& task) {
        for (std::size_t index = count; index-- > 0;) {
            task(index);
        }
    };
    Examined what = in_brief;
    what.async = {.executor = backwards, .slice_bytes = 200};
    examine<double>(sliced_ways, what, ordinary, sum);
}

TEST_CASE("the same in slices that a pool or a team runs later") {
    Pool pool(2);
    Team team(3, {.placement = Placement::none});
    Team with_caller(2, {.placement = Placement::none, .caller_is_member = true});
    Examined what = in_brief;
    for (const Executor& executor : {pool.executor(), executor_of(team), executor_of(with_caller)}) {
        what.async = {.executor = executor, .slice_bytes = 300};
        examine<std::int64_t>({all_buffers_way}, what, ordinary, Fold());
    }
    what.async.executor = pool.executor();
    examine<std::int64_t>({async_way}, what, ordinary, Fold());
}

TEST_CASE("an exam finds the wrong order of operands") {
    const auto backwards = [](const void* in, void* inout, std::size_t count, void* /*user*/) {
        for (std::size_t i = 0; i < count; ++i) {
            static_cast<Affine*>(inout)[i] =
                compose(static_cast<Affine*>(inout)[i], static_cast<const Affine*>(in)[i]);
        }
    };
    Exam exam(3, 0, affine, compose, DynamicOp(+backwards, nullptr, sizeof(Affine), false));
    for (const Way& way : all_ways()) {
        INFO(way.name);
        CHECK(exam.run(*way.make({.members = 3}), std::vector<Job>{{{Collective::allreduce, 1}}}) != "");
    }
}
