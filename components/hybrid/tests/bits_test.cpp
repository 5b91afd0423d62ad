// The same bits on all members of all processes; and from algorithm to algorithm where they bracket every
// element alike.

#include "exam.hpp"

namespace tutti::test {

namespace {

using Bits = std::vector<double>;

/// Sums of these depend on how they are associated. None is zero, so that equal sums have equal bits.
double delicate_element(std::size_t rank, std::size_t i) {
    const double sign = rank % 2 == 0 ? 1 : -1e8;
    return 1.0 / static_cast<double>(i % 97 + rank + 1) * sign / static_cast<double>(rank % 3 + 1);
}

std::vector<double> delicate(int rank, std::size_t elements) {
    std::vector<double> vector(elements);
    for (std::size_t i = 0; i < elements; ++i) {
        vector[i] = delicate_element(static_cast<std::size_t>(rank), i);
    }
    return vector;
}

Bits allreduced(ClusterMember& me, std::size_t elements, const Options& options) {
    std::vector<double> vector = delicate(me.rank(), elements);
    me.allreduce(vector, tutti::sum, options);
    return vector;
}

/// The reduced vector on the root, on others nothing.
Bits reduced_at_root(ClusterMember& me, std::size_t elements, const Options& options) {
    const int root = me.size() / 2;
    std::vector<double> out(me.rank() == root ? elements : 0);
    me.reduce(delicate(me.rank(), elements), out, tutti::sum, root, options);
    return out;
}

/// The whole: reduce_scatter gives every member its block of it, and allgather the others'.
Bits scattered(ClusterMember& me, std::size_t elements, const Options& options) {
    const auto size = static_cast<std::size_t>(me.size());
    std::vector<double> block(elements);
    std::vector<double> all(elements * size);
    me.reduce_scatter(delicate(me.rank(), elements * size), block, tutti::sum, options);
    me.allgather(block, all);
    return all;
}

/// The bits of member 0, on all members.
Bits of_first(ClusterMember& me, Bits bits) {
    me.broadcast(bits, 0);
    return bits;
}

void compare_members(ClusterMember& me, std::size_t elements, std::string_view allreduce,
                     std::string_view reduce, std::string_view reduce_scatter, bool canonical) {
    const Bits all = allreduced(me, elements, {.algorithm = allreduce});
    CHECK(all == of_first(me, all));
    const Bits blocks = scattered(me, elements, {.algorithm = reduce_scatter});
    CHECK(blocks == of_first(me, blocks));
    const Bits root = reduced_at_root(me, elements, {.algorithm = reduce});
    CHECK((!canonical || root.empty() || root == all));
}

} // namespace

TEST_CASE("powers of two of processes with as many members each have the bits of one group") {
    for (const int processes : {1, 2, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            for (const int members : {1, 2, 4}) {
                on_members(part, most_members(members), [&](ClusterMember& me) {
                    for (const std::size_t elements : {1U, 1000U, 70001U}) {
                        const auto shapes = only(only(cluster_shapes(me.size(), elements), combines), is_cut);
                        examine(*alone(me, Manner::blocking), shapes, delicate_element, tutti::sum);
                    }
                });
            }
        });
    }
}

TEST_CASE("order serial has the bits of a loop over all ranks, however they are divided among processes") {
    on_uneven_clusters([&](ClusterMember& me) {
        for (const std::size_t elements : {0U, 1U, 1000U, 70001U}) {
            examine(*alone(me, Manner::blocking), only(cluster_shapes(me.size(), elements), combines),
                    delicate_element, tutti::sum, serial);
        }
        std::vector<double> x(2, 1);
        CHECK_THROWS_WITH_AS(me.allreduce(x, tutti::sum, {.algorithm = "tree", .order = Order::serial}),
                             doctest::Contains("from the left"), ArgumentError);
    });
}

TEST_CASE("reproducible sums have the same bits for every number of processes and members") {
    std::vector<double> x;
    for (std::size_t i = 0; i < 1000; ++i) {
        x.push_back(delicate_element(i % 5, i));
    }
    tutti::Reproducible<double> squares;
    squares.add_products(x, x);
    on_uneven_clusters([&](ClusterMember& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        const auto size = static_cast<std::size_t>(me.size());
        const std::size_t begin = x.size() * rank / size;
        const auto mine = std::span(x).subspan(begin, x.size() * (rank + 1) / size - begin);
        CHECK(tutti::reproducible_sum(me, mine) == tutti::Reproducible<double>().add(x).value());
        CHECK(tutti::reproducible_dot(me, mine, mine) == squares.value());
        CHECK(tutti::reproducible_norm2(me, mine) == std::sqrt(squares.value()));
        std::vector<double> tiny(mine.begin(), mine.end());
        std::ranges::transform(tiny, tiny.begin(), [](double each) { return each * 0x1p-700; });
        CHECK(std::fabs(tutti::reproducible_norm2(me, tiny) * 0x1p700 / std::sqrt(squares.value()) - 1) <
              1e-15);
    });
}

TEST_CASE(
    "all members have the same bits, and a reduce among a power of two of processes those of an allreduce") {
    for (int processes = 2; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            on_members(part, uneven_members(), [&](ClusterMember& me) {
                for (const std::size_t elements : {1U, 1000U, 70001U}) {
                    CAPTURE(elements);
                    const bool canonical = processes != 3; // powers of two have one bracketing
                    compare_members(me, elements, "", "", "", canonical);
                    compare_members(me, elements, "tree", "tree", "butterfly", canonical);
                    compare_members(me, elements, "butterfly-elimination-2-1", "butterfly", "butterfly",
                                    canonical);
                    compare_members(me, elements, "circulant", "", "", false);
                    compare_members(me, elements, "ring", "", "", false);
                    std::vector<double> zeros(elements, me.rank() % 2 == 0 ? 0.0 : -0.0);
                    me.allreduce(zeros, tutti::min);
                    CHECK(std::signbit(zeros.front())); // -0 is less
                }
            });
        });
    }
}

TEST_CASE("order by process is that of a loop over the members of each process and then over the processes") {
    const int members = most_members(5); // as a tree: ((0 1) (2 3)) 4
    on_processes(2, [&](MPI_Comm part) {
        on_members(part, members, [&](ClusterMember& me) {
            for (const std::size_t elements : {1U, 100U, 5000U, 150000U}) {
                const auto of_process = [&](int process) {
                    std::vector<double> sum = delicate(process * members, elements);
                    for (int member = 1; member < members; ++member) {
                        std::ranges::transform(sum, delicate(process * members + member, elements),
                                               sum.begin(), std::plus<>());
                    }
                    return sum;
                };
                std::vector<double> sum = of_process(0);
                std::ranges::transform(sum, of_process(1), sum.begin(), std::plus<>());
                const Bits& expected = sum;
                const Options options{.order = Order::by_process};
                CHECK(allreduced(me, elements, options) == expected);
                const Bits at_root = reduced_at_root(me, elements, options);
                CHECK((at_root.empty() || at_root == expected));
                std::vector<double> started = delicate(me.rank(), elements);
                me.start.allreduce(started, tutti::sum, {.order = Order::by_process}).wait();
                CHECK(started == expected);
            }
        });
    });
}

} // namespace tutti::test
