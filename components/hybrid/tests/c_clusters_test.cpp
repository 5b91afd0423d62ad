// Clusters from C: what components/c/tests shows of members of groups, for members of clusters.

#include "callers.hpp"
#include "exam.hpp"
#include "tests/reference/calls_c.hpp"

#include <tutti/tutti_mpi.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <latch>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace tutti::test {

namespace {

/// Makes the calls, and checks what they leave.
template <class T, class Make, class Plain>
void examine(tutti_caller me, const std::vector<Shape>& shapes, const Elements& elements, Make make,
             Plain plain) {
    const Reference<T> reference(me.size, make, plain);
    for (const Shape& shape : shapes) {
        for (int i = 0; i < 2; ++i) { // the second call is recognised
            Vectors<T> call =
                reference.vectors(static_cast<std::size_t>(me.rank), shape, detail::Association::tree);
            CHECK(make_call(me, shape, call, call.in.data(), call.out.data(), elements) == TUTTI_OK);
            CHECK_MESSAGE(call.out == call.expected, shape.describe());
        }
    }
}

void compose_all(const void* in, void* inout, std::size_t n, void* /*user*/) {
    const auto* const left = static_cast<const Affine*>(in);
    auto* const right = static_cast<Affine*>(inout);
    for (std::size_t i = 0; i < n; ++i) {
        right[i] = compose(left[i], right[i]);
    }
}

/// The status of a call of each member of this process, and its text.
struct Told {
    tutti_status status = TUTTI_OK;
    std::string text;
};
std::vector<Told> told_by(MPI_Comm part, const std::function<tutti_status(tutti_caller, int local)>& call,
                          const tutti_cluster_options* options = nullptr) {
    std::vector<Told> told(static_cast<std::size_t>(members_here()));
    on_callers(
        part, members_here(),
        [&](tutti_caller me) {
            const int local = me.rank - process_of_world() * members_here();
            const tutti_status status = call(me, local);
            told[static_cast<std::size_t>(local)] = {status, status == TUTTI_OK ? "" : tutti_error_text()};
        },
        options);
    return told;
}

} // namespace

TEST_CASE("clusters from C: all collectives") {
    tutti_op op = 0;
    REQUIRE(tutti_op_create(compose_all, nullptr, 0, &op) == TUTTI_OK);
    for (const int processes : {1, 2, 3}) {
        on_processes(processes, [&](MPI_Comm part) {
            on_callers(part, members_here(), [&](tutti_caller me) {
                CHECK(me.size == processes * members_here());
                for (const std::size_t count : {0U, 1U, 300U}) {
                    const std::vector<Shape> shapes = cluster_shapes(me.size, count);
                    examine<std::int64_t>(me, shapes, {TUTTI_INT64, TUTTI_SUM}, value, std::plus<>());
                    examine<Affine>(me, only(shapes, combines), {tutti_type_of_size(sizeof(Affine)), op}, map,
                                    compose);
                }
            });
        });
    }
    CHECK(tutti_op_free(op) == TUTTI_OK);
}

TEST_CASE("clusters from C: one result per process") {
    on_processes(2, [](MPI_Comm part) {
        constexpr std::size_t n = 1000;
        std::vector<double> shared(n * 8);
        on_callers(part, members_here(), [&](tutti_caller me) {
            const std::vector<double> in(n, me.rank + 1);
            const double total = me.size * (me.size + 1) / 2.0;
            const tutti_caller sharing = tutti_shared_output(me);
            const auto check = [&](tutti_status status, std::size_t i, double expected) {
                CHECK(status == TUTTI_OK);
                CHECK(shared[i] == expected);
                CHECK(tutti_barrier(me) == TUTTI_OK);
            };
            check(tutti_allreduce(sharing, in.data(), shared.data(), n, TUTTI_DOUBLE, TUTTI_SUM), n - 1,
                  total);
            check(tutti_allgather(sharing, in.data(), shared.data(), n, TUTTI_DOUBLE),
                  n * static_cast<std::size_t>(me.size) - 1, me.size);
            if (me.rank == 0) {
                shared[5] = 17;
            }
            check(tutti_broadcast(sharing, shared.data(), n, TUTTI_DOUBLE, 0), 5, 17);
        });
    });
}

TEST_CASE("clusters from C: options of a call, and reproducible sums") {
    on_processes(2, [](MPI_Comm part) {
        on_callers(part, members_here(), [](tutti_caller me) {
            tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
            const double mine = 0.1 * (me.rank + 1);
            double from_left = 0.1;
            for (int rank = 1; rank < me.size; ++rank) {
                from_left += 0.1 * (rank + 1);
            }
            double all = 0;
            options.order = TUTTI_ORDER_SERIAL;
            CHECK(tutti_allreduce(tutti_with_options(me, &options), &mine, &all, 1, TUTTI_DOUBLE,
                                  TUTTI_SUM) == TUTTI_OK);
            CHECK(all == from_left);
            options.order = TUTTI_ORDER_CANONICAL;
            options.algorithm = "circulant";
            CHECK(tutti_allreduce(tutti_with_options(me, &options), &mine, &all, 1, TUTTI_DOUBLE,
                                  TUTTI_MAX) == TUTTI_OK);
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
    });
}

TEST_CASE("clusters from C: threads of a team") {
    on_processes(2, [](MPI_Comm part) {
        const Runnable runnable(part);
        tutti_cluster* const cluster = runnable.cluster;
        int size = 0, first = -1;
        CHECK(tutti_cluster_size(cluster, &size) == TUTTI_OK);
        CHECK(tutti_cluster_first_rank(cluster, &first) == TUTTI_OK);
        CHECK(size == 2 * members_here());
        CHECK(first == process_of_world() * members_here());
        const auto add = [](tutti_caller me, void* /*user*/) {
            int one = 1;
            const tutti_status status = tutti_allreduce(me, TUTTI_IN_PLACE, &one, 1, TUTTI_INT, TUTTI_SUM);
            check_refused(tutti_leave(me), "`me` leaves when its member function returns");
            return one == me.size ? status : 1000;
        };
        CHECK(tutti_cluster_run(cluster, add, nullptr) == TUTTI_OK);
        tutti_caller me;
        check_refused(tutti_cluster_join(cluster, 0, &me), "is made from a Team");
        const auto fail = [](tutti_caller caller, void* /*user*/) {
            return caller.rank == 0 ? 123 : tutti_barrier(caller);
        };
        CHECK(tutti_cluster_run(cluster, fail, nullptr) == (first == 0 ? 123 : int{TUTTI_ABORTED}));
    });
}

TEST_CASE("clusters from C: nonblocking and persistent calls") {
    on_processes(2, [](MPI_Comm part) {
        on_callers(part, members_here(), [](tutti_caller me) {
            std::vector<double> in(1000, me.rank), out(1000), ones(1000, 1), sums(1000);
            tutti_request sum = TUTTI_REQUEST_NULL, again = TUTTI_REQUEST_NULL;
            REQUIRE(tutti_allreduce(tutti_nonblocking(me, &sum), in.data(), out.data(), 1000, TUTTI_DOUBLE,
                                    TUTTI_SUM) == TUTTI_OK);
            REQUIRE(tutti_allreduce(tutti_persistent(me, &again), ones.data(), sums.data(), 1000,
                                    TUTTI_DOUBLE, TUTTI_SUM) == TUTTI_OK);
            for (int i = 0; i < 3; ++i) {
                sums.assign(1000, 0);
                CHECK(tutti_start(&again) == TUTTI_OK);
                CHECK(tutti_wait(&again) == TUTTI_OK);
                CHECK(sums == std::vector<double>(1000, me.size));
            }
            CHECK(tutti_wait(&sum) == TUTTI_OK);
            CHECK(out == std::vector<double>(1000, me.size * (me.size - 1) / 2));
            CHECK(tutti_request_free(&again) == TUTTI_OK);
        });
    });
}

TEST_CASE("clusters from C: calls that send blocks from member to member") {
    on_processes(2, [](MPI_Comm part) {
        on_callers(part, members_here(), [](tutti_caller me) {
            const auto size = static_cast<std::size_t>(me.size);
            const std::vector<double> in(size, me.rank);
            std::vector<double> out(size), ranks(size);
            std::iota(ranks.begin(), ranks.end(), 0);
            const std::vector<std::size_t> counts(size, 1);
            std::vector<std::size_t> backwards(size);
            for (std::size_t i = 0; i < size; ++i) {
                backwards[i] = size - 1 - i;
            }
            REQUIRE(tutti_shift(me, in.data(), out.data(), size, TUTTI_DOUBLE, 1) == TUTTI_OK);
            CHECK(out == std::vector<double>(size, (me.rank + me.size - 1) % me.size));
            REQUIRE(tutti_alltoallv(me, in.data(), counts.data(), nullptr, out.data(), counts.data(),
                                    backwards.data(), TUTTI_DOUBLE) == TUTTI_OK);
            CHECK(out == std::vector<double>(ranks.rbegin(), ranks.rend()));
            out.assign(size, me.rank);
            REQUIRE(tutti_allgatherv(me, TUTTI_IN_PLACE, 1, out.data(), counts.data(), nullptr,
                                     TUTTI_DOUBLE) == TUTTI_OK);
            CHECK(out == ranks);
            out.assign(size, -1);
            tutti_request request = TUTTI_REQUEST_NULL;
            REQUIRE(tutti_gatherv(tutti_nonblocking(me, &request), in.data(), 1, out.data(), counts.data(),
                                  backwards.data(), TUTTI_DOUBLE, me.size - 1) == TUTTI_OK);
            REQUIRE(tutti_wait(&request) == TUTTI_OK);
            CHECK(out == (me.rank == me.size - 1 ? std::vector<double>(ranks.rbegin(), ranks.rend())
                                                 : std::vector<double>(size, -1)));
        });
    });
}

TEST_CASE("clusters from C: calls that are only for members of groups are refused, and have no effect") {
    on_processes(2, [](MPI_Comm part) {
        on_callers(part, members_here(), [](tutti_caller me) {
            tutti_caller made{};
            int number = 0;
            for (const tutti_status status : {tutti_split_by_level(me, TUTTI_LEVEL_L3, &made),
                                              tutti_among(me, 1, 0, 1, &made), tutti_cpu(me, &number)}) {
                check_refused(status, "only for the members of a group");
            }
            CHECK(made.size == 0);
            CHECK(tutti_barrier(me) == TUTTI_OK);
        });
    });
}

TEST_CASE("clusters from C: parts") {
    on_processes(2, [](MPI_Comm both) {
        on_callers(both, members_here(), [](tutti_caller me) {
            const auto sum_of_ones = [](tutti_caller of) {
                int one = 1, sum = 0;
                CHECK(tutti_allreduce(of, &one, &sum, 1, TUTTI_INT, TUTTI_SUM) == TUTTI_OK);
                return sum;
            };
            tutti_caller part{}, first{}, copy{}, none{};
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
            for (const tutti_caller made : {part, first, copy, none}) {
                CHECK(tutti_leave(made) == TUTTI_OK);
            }
        });
    });
}

TEST_CASE("clusters from C: wrong use") {
    on_processes(1, [](MPI_Comm part) {
        tutti_group* group = nullptr;
        tutti_cluster* cluster = nullptr;
        tutti_caller me, other;
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
                          cluster, [](tutti_caller, void*) { return 0; }, nullptr),
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
    for (const int culprit : {0, members_here() - 1}) {
        on_processes(2, [&](MPI_Comm part) {
            const bool is_second = process_of_world() == 1;
            const std::vector<Told> told = told_by(part, [&](tutti_caller me, int local) {
                return is_second && local == culprit ? tutti_abort(me, "no bread left") : tutti_barrier(me);
            });
            for (int local = 0; local < members_here(); ++local) {
                const auto& [status, text] = told[static_cast<std::size_t>(local)];
                const bool fails = is_second && local == culprit;
                CHECK(status == (fails ? TUTTI_OK : TUTTI_ABORTED));
                CHECK_MESSAGE((fails || mentions(text, "no bread left")), text);
            }
        });
    }
    on_processes(2, [&](MPI_Comm part) {
        const bool is_second = process_of_world() == 1;
        for (const auto& [status, text] : told_by(part, [&](tutti_caller me, int) {
                 double number = 1;
                 return is_second ? tutti_barrier(me)
                                  : tutti_allreduce(me, TUTTI_IN_PLACE, &number, 1, TUTTI_DOUBLE, TUTTI_SUM);
             })) {
            CHECK((status == TUTTI_MISMATCH_ERROR || status == TUTTI_ABORTED));
            CHECK_MESSAGE(mentions(text, "the processes are in different calls"), text);
        }
    });
}

TEST_CASE("clusters from C: a process that does not come ends the calls of all with a timeout") {
    on_processes(2, [&](MPI_Comm part) {
        const bool is_second = process_of_world() == 1;
        tutti_cluster_options options = TUTTI_CLUSTER_OPTIONS_INIT;
        options.timeout_ms = 100;
        std::latch given_up(is_second ? 1 : 0);
        for (const auto& [status, text] : told_by(
                 part,
                 [&](tutti_caller me, int local) {
                     if (is_second && local == 0) { // until the others have given up
                         MPI_Recv(nullptr, 0, MPI_INT, 0, 0, part, MPI_STATUS_IGNORE);
                         given_up.count_down();
                     }
                     given_up.wait();   // or the other member would wait for this one
                     tutti_barrier(me); // for which the message of the others may have come
                     const tutti_status made = tutti_barrier(me);
                     if (!is_second && local == 0) {
                         MPI_Send(nullptr, 0, MPI_INT, 1, 0, part);
                     }
                     return made;
                 },
                 &options)) {
            CHECK(status == TUTTI_TIMEOUT_ERROR);
            CHECK_MESSAGE(mentions(text, "process 1"), text);
        }
    });
}

} // namespace tutti::test
