// The exchange among neighbours.

#include "support.hpp"
#include "tests/reference/graphs.hpp"

using namespace tutti::test;

namespace {

/// What frees its neighbours.
struct Made {
    Made() = default;
    ~Made() { CHECK(tutti_neighbors_free(handle) == TUTTI_OK); }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    tutti_neighbors* handle = nullptr;
};

std::span<const int> sources(const Made& of) {
    const int* ranks = nullptr;
    std::size_t n = 0;
    CHECK(tutti_neighbors_sources(of.handle, &ranks, &n) == TUTTI_OK);
    return {ranks, n};
}

std::span<const int> destinations(const Made& of) {
    const int* ranks = nullptr;
    std::size_t n = 0;
    CHECK(tutti_neighbors_destinations(of.handle, &ranks, &n) == TUTTI_OK);
    return {ranks, n};
}

/// A member that is its own neighbour on both sides.
struct Alone : Joined {
    Alone() {
        const int one = 1;
        CHECK(tutti_neighbors_grid(me, &one, &one, 1, &loop.handle) == TUTTI_OK);
    }
    Made loop;
};

} // namespace

TEST_CASE("neighbours from C: any graph, in every way of calling") {
    constexpr int members = 4;
    std::mt19937 engine(1);
    for (int repetition = 0; repetition < 4; ++repetition) {
        const std::vector<Named> graph = random_graph(members, engine);
        CHECK(run_team(members, [&](tutti_caller me) {
                  const Named& named = graph[static_cast<std::size_t>(me.rank)];
                  Made made;
                  REQUIRE(tutti_neighbors_create(me, named.sources.data(), named.sources.size(),
                                                 named.destinations.data(), named.destinations.size(),
                                                 &made.handle) == TUTTI_OK);
                  CHECK(std::ranges::equal(sources(made), named.sources));
                  CHECK(std::ranges::equal(destinations(made), named.destinations));
                  const auto call = [&](tutti_caller caller, Exchange<int>& own) {
                      CHECK(tutti_neighbor_alltoallv(caller, made.handle, own.in.data(),
                                                     own.send_counts.data(), own.send_places.data(),
                                                     own.out.data(), own.recv_counts.data(),
                                                     own.recv_places.data(), TUTTI_INT) == TUTTI_OK);
                  };
                  Exchange<int> blocking(graph, me.rank), started = blocking, prepared = blocking;
                  tutti_request request = TUTTI_REQUEST_NULL, again = TUTTI_REQUEST_NULL;
                  call(me, blocking);
                  call(tutti_nonblocking(me, &request), started);
                  call(tutti_persistent(me, &again), prepared);
                  // The calls keep what they need.
                  CHECK(tutti_neighbors_free(made.handle) == TUTTI_OK);
                  made.handle = nullptr;
                  CHECK(tutti_wait(&request) == TUTTI_OK);
                  for (int i = 0; i < 2; ++i) {
                      CHECK(tutti_start(&again) == TUTTI_OK);
                      CHECK(tutti_wait(&again) == TUTTI_OK);
                  }
                  CHECK(tutti_request_free(&again) == TUTTI_OK);
                  for (const Exchange<int>* own : {&blocking, &started, &prepared}) {
                      CHECK(own->out == own->expected);
                  }
                  return tutti_barrier(me);
              }) == TUTTI_OK);
    }
}

TEST_CASE("neighbours from C: a grid, and blocks of one length") {
    CHECK(run_team(6, [](tutti_caller me) {
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
              CHECK(tutti_neighbor_alltoall(me, grid.handle, &in, &out, 2, TUTTI_INT) == TUTTI_OK);
              for (int block = 0; block < 4; ++block) {
                  const auto i = static_cast<std::size_t>(block);
                  CHECK(out[i] == (wanted[i] < 0 ? std::array{-1, -1} : std::array{wanted[i], block ^ 1}));
              }
              return tutti_barrier(me);
          }) == TUTTI_OK);
}

TEST_CASE("neighbours from C: wrong arguments of what makes them are named") {
    Alone alone;
    const tutti_caller me = alone.me;
    const int one = 1, two[] = {1, 2};
    Made made;
    check_refused(tutti_neighbors_create(me, nullptr, 1, nullptr, 0, &made.handle),
                  "neighbors: `sources` is a null pointer");
    check_refused(tutti_neighbors_create(me, nullptr, 0, nullptr, 1, &made.handle),
                  "neighbors: `destinations` is a null pointer");
    check_refused(tutti_neighbors_create(me, nullptr, 0, nullptr, 0, nullptr),
                  "neighbors: `neighbors` is a null pointer");
    check_refused(tutti_neighbors_create(me, &one, 1, nullptr, 0, &made.handle), "has 1 in `sources`");
    check_refused(tutti_neighbors_grid(me, nullptr, &one, 1, &made.handle), "grid: `dims` is a null pointer");
    check_refused(tutti_neighbors_grid(me, &one, nullptr, 1, &made.handle),
                  "grid: `wraps` is a null pointer");
    check_refused(tutti_neighbors_grid(me, two, two, 2, &made.handle), "grid: `dims` is 1 x 2: the product");
    tutti_request request = TUTTI_REQUEST_NULL;
    check_refused(tutti_neighbors_grid(tutti_nonblocking(me, &request), &one, &one, 1, &made.handle),
                  "grid: `me` must be the caller that tutti_join() made");
    CHECK(made.handle == nullptr);
    const int* ranks = nullptr;
    std::size_t n = 0;
    check_refused(tutti_neighbors_sources(nullptr, &ranks, &n), "`neighbors` is a null pointer");
    check_refused(tutti_neighbors_sources(alone.loop.handle, nullptr, &n), "`ranks` is a null pointer");
    check_refused(tutti_neighbors_destinations(alone.loop.handle, &ranks, nullptr), "`n` is a null pointer");
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
    check_refused(tutti_neighbor_alltoall(me, nullptr, in.data(), out.data(), 1, TUTTI_INT),
                  "neighbor_alltoall: `neighbors` is a null pointer");
    check_refused(tutti_neighbor_alltoall(me, loop, nullptr, out.data(), 1, TUTTI_INT),
                  "neighbor_alltoall: `in` is a null pointer");
    check_refused(tutti_neighbor_alltoall(me, loop, TUTTI_IN_PLACE, out.data(), 1, TUTTI_INT),
                  "neighbor_alltoall: `in` is TUTTI_IN_PLACE");
    check_refused(tutti_neighbor_alltoall(me, loop, in.data(), out.data(), SIZE_MAX, TUTTI_INT),
                  "neighbor_alltoall: a vector would be longer than memory");
    check_refused(exchange(nullptr, counts), "neighbor_alltoallv: `send_counts` is a null pointer");
    check_refused(exchange(counts, nullptr), "neighbor_alltoallv: `recv_counts` is a null pointer");
    check_refused(exchange(counts, others), "block 1 of `in` has 2 elements, but block 0 of `out` has 1");
    tutti_async_group* ranks = nullptr;
    REQUIRE(tutti_async_group_create(1, nullptr, &ranks) == TUTTI_OK);
    tutti_request request = TUTTI_REQUEST_NULL;
    check_refused(tutti_neighbor_alltoall(tutti_async_rank(ranks, 0, &request), loop, in.data(), out.data(),
                                          1, TUTTI_INT),
                  "neighbor_alltoall: is for members of a Team or Group");
    CHECK(tutti_async_group_free(ranks) == TUTTI_OK);

    Joined pair(2);
    check_refused(tutti_neighbor_alltoall(pair.me, loop, in.data(), out.data(), 1, TUTTI_INT),
                  "`neighbors` belongs to rank 0 of 1 members, this is rank 0 of 2");
    CHECK(out == std::array{-1, -1, -1});
    CHECK(tutti_neighbor_alltoall(me, loop, in.data(), out.data(), 1, TUTTI_INT) == TUTTI_OK);
    CHECK(out == std::array{2, 1, -1});

    CHECK(tutti_neighbors_free(loop) == TUTTI_OK);
    check_refused(tutti_neighbors_free(loop), "neighbors_free: `neighbors` has been freed");
    check_refused(tutti_neighbor_alltoall(me, loop, in.data(), out.data(), 1, TUTTI_INT),
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
