// The procedures of the module tutti_mpi.

#include "fortran/src/arrays.h"

#include <tutti/tutti_mpi.h>

#include <stddef.h>

/// `timeout_ms` may be absent.
void tutti_f_cluster_create(tutti_group** group, MPI_Fint communicator, tutti_cluster** cluster, int* ierr,
                            const int* timeout_ms) {
    tutti_cluster_options options = TUTTI_CLUSTER_OPTIONS_INIT;
    options.timeout_ms = timeout_ms != NULL ? *timeout_ms : options.timeout_ms;
    tutti_f_forward(tutti_cluster_create(*group, MPI_Comm_f2c(communicator), &options, cluster), ierr);
}

void tutti_f_cluster_free(tutti_cluster** cluster, int* ierr) {
    tutti_cluster* const freed = *cluster;
    *cluster = NULL;
    tutti_f_forward(tutti_cluster_free(freed), ierr);
}

void tutti_f_cluster_join(tutti_cluster** cluster, int rank, tutti_member* me, int* ierr) {
    tutti_f_forward(tutti_cluster_join(*cluster, rank, me), ierr);
}
