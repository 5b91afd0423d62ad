// Requests of clusters: when their calls are over, and what is done meanwhile.

#include "exam.hpp"

namespace tutti::test {

namespace {

/// One process waits for the operation before a barrier of a copy, or of the same members; the others behind
/// it.
void wait_before_or_after(ClusterMember& me) {
    ClusterMember copy = me.dup();
    for (ClusterMember* const beside : {&me, &copy}) {
        for (const bool also_beside : {false, true}) {
            std::vector<long> in(50000, me.rank()), out(50000), other(50000);
            Request request = me.start.allreduce(in, out, tutti::sum);
            Request second = also_beside ? beside->start.allreduce(in, other, tutti::sum) : Request();
            if (process_of_world() == 0) {
                request.wait(); // the others come to the barrier first
                beside->barrier();
            } else {
                beside->barrier();
                request.wait();
            }
            second.wait();
            CHECK(out == std::vector<long>(50000, me.size() * (me.size() - 1) / 2));
            CHECK((!also_beside || other == out));
        }
    }
}

} // namespace

TEST_CASE("a call that blocks makes progress with what others wait for, also beside other operations") {
    on_members_of(2, wait_before_or_after);
    if (thread_level() != MPI_THREAD_SINGLE) {
        on_processes(2, [](MPI_Comm part) { // also where the main thread makes the MPI calls
            Team team(2);
            Cluster(team, part).run(wait_before_or_after);
        });
    }
}

TEST_CASE("a member that leaves waits for its operations, and requests may outlive it and the cluster") {
    on_processes(2, [](MPI_Comm part) {
        const auto members = static_cast<std::size_t>(members_here());
        std::vector<std::vector<long>> sums(members, std::vector<long>(5000));
        std::vector<Request> requests(members);
        std::vector<Persistent> prepared(members);
        const std::vector<long> ones(5000, 1);
        on_members(part, members_here(), [&](ClusterMember& me) {
            const auto rank = static_cast<std::size_t>(me.local().rank());
            prepared[rank] = me.prepare.allreduce(ones, sums[rank], tutti::sum);
            prepared[rank].start();
            prepared[rank].wait();
            sums[rank].assign(5000, 0);
            requests[rank] = me.start.allreduce(ones, sums[rank], tutti::sum);
        });
        for (std::size_t rank = 0; rank < members; ++rank) {
            CHECK(requests[rank].test());
            CHECK(sums[rank] == std::vector<long>(5000, 2 * members_here()));
            CHECK_THROWS_AS(prepared[rank].start(), Error);
        }
    });
}

TEST_CASE("who never starts the operation ends it in a timeout of all others, which names it") {
    on_two([](MPI_Comm part, bool is_second) {
        std::atomic<bool> is_over = members_here() == 1;
        const Texts texts = thrown_by(part, {.timeout = 100ms}, [&](ClusterMember& me) {
            std::vector<double> own(3, 1);
            if (is_second && me.local().rank() == members_here() - 1) {
                is_over.wait(false);
            } else {
                CHECK_THROWS_AS(me.start.allreduce(own, tutti::sum).wait(), Error);
                is_over = true;
                is_over.notify_one();
            }
            me.barrier(); // the cluster stays failed
        });
        check_all_fail(texts);
        CHECK((!is_second || members_here() == 1 || mentions(texts[0], "member 3 has made no call yet")));
    });
}

} // namespace tutti::test
