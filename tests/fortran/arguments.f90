! What the module takes apart itself: what it refuses, and of which types and lengths arrays may be.
module cases
    use checks
    use tutti
    implicit none
contains
    ! A call that the module refuses writes its request, as one does that the library refuses.
    subroutine request_of_a_refused_call(me, meeting)
        type(tutti_caller), intent(in) :: me
        type(tutti_rendezvous), intent(inout) :: meeting
        type(tutti_request) :: request
        real(8), asynchronous :: x(10), y(10)
        integer :: ierr, counts(2)
        counts = 1
        x = 1
        request = junk()
        call tutti_allreduce(tutti_start(me, request), x(1:10:3), y(1:4), TUTTI_SUM, ierr)
        call gives_none('start')
        request = TUTTI_REQUEST_NULL
        call tutti_wait(request)
        request = junk()
        call tutti_broadcast(tutti_prepare(me, request), x(1:10:3), 0, ierr)
        call gives_none('prepare')
        call tutti_gather(tutti_arrive(meeting, me%rank, request), x(1:10:3), y, 0, ierr)
        call gives_none('arrive')
        call tutti_allgatherv(tutti_start(me, request), x(1:10:3), y, counts, ierr=ierr)
        call gives_none('start with irregular blocks')
        call tutti_scatterv(tutti_start(me, request), x, counts, y(1:10:3), 0, ierr=ierr)
        call gives_none('start of a scatterv')
    contains
        ! What a request may be that is private in a region of OpenMP.
        type(tutti_request) function junk()
            junk = transfer([1234567_8, 7777_8], junk)
        end function
        subroutine gives_none(what)
            character(*), intent(in) :: what
            call refused(ierr, 'is not contiguous')
            call tutti_wait(request, ierr)
            call expect(ierr == TUTTI_OK, what//' that is refused leaves its request')
            request = junk()
        end subroutine
    end subroutine

    subroutine in_place_where_a_call_writes(me)
        type(tutti_caller), intent(in) :: me
        character(*), parameter :: why = 'is TUTTI_IN_PLACE, which only what a call reads can be'
        integer :: n, ierr, counts(2)
        real(8) :: x
        n = 5
        x = 5
        counts = 1
        call tutti_allreduce(me, n, TUTTI_IN_PLACE, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` '//why)
        call tutti_allreduce(me, x, TUTTI_IN_PLACE, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` '//why)
        call tutti_allreduce(me, TUTTI_IN_PLACE, TUTTI_IN_PLACE, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` '//why)
        call tutti_broadcast(me, TUTTI_IN_PLACE, 0, ierr)
        call refused(ierr, 'broadcast: `inout` '//why)
        call tutti_allgatherv(me, n, TUTTI_IN_PLACE, counts, ierr=ierr)
        call refused(ierr, 'allgatherv: `out` '//why)
        call tutti_scatterv(me, n, counts, TUTTI_IN_PLACE, 0, ierr=ierr)
        call refused(ierr, 'scatterv: `block` '//why)
    end subroutine

    subroutine not_allocated(me, absent, absent_one)
        type(tutti_caller), intent(in) :: me
        real(8), optional :: absent(:), absent_one
        real(8), allocatable :: none(:), no_scalar
        real(8), pointer :: nowhere(:)
        real(8) :: x(8)
        integer, allocatable :: no_counts(:)
        integer :: ierr
        allocate (none(8), nowhere(8), no_counts(2))  ! what was allocated has extents yet
        deallocate (none, nowhere, no_counts)
        x = 1
        call tutti_allreduce(me, none, x, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `in` is not allocated')
        call tutti_allreduce(me, x, none, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` is not allocated')
        call tutti_allreduce(me, x(1), no_scalar, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` is not allocated')
        call tutti_allreduce(me, nowhere, x, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `in` is not allocated')
        call tutti_allreduce(me, x, absent, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` is not allocated')
        call tutti_broadcast(me, absent_one, 0, ierr)
        call refused(ierr, 'broadcast: `inout` is not allocated')
        call tutti_allgatherv(me, x, x, no_counts, ierr=ierr)
        call refused(ierr, 'allgatherv: `counts` is not allocated')
        call tutti_broadcast(me, [real(8) ::], 0, ierr)
        call expect(ierr == TUTTI_OK, 'broadcast of nothing')
    end subroutine

    ! An array may be longer than its blocks: what lies behind these is neither read nor written.
    subroutine longer_than_the_blocks(me)
        type(tutti_caller), intent(in) :: me
        integer :: mine(me%rank + 1), counts(2), wide(5), i, ierr
        integer, parameter :: everything(5) = [0, 1, 1, -1, -1]
        mine = me%rank
        counts = [1, 2]
        wide = -1
        call tutti_allgatherv(me, mine, wide, counts)
        call expect(all(wide == everything), 'allgatherv')
        wide = -1
        call tutti_gatherv(me, mine, wide, counts, 1)
        call expect(all(wide == merge(everything, -1, me%rank == 1)), 'gatherv')
        mine = -1
        call tutti_scatterv(me, wide, counts, mine, 1)
        call expect(all(mine == me%rank), 'scatterv')
        wide = -1
        call tutti_alltoallv(me, [(me%rank, i = 1, 7)], [me%rank + 1, me%rank + 1], wide, counts)
        call expect(all(wide == everything), 'alltoallv')
        call tutti_reduce_scatterv(me, everything, mine, counts, TUTTI_SUM)
        call expect(all(mine == 2 * me%rank), 'reduce_scatterv')

        call tutti_allgatherv(me, mine, wide(:2), counts, ierr=ierr)
        call refused(ierr, 'allgatherv: `out` has 2 elements, and its blocks reach to 3')
        call tutti_allgatherv(me, mine, wide, counts, [4, 0], ierr)
        call expect(ierr == TUTTI_OK, 'allgatherv with displacements')
        call tutti_allgatherv(me, mine, wide, counts, [5, 0], ierr)
        call refused(ierr, 'allgatherv: `out` has 5 elements, and its blocks reach to 6')
        call tutti_allgatherv(me, mine, wide, [huge(0_8), huge(0_8)], ierr=ierr)
        call refused(ierr, 'allgatherv: `out` has 5 elements, and its blocks')
        call tutti_allgatherv(me, mine, wide, spread(huge(0_8), 1, 2), [huge(0_8), huge(0_8)], ierr)
        call refused(ierr, 'allgatherv: `out` has 5 elements, and its blocks')
    end subroutine

    ! Every member gives the counts, where it says so.
    subroutine counts_of_every_member(me)
        type(tutti_caller), intent(in) :: me
        integer :: mine(me%rank + 1), back(me%rank + 1), counts(2), whole(3), ierr
        mine = me%rank
        counts = [1, 2]
        whole = -1
        call tutti_gatherv(tutti_counts_on_all(me), mine, whole, counts, 0, ierr=ierr)
        call expect(ierr == TUTTI_OK .and. all(whole == merge([0, 1, 1], -1, me%rank == 0)), 'gatherv with counts on all')
        call tutti_scatterv(tutti_counts_on_all(me), whole, counts, back, 0, ierr=ierr)
        call expect(ierr == TUTTI_OK .and. all(back == mine), 'scatterv with counts on all')
        call tutti_gatherv(tutti_counts_on_all(me), mine, whole, counts(:1), 0, ierr=ierr)
        call refused(ierr, 'gatherv: `counts` must be 2 numbers')
    end subroutine
end module

program arguments
    use cases
    use omp_lib
    implicit none
    type(tutti_group) :: group
    type(tutti_rendezvous) :: meeting
    type(tutti_caller) :: me
    call tutti_group_create(2, group)
    call tutti_rendezvous_create(2, meeting)
!$omp parallel num_threads(2) private(me)
    call tutti_join(group, omp_get_thread_num(), me)
    call request_of_a_refused_call(me, meeting)
    call in_place_where_a_call_writes(me)
    call not_allocated(me)
    call counts_of_every_member(me)
    call longer_than_the_blocks(me)
    call tutti_leave(me)
!$omp end parallel
    call tutti_rendezvous_free(meeting)
    call tutti_group_free(group)
    call tell()
end program
