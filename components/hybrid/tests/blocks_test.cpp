// Calls that send blocks from member to member: exchanges among neighbours, and what is wrong where sender
// and receiver expect blocks of different lengths.

#include "exam.hpp"
#include "tests/reference/graphs.hpp"

namespace tutti::test {

namespace {

void check_random_graph(ClusterMember& me, std::size_t unit) {
    std::mt19937 engine(static_cast<unsigned>(me.size())); // the same on all members
    const std::vector<Named> graph = random_graph(me.size(), engine);
    const Named& named = graph[static_cast<std::size_t>(me.rank())];
    const Neighbors neighbors = me.neighbors(named.sources, named.destinations);
    CHECK(std::ranges::equal(neighbors.sources(), named.sources));
    const Exchange<int> wanted(graph, me.rank(), unit);
    for (const Manner manner : manners) {
        for (int call = 0; call < 2; ++call) { // of which the second is a repeated one
            Exchange<int> own = wanted;
            complete(me, manner, [&](auto& way) {
                return way.neighbor_alltoall(neighbors, own.in, Counts(own.send_counts, own.send_places),
                                             own.out, Counts(own.recv_counts, own.recv_places));
            });
            CHECK(own.out == own.expected);
        }
    }
}

/// Rows of a field that is divided among the members, with a row of halo on either side.
void iterate_field(ClusterMember& me, std::size_t width) {
    constexpr std::size_t rows = 5;
    const Neighbors line = me.grid({me.size()}, {false});
    std::vector<double> field((rows + 2) * width);
    const std::vector<std::size_t> counts{width, width};
    Persistent step = me.prepare.neighbor_alltoall(line, field, Counts(counts, {width, rows * width}), field,
                                                   Counts(counts, {0, (rows + 1) * width}));
    for (int iteration = 1; iteration < 20; ++iteration) {
        std::ranges::fill(field, 100 * iteration + me.rank());
        step.start();
        step.wait();
        CHECK(field.front() == 100 * iteration + std::max(me.rank() - 1, 0));
        CHECK(field[width] == 100 * iteration + me.rank());
        CHECK(field.back() == 100 * iteration + std::min(me.rank() + 1, me.size() - 1));
    }
}

/// Blocks of different lengths from each member to each, where the receivers know no lengths.
void exchange_unknown(ClusterMember& me) {
    const auto members = static_cast<std::size_t>(me.size());
    const auto own = static_cast<std::size_t>(me.rank());
    const auto length = [](std::size_t from, std::size_t to) { return (from * 3 + to * 700) % 1500; };
    std::vector<std::size_t> counts(members);
    std::vector<std::uint64_t> in, out, expected;
    for (std::size_t other = 0; other < members; ++other) {
        counts[other] = length(own, other);
        in.insert(in.end(), counts[other], own * 100 + other);
        expected.insert(expected.end(), length(other, own), other * 100 + own);
    }
    const std::vector<std::size_t> received = me.alltoall(in, Counts(counts), out);
    CHECK(out == expected);
    CHECK(received[members - 1] == length(members - 1, own));
}

/// Member 0 sends one element more to the last member than that expects.
void send_too_much(ClusterMember& me, std::size_t length, Manner manner) {
    const auto size = static_cast<std::size_t>(me.size());
    const std::size_t more = me.rank() == 0 ? 1 : 0;
    std::vector<std::size_t> counts(size, length);
    const std::vector<std::size_t> expected = counts;
    counts.back() += more;
    std::vector<int> in(size * length + more), out(size * length);
    complete(me, manner, [&](auto& way) { return way.alltoall(in, Counts(counts), out, Counts(expected)); });
    me.barrier();
}

} // namespace

TEST_CASE("all collectives: neighbours in any graph receive what was sent to them, in every way of calling") {
    on_uneven_clusters([](ClusterMember& me) {
        for (const std::size_t unit : {1U, 40U, 3000U}) {
            check_random_graph(me, unit);
        }
    });
}

TEST_CASE("neighbours of which some have nobody to receive from, or to send to") {
    on_members_of(2, [](ClusterMember& me) {
        const int last = me.size() - 1;
        const bool sends = me.rank() == 0;
        const bool receives = me.rank() == last;
        const Neighbors edge = me.neighbors(receives ? std::vector{0} : std::vector<int>(),
                                            sends ? std::vector{last} : std::vector<int>());
        const std::vector<int> in(sends ? 5 : 0, 7);
        for (const Manner manner : manners) {
            std::vector<int> out(receives ? 5 : 0);
            complete(me, manner, [&](auto& way) { return way.neighbor_alltoall(edge, in, out); });
            CHECK(out == std::vector<int>(receives ? 5 : 0, 7));
        }
    });
}

TEST_CASE("a field of several processes sends its border and receives into its halo, in one buffer") {
    for (const int processes : {2, 3}) {
        on_members_of(processes, [](ClusterMember& me) {
            iterate_field(me, 64);
            iterate_field(me, 5000);
        });
    }
    on_processes(
        3, [](MPI_Comm part) { on_members(part, 1, [](ClusterMember& me) { iterate_field(me, 64); }); });
}

TEST_CASE("an irregular all-to-all of a cluster whose receivers know no lengths") {
    on_members_of(3, exchange_unknown);
}

TEST_CASE("blocks of other lengths than their receiver expects are an error that names both") {
    for (const std::size_t length : {1U, 5000U}) {
        for (const Manner manner : {Manner::blocking, Manner::nonblocking}) {
            on_processes(2, [&](MPI_Comm part) {
                const Texts texts =
                    thrown_by(part, {}, [&](ClusterMember& me) { send_too_much(me, length, manner); });
                const std::string last = std::to_string(2 * members_here() - 1);
                check_all(texts, "recv_counts[0] of member " + last + " is " + std::to_string(length) +
                                     ", but send_counts[" + last + "] of member 0 is " +
                                     std::to_string(length + 1));
            });
        }
    }
}

TEST_CASE("all members of a process must expect the blocks that all receive") {
    on_processes(2, [&](MPI_Comm part) {
        const Texts texts = thrown_by(part, {}, [&](ClusterMember& me) {
            const auto size = static_cast<std::size_t>(me.size());
            std::vector<std::size_t> counts(size, 2), places(size);
            counts.front() += me.rank() == me.size() - 1 ? 1U : 0U;
            for (std::size_t rank = 0; rank < size; ++rank) {
                places[rank] = 4 * rank;
            }
            std::vector<int> block(2), all(4 * size);
            me.allgather(block, all, Counts(counts, places));
            me.barrier();
        });
        check_all(texts, "counts[0] of member " + std::to_string(2 * members_here() - 1) +
                             " is 3, but `block` of member 0 has 2 elements");
    });
}

TEST_CASE("calls that send blocks take no algorithm") {
    on_members_of(2, [](ClusterMember& me) {
        CHECK_THROWS_WITH_AS(std::ignore = me.shift(1, 1, {.algorithm = "circulant"}),
                             doctest::Contains("leave `options.algorithm` empty"), ArgumentError);
        const Neighbors group_of_one = me.local().grid({me.local().size()}, {true});
        const std::vector<int> in(2);
        std::vector<int> out(2);
        CHECK_THROWS_WITH_AS(me.neighbor_alltoall(group_of_one, in, out),
                             doctest::Contains("`neighbors` belongs to rank"), ArgumentError);
        me.barrier();
    });
}

} // namespace tutti::test
