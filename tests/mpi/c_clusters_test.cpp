// Clusters from C: what tests/c shows of members of groups, for members of clusters.

#include "../reference/calls_c.hpp"
#include "../texts.hpp"
#include "exam.hpp"

#include <tutti/tutti_mpi.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

namespace tutti::test {

namespace {

/// A cluster of `members` threads of this process.
class Joinable {
public:
    Joinable(MPI_Comm communicator, int members, const tutti_cluster_options* options = nullptr) {
        REQUIRE(tutti_group_create(members, nullptr, &group_) == TUTTI_OK);
        REQUIRE(tutti_cluster_create(group_, communicator, options, &cluster) == TUTTI_OK);
        CHECK(tutti_group_free(group_) == TUTTI_OK);
    }
    ~Joinable() { CHECK(tutti_cluster_free(cluster) == TUTTI_OK); }
    Joinable(const Joinable&) = delete;
    Joinable& operator=(const Joinable&) = delete;

    tutti_cluster* cluster = nullptr;

private:
    tutti_group* group_ = nullptr;
};

/// Runs `body` on members of a cluster. The main thread is member 0.
void on_callers(MPI_Comm communicator, int members, const std::function<void(tutti_caller)>& body,
                const tutti_cluster_options* options = nullptr) {
    const Joinable joinable(communicator, members, options);
    const auto part = [&](int rank) {
        tutti_caller me;
        REQUIRE(tutti_cluster_join(joinable.cluster, rank, &me) == TUTTI_OK);
        body(me);
        CHECK(tutti_leave(me) == TUTTI_OK);
    };
    std::vector<std::thread> threads;
    for (int rank = 1; rank < members; ++rank) {
        threads.emplace_back(part, rank);
    }
    part(0);
    for (std::thread& thread : threads) {
        thread.join();
    }
}

} // namespace

TEST_CASE("a cluster from C: an allreduce") {
    on_processes(2, [](MPI_Comm part) {
        on_callers(part, members_here(), [](tutti_caller me) {
            const double mine[2] = {1.0, 1.0 * me.rank};
            double all[2] = {};
            CHECK(me.size == 2 * members_here());
            for (int i = 0; i < 3; ++i) {
                CHECK(tutti_allreduce(me, mine, all, 2, TUTTI_DOUBLE, TUTTI_SUM) == TUTTI_OK);
                CHECK(all[0] == me.size);
                CHECK(all[1] == me.size * (me.size - 1) / 2);
            }
        });
    });
}

} // namespace tutti::test
