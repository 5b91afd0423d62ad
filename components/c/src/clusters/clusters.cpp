// Clusters for C.

#include "c/src/calls.hpp"

#include <tutti/mpi.hpp>
#include <tutti/tutti_mpi.h>

namespace tutti::v0_1::c_api {

/// A member as the functions of C call it.
class MpiMember : public AbstractClusterMember {
public:
    /// A member that leaves when the program calls tutti_leave().
    explicit MpiMember(ClusterMember&& member) : own_(std::move(member)), member_(*own_) {}
    /// One that lasts as long as the function to which it was given.
    explicit MpiMember(ClusterMember& member) : member_(member) {}

    int rank() const override { return member_.rank(); }
    int size() const override { return member_.size(); }
    void run(const detail::Call& call) override { member_.run(call); }
    bool run_again(std::uint64_t key, const void* input, void* output) override {
        return detail::run_again(*member_.seat_, key, input, output);
    }
    detail::RequestBase& start(const detail::Call& call) override {
        return detail::start(*member_.seat_, call);
    }
    detail::PersistentRequestBase& prepare(const detail::Call& call) override {
        return detail::prepare(*member_.seat_, call);
    }
    detail::CalledFrom& called_from() const override { return *member_.called_from_; }
    void abort(std::string_view text) override { member_.abort(text); }
    Neighbors neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                        SourceLine where) override {
        return member_.neighbors(sources, destinations, where);
    }
    Neighbors grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const override {
        return member_.grid(dims, wraps);
    }
    std::unique_ptr<AbstractClusterMember> split(std::optional<int> color, int key,
                                                 SourceLine where) override {
        return made(member_.split(color, key, where));
    }
    std::unique_ptr<AbstractClusterMember> subset(std::span<const int> ranks, SourceLine where) override {
        return made(member_.subset(ranks, where));
    }
    std::unique_ptr<AbstractClusterMember> dup(SourceLine where) override { return made(member_.dup(where)); }

private:
    static std::unique_ptr<AbstractClusterMember> made(std::optional<ClusterMember> member) {
        return member ? std::make_unique<MpiMember>(std::move(*member)) : nullptr;
    }

    std::optional<ClusterMember> own_;
    ClusterMember& member_;
};

namespace {

/// Those of the process. A handle is the number of one.
constinit Numbered<Cluster> clusters;

Cluster cluster_behind(const char* function, const tutti_cluster* cluster) {
    there(function, "cluster", cluster);
    std::optional<Cluster> found = clusters.copy(number_of(cluster));
    if (!found) {
        refuse(function, "`cluster` has been freed, or does not come from tutti_cluster_create()");
    }
    return *found;
}

/// Creates the cluster of a Group or a Team.
template <class Threads>
void create(Threads& threads, MPI_Comm communicator, const tutti_cluster_options* given,
            tutti_cluster*& cluster) {
    const auto options = known("cluster", given, tutti_cluster_options TUTTI_CLUSTER_OPTIONS_INIT);
    const Cluster made(threads, communicator, {.timeout = timeout(options.timeout_ms)});
    cluster = handle_of<tutti_cluster>(clusters.add(made));
}

} // namespace

} // namespace tutti::v0_1::c_api

using namespace tutti;

tutti_status tutti_cluster_create(const tutti_group* group, MPI_Comm communicator,
                                  const tutti_cluster_options* options, tutti_cluster** cluster) {
    return c_api::guarded([&] {
        c_api::there("cluster", "cluster", cluster) = nullptr;
        c_api::create(c_api::there("cluster", "group", group).group, communicator, options, *cluster);
    });
}

tutti_status tutti_cluster_create_for_team(tutti_team* team, MPI_Comm communicator,
                                           const tutti_cluster_options* options, tutti_cluster** cluster) {
    return c_api::guarded([&] {
        c_api::there("cluster", "cluster", cluster) = nullptr;
        c_api::create(c_api::there("cluster", "team", team).team, communicator, options, *cluster);
    });
}

tutti_status tutti_cluster_free(tutti_cluster* cluster) {
    return c_api::guarded([&] {
        if (cluster != nullptr && !c_api::clusters.take(c_api::number_of(cluster))) {
            c_api::cluster_behind("cluster_free", cluster); // which it is not
        }
    });
}

tutti_status tutti_cluster_size(const tutti_cluster* cluster, int* size) {
    return c_api::guarded([&] {
        c_api::there("cluster_size", "size", size) = c_api::cluster_behind("cluster_size", cluster).size();
    });
}

tutti_status tutti_cluster_first_rank(const tutti_cluster* cluster, int* rank) {
    constexpr const char* name = "cluster_first_rank";
    return c_api::guarded(
        [&] { c_api::there(name, "rank", rank) = c_api::cluster_behind(name, cluster).first_rank(); });
}

tutti_status tutti_cluster_roll_call(const tutti_cluster* cluster, int format, char* text, size_t bytes,
                                     size_t* length) {
    constexpr const char* name = "cluster_roll_call";
    return c_api::guarded([&] {
        const auto as = c_api::one_of<RollCallFormat>(name, "format", format);
        c_api::write_text(name, c_api::cluster_behind(name, cluster).roll_call(as), text, bytes, length);
    });
}

tutti_status tutti_cluster_join(tutti_cluster* cluster, int local_rank, tutti_member* me) {
    return c_api::guarded([&] {
        c_api::there("cluster_join", "me", me) = {};
        Cluster joined = c_api::cluster_behind("cluster_join", cluster);
        *me = c_api::c_member_of(std::make_unique<c_api::MpiMember>(joined.join(local_rank)));
    });
}

tutti_status tutti_cluster_run(tutti_cluster* cluster, tutti_member_function function, void* user) {
    return c_api::guarded([&] {
        c_api::there("cluster_run", "function", function);
        c_api::cluster_behind("cluster_run", cluster).run([&](ClusterMember& member) {
            c_api::MpiMember me(member);
            c_api::call_as_member(me, function, user);
        });
    });
}

tutti_status tutti_cluster_run_member(tutti_cluster* cluster, int local_rank, tutti_member_function function,
                                      void* user) {
    return c_api::guarded([&] {
        c_api::there("cluster_run_member", "function", function);
        c_api::cluster_behind("cluster_run_member", cluster).run(local_rank, [&](ClusterMember& member) {
            c_api::MpiMember me(member);
            c_api::call_as_member(me, function, user);
        });
    });
}
