// The ways of calling of clusters, for the scenarios of tests/ways: all members are in one process, which
// needs no mpirun.

#include "exam.hpp"

namespace tutti::test {

namespace {

template <Manner manner>
class OfCluster : public Ranks {
public:
    explicit OfCluster(const Setting& setting)
        : Ranks(setting.members), team_(setting.members, setting.team) {}

    /// In a cluster of its own, because one that has failed stays so.
    void run(const std::function<void(WayCaller&)>& part) override {
        mpi::Cluster cluster(team_, MPI_COMM_SELF);
        cluster.run([&](mpi::Member& me) { part(*caller_of(me, manner)); });
    }

private:
    Team team_;
};

template <Manner manner>
std::unique_ptr<Ranks> of_cluster(const Setting& setting) {
    return std::make_unique<OfCluster<manner>>(setting);
}

} // namespace

const std::vector<Way>& all_ways() {
    // Clusters have algorithms of their own.
    constexpr Abilities abilities{.names_algorithms = false, .run_reports_all = false};
    Abilities without_requests = abilities;
    without_requests.has_requests = false;
    static const std::vector<Way> all{
        {"clusters, blocking", without_requests, of_cluster<Manner::blocking>},
        {"clusters, nonblocking", abilities, of_cluster<Manner::nonblocking>, nonblocking_way.test_all,
         nonblocking_way.any},
        {"clusters, persistent", abilities, of_cluster<Manner::persistent>, persistent_way.test_all}};
    return all;
}

} // namespace tutti::test
