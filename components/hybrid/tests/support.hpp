#pragma once

#include <tutti/mpi.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace tutti::test {

/// The thread level that this run was given.
int thread_level();

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
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

/// Runs `body` on the first `processes` processes of the world, with a communicator of theirs.
inline void on_processes(int processes, const std::function<void(MPI_Comm)>& body) {
    const int rank = process_of_world();
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < processes ? 0 : MPI_UNDEFINED, rank, &part);
    if (part != MPI_COMM_NULL) {
        body(part);
        MPI_Comm_free(&part);
    }
    meet_world();
}

/// Calls part(rank) on a thread of this process for each rank; rank 0 is on the calling thread.
inline void on_ranks(int ranks, const std::function<void(int)>& part) {
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank) {
        threads.emplace_back(part, rank);
    }
    part(0);
    for (std::thread& thread : threads) {
        thread.join();
    }
}

/// Runs `body` on `members` threads of this process, each with its seat in a cluster over `communicator`.
/// Member 0 is on the calling thread.
inline void on_members(MPI_Comm communicator, int members, const std::function<void(mpi::Member&)>& body,
                       const mpi::ClusterOptions& options = {}) {
    mpi::Cluster cluster(Group(members), communicator, options);
    on_ranks(members, [&](int rank) {
        try {
            mpi::Member me = cluster.join(rank);
            body(me);
        } catch (const std::exception& error) {
            FAIL_CHECK(std::string(error.what()));
        }
    });
}

/// How many members each process has at most, where `most` are tried.
inline int most_members(int most) {
    return thread_level() == MPI_THREAD_SINGLE ? 1 : most;
}

/// How many members each process has, where they are few.
inline int members_here() {
    return most_members(2);
}

/// Runs `body` on the members of a cluster of the first `processes` processes.
inline void on_members_of(int processes, const std::function<void(mpi::Member&)>& body,
                          const mpi::ClusterOptions& options = {}) {
    on_processes(processes, [&](MPI_Comm part) { on_members(part, members_here(), body, options); });
}

/// Runs `body` on the members of clusters of up to 4 processes, with 1, 2 and an uneven number of members
/// each.
inline void on_clusters(const std::function<void(mpi::Member&)>& body) {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            const int most = most_members(3);
            const int uneven = 1 + process_of_world() % most;
            for (const int members : {1, 2, uneven}) {
                CAPTURE(processes);
                CAPTURE(members);
                on_members(part, std::min(members, most), body);
            }
        });
    }
}

/// The errors of each member of this process; empty for none.
using Texts = std::vector<std::string>;

/// Runs `body` on the members of a cluster, and collects the text of each E that it throws. A timeout is for
/// what is to end by it: a machine may be busy for as long as it likes.
template <class E = Error>
Texts thrown_by(MPI_Comm part, const std::function<void(mpi::Member&)>& body,
                const mpi::ClusterOptions& options = {}) {
    Texts texts(static_cast<std::size_t>(members_here()));
    on_members(
        part, members_here(),
        [&](mpi::Member& me) {
            try {
                body(me);
            } catch (const E& error) {
                texts[static_cast<std::size_t>(me.local().rank())] = error.what();
            }
        },
        options);
    return texts;
}

inline void check_all(const Texts& texts, const std::string& part) {
    for (const std::string& text : texts) {
        CHECK_MESSAGE(text.find(part) != std::string::npos, text, " should say ", part);
    }
}

} // namespace tutti::test
