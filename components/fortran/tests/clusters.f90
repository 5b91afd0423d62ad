! Collectives among the threads of several processes.
program clusters
    use collectives
    use omp_lib
    use tutti_mpi
    implicit none
    include 'mpif.h'
    integer, parameter :: threads = 2
    type(tutti_group) :: group
    type(tutti_cluster) :: cluster, other
    type(tutti_member) :: me
    integer :: ierr, level, process, processes, how
    call tutti_group_create(threads, group)
    call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, process, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, processes, ierr)
    call tutti_cluster_create(group, MPI_COMM_NULL, cluster, ierr)
    call refused(ierr, '`communicator`')
    call tutti_cluster_create(group, MPI_COMM_WORLD, cluster)
!$omp parallel num_threads(threads) private(me, how)
    call tutti_cluster_join(cluster, omp_get_thread_num(), me)
    call expect(me%rank == threads * process + omp_get_thread_num() .and. me%size == threads * processes, 'join')
    do how = 0, 2
        call all_collectives(me, how)
    end do
    call tutti_leave(me)
!$omp end parallel
    call tutti_cluster_join(cluster, threads, me, ierr)
    call refused(ierr, 'rank is 2')
    call tutti_cluster_free(cluster)
    call expect(.not. c_associated(cluster%handle), 'free')

    ! Member 1 does not come.
    call tutti_cluster_create(group, MPI_COMM_SELF, other, timeout_ms=100)
    call tutti_cluster_join(other, 0, me)
    call tutti_barrier(me, ierr)
    call expect(ierr == TUTTI_TIMEOUT_ERROR, 'timeout of a cluster')
    call tutti_leave(me)
    call tutti_cluster_free(other)
    call tutti_group_free(group)
    call MPI_Finalize(ierr)
    call tell()
end program
