// The ways of calling of clusters, for the scenarios of tests/ways. Without mpirun all members are in one
// process; otherwise each process has about as many.

#include "exam.hpp"

namespace tutti::test {

namespace {

int processes() {
    int processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    return processes;
}

template <Manner manner>
class OfCluster : public Ranks {
public:
    explicit OfCluster(const Setting& setting)
        : Ranks(setting.members),
          team_(end_of(process_of_world()) - end_of(process_of_world() - 1), setting.team) {
        void* own = nullptr;
        MPI_Aint bytes = 0;
        int unit = 0;
        MPI_Win_allocate_shared(sizeof(Shared), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window_);
        MPI_Win_shared_query(window_, 0, &bytes, &unit, &shared_);
    }
    ~OfCluster() override { MPI_Win_free(&window_); }

    /// In a cluster of its own, because one that has failed stays so.
    void run(const std::function<void(WayCaller&)>& part) override {
        struct Meet {
            ~Meet() { MPI_Barrier(MPI_COMM_WORLD); }
        } const at_end;
        shared_->joined = 0;
        Cluster cluster(team_, MPI_COMM_WORLD);
        cluster.run([&](ClusterMember& me) {
            ++shared_->joined;
            while (shared_->joined < size()) { // a member that joined later would get a failure there
                std::this_thread::yield();
            }
            part(*caller_of(me, manner));
        });
    }

    void share(int rank, std::string& text) override {
        int process = 0;
        while (rank >= end_of(process)) {
            ++process;
        }
        auto length = static_cast<int>(text.size());
        MPI_Bcast(&length, 1, MPI_INT, process, MPI_COMM_WORLD);
        text.resize(static_cast<std::size_t>(length));
        MPI_Bcast(text.data(), length, MPI_CHAR, process, MPI_COMM_WORLD);
    }
    std::atomic<int>& common() override {
        shared_->common = 0;
        return shared_->common;
    }

private:
    /// What all processes see.
    struct Shared {
        std::atomic<int> joined, common;
    };

    /// The first rank behind those of the process.
    int end_of(int process) const { return (size() * (process + 1) + processes() - 1) / processes(); }

    Team team_;
    MPI_Win window_ = MPI_WIN_NULL;
    Shared* shared_ = nullptr;
};

template <Manner manner>
std::unique_ptr<Ranks> of_cluster(const Setting& setting) {
    return std::make_unique<OfCluster<manner>>(setting);
}

} // namespace

const std::vector<Way>& all_ways() {
    // Clusters have algorithms of their own.
    const Abilities abilities{.names_algorithms = false,
                              .run_reports_all = false,
                              .compares_places = false,
                              .has_serial_order = false,
                              .extra_wait = 50ms,
                              .in_one_process = processes() == 1};
    Abilities without_requests = abilities;
    without_requests.has_requests = false;
    without_requests.has_serial_order = true;
    static const std::vector<Way> all{
        {"clusters, blocking", without_requests, of_cluster<Manner::blocking>},
        {"clusters, nonblocking", abilities, of_cluster<Manner::nonblocking>, nonblocking_way.test_all,
         nonblocking_way.any},
        {"clusters, persistent", abilities, of_cluster<Manner::persistent>, persistent_way.test_all}};
    return all;
}

} // namespace tutti::test
