// The configuration of a group or a team also holds for the calls that a cluster makes in it.

#include "diagnose/group_diagnosis.hpp"
#include "hybrid/src/cluster_state.hpp"
#include "machine/pinning.hpp"
#include "support.hpp"

namespace tutti::test {

namespace {

constexpr int members = 2;

/// The configuration of the group in which a cluster of this process alone meets.
const engine::GroupConfig& config_in(mpi::detail::ClusterState& cluster) {
    return cluster.group().config();
}

std::shared_ptr<mpi::detail::ClusterState> cluster_of(const GroupOptions& options) {
    const tutti::detail::GroupState local(members, engine::config_for(members, options),
                                          engine::diagnosis_of);
    return mpi::detail::ClusterState::open(local, MPI_COMM_SELF, {}, false);
}

} // namespace

TEST_CASE("members of a cluster wait as their group was told to") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    for (const Wait wait : {Wait::spin, Wait::yield, Wait::sleep}) {
        const mailbox::WaitPolicy told = engine::config_for(members, GroupOptions{.wait = wait}).wait_policy;
        auto cluster = cluster_of({.wait = wait});
        CHECK(config_in(*cluster).wait_policy.spin_ns == told.spin_ns);
        CHECK(config_in(*cluster).wait_policy.yield_ns == told.yield_ns);
        const mailbox::WaitPolicy& leaders = cluster->transport().channel().wait_policy();
        CHECK(leaders.spin_ns == told.spin_ns);
        CHECK(leaders.yield_ns == told.yield_ns);
    }
}

TEST_CASE("a cluster that has been moved from is still the same cluster") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    const Group group(1);
    mpi::Cluster cluster(group, MPI_COMM_SELF);
    mpi::Cluster moved = std::move(cluster);
    for (mpi::Cluster* each : {&cluster, &moved}) { // NOLINT(bugprone-use-after-move): it may be used
        CHECK(each->size() == 1);
        CHECK(each->join(0).allreduce(2, sum) == 2);
    }
}

TEST_CASE("members of a cluster may wait long for each other") {
    if (thread_level() < MPI_THREAD_SERIALIZED) {
        return;
    }
    Team team(members);
    mpi::Cluster cluster(team, MPI_COMM_SELF);
    std::array<int, members> sums{};
    cluster.run([&](mpi::Member& me) {
        for (int late = 0; late < members; ++late) {
            if (me.rank() == late) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            sums[static_cast<std::size_t>(me.rank())] = me.allreduce(1, sum);
        }
    });
    CHECK(sums == std::array{members, members});
}

TEST_CASE(
    "calls inside a cluster's only process count the CPUs that it may use, and its choice of algorithms") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    auto cluster = cluster_of({.tuning = "/nowhere/tuned.txt"});
    CHECK(config_in(*cluster).cpus == machine::allowed_pus());
    CHECK(config_in(*cluster).options.tuning == "/nowhere/tuned.txt");
}

} // namespace tutti::test
