! Clusters for Fortran: collectives among the threads of several MPI processes. The module contains the module
! `tutti`, whose collectives are for the callers that tutti_cluster_join makes. It needs no module of the MPI
! library: a communicator is an integer, that of `use mpi`, or comm%MPI_VAL of `use mpi_f08`.
module tutti_mpi
    use tutti
    implicit none
    public

    type, bind(c) :: tutti_cluster
        type(c_ptr) :: handle = c_null_ptr
    end type

    interface
        ! Connects the threads of a group with those of the other processes of the communicator, which is
        ! duplicated. One thread of each process calls it; under MPI_THREAD_FUNNELED, the main thread.
        subroutine tutti_cluster_create(group, communicator, cluster, ierr, timeout_ms) &
            bind(c, name="tutti_f_cluster_create")
            import
            type(tutti_group), intent(inout) :: group
            integer(c_int), value :: communicator
            type(tutti_cluster), intent(inout) :: cluster
            integer(c_int), intent(out), optional :: ierr
            integer(c_int), intent(in), optional :: timeout_ms
        end subroutine

        ! After all members have left, and before MPI_Finalize. It is collective, as tutti_cluster_create.
        subroutine tutti_cluster_free(cluster, ierr) bind(c, name="tutti_f_cluster_free")
            import
            type(tutti_cluster), intent(inout) :: cluster
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! Joins as this process's member `rank`; new%rank is the rank among all members.
        subroutine tutti_cluster_join(cluster, rank, new, ierr) bind(c, name="tutti_f_cluster_join")
            import
            type(tutti_cluster), intent(inout) :: cluster
            integer(c_int), value :: rank
            type(tutti_caller), intent(out) :: new
            integer(c_int), intent(out), optional :: ierr
        end subroutine
    end interface
end module
