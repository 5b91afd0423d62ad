! The exchange among neighbours.
module exchanges
    use checks
    use tutti
    implicit none
contains
    ! Each member has a column of a field, whose border rows go to the members above and below.
    subroutine halo(me)
        type(tutti_caller), intent(in) :: me
        type(tutti_neighbors) :: line
        type(tutti_request) :: request
        real(8), asynchronous :: field(3, 0:5)
        integer, allocatable :: ranks(:)
        integer :: way, above, below
        request = TUTTI_REQUEST_NULL
        line%handle = c_null_ptr
        call tutti_neighbors_grid(me, [me%size], [.false.], line)
        above = merge(me%rank - 1, TUTTI_NEIGHBOR_NONE, me%rank > 0)
        below = merge(me%rank + 1, TUTTI_NEIGHBOR_NONE, me%rank < me%size - 1)
        call tutti_neighbors_sources(line, ranks)
        call expect(all(ranks == [above, below]), 'sources')
        call tutti_neighbors_destinations(line, ranks)
        call expect(size(ranks) == 2 .and. all(ranks == [above, below]), 'destinations')
        do way = 1, 3
            field = -1
            field(:, 1:4) = me%rank
            select case (way)
            case (1)
                call exchange(me)
            case (2)
                call exchange(tutti_nonblocking(me, request))
                call tutti_wait(request)
            case (3)
                call exchange(tutti_persistent(me, request))
                call tutti_start(request)
                call tutti_wait(request)
                call tutti_request_free(request)
            end select
            call expect(all(field(:, 0) == above) .and. all(field(:, 5) == below) .and. all(field(:, 1:4) == me%rank), 'halo')
            call tutti_barrier(me)
        end do
        call tutti_neighbors_free(line)
    contains
        subroutine exchange(caller)
            type(tutti_caller), intent(in) :: caller
            call tutti_neighbor_alltoallv(caller, line, field, [3, 3], field, [3_8, 3_8], [3, 12], [0, 15])
        end subroutine
    end subroutine

    ! Member 0 sends to all, and all but it send to nobody.
    subroutine star(me)
        type(tutti_caller), intent(in) :: me
        type(tutti_neighbors) :: graph
        integer :: i, out(2), in(2, merge(me%size, 0, me%rank == 0))
        integer, allocatable :: ranks(:)
        graph%handle = c_null_ptr
        call tutti_neighbors_create(me, [0], [(i, i = 0, size(in, 2) - 1)], graph)
        call tutti_neighbors_destinations(graph, ranks)
        call expect(size(ranks) == size(in, 2), 'number of destinations')
        in = reshape([(i, i = 1, size(in))], shape(in))
        call tutti_neighbor_alltoall(me, graph, in, out)
        call expect(all(out == [2 * me%rank + 1, 2 * me%rank + 2]), 'star')
        call tutti_barrier(me)
        call tutti_neighbors_free(graph)
        call tutti_neighbors_create(me, ranks(:0), ranks(:0), graph)
        call tutti_neighbor_alltoall(me, graph, in(:, :0), out(:0))
        call tutti_neighbors_free(graph)
    end subroutine

    subroutine refusals(me)
        type(tutti_caller), intent(in) :: me
        type(tutti_neighbors) :: ring, freed
        integer :: ierr, in(4), out(4)
        ring%handle = c_null_ptr
        call tutti_neighbors_grid(me, [me%size, 2], [.true., .true.], ring, ierr)
        call refused(ierr, 'grid: `dims` is')
        call tutti_neighbors_grid(me, [me%size], [.true., .true.], ring, ierr)
        call refused(ierr, 'grid: `wraps` must be 1 elements of logical')
        call tutti_neighbors_grid(me, [me%size], [1], ring, ierr)
        call refused(ierr, 'grid: `wraps` must be 1 elements of logical')
        call tutti_neighbor_alltoall(me, ring, in, out, ierr)
        call refused(ierr, '`neighbors` is a null pointer')
        call tutti_neighbors_grid(me, [me%size], [.true._1], ring)
        in = me%rank
        call tutti_neighbor_alltoall(me, ring, in(:3), out, ierr)
        call refused(ierr, 'neighbor_alltoall: `in` has 3 elements, which do not make 2 equal blocks')
        call tutti_neighbor_alltoall(me, ring, in, out(:2), ierr)
        call refused(ierr, 'neighbor_alltoall: `out` has 2 elements, must have 4')
        call tutti_neighbor_alltoall(me, ring, TUTTI_IN_PLACE, out(:2), ierr)
        call refused(ierr, 'neighbor_alltoall: `in` is TUTTI_IN_PLACE')
        call tutti_neighbor_alltoallv(me, ring, in, [1, 1, 1], out, [1, 1], ierr=ierr)
        call refused(ierr, 'neighbor_alltoallv: `send_counts` must be 2 numbers')
        call tutti_neighbor_alltoallv(me, ring, in, [2, 2], out, [2, 3], ierr=ierr)
        call refused(ierr, 'neighbor_alltoallv: `out` has 4 elements, and its blocks reach to 5')
        call tutti_neighbor_alltoall(me, ring, in, out)
        call expect(all(out(:2) == modulo(me%rank - 1, me%size)), 'ring')
        call tutti_barrier(me)
        freed = ring
        call tutti_neighbors_free(ring)
        call expect(.not. c_associated(ring%handle), 'a handle that is empty when freed')
        call tutti_neighbor_alltoall(me, freed, in, out, ierr)
        call refused(ierr, '`neighbors` has been freed')
    end subroutine
end module

program neighbors
    use exchanges
    use omp_lib
    implicit none
    type(tutti_group) :: group
    type(tutti_caller) :: me
    call tutti_group_create(3, group)
!$omp parallel num_threads(3) private(me)
    call tutti_join(group, omp_get_thread_num(), me)
    call halo(me)
    call star(me)
    call refusals(me)
    call tutti_leave(me)
!$omp end parallel
    call tutti_group_free(group)
    call tell()
end program
