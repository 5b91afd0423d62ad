// What calls from C have of their own; tests/ways holds every collective against loops over the ranks.

#include "support.hpp"
#include "tests/reference/graphs.hpp"

#include <tutti/c.hpp>
#include <tutti/reproducible.hpp>
#include <tutti/tutti.hpp>

using namespace tutti;
using namespace tutti::test;

namespace {

/// Two numbers under (a, b) op (c, d) = (a c, c b + d), which does not commute, in 24 bytes.
struct Affine {
    std::int64_t scale;
    std::int64_t shift;
    std::int64_t count;
    friend bool operator==(const Affine&, const Affine&) = default;
};

Affine compose(const Affine& one, const Affine& two) {
    const auto unsigned_of = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
    return {
        static_cast<std::int64_t>(unsigned_of(one.scale) * unsigned_of(two.scale)),
        static_cast<std::int64_t>(unsigned_of(two.scale) * unsigned_of(one.shift) + unsigned_of(two.shift)),
        one.count + two.count};
}

void compose_all(const void* in, void* inout, std::size_t n, void* user) {
    const auto* const left = static_cast<const Affine*>(in);
    auto* const right = static_cast<Affine*>(inout);
    for (std::size_t i = 0; i < n; ++i) {
        right[i] = compose(left[i], right[i]);
    }
    static_cast<std::atomic<std::size_t>*>(user)->fetch_add(n);
}

TEST_CASE("an algorithm that does not keep rank order serves an operator only if that commutes") {
    for (const int commutative : {0, 1}) {
        std::atomic<std::size_t> combined{0};
        tutti_op op = 0;
        REQUIRE(tutti_op_create(compose_all, &combined, commutative, &op) == TUTTI_OK);
        const tutti_status status = test::run_team(5, [&](tutti_caller me) {
            tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
            options.algorithm = "circulant";
            std::vector<Affine> in(50, Affine{1, me.rank, 1}), out(50);
            const tutti_status made = tutti_allreduce(tutti_with_options(me, &options), in.data(), out.data(),
                                                      50, tutti_type_of_size(sizeof(Affine)), op);
            CHECK((made != TUTTI_OK || out[49] == Affine{1, 10, 5}));
            return made;
        });
        CHECK(status == (commutative != 0 ? TUTTI_OK : TUTTI_ARGUMENT_ERROR));
        ok(tutti_op_free(op));
    }
}

TEST_CASE("one output that all members share") {
    for (const int members : {1, 2, 3, 5, 8}) {
        const auto p = static_cast<std::size_t>(members);
        std::vector<double> total(1000), all(p * 10), blocks(p * (p + 1) / 2);
        std::atomic<int> wrong{0};
        const Meeting meeting(members);
        const tutti_status status = test::run_team(members, [&](tutti_caller me) {
            const auto r = static_cast<std::size_t>(me.rank);
            const std::vector<double> in(1000, me.rank + 1);
            std::vector<std::size_t> counts;
            for (std::size_t i = 0; i < p; ++i) {
                counts.push_back(i + 1);
            }
            tutti_request request = TUTTI_REQUEST_NULL;
            for (const bool arrives : {false, true}) {
                const auto caller = [&] {
                    return tutti_shared_output(arrives ? tutti_async_rank(meeting.get(), me.rank, &request)
                                                       : me);
                };
                const auto expect = [&](tutti_status got) { wrong += got == TUTTI_OK ? 0 : 1; };
                expect(tutti_allreduce(caller(), in.data(), total.data(), 1000, TUTTI_DOUBLE, TUTTI_SUM));
                expect(tutti_wait(&request));
                expect(tutti_allgather(caller(), in.data(), all.data(), 10, TUTTI_DOUBLE));
                expect(tutti_wait(&request));
                expect(tutti_allgatherv(caller(), in.data(), counts[r], blocks.data(), counts.data(), nullptr,
                                        TUTTI_DOUBLE));
                expect(tutti_wait(&request));
                wrong += total[999] == members * (members + 1) / 2.0 ? 0 : 1;
                wrong += all.back() == members && blocks.back() == members && blocks[0] == 1 ? 0 : 1;
                expect(tutti_barrier(me));
            }
            return int{TUTTI_OK};
        });
        CHECK(status == TUTTI_OK);
        CHECK(wrong == 0);
    }
}

TEST_CASE("members that call from C and from C++ are in the same calls") {
    Team team(5, {.placement = "none"});
    std::atomic<int> wrong{0};
    team.run([&](Member& me) {
        const std::vector<std::size_t> counts = {1, 2, 3, 4, 5};
        const auto rank = static_cast<std::size_t>(me.rank());
        std::vector<double> in(600, me.rank()), out(600), all(15);
        int one = me.rank(), total = 0;
        if (me.rank() % 2 == 0) {
            me.allreduce(in, out, sum);
            me.allreduce(one, total, max);
            me.allgather(std::span(in).first(counts[rank]), all, Counts(counts));
            me.gather(std::span(in).first(counts[rank]), all, Counts(counts), 2);
            me.start.scan(in, out, sum).wait();
            me.barrier();
        } else {
            test::MemberFunction part = [&](tutti_caller c) {
                wrong += &tutti::c::member_of(c) == &me ? 0 : 1;
                tutti_request request = TUTTI_REQUEST_NULL;
                tutti_allreduce(c, in.data(), out.data(), in.size(), TUTTI_DOUBLE, TUTTI_SUM);
                tutti_allreduce(c, &one, &total, 1, TUTTI_INT, TUTTI_MAX);
                tutti_allgatherv(c, in.data(), counts[rank], all.data(), counts.data(), nullptr,
                                 TUTTI_DOUBLE);
                tutti_gatherv(c, in.data(), counts[rank], nullptr, nullptr, nullptr, TUTTI_DOUBLE, 2);
                tutti_scan(tutti_nonblocking(c, &request), in.data(), out.data(), in.size(), TUTTI_DOUBLE,
                           TUTTI_SUM);
                tutti_wait(&request);
                return tutti_barrier(c);
            };
            tutti::c::call_as_member(me, test::call_part, &part);
        }
        wrong += total == 4 && all[14] == 4 && out[599] == me.rank() * (me.rank() + 1) / 2.0 ? 0 : 1;
    });
    CHECK(wrong == 0);
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
    const double expected = Reproducible<double>().add(x).value();
    for (const int members : {1, 2, 5}) {
        on_team(members, [&](tutti_caller me) {
            const auto begin =
                x.size() * static_cast<std::size_t>(me.rank) / static_cast<std::size_t>(me.size);
            const auto end =
                x.size() * static_cast<std::size_t>(me.rank + 1) / static_cast<std::size_t>(me.size);
            double sum = 0;
            ok(tutti_reproducible_sum(me, &x[begin], end - begin, TUTTI_DOUBLE, &sum));
            CHECK(sum == expected);
            ok(tutti_reproducible_dot(me, &x[begin], &x[begin], end - begin, TUTTI_DOUBLE, &sum));
            CHECK(sum == squares.value());
            ok(tutti_reproducible_norm2(me, &x[begin], end - begin, TUTTI_DOUBLE, &sum));
            CHECK(sum == std::sqrt(squares.value()));
            float float_sum = 0;
            ok(tutti_reproducible_sum(me, &f[begin], end - begin, TUTTI_FLOAT, &float_sum));
            CHECK(float_sum == Reproducible<float>().add(f).value());
            ok(tutti_reproducible_sum(me, nullptr, 0, TUTTI_FLOAT, &float_sum));
            CHECK(float_sum == 0.0F);
        });
    }
}

TEST_CASE("wrong arguments of reproducible sums are named") {
    Joined alone;
    const double x = 1;
    double sum = 0;
    refused(tutti_reproducible_sum(alone.me, &x, 1, TUTTI_INT, &sum),
            "reproducible_sum: `type` must be TUTTI_DOUBLE or TUTTI_FLOAT");
    refused(tutti_reproducible_sum(alone.me, &x, 1, TUTTI_DOUBLE, nullptr),
            "reproducible_sum: `result` is a null pointer");
    refused(tutti_reproducible_sum(alone.me, nullptr, 1, TUTTI_DOUBLE, &sum),
            "reproducible_sum: `terms` is a null pointer");
    refused(tutti_reproducible_dot(alone.me, &x, nullptr, 1, TUTTI_DOUBLE, &sum),
            "reproducible_dot: `b` is a null pointer");
    refused(tutti_reproducible_norm2(alone.me, nullptr, 1, TUTTI_DOUBLE, &sum),
            "reproducible_norm2: `x` is a null pointer");
    tutti_request request = none();
    refused(tutti_reproducible_sum(tutti_nonblocking(alone.me, &request), &x, 1, TUTTI_DOUBLE, &sum),
            "reproducible_sum");
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
    for (int repetition = 0; repetition < 4; ++repetition) {
        const std::vector<Named> graph = random_graph(members, engine);
        on_team(members, [&](tutti_caller me) {
            const Named& named = graph[static_cast<std::size_t>(me.rank)];
            Made made;
            REQUIRE(tutti_neighbors_create(me, named.sources.data(), named.sources.size(),
                                           named.destinations.data(), named.destinations.size(),
                                           &made.handle) == TUTTI_OK);
            CHECK(std::ranges::equal(sources(made), named.sources));
            CHECK(std::ranges::equal(destinations(made), named.destinations));
            const auto call = [&](tutti_caller caller, Exchange<int>& own) {
                ok(tutti_neighbor_alltoallv(caller, made.handle, own.in.data(), own.send_counts.data(),
                                            own.send_places.data(), own.out.data(), own.recv_counts.data(),
                                            own.recv_places.data(), TUTTI_INT));
            };
            Exchange<int> blocking(graph, me.rank), started = blocking, prepared = blocking;
            tutti_request request = TUTTI_REQUEST_NULL, again = TUTTI_REQUEST_NULL;
            call(me, blocking);
            call(tutti_nonblocking(me, &request), started);
            call(tutti_persistent(me, &again), prepared);
            // The calls keep what they need.
            ok(tutti_neighbors_free(made.handle));
            made.handle = nullptr;
            ok(tutti_wait(&request));
            for (int i = 0; i < 2; ++i) {
                ok(tutti_start(&again));
                ok(tutti_wait(&again));
            }
            ok(tutti_request_free(&again));
            for (const Exchange<int>* own : {&blocking, &started, &prepared}) {
                CHECK(own->out == own->expected);
            }
            ok(tutti_barrier(me));
        });
    }
}

TEST_CASE("neighbours from C: a grid, and blocks of one length") {
    on_team(6, [](tutti_caller me) {
        const int dims[] = {2, 3}, wraps[] = {1, 0};
        Made grid;
        REQUIRE(tutti_neighbors_grid(me, dims, wraps, 2, &grid.handle) == TUTTI_OK);
        const int y = me.rank % 3;
        const int across = (me.rank + 3) % 6;
        const std::array wanted{across, across, y > 0 ? me.rank - 1 : TUTTI_NEIGHBOR_NONE,
                                y < 2 ? me.rank + 1 : TUTTI_NEIGHBOR_NONE};
        CHECK(std::ranges::equal(sources(grid), wanted));
        CHECK(std::ranges::equal(destinations(grid), wanted));
        std::array<std::array<int, 2>, 4> in{}, out{};
        for (int block = 0; block < 4; ++block) {
            in[static_cast<std::size_t>(block)] = {me.rank, block};
            out[static_cast<std::size_t>(block)] = {-1, -1};
        }
        ok(tutti_neighbor_alltoall(me, grid.handle, &in, &out, 2, TUTTI_INT));
        for (int block = 0; block < 4; ++block) {
            const auto i = static_cast<std::size_t>(block);
            CHECK(out[i] == (wanted[i] < 0 ? std::array{-1, -1} : std::array{wanted[i], block ^ 1}));
        }
        ok(tutti_barrier(me));
    });
}

TEST_CASE("neighbours from C: wrong arguments of what makes them are named") {
    Alone alone;
    const tutti_caller me = alone.me;
    const int one = 1, two[] = {1, 2};
    Made made;
    refused(tutti_neighbors_create(me, nullptr, 1, nullptr, 0, &made.handle),
            "neighbors: `sources` is a null pointer");
    refused(tutti_neighbors_create(me, nullptr, 0, nullptr, 1, &made.handle),
            "neighbors: `destinations` is a null pointer");
    refused(tutti_neighbors_create(me, nullptr, 0, nullptr, 0, nullptr),
            "neighbors: `neighbors` is a null pointer");
    refused(tutti_neighbors_create(me, &one, 1, nullptr, 0, &made.handle), "has 1 in `sources`");
    refused(tutti_neighbors_grid(me, nullptr, &one, 1, &made.handle), "grid: `dims` is a null pointer");
    refused(tutti_neighbors_grid(me, &one, nullptr, 1, &made.handle), "grid: `wraps` is a null pointer");
    refused(tutti_neighbors_grid(me, two, two, 2, &made.handle), "grid: `dims` is 1 x 2: the product");
    tutti_request request = TUTTI_REQUEST_NULL;
    refused(tutti_neighbors_grid(tutti_nonblocking(me, &request), &one, &one, 1, &made.handle),
            "grid: `me` must be the caller that tutti_join() made");
    CHECK(made.handle == nullptr);
    const int* ranks = nullptr;
    std::size_t n = 0;
    refused(tutti_neighbors_sources(nullptr, &ranks, &n), "`neighbors` is a null pointer");
    refused(tutti_neighbors_sources(alone.loop.handle, nullptr, &n), "`ranks` is a null pointer");
    refused(tutti_neighbors_destinations(alone.loop.handle, &ranks, nullptr), "`n` is a null pointer");
}

TEST_CASE("neighbours from C: wrong arguments of the exchange are named") {
    Alone alone;
    const tutti_caller me = alone.me;
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
    refused(tutti_neighbor_alltoall(me, loop, nullptr, out.data(), 1, TUTTI_INT),
            "neighbor_alltoall: `in` is a null pointer");
    refused(tutti_neighbor_alltoall(me, loop, TUTTI_IN_PLACE, out.data(), 1, TUTTI_INT),
            "neighbor_alltoall: `in` is TUTTI_IN_PLACE");
    refused(tutti_neighbor_alltoall(me, loop, in.data(), out.data(), SIZE_MAX, TUTTI_INT),
            "neighbor_alltoall: a vector would be longer than memory");
    refused(exchange(nullptr, counts), "neighbor_alltoallv: `send_counts` is a null pointer");
    refused(exchange(counts, nullptr), "neighbor_alltoallv: `recv_counts` is a null pointer");
    refused(exchange(counts, others), "block 1 of `in` has 2 elements, but block 0 of `out` has 1");
    tutti_async_group* ranks = nullptr;
    REQUIRE(tutti_async_group_create(1, nullptr, &ranks) == TUTTI_OK);
    tutti_request request = TUTTI_REQUEST_NULL;
    refused(tutti_neighbor_alltoall(tutti_async_rank(ranks, 0, &request), loop, in.data(), out.data(), 1,
                                    TUTTI_INT),
            "neighbor_alltoall: is for members of a Team or Group");
    ok(tutti_async_group_free(ranks));

    Joined pair(2);
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

TEST_CASE("neighbours from C: lengths that differ are a mismatch") {
    std::array<tutti_status, 2> statuses{};
    run_team(2, [&](tutti_caller me) {
        const int two = 2, yes = 1;
        Made ring;
        REQUIRE(tutti_neighbors_grid(me, &two, &yes, 1, &ring.handle) == TUTTI_OK);
        const std::array in{1, 2, 3, 4};
        std::array out{0, 0, 0, 0};
        const std::size_t sent[] = {1, 2}, received[] = {me.rank == 0 ? 2U : 1U, 1};
        const tutti_status status = tutti_neighbor_alltoallv(me, ring.handle, in.data(), sent, nullptr,
                                                             out.data(), received, nullptr, TUTTI_INT);
        if (status == TUTTI_MISMATCH_ERROR) {
            CHECK_MESSAGE(mentions(tutti_error_text(), "recv_counts[0] of member 1 is 1, but "),
                          std::string(tutti_error_text()));
        }
        statuses[static_cast<std::size_t>(me.rank)] = status;
        return status;
    });
    CHECK(statuses == std::array<tutti_status, 2>{TUTTI_ABORTED, TUTTI_MISMATCH_ERROR});
}

} // namespace
