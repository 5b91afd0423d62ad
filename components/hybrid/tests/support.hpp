#pragma once

#include "tests/fast_clock.hpp"
#include "tests/reference/calls.hpp"
#include "tests/reference/calls_c.hpp"
#include "tests/test.hpp"

#include <tutti/mpi.hpp>
#include <tutti/tutti_mpi.h>

namespace tutti::test {

using namespace std::chrono_literals;

/// The thread level that this run was given.
int thread_level();

/// How often this process has started to send, since it was last set to 0: counted through MPI's profiling
/// interface, as what follows.
extern std::atomic<int> message_sends;
/// Lets that many more sends pass, then fails one with MPI_ERR_OTHER; negative: fails none.
extern std::atomic<int> sends_until_failure;
/// Lets every send of messages to come be one that lasts until it is received, as long ones do.
extern std::atomic<bool> sends_last;
/// How often a request has been freed of which MPI was not done: its memory may go away then.
extern std::atomic<int> freed_active;
/// The texts that this process has sent of its failures.
std::vector<const char*> sent_texts();

inline int process_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// Meets all processes of the world, without taking the CPUs from those that are not there yet.
inline void meet_world() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    int done = 0;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) {
        std::this_thread::sleep_for(200us);
    }
}

/// Runs `body` on the first `processes` processes of the world, with a communicator of theirs.
inline void on_processes(int processes, const std::function<void(MPI_Comm)>& body) {
    const int rank = process_of_world();
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < processes ? 0 : MPI_UNDEFINED, rank, &part);
    if (part != MPI_COMM_NULL) {
        CAPTURE(processes);
        body(part);
        MPI_Comm_free(&part);
    }
    meet_world();
}

/// Runs body(communicator, is_second) on the first two processes.
inline void on_two(const std::function<void(MPI_Comm, bool is_second)>& body) {
    on_processes(2, [&](MPI_Comm part) { body(part, process_of_world() == 1); });
}

/// Calls part(rank) on a thread of this process for each rank; rank 0 is on the calling thread.
inline void on_ranks(int ranks, const std::function<void(int)>& part) {
    const auto run = [&part](int rank) {
        try {
            part(rank);
        } catch (const std::exception& error) {
            FAIL_CHECK(std::string(error.what()));
        }
    };
    std::vector<std::jthread> threads;
    for (int rank = 1; rank < ranks; ++rank) {
        threads.emplace_back(run, rank);
    }
    run(0);
}

using Body = std::function<void(ClusterMember&)>;

/// Runs `body` on `members` threads of this process, each with its seat in a cluster over `communicator`.
/// Member 0 is on the calling thread.
inline void on_members(MPI_Comm communicator, int members, const ClusterOptions& options, const Body& body) {
    Cluster cluster(Group(members), communicator, options);
    on_ranks(members, [&](int rank) {
        INFO(members, " members");
        ClusterMember me = cluster.join(rank);
        body(me);
    });
}
inline void on_members(MPI_Comm communicator, int members, const Body& body) {
    on_members(communicator, members, {}, body);
}

/// How many members each process has at most, where `most` are tried.
inline int most_members(int most) {
    return thread_level() == MPI_THREAD_SINGLE ? 1 : most;
}

/// How many members each process has, where they are few.
inline int members_here() {
    return most_members(2);
}

/// Between 1 and 3, and another number in neighbouring processes.
inline int uneven_members() {
    return 1 + (process_of_world() + 1) % most_members(3);
}

/// Runs `body` on the members of a cluster of the first `processes` processes.
inline void on_members_of(int processes, const ClusterOptions& options, const Body& body) {
    on_processes(processes, [&](MPI_Comm part) { on_members(part, members_here(), options, body); });
}
inline void on_members_of(int processes, const Body& body) {
    on_members_of(processes, {}, body);
}

/// Runs `body` on the members of clusters of 1 to 4 processes with different numbers of members.
inline void on_uneven_clusters(const Body& body) {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) { on_members(part, uneven_members(), body); });
    }
}

/// The errors of each member of this process; empty for none.
using Texts = std::vector<std::string>;

/// Runs `body` on the members of a cluster, and collects the text of each E that it throws. A timeout is for
/// what is to end by it: a machine may be busy for as long as it likes.
template <class E = Error>
Texts thrown_by(MPI_Comm part, const ClusterOptions& options, const Body& body,
                const GroupOptions& group = {}) {
    Cluster cluster(Group(members_here(), group), part, options);
    Texts texts(static_cast<std::size_t>(members_here()));
    on_ranks(members_here(), [&](int rank) {
        ClusterMember me = cluster.join(rank);
        texts[static_cast<std::size_t>(rank)] = message_of<E>([&] { body(me); });
    });
    return texts;
}

inline void check_all(const Texts& texts, const std::string& part) {
    for (const std::string& text : texts) {
        CHECK_MESSAGE(mentions(text, part), text, " should say ", part);
    }
}
/// Of errors of which any text is right.
inline void check_all_fail(const Texts& texts) {
    CHECK(std::ranges::none_of(texts, &std::string::empty));
}

/// The same for calls from C.
inline void check_refused(tutti_status status, const std::string& text) {
    CHECK(status == TUTTI_ARGUMENT_ERROR);
    CHECK_MESSAGE(mentions(tutti_error_text(), text), std::string(tutti_error_text()));
}

/// Runs `body` on `members_here()` threads of this process, which have joined a cluster from C. The main
/// thread is member 0.
inline void on_c_members(MPI_Comm communicator, const tutti_cluster_options* options,
                         const std::function<void(tutti_member)>& body) {
    tutti_group* group = nullptr;
    tutti_cluster* cluster = nullptr;
    REQUIRE(tutti_group_create(members_here(), nullptr, &group) == TUTTI_OK);
    REQUIRE(tutti_cluster_create(group, communicator, options, &cluster) == TUTTI_OK);
    CHECK(tutti_group_free(group) == TUTTI_OK);
    std::latch joined(members_here());
    on_ranks(members_here(), [&](int rank) {
        tutti_member me;
        REQUIRE(tutti_cluster_join(cluster, rank, &me) == TUTTI_OK);
        joined.arrive_and_wait(); // none fails before
        body(me);
        CHECK(tutti_leave(me) == TUTTI_OK);
    });
    CHECK(tutti_cluster_free(cluster) == TUTTI_OK);
}
inline void on_c_members_of(int processes, const std::function<void(tutti_member)>& body) {
    on_processes(processes, [&](MPI_Comm part) { on_c_members(part, nullptr, body); });
}

} // namespace tutti::test
