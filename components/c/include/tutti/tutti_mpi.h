// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/tutti.h>

#include <mpi.h>

// Clusters for C: collectives among the threads of several MPI processes. See tutti/mpi.hpp for everything
// that is not said here.
//
//     tutti_cluster_create(group, MPI_COMM_WORLD, NULL, &cluster);   // in one thread of each process
//     tutti_cluster_join(cluster, omp_get_thread_num(), &me);        // in every thread
//     tutti_allreduce(me, in, out, n, TUTTI_DOUBLE, TUTTI_SUM);      // among all threads of all processes
//     tutti_leave(me);
//
// The member that joins is a tutti_member: the collectives of tutti.h, tutti_with_options(),
// tutti_nonblocking(), tutti_persistent(), tutti_shared_output(), tutti_counts_on_all(), tutti_split(),
// tutti_subset(), tutti_dup(), tutti_abort() and tutti_leave() are for it as well. Ranks, roots and counts
// are global. tutti_shared_output() declares one output buffer per process, for tutti_broadcast() as well.
// All members must start persistent calls in the same order. These return TUTTI_ARGUMENT_ERROR, because
// clusters do not support them: tutti_cpu(), tutti_split_by_level() and tutti_among().

#ifdef __cplusplus
extern "C" {
#endif

/// A handle of a cluster. A handle that has been freed is recognised: functions return TUTTI_ARGUMENT_ERROR.
typedef struct tutti_cluster tutti_cluster;

/// Options of a cluster: see tutti::ClusterOptions. Initialise it with TUTTI_CLUSTER_OPTIONS_INIT.
typedef struct tutti_cluster_options {
    /// The size of this struct, set by TUTTI_CLUSTER_OPTIONS_INIT.
    size_t size;
    /// Milliseconds after which a call that waits for other members or processes ends with
    /// TUTTI_TIMEOUT_ERROR, or TUTTI_NEVER. TUTTI_TIMEOUT_DEFAULT: the timeout of the group or team, and 10
    /// minutes if it has none.
    int64_t timeout_ms;
} tutti_cluster_options;
#define TUTTI_CLUSTER_OPTIONS_INIT                                                                           \
    { sizeof(tutti_cluster_options), TUTTI_TIMEOUT_DEFAULT }

/// Connects the threads that join to those of the other processes of the communicator, which is duplicated.
/// It is a collective call: one thread of each process makes it; under MPI_THREAD_FUNNELED, the main thread.
/// `options` may be NULL. Returns TUTTI_ARGUMENT_ERROR if MPI is not initialised or already finalised, if the
/// communicator is null or an inter-communicator, or if the thread level of MPI is too low. The handle of the
/// group may be freed before the cluster.
TUTTI_API tutti_status tutti_cluster_create(const tutti_group* group, MPI_Comm communicator,
                                            const tutti_cluster_options* options, tutti_cluster** cluster);

/// The same for the threads of a team, which must be freed after the cluster.
TUTTI_API tutti_status tutti_cluster_create_for_team(tutti_team* team, MPI_Comm communicator,
                                                     const tutti_cluster_options* options,
                                                     tutti_cluster** cluster);

/// Frees the handle, and the cluster when all its members have left. That is a collective call as well, and
/// must come before MPI_Finalize(). NULL is ignored.
TUTTI_API tutti_status tutti_cluster_free(tutti_cluster* cluster);

/// The number of members of all processes.
TUTTI_API tutti_status tutti_cluster_size(const tutti_cluster* cluster, int* size);

/// The global rank of this process's member 0.
TUTTI_API tutti_status tutti_cluster_first_rank(const tutti_cluster* cluster, int* rank);

/// A report of where the members of this process are, as tutti_group_roll_call(), with the processes for
/// which they wait.
TUTTI_API tutti_status tutti_cluster_roll_call(const tutti_cluster* cluster, int format, char* text,
                                               size_t bytes, size_t* length);

/// Joins as the process's member `local_rank` on the calling thread, as tutti_join() does; me->rank is the
/// global rank. Returns TUTTI_ARGUMENT_ERROR if the cluster was made from a team.
TUTTI_API tutti_status tutti_cluster_join(tutti_cluster* cluster, int local_rank, tutti_member* me);

/// Calls function(me, user) once on every thread of the team, as tutti_team_run() does. Under
/// MPI_THREAD_FUNNELED, the main thread must call it. Returns TUTTI_ARGUMENT_ERROR if the cluster was made
/// from a group.
TUTTI_API tutti_status tutti_cluster_run(tutti_cluster* cluster, tutti_member_function function, void* user);

/// Joins as the process's member `local_rank`, calls function(me, user) and leaves, as tutti_group_run()
/// does.
TUTTI_API tutti_status tutti_cluster_run_member(tutti_cluster* cluster, int local_rank,
                                                tutti_member_function function, void* user);

#ifdef __cplusplus
}
#endif
