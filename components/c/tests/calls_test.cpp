// What calls from C have of their own; tests/ways holds every collective against loops over the ranks.

#include "support.hpp"
#include "tests/reference/graphs.hpp"

#include <tutti/c.hpp>
#include <tutti/reproducible.hpp>
#include <tutti/tutti.hpp>

using namespace tutti;
using namespace tutti::test;

namespace {

TEST_CASE("an algorithm that does not keep rank order serves an operator only if that commutes") {
    const auto keep = [](const void*, void*, std::size_t, void*) {};
    for (const int commutative : {0, 1}) {
        tutti_op op = 0;
        REQUIRE(tutti_op_create(keep, nullptr, commutative, &op) == TUTTI_OK);
        const tutti_status status = test::run_team(5, [&](tutti_member me) {
            tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
            options.algorithm = "circulant";
            double one = 1;
            return tutti_allreduce(tutti_with_options(me, &options), TUTTI_IN_PLACE, &one, 1,
                                   tutti_type_of_size(sizeof one), op);
        });
        CHECK(status == (commutative != 0 ? TUTTI_OK : TUTTI_ARGUMENT_ERROR));
        ok(tutti_op_free(op));
    }
}

TEST_CASE("one output that all members or ranks share") {
    constexpr int members = 3;
    const Meeting meeting(members);
    for (const bool arrives : {false, true}) {
        std::vector<double> total(1000);
        on_team(members, [&](tutti_member me) {
            const std::vector<double> in(total.size(), me.rank + 1);
            tutti_request request = none();
            const tutti_member by = arrives ? tutti_async_rank(meeting.get(), me.rank, &request) : me;
            ok(tutti_allreduce(tutti_shared_output(by), in.data(), total.data(), in.size(), TUTTI_DOUBLE,
                               TUTTI_SUM));
            ok(tutti_wait(&request));
            CHECK(total == std::vector<double>(in.size(), 6));
        });
    }
}

TEST_CASE("members that call from C and from C++ are in the same calls") {
    Team team(5, {.placement = Placement::none});
    team.run([&](Member& me) {
        const std::vector<std::size_t> counts = {1, 2, 3, 4, 5};
        const auto rank = static_cast<std::size_t>(me.rank());
        const std::vector<double> in(600, me.rank());
        std::vector<double> out(600), all(15);
        int one = me.rank(), total = 0;
        if (me.rank() % 2 == 0) {
            me.allreduce(in, out, sum);
            me.allreduce(one, total, max);
            me.allgather(std::span(in).first(counts[rank]), all, Counts(counts));
            me.gather(std::span(in).first(counts[rank]), all, Counts(counts), 2);
            me.start.scan(in, out, sum).wait();
            me.barrier();
        } else {
            test::MemberFunction part = [&](tutti_member c) {
                CHECK(&tutti::c_api::member_of(c) == &me);
                tutti_request request = none();
                ok(tutti_allreduce(c, in.data(), out.data(), in.size(), TUTTI_DOUBLE, TUTTI_SUM));
                ok(tutti_allreduce(c, &one, &total, 1, TUTTI_INT, TUTTI_MAX));
                ok(tutti_allgatherv(c, in.data(), counts[rank], all.data(), counts.data(), nullptr,
                                    TUTTI_DOUBLE));
                ok(tutti_gatherv(c, in.data(), counts[rank], nullptr, nullptr, nullptr, TUTTI_DOUBLE, 2));
                ok(tutti_scan(tutti_nonblocking(c, &request), in.data(), out.data(), in.size(), TUTTI_DOUBLE,
                              TUTTI_SUM));
                ok(tutti_wait(&request));
                return tutti_barrier(c);
            };
            tutti::c_api::call_as_member(me, test::call_part, &part);
        }
        CHECK(total == 4);
        CHECK(all[14] == 4);
        CHECK(out[599] == me.rank() * (me.rank() + 1) / 2.0);
    });
}

TEST_CASE("reproducible sums are those of one accumulator, for float and double") {
    std::vector<double> x;
    std::vector<float> f;
    for (int i = 0; i < 1000; ++i) {
        x.push_back(std::sin(i) * std::exp(20 * std::cos(0.1 * i)));
        f.push_back(static_cast<float>(x.back()));
    }
    Reproducible<double> squares;
    squares.add_products(x, x);
    on_team(3, [&](tutti_member me) {
        const auto begin = static_cast<std::size_t>(300 * me.rank);
        const std::size_t n = me.rank == 2 ? 400 : 300;
        double total = 0;
        float float_total = 0;
        ok(tutti_reproducible_sum(me, &x[begin], n, TUTTI_DOUBLE, &total));
        CHECK(total == Reproducible<double>().add(x).value());
        ok(tutti_reproducible_dot(me, &x[begin], &x[begin], n, TUTTI_DOUBLE, &total));
        CHECK(total == squares.value());
        ok(tutti_reproducible_norm2(me, &x[begin], n, TUTTI_DOUBLE, &total));
        CHECK(total == std::sqrt(squares.value()));
        ok(tutti_reproducible_sum(me, &f[begin], n, TUTTI_FLOAT, &float_total));
        CHECK(float_total == Reproducible<float>().add(f).value());
        ok(tutti_reproducible_sum(me, nullptr, 0, TUTTI_FLOAT, &float_total));
        CHECK(float_total == 0.0F);
    });
}

/// What frees its neighbours.
struct Made {
    Made() = default;
    ~Made() { ok(tutti_neighbors_free(handle)); }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    tutti_neighbors* handle = nullptr;
};

std::span<const int> sources(const Made& of) {
    const int* ranks = nullptr;
    std::size_t n = 0;
    ok(tutti_neighbors_sources(of.handle, &ranks, &n));
    return {ranks, n};
}

std::span<const int> destinations(const Made& of) {
    const int* ranks = nullptr;
    std::size_t n = 0;
    ok(tutti_neighbors_destinations(of.handle, &ranks, &n));
    return {ranks, n};
}

/// A member that is its own neighbour on both sides.
struct Alone : Joined {
    Alone() {
        const int one = 1;
        ok(tutti_neighbors_grid(me, &one, &one, 1, &loop.handle));
    }
    Made loop;
};

TEST_CASE("neighbours from C: any graph, in every way of calling") {
    constexpr int members = 4;
    std::mt19937 engine(1);
    const std::vector<Named> graph = random_graph(members, engine);
    on_team(members, [&](tutti_member me) {
        const Named& named = graph[static_cast<std::size_t>(me.rank)];
        Made made;
        REQUIRE(tutti_neighbors_create(me, named.sources.data(), named.sources.size(),
                                       named.destinations.data(), named.destinations.size(),
                                       &made.handle) == TUTTI_OK);
        CHECK(std::ranges::equal(sources(made), named.sources));
        CHECK(std::ranges::equal(destinations(made), named.destinations));
        std::array<tutti_request, 2> requests{};
        const std::array ways{me, tutti_nonblocking(me, &requests[0]), tutti_persistent(me, &requests[1])};
        std::vector<Exchange<int>> all(3, Exchange<int>(graph, me.rank));
        for (std::size_t i = 0; i < all.size(); ++i) {
            Exchange<int>& own = all[i];
            ok(tutti_neighbor_alltoallv(ways[i], made.handle, own.in.data(), own.send_counts.data(),
                                        own.send_places.data(), own.out.data(), own.recv_counts.data(),
                                        own.recv_places.data(), TUTTI_INT));
        }
        // The calls keep what they need.
        ok(tutti_neighbors_free(made.handle));
        made.handle = nullptr;
        ok(tutti_start(&requests[1]));
        ok(tutti_wait_all(requests.data(), 2));
        for (const Exchange<int>& own : all) {
            CHECK(own.out == own.expected);
        }
        ok(tutti_barrier(me));
        ok(tutti_request_free(&requests[1]));
    });
}

TEST_CASE("neighbours from C: a grid, and blocks of one length") {
    on_team(6, [](tutti_member me) {
        const int dims[] = {2, 3}, wraps[] = {1, 0};
        Made grid;
        REQUIRE(tutti_neighbors_grid(me, dims, wraps, 2, &grid.handle) == TUTTI_OK);
        const int y = me.rank % 3;
        const int across = (me.rank + 3) % 6;
        const std::array wanted{across, across, y > 0 ? me.rank - 1 : TUTTI_NEIGHBOR_NONE,
                                y < 2 ? me.rank + 1 : TUTTI_NEIGHBOR_NONE};
        CHECK(std::ranges::equal(sources(grid), wanted));
        CHECK(std::ranges::equal(destinations(grid), wanted));
        using Block = std::array<int, 2>;
        std::array<Block, 4> in, out;
        for (int block = 0; block < 4; ++block) {
            in[static_cast<std::size_t>(block)] = {me.rank, block};
        }
        out.fill({-1, -1});
        ok(tutti_neighbor_alltoall(me, grid.handle, &in, &out, 2, TUTTI_INT));
        for (int block = 0; block < 4; ++block) {
            const auto i = static_cast<std::size_t>(block);
            CHECK(out[i] == (wanted[i] < 0 ? Block{-1, -1} : Block{wanted[i], block ^ 1}));
        }
        ok(tutti_barrier(me));
    });
}

TEST_CASE("neighbours from C: wrong arguments of what makes them are named") {
    Alone alone;
    const tutti_member me = alone.me;
    const int one = 1, two[] = {1, 2};
    Made made;
    refused(tutti_neighbors_create(me, nullptr, 1, nullptr, 0, &made.handle),
            "neighbors: `sources` is a null pointer");
    refused(tutti_neighbors_create(me, nullptr, 0, nullptr, 1, &made.handle),
            "neighbors: `destinations` is a null pointer");
    refused(tutti_neighbors_create(me, nullptr, 0, nullptr, 0, nullptr),
            "neighbors: `neighbors` is a null pointer");
    fails(tutti_neighbors_create(me, &one, 1, nullptr, 0, &made.handle), TUTTI_COMBINATION_ERROR,
          "has 1 in `sources`");
    refused(tutti_neighbors_grid(me, nullptr, &one, 1, &made.handle), "grid: `dims` is a null pointer");
    refused(tutti_neighbors_grid(me, &one, nullptr, 1, &made.handle), "grid: `wraps` is a null pointer");
    refused(tutti_neighbors_grid(me, two, two, 2, &made.handle), "grid: `dims` is 1 x 2: the product");
    tutti_request request = TUTTI_REQUEST_NULL;
    refused(tutti_neighbors_grid(tutti_nonblocking(me, &request), &one, &one, 1, &made.handle),
            "grid: `me` must be the member that tutti_join() made");
    CHECK(made.handle == nullptr);
    const int* ranks = nullptr;
    std::size_t n = 0;
    refused(tutti_neighbors_sources(nullptr, &ranks, &n), "`neighbors` is a null pointer");
    refused(tutti_neighbors_sources(alone.loop.handle, nullptr, &n), "`ranks` is a null pointer");
    refused(tutti_neighbors_destinations(alone.loop.handle, &ranks, nullptr), "`n` is a null pointer");
}

TEST_CASE("neighbours from C: wrong arguments of the exchange are named") {
    Alone alone;
    const tutti_member me = alone.me;
    tutti_neighbors* const loop = alone.loop.handle;
    const std::array in{1, 2, 3};
    std::array out{-1, -1, -1};
    const std::size_t counts[] = {1, 2}, others[] = {1, 1};
    const auto exchange = [&](const std::size_t* sent, const std::size_t* received) {
        return tutti_neighbor_alltoallv(me, loop, in.data(), sent, nullptr, out.data(), received, nullptr,
                                        TUTTI_INT);
    };
    refused(tutti_neighbor_alltoall(me, nullptr, in.data(), out.data(), 1, TUTTI_INT),
            "neighbor_alltoall: `neighbors` is a null pointer");
    refused(tutti_neighbor_alltoall(me, loop, TUTTI_IN_PLACE, out.data(), 1, TUTTI_INT),
            "neighbor_alltoall: `in` is TUTTI_IN_PLACE");
    refused(tutti_neighbor_alltoall(me, loop, in.data(), out.data(), SIZE_MAX, TUTTI_INT),
            "neighbor_alltoall: a vector would be longer than memory");
    refused(exchange(nullptr, counts), "neighbor_alltoallv: `send_counts` is a null pointer");
    refused(exchange(counts, nullptr), "neighbor_alltoallv: `recv_counts` is a null pointer");
    refused(exchange(counts, others), "block 1 of `in` has 2 elements, but block 0 of `out` has 1");
    const Meeting meeting(1);
    tutti_request request = none();
    refused(tutti_neighbor_alltoall(tutti_async_rank(meeting.get(), 0, &request), loop, in.data(), out.data(),
                                    1, TUTTI_INT),
            "neighbor_alltoall: is for members of a Team or Group");
    const Joined pair(2);
    refused(tutti_neighbor_alltoall(pair.me, loop, in.data(), out.data(), 1, TUTTI_INT),
            "`neighbors` belongs to rank 0 of 1 members, this is rank 0 of 2");
    CHECK(out == std::array{-1, -1, -1});
    ok(tutti_neighbor_alltoall(me, loop, in.data(), out.data(), 1, TUTTI_INT));
    CHECK(out == std::array{2, 1, -1});

    ok(tutti_neighbors_free(loop));
    refused(tutti_neighbors_free(loop), "neighbors_free: `neighbors` has been freed");
    refused(tutti_neighbor_alltoall(me, loop, in.data(), out.data(), 1, TUTTI_INT),
            "neighbor_alltoall: `neighbors` has been freed");
    alone.loop.handle = nullptr;
}

} // namespace
