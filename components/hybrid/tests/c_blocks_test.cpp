// The exchange among neighbours from C, for members of clusters.

#include "callers.hpp"
#include "tests/reference/graphs.hpp"

#include <functional>
#include <random>
#include <vector>

namespace tutti::test {

namespace {

/// Runs `body` on the threads of a team.
void run_cluster(MPI_Comm communicator, std::function<tutti_status(tutti_caller)> body) {
    const auto call = [](tutti_caller me, void* user) {
        return (*static_cast<std::function<tutti_status(tutti_caller)>*>(user))(me);
    };
    CHECK(tutti_cluster_run(Runnable(communicator).cluster, call, &body) == TUTTI_OK);
}

tutti_status exchange(tutti_caller me) {
    std::mt19937 engine(static_cast<unsigned>(me.size)); // the same on all members
    const std::vector<Named> graph = random_graph(me.size, engine);
    const Named& named = graph[static_cast<std::size_t>(me.rank)];
    tutti_neighbors* made = nullptr;
    REQUIRE(tutti_neighbors_create(me, named.sources.data(), named.sources.size(), named.destinations.data(),
                                   named.destinations.size(), &made) == TUTTI_OK);
    const auto call = [&](tutti_caller caller, Exchange<int>& own) {
        CHECK(tutti_neighbor_alltoallv(caller, made, own.in.data(), own.send_counts.data(),
                                       own.send_places.data(), own.out.data(), own.recv_counts.data(),
                                       own.recv_places.data(), TUTTI_INT) == TUTTI_OK);
    };
    Exchange<int> blocking(graph, me.rank, 100), repeated = blocking, started = blocking, prepared = blocking;
    tutti_request request = TUTTI_REQUEST_NULL, again = TUTTI_REQUEST_NULL;
    call(me, blocking);
    call(me, repeated);
    call(tutti_nonblocking(me, &request), started);
    call(tutti_persistent(me, &again), prepared);
    CHECK(tutti_neighbors_free(made) == TUTTI_OK); // the calls keep what they need
    CHECK(tutti_wait(&request) == TUTTI_OK);
    CHECK(tutti_start(&again) == TUTTI_OK);
    CHECK(tutti_wait(&again) == TUTTI_OK);
    CHECK(tutti_request_free(&again) == TUTTI_OK);
    for (const Exchange<int>* own : {&blocking, &repeated, &started, &prepared}) {
        CHECK(own->out == own->expected);
    }
    return TUTTI_OK;
}

tutti_status exchange_in_ring(tutti_caller me) {
    const int yes = 1, wrong = me.size + 1;
    const int before = (me.rank + me.size - 1) % me.size, after = (me.rank + 1) % me.size;
    const int in[] = {2 * me.rank, 2 * me.rank + 1};
    int out[] = {-1, -1};
    tutti_neighbors* ring = nullptr;
    check_refused(tutti_neighbors_grid(me, &wrong, &yes, 1, &ring), "grid: `dims` is");
    REQUIRE(tutti_neighbors_grid(me, &me.size, &yes, 1, &ring) == TUTTI_OK);
    CHECK(tutti_neighbor_alltoall(me, ring, in, out, 1, TUTTI_INT) == TUTTI_OK);
    CHECK(out[0] == 2 * before + 1);
    CHECK(out[1] == 2 * after);
    CHECK(tutti_neighbors_free(ring) == TUTTI_OK);
    check_refused(tutti_neighbor_alltoall(me, ring, in, out, 1, TUTTI_INT), "`neighbors` has been freed");
    return TUTTI_OK;
}

} // namespace

TEST_CASE("clusters from C: neighbours in any graph, and in a ring") {
    for (const int processes : {1, 2, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            run_cluster(part, exchange);
            run_cluster(part, exchange_in_ring);
        });
    }
}

} // namespace tutti::test
