! Every collective of the module, held against what it promises.
module support
    use checks
    use omp_lib
    use tutti
    implicit none
contains
    integer function next(r, p)
        integer, intent(in) :: r, p
        next = mod(r + 1, p)
    end function

    ! All collectives with equal blocks but shifts. `how` is 0 where they block, 1 where they are started, 2 prepared, 3 where ranks arrive.
    subroutine all_collectives(me, meeting, how)
        type(tutti_caller), intent(in) :: me
        type(tutti_async_group), intent(inout) :: meeting
        integer, intent(in) :: how
        type(tutti_request) :: request
        integer, parameter :: n = 3
        integer :: r, p, i
        integer, asynchronous :: one, two, total
        real(8), asynchronous :: mine(n), theirs(n), whole(n, me%size), parts(n, me%size)
        r = me%rank
        p = me%size
        mine = [(10 * r + i, i = 1, n)]

        call tutti_barrier(by())
        call done()
        theirs = mine
        call tutti_broadcast(by(), theirs, p - 1)
        call done()
        call expect(all(theirs == [(10 * (p - 1) + i, i = 1, n)]), 'broadcast')

        theirs = -1
        call tutti_reduce(by(), mine, theirs, TUTTI_SUM, p - 1)
        call done()
        call expect(all(theirs == merge([(5 * p * (p - 1) + i * p, i = 1, n)], -1, r == p - 1)), 'reduce')
        call tutti_allreduce(by(), mine, theirs, TUTTI_MAX)
        call done()
        call expect(all(theirs == [(10 * (p - 1) + i, i = 1, n)]), 'allreduce')
        one = r
        two = 1
        call tutti_allreduce(by(), TUTTI_IN_PLACE, one, TUTTI_SUM)
        call done()
        call expect(one == p * (p - 1) / 2, 'allreduce of a scalar in place')

        parts = spread(mine, 2, p)
        call tutti_reduce_scatter(by(), parts, theirs, TUTTI_SUM)
        call done()
        call expect(all(theirs == [(5 * p * (p - 1) + i * p, i = 1, n)]), 'reduce_scatter')
        call tutti_reduce_scatter(by(), TUTTI_IN_PLACE, parts, TUTTI_SUM)
        call done()
        call expect(all(parts(:, r + 1) == theirs), 'reduce_scatter in place')

        call tutti_allgather(by(), mine, whole)
        call done()
        call expect(all(whole == everything(p)), 'allgather')
        whole = 0
        whole(:, r + 1) = mine
        call tutti_allgather(by(), TUTTI_IN_PLACE, whole)
        call done()
        call expect(all(whole == everything(p)), 'allgather in place')
        whole = 0
        call tutti_gather(by(), mine, whole, 0)
        call done()
        call expect(all(whole == merge(everything(p), 0d0, r == 0)), 'gather')
        theirs = 0
        whole = everything(p)
        call tutti_scatter(by(), whole, theirs, 0)
        call done()
        call expect(all(theirs == mine), 'scatter')

        parts = r
        call tutti_alltoall(by(), parts, whole)
        call done()
        call expect(all(whole == spread([(real(i, 8), i = 0, p - 1)], 1, n)), 'alltoall')
        call tutti_scan(by(), two, total, TUTTI_SUM)
        call done()
        call expect(total == r + 1, 'scan')
        total = -7   ! stays on rank 0
        call tutti_exscan(by(), two, total, TUTTI_SUM)
        call done()
        call expect(total == merge(-7, r, r == 0), 'exscan')
    contains
        include 'ways.inc'
    end subroutine

    ! The one that clusters do not have.
    subroutine shift(me, meeting, how)
        type(tutti_caller), intent(in) :: me
        type(tutti_async_group), intent(inout) :: meeting
        integer, intent(in) :: how
        type(tutti_request) :: request
        integer, asynchronous :: one, total
        one = me%rank
        call tutti_shift(by(), one, total, -1)
        call done()
        call expect(total == next(me%rank, me%size), 'shift')
    contains
        include 'ways.inc'
    end subroutine

    ! Those with irregular blocks: member r has r + 1 elements, and block i lies at the end of the vector minus those of i + 1
    ! members, with a gap behind it, where there are displacements.
    subroutine irregular(me)
        type(tutti_caller), intent(in) :: me
        integer :: r, p, i, length
        integer :: counts(me%size), places(me%size)
        integer(8) :: wide(me%size)
        complex(4), allocatable :: mine(:), whole(:), back(:), expected(:)
        r = me%rank
        p = me%size
        counts = [(i, i = 1, p)]
        wide = counts
        length = p * (p + 1) / 2
        places = [(length + p - i * (i + 1) / 2 - i, i = 1, p)]
        allocate (mine(r + 1), back(r + 1))
        mine = cmplx(r, 1)
        allocate (expected(length))
        expected = [((cmplx(counts(i) - 1, 1), length = 1, i), i = 1, p)]
        length = p * (p + 1) / 2
        allocate (whole(length))

        whole = 0
        call tutti_allgatherv(me, mine, whole, counts)
        call expect(all(whole == expected), 'allgatherv')
        whole = 0
        call tutti_gatherv(me, mine, whole, wide, p - 1)
        call expect(all(whole == merge(expected, (0., 0.), r == p - 1)), 'gatherv')
        back = 0
        call tutti_scatterv(me, whole, counts, back, p - 1)
        call expect(all(back == mine), 'scatterv')
        call tutti_reduce_scatterv(me, expected, back, counts, TUTTI_SUM)
        call expect(all(back == p * mine), 'reduce_scatterv')
        whole = expected
        call tutti_reduce_scatterv(me, TUTTI_IN_PLACE, whole, counts, TUTTI_SUM)
        call expect(all(whole(r * (r + 1) / 2 + 1:(r + 1) * (r + 2) / 2) == back), 'reduce_scatterv in place')

        deallocate (whole)
        allocate (whole(length + p))
        whole = 7
        call tutti_allgatherv(me, mine, whole, counts, places)
        do i = 1, p
            call expect(all(whole(places(i) + 1:places(i) + i) == cmplx(i - 1, 1)), 'allgatherv with displacements')
        end do
        call tutti_alltoallv(me, spread(cmplx(r, 0), 1, p * (r + 1)), [(r + 1, i = 1, p)], whole(:length), counts)
        call expect(all(whole(:length) == expected - (0., 1.)), 'alltoallv')
    end subroutine

    ! Member r has r + 1 terms of tenths, whose plain sum depends on the number of members.
    subroutine reproducible(me)
        type(tutti_caller), intent(in) :: me
        real(8) :: terms(me%rank + 1), total
        real(4) :: floats(me%rank + 1), small
        integer :: i, n, ierr
        n = me%size * (me%size + 1) / 2
        terms = [(real(i, 8), i = 0, me%rank)]
        floats = 3
        call tutti_reproducible_sum(me, terms, total)
        call expect(total == sum([(real(i, 8) * (me%size - i), i = 0, me%size - 1)]), 'reproducible_sum')
        call tutti_reproducible_sum(me, floats, small)
        call expect(small == 3 * n, 'reproducible_sum of real(4)')
        call tutti_reproducible_dot(me, floats, floats, small)
        call expect(small == 9 * n, 'reproducible_dot')
        terms = 1
        call tutti_reproducible_norm2(me, terms, total)
        call expect(total == sqrt(real(n, 8)), 'reproducible_norm2')
        call tutti_reproducible_sum(me, terms, small, ierr)
        call refused(ierr, 'reproducible_sum: `result` must be one number of the type of `terms`')
        call tutti_reproducible_dot(me, terms, [0d0, terms], total, ierr)
        call refused(ierr, 'reproducible_dot: `b` has')
    end subroutine

    ! The errors for wrong arguments; nobody has called anything then.
    subroutine refusals(me)
        type(tutti_caller), intent(in) :: me
        real(8) :: a(4, 4), b(4, 4)
        real(4) :: c(4, 4)
        integer :: few(1), ierr
        type(tutti_caller) :: nobody
        type(tutti_request) :: request, several(3)
        integer, asynchronous :: started, also_started
        logical :: done
        a = 0
        few = 1
        started = 1
        also_started = 1
        call tutti_allreduce(me, a(1, :), b(:, 1), TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `in` is not contiguous')
        call tutti_allreduce(me, a(:, 1), b(1:3:2, 1), TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` is not contiguous')
        call tutti_allreduce(me, a, c, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `in` and `out` are of different types')
        call tutti_allreduce(me, a(:, 1), b(:, 1:2), TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` has 8 elements, must have 4')
        call tutti_allgather(me, a(:, 1), b(1:1, 1), ierr)
        call refused(ierr, 'allgather: `out` has 1 elements, must have')
        call tutti_allreduce(me, a, b, 5_8, ierr)
        call refused(ierr, '`op` is 5')
        call tutti_reduce(me, a, b, TUTTI_SUM, -1, ierr)
        call refused(ierr, '`root` is -1')
        call tutti_barrier(nobody, ierr)
        call refused(ierr, '`me` is not a caller')
        call tutti_allgatherv(me, a, b, few, ierr=ierr)
        if (me%size /= 1) call refused(ierr, 'allgatherv: `counts` must be')
        call tutti_broadcast(tutti_nonblocking(me, several(1)), started, 0)
        call tutti_broadcast(tutti_nonblocking(me, several(3)), also_started, 0)
        call tutti_wait_all(several(1:3:2), ierr)
        call refused(ierr, 'wait_all: `requests` is not contiguous')
        call tutti_wait_all(several)
        call expect(.not. c_associated(several(3)%operation), 'wait_all')
        call tutti_start(request, ierr)
        call refused(ierr, 'not of a prepared call')
        call tutti_test(request, done, ierr)
        call expect(ierr == TUTTI_OK .and. done, 'test of no operation')
        call assumed(me, b)
    end subroutine

    subroutine assumed(me, sized)
        type(tutti_caller), intent(in) :: me
        real(8) :: sized(*)
        integer :: ierr
        call tutti_broadcast(me, sized, 0, ierr)
        call refused(ierr, 'broadcast: `inout` is of assumed size')
    end subroutine

    ! All types, and arrays of no rank and of many.
    subroutine types(me)
        type(tutti_caller), intent(in) :: me
        integer(1) :: i1
        integer(2) :: i2(2, 1, 2)
        integer(8) :: i8(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)
        real(4) :: r4(0), r4s
        complex(8) :: c8(2, 2)
        i1 = 1_1
        i2 = 2_2
        i8 = 3_8
        r4s = 0.5
        c8 = (1, -1)
        call tutti_allreduce(me, TUTTI_IN_PLACE, i1, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, i2, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, i8, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, r4, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, r4s, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, c8, TUTTI_SUM)
        call expect(i1 == me%size .and. all(i2 == 2 * me%size) .and. all(i8 == 3 * me%size) .and. &
                    r4s == 0.5 * me%size .and. all(c8 == me%size * (1, -1)), 'types')
    end subroutine

    function everything(p)
        integer, intent(in) :: p
        integer :: i, j
        real(8) :: everything(3, p)
        everything = reshape([((10 * (j - 1) + i, i = 1, 3), j = 1, p)], [3, p])
    end function
end module
