// The messages over the channel, through MPI's profiling interface; and the schedules among processes by
// name.

#include "algorithm/registry.hpp"
#include "choose/select.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "exam.hpp"
#include "hybrid/src/cluster_call.hpp"
#include "hybrid/src/cluster_state.hpp"
#include "machine/pinning.hpp"

namespace tutti::test {

std::atomic<int> message_sends{0};
std::atomic<int> sends_until_failure{-1};
std::atomic<bool> sends_last{false};
std::atomic<int> freed_active{0};

namespace {
std::mutex failure_texts_mutex;
std::vector<const char*> failure_texts;
} // namespace

std::vector<const char*> sent_texts() {
    const std::scoped_lock lock(failure_texts_mutex);
    return failure_texts;
}

} // namespace tutti::test

extern "C" int MPI_Request_free(MPI_Request* request) {
    int done = 0;
    PMPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE);
    tutti::test::freed_active += done == 0 ? 1 : 0;
    return PMPI_Request_free(request);
}

extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
    ++tutti::test::message_sends;
    if (tutti::test::sends_until_failure >= 0 && tutti::test::sends_until_failure-- == 0) {
        return MPI_ERR_OTHER;
    }
    if (type == MPI_CHAR) {
        const std::scoped_lock lock(tutti::test::failure_texts_mutex);
        tutti::test::failure_texts.push_back(static_cast<const char*>(buffer));
    }
    return tutti::test::sends_last ? PMPI_Issend(buffer, count, type, to, tag, communicator, request)
                                   : PMPI_Isend(buffer, count, type, to, tag, communicator, request);
}

namespace tutti::test {

namespace {

/// The most messages that a process sends in one call. The first call is not counted: it makes the plans.
int messages(MPI_Comm part, int members, const std::function<void(ClusterMember&)>& call) {
    int sent = 0;
    on_members(part, members, [&](ClusterMember& me) {
        call(me);
        me.barrier();
        me.local().barrier();
        if (me.local().rank() == 0) {
            message_sends = 0;
        }
        me.local().barrier();
        call(me);
        me.local().barrier();
        if (me.local().rank() == 0) {
            sent = message_sends;
        }
    });
    int most = 0;
    MPI_Allreduce(&sent, &most, 1, MPI_INT, MPI_MAX, part);
    return most;
}

int log2_ceil(int processes) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(processes - 1)));
}

/// The rounds of a reduce_scatter that combines in the order of the processes: one more to bring blocks to
/// their places.
int in_order(int q) {
    return q == 1 ? q : q + 1;
}

auto allreduce(std::size_t elements, const Options& options = {}) {
    return [=](ClusterMember& me) {
        std::vector<double> vector(elements, 1);
        me.allreduce(vector, tutti::sum, options);
    };
}

auto reduce_scatter(std::size_t elements, const Options& options = {}) {
    return [=](ClusterMember& me) {
        const auto size = static_cast<std::size_t>(me.size());
        std::vector<double> block(elements / size);
        me.reduce_scatter(std::vector<double>(elements, 1), block, tutti::sum, options);
    };
}

auto allgather(std::size_t elements, const Options& options = {}) {
    return [=](ClusterMember& me) {
        std::vector<double> all(elements);
        me.allgather(std::vector<double>(elements / static_cast<std::size_t>(me.size())), all, options);
    };
}

auto scan(std::size_t elements, const Options& options) {
    return [=](ClusterMember& me) {
        std::vector<double> vector(elements, 1);
        me.scan(vector, tutti::sum, options);
    };
}

constexpr std::size_t segment_elements = detail::segment_bytes / sizeof(double);

} // namespace

TEST_CASE("messages of an allreduce, the most of any leader, are those that README.md gives") {
    for (const int processes : {2, 3, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            const int q = log2_ceil(processes);
            const bool power = std::has_single_bit(static_cast<unsigned>(processes));
            CAPTURE(processes);
            CHECK(messages(part, members_here(), [](ClusterMember& me) { me.barrier(); }) == q);
            CHECK(messages(part, members_here(), allreduce(1)) == q);
            CHECK(messages(part, members_here(), allreduce(512)) == 2 * q); // each in two
            CHECK(messages(part, members_here(), allreduce(8192)) == q);
            CHECK(messages(part, members_here(), allreduce(4 * 8192)) == (power ? 2 * q : 3));
            const Options halves{.algorithm = power ? "butterfly-halving" : "circulant"};
            CHECK(messages(part, members_here(), allreduce(8192, halves)) == 2 * q);
            CHECK(messages(part, members_here(), allreduce(1, {.order = Order::serial})) == q);
        });
    }
}

TEST_CASE("messages of segments: those of a leader, for each segment") {
    for (const int processes : {2, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            const int q = log2_ceil(processes);
            constexpr int members = 1; // with which leaders work alone on any machine
            CHECK(messages(part, members, allreduce(4 * segment_elements)) == 4 * 2 * q);
            CHECK(messages(part, members, scan(4 * segment_elements, {.order = Order::serial})) == 4);
            CHECK(messages(part, members, reduce_scatter(4 * segment_elements)) == 4 * in_order(q));
            CHECK(messages(part, members, allgather(4 * segment_elements)) == 4 * q);
        });
    }
}

namespace {

/// Whether an algorithm serves so many processes that share no memory.
bool serves(const algorithm::Algorithm& row, int processes) {
    return row.collective != Collective::shift && row.reach == algorithm::Reach::peers &&
           takes(row, processes);
}

} // namespace

TEST_CASE("every algorithm of the registry, among up to 4 processes") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_members_of(processes, [&](ClusterMember& me) {
            for (const algorithm::Algorithm& row : algorithm::registry()) {
                const auto is_of_row = [&](const Shape& shape) { return shape.collective == row.collective; };
                if (serves(row, processes)) {
                    examine(*alone(me, Manner::blocking),
                            only(regular_shapes(301, {me.size() - 1}, {}), is_of_row), value, tutti::sum,
                            {.shape = {}, .algorithm = row.name});
                }
            }
        });
    }
}

// The configuration of a group or a team also holds for the calls that a cluster makes in it.

namespace {

/// The configuration of the group in which a cluster of this process alone meets.
const library::GroupConfig& config_in(detail::ClusterState& cluster) {
    return cluster.group().config();
}

std::shared_ptr<detail::ClusterState> cluster_of(const GroupOptions& options) {
    const tutti::detail::GroupState local(2, library::config_for(2, options), library::diagnosis_of);
    return detail::ClusterState::open(local, MPI_COMM_SELF, {}, false);
}

} // namespace

TEST_CASE("members of a cluster wait as their group was told to") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    for (const Wait wait : {Wait::spin, Wait::yield, Wait::sleep}) {
        const mailbox::WaitPolicy told = library::config_for(2, GroupOptions{.wait = wait}).wait_policy;
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
    Cluster cluster(group, MPI_COMM_SELF);
    Cluster moved = std::move(cluster);
    for (Cluster* each : {&cluster, &moved}) { // NOLINT(bugprone-use-after-move): it may be used
        CHECK(each->size() == 1);
        CHECK(each->join(0).allreduce(2, sum) == 2);
    }
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
