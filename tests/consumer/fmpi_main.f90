! A Fortran program outside the tree that makes a cluster of one member in one process.
program consumer
    use mpi_f08
    use tutti_mpi
    implicit none
    type(tutti_group) :: group
    type(tutti_cluster) :: cluster
    type(tutti_member) :: me
    integer :: total
    total = 7
    call MPI_Init()
    call tutti_group_create(1, group)
    call tutti_cluster_create(group, MPI_COMM_WORLD%MPI_VAL, cluster)
    call tutti_cluster_join(cluster, 0, me)
    call tutti_allreduce(me, TUTTI_IN_PLACE, total, TUTTI_SUM)
    call tutti_leave(me)
    call tutti_cluster_free(cluster)
    call tutti_group_free(group)
    call MPI_Finalize()
    print *, 'from Fortran, over MPI: ', total
    if (total /= 7) error stop 1
end program
