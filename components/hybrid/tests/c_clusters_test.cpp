// Clusters from C: what components/c/tests shows of members of groups, for members of clusters.

#include "exam.hpp"
#include "tests/reference/graphs.hpp"

namespace tutti::test {

namespace {

/// The status of a call of each member of this process, and its text.
struct Returned {
    tutti_status status = TUTTI_OK;
    std::string text;
};
std::vector<Returned> returned_by(MPI_Comm part, const tutti_cluster_options* options,
                                  const std::function<tutti_status(tutti_member, int local)>& call) {
    std::vector<Returned> told(static_cast<std::size_t>(members_here()));
    on_c_members(part, options, [&](tutti_member me) {
        const int local = me.rank - process_of_world() * members_here();
        const tutti_status status = call(me, local);
        told[static_cast<std::size_t>(local)] = {status, status == TUTTI_OK ? "" : tutti_error_text()};
    });
    return told;
}

int sum_of_ones(tutti_member of) {
    int one = 1, sum = 0;
    CHECK(tutti_allreduce(of, &one, &sum, 1, TUTTI_INT, TUTTI_SUM) == TUTTI_OK);
    return sum;
}

void exchange(tutti_member me) {
    std::mt19937 engine(static_cast<unsigned>(me.size)); // the same on all members
    const std::vector<Named> graph = random_graph(me.size, engine);
    const auto& [sources, destinations] = graph[static_cast<std::size_t>(me.rank)];
    tutti_neighbors* made = nullptr;
    REQUIRE(tutti_neighbors_create(me, sources.data(), sources.size(), destinations.data(),
                                   destinations.size(), &made) == TUTTI_OK);
    for (const KindC manner : {KindC::blocking, KindC::nonblocking, KindC::persistent}) {
        Exchange<int> own(graph, me.rank, 100);
        tutti_request request = TUTTI_REQUEST_NULL;
        const tutti_member by = manner == KindC::blocking      ? me
                                : manner == KindC::nonblocking ? tutti_nonblocking(me, &request)
                                                               : tutti_persistent(me, &request);
        CHECK(tutti_neighbor_alltoallv(by, made, own.in.data(), own.send_counts.data(),
                                       own.send_places.data(), own.out.data(), own.recv_counts.data(),
                                       own.recv_places.data(), TUTTI_INT) == TUTTI_OK);
        if (manner == KindC::persistent) {
            CHECK(tutti_neighbors_free(made) == TUTTI_OK); // the call keeps what it needs
            CHECK(tutti_start(&request) == TUTTI_OK);
        }
        CHECK(tutti_wait(&request) == TUTTI_OK);
        CHECK(own.out == own.expected);
        CHECK(tutti_request_free(&request) == TUTTI_OK);
    }
}

void exchange_in_ring(tutti_member me) {
    const int yes = 1;
    const int before = (me.rank + me.size - 1) % me.size, after = (me.rank + 1) % me.size;
    const int in[] = {2 * me.rank, 2 * me.rank + 1};
    int out[] = {-1, -1};
    tutti_neighbors* ring = nullptr;
    REQUIRE(tutti_neighbors_grid(me, &me.size, &yes, 1, &ring) == TUTTI_OK);
    CHECK(tutti_neighbor_alltoall(me, ring, in, out, 1, TUTTI_INT) == TUTTI_OK);
    CHECK((out[0] == 2 * before + 1 && out[1] == 2 * after));
    CHECK(tutti_neighbors_free(ring) == TUTTI_OK);
}

} // namespace

TEST_CASE("clusters from C: all collectives") {
    for (const int processes : {1, 2, 3}) {
        on_c_members_of(processes, [&](tutti_member me) {
            CHECK(me.size == processes * members_here());
            for (const std::size_t count : {0U, 1U, 300U}) {
                for (const KindC manner : {KindC::blocking, KindC::nonblocking, KindC::persistent}) {
                    examine(*alone(me, manner), count);
                }
            }
            exchange(me);
            exchange_in_ring(me);
        });
    }
}

TEST_CASE("clusters from C: one result per process") {
    on_processes(2, [](MPI_Comm part) {
        std::vector<double> shared(1000);
        on_c_members(part, nullptr, [&](tutti_member me) {
            const std::vector<double> in(shared.size(), me.rank + 1);
            CHECK(tutti_allreduce(tutti_shared_output(me), in.data(), shared.data(), in.size(), TUTTI_DOUBLE,
                                  TUTTI_SUM) == TUTTI_OK);
            CHECK(shared.back() == me.size * (me.size + 1) / 2.0);
        });
    });
}

TEST_CASE("clusters from C: options of a call, and reproducible sums") {
    on_c_members_of(2, [](tutti_member me) {
        tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
        const double mine = 0.1 * (me.rank + 1);
        double from_left = 0.1;
        for (int rank = 1; rank < me.size; ++rank) {
            from_left += 0.1 * (rank + 1);
        }
        double all = 0;
        options.order = TUTTI_ORDER_SERIAL;
        CHECK(tutti_allreduce(tutti_with_options(me, &options), &mine, &all, 1, TUTTI_DOUBLE, TUTTI_SUM) ==
              TUTTI_OK);
        CHECK(all == from_left);
        options.order = TUTTI_ORDER_CANONICAL;
        options.algorithm = "circulant";
        CHECK(tutti_allreduce(tutti_with_options(me, &options), &mine, &all, 1, TUTTI_DOUBLE, TUTTI_MAX) ==
              TUTTI_OK);
        CHECK(all == 0.1 * me.size);
        options.algorithm = "direct";
        check_refused(tutti_barrier(tutti_with_options(me, &options)), "direct");

        const std::array<double, 3> terms{1e9, me.rank + 1.0, -1e9};
        CHECK(tutti_reproducible_sum(me, terms.data(), 3, TUTTI_DOUBLE, &all) == TUTTI_OK);
        CHECK(all == me.size * (me.size + 1) / 2);
        CHECK(tutti_reproducible_dot(me, &terms[1], &terms[1], 1, TUTTI_DOUBLE, &all) == TUTTI_OK);
        CHECK(all == me.size * (me.size + 1) * (2 * me.size + 1) / 6);
        const double three = 3;
        CHECK(tutti_reproducible_norm2(me, &three, 1, TUTTI_DOUBLE, &all) == TUTTI_OK);
        CHECK(all == std::sqrt(9.0 * me.size));
    });
}

TEST_CASE("clusters from C: threads of a team") {
    on_processes(2, [](MPI_Comm part) {
        tutti_team_options options = TUTTI_TEAM_OPTIONS_INIT;
        options.placement = "none";
        options.caller_is_member = 1;
        tutti_team* team = nullptr;
        tutti_cluster* cluster = nullptr;
        REQUIRE(tutti_team_create(members_here(), &options, &team) == TUTTI_OK);
        REQUIRE(tutti_cluster_create_for_team(team, part, nullptr, &cluster) == TUTTI_OK);
        int size = 0, first = -1;
        CHECK(tutti_cluster_size(cluster, &size) == TUTTI_OK);
        CHECK(tutti_cluster_first_rank(cluster, &first) == TUTTI_OK);
        CHECK(size == 2 * members_here());
        CHECK(first == process_of_world() * members_here());
        const auto add = [](tutti_member me, void* /*user*/) {
            int one = 1;
            const tutti_status status = tutti_allreduce(me, TUTTI_IN_PLACE, &one, 1, TUTTI_INT, TUTTI_SUM);
            check_refused(tutti_leave(me), "`me` leaves when its member function returns");
            return one == me.size ? status : 1000;
        };
        CHECK(tutti_cluster_run(cluster, add, nullptr) == TUTTI_OK);
        tutti_member me;
        check_refused(tutti_cluster_join(cluster, 0, &me), "is made from a Team");
        const auto fail = [](tutti_member by, void* /*user*/) {
            return by.rank == 0 ? 123 : tutti_barrier(by);
        };
        CHECK(tutti_cluster_run(cluster, fail, nullptr) == (first == 0 ? 123 : int{TUTTI_ABORTED}));
        CHECK(tutti_cluster_free(cluster) == TUTTI_OK);
        CHECK(tutti_team_free(team) == TUTTI_OK);
    });
}

TEST_CASE("clusters from C: threads that run functions as members") {
    on_processes(2, [](MPI_Comm part) {
        tutti_group* group = nullptr;
        tutti_cluster* cluster = nullptr;
        REQUIRE(tutti_group_create(members_here(), nullptr, &group) == TUTTI_OK);
        REQUIRE(tutti_cluster_create(group, part, nullptr, &cluster) == TUTTI_OK);
        const auto fail = [](tutti_member me, void* /*user*/) {
            return me.rank == 1 ? 77 : tutti_barrier(me);
        };
        on_ranks(members_here(), [&](int rank) {
            const bool fails = process_of_world() * members_here() + rank == 1;
            CHECK(tutti_cluster_run_member(cluster, rank, fail, nullptr) ==
                  (fails ? 77 : int{TUTTI_ABORTED}));
        });
        CHECK(tutti_cluster_free(cluster) == TUTTI_OK);
        CHECK(tutti_group_free(group) == TUTTI_OK);
    });
}

TEST_CASE("clusters from C: calls that are only for members of groups are refused, and have no effect") {
    on_c_members_of(2, [](tutti_member me) {
        tutti_member made{};
        int number = 0;
        for (const tutti_status status : {tutti_split_by_level(me, TUTTI_LEVEL_L3, &made),
                                          tutti_among(me, 1, 0, 1, &made), tutti_cpu(me, &number)}) {
            check_refused(status, "only for the members of a group");
        }
        CHECK(made.size == 0);
        CHECK(tutti_barrier(me) == TUTTI_OK);
    });
}

TEST_CASE("clusters from C: parts") {
    on_c_members_of(2, [](tutti_member me) {
        tutti_member part{}, first{}, copy{}, none{};
        REQUIRE(tutti_split(me, process_of_world(), -me.rank, &part) == TUTTI_OK);
        CHECK(part.size == members_here());
        CHECK(part.rank == members_here() - 1 - me.rank % members_here());
        CHECK(sum_of_ones(part) == part.size);
        const std::array<int, 2> leaders{0, members_here()};
        REQUIRE(tutti_subset(me, leaders.data(), leaders.size(), &first) == TUTTI_OK);
        CHECK((first.size == 2) == (me.rank % members_here() == 0));
        if (first.size != 0) {
            CHECK(sum_of_ones(first) == 2);
        }
        REQUIRE(tutti_dup(me, &copy) == TUTTI_OK);
        CHECK(copy.rank == me.rank);
        CHECK(sum_of_ones(copy) == me.size);
        REQUIRE(tutti_split(me, -1, 0, &none) == TUTTI_OK);
        CHECK(none.size == 0);
        const int wrong = me.size;
        check_refused(tutti_subset(me, &wrong, 1, &none), "`ranks` has");
        for (const tutti_member made : {part, first, copy, none}) {
            CHECK(tutti_leave(made) == (made.size != 0 ? TUTTI_OK : TUTTI_ARGUMENT_ERROR));
        }
    });
}

TEST_CASE("clusters from C: wrong use") {
    on_processes(1, [](MPI_Comm part) {
        tutti_group* group = nullptr;
        tutti_cluster* cluster = nullptr;
        tutti_member me, other;
        char text[10];
        std::size_t length = 0;
        REQUIRE(tutti_group_create(1, nullptr, &group) == TUTTI_OK);
        check_refused(tutti_cluster_create(group, MPI_COMM_NULL, nullptr, &cluster), "communicator");
        CHECK(cluster == nullptr);
        check_refused(tutti_cluster_create(nullptr, part, nullptr, &cluster), "`group` is a null pointer");
        check_refused(tutti_cluster_create(group, part, nullptr, nullptr), "`cluster` is a null pointer");
        check_refused(tutti_cluster_join(nullptr, 0, &me), "`cluster` is a null pointer");
        REQUIRE(tutti_cluster_create(group, part, nullptr, &cluster) == TUTTI_OK);
        check_refused(tutti_cluster_join(cluster, 0, nullptr), "`me` is a null pointer");
        check_refused(tutti_cluster_join(cluster, 1, &me), "rank is 1");
        check_refused(tutti_cluster_join(cluster, -1, &me), "rank is -1");
        CHECK(me.size == 0);
        REQUIRE(tutti_cluster_join(cluster, 0, &me) == TUTTI_OK);
        check_refused(tutti_cluster_join(cluster, 0, &other), "joined");
        check_refused(tutti_cluster_run(
                          cluster, [](tutti_member, void*) { return 0; }, nullptr),
                      "is made from a Group");
        CHECK(tutti_cluster_roll_call(cluster, TUTTI_ROLL_CALL_TEXT, text, sizeof text, &length) == TUTTI_OK);
        CHECK(length >= sizeof text);
        CHECK(tutti_leave(me) == TUTTI_OK);
        check_refused(tutti_barrier(me), "`me` is not a member: it has left");
        check_refused(tutti_leave(me), "`me` is not a member: it has left");
        CHECK(tutti_cluster_free(cluster) == TUTTI_OK);
        check_refused(tutti_cluster_free(cluster), "`cluster` has been freed");
        check_refused(tutti_cluster_join(cluster, 0, &me), "`cluster` has been freed");
        CHECK(tutti_cluster_free(nullptr) == TUTTI_OK);
        CHECK(tutti_group_free(group) == TUTTI_OK);
    });
}

TEST_CASE("clusters from C: a failure in one process ends the calls of the others") {
    on_two([&](MPI_Comm part, bool is_second) {
        const std::vector<Returned> told = returned_by(part, nullptr, [&](tutti_member me, int local) {
            return is_second && local == 0 ? tutti_abort(me, "no bread left") : tutti_barrier(me);
        });
        for (const Returned& each : std::span(told).subspan(is_second ? 1 : 0)) {
            CHECK(each.status == TUTTI_ABORTED);
            CHECK_MESSAGE(mentions(each.text, "no bread left"), each.text);
        }
    });
}

TEST_CASE("clusters from C: a process that does not come ends the calls of all with a timeout") {
    on_two([&](MPI_Comm part, bool is_second) {
        tutti_cluster_options options = TUTTI_CLUSTER_OPTIONS_INIT;
        options.timeout_ms = 100;
        std::latch given_up(is_second ? 1 : 0);
        const auto call = [&](tutti_member me, int local) {
            if (is_second && local == 0) { // until the others have given up
                MPI_Recv(nullptr, 0, MPI_INT, 0, 0, part, MPI_STATUS_IGNORE);
                given_up.count_down();
            }
            std::optional<LedClock> clock;
            if (!is_second && local == 0) {
                clock.emplace(20us);
            }
            given_up.wait();   // or the other member would wait for this one
            tutti_barrier(me); // for which the message of the others may have come
            const tutti_status made = tutti_barrier(me);
            if (!is_second && local == 0) {
                MPI_Send(nullptr, 0, MPI_INT, 1, 0, part);
            }
            return made;
        };
        for (const Returned& each : returned_by(part, &options, call)) {
            CHECK(each.status == TUTTI_TIMEOUT_ERROR);
            CHECK_MESSAGE(mentions(each.text, "process 1"), each.text);
        }
    });
}

} // namespace tutti::test
