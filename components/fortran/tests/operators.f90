! The operators that are not in every test: of pairs, on columns, logical and long numbers.
module operators_of_members
    use checks
    use tutti
    implicit none
    integer, parameter :: wide_integer = max(selected_int_kind(30), 1), long_real = max(selected_real_kind(18), 4)
contains
    ! `how` is 0 where calls block, 1 where they are started, 2 prepared, 3 where ranks arrive.
    subroutine pairs(me, meeting, how)
        type(tutti_caller), intent(in) :: me
        type(tutti_async_group), intent(inout) :: meeting
        integer, intent(in) :: how
        type(tutti_request) :: request
        real(8), asynchronous :: double(2, 3), least(2, 3)
        real(4), asynchronous :: single(2), greatest(2)
        integer(8), asynchronous :: wide(2), block(2, 2), blocks(2, 2, me%size)
        integer :: r, p
        r = me%rank
        p = me%size
        ! The least value is 0 in the first column, -r in the second, and the same on all members in the third.
        double = reshape([real(8) :: mod(r + 1, p), r, -r, r, 5, r], [2, 3])
        call tutti_allreduce(by(), double, least, TUTTI_MINLOC)
        call done()
        call expect(all(least == reshape([real(8) :: 0, p - 1, 1 - p, p - 1, 5, 0], [2, 3])), 'minloc')
        single = [real(r), real(r)]
        greatest = -1
        call tutti_reduce(by(), single, greatest, TUTTI_MAXLOC, 0)
        call done()
        call expect(all(greatest == merge(real(p - 1), -1., r == 0)), 'maxloc')
        wide = [int(r, 8), -int(r, 8)]
        call tutti_exscan(by(), TUTTI_IN_PLACE, wide, TUTTI_MAXLOC)
        call done()
        call expect(all(wide == merge(0, max(r - 1, 0), r == 0) * [1, -1]), 'maxloc of integer(8)')
        blocks(1, :, :) = r
        blocks(2, :, :) = 7
        call tutti_reduce_scatter(by(), blocks, block, TUTTI_MAXLOC)
        call done()
        call expect(all(block(1, :) == p - 1) .and. all(block(2, :) == 7), 'reduce_scatter of pairs')
    contains
        include 'ways.inc'
    end subroutine

    subroutine other_types(me)
        type(tutti_caller), intent(in) :: me
        logical :: flag, flags(3)
        logical(1) :: small(2)
        integer(wide_integer) :: wide
        real(long_real) :: long(2)
        integer(8) :: pairs(2, me%size * (me%size + 1) / 2), mine(2, me%rank + 1)
        integer :: counts(me%size), i
        flags = [me%rank == 0, .true., .false.]
        call tutti_allreduce(me, TUTTI_IN_PLACE, flags, TUTTI_LOR)
        call expect(all(flags .eqv. [.true., .true., .false.]), 'any of logical')
        flag = me%rank == 0
        call tutti_allreduce(me, flag, flags(1), TUTTI_LAND)
        call expect(flags(1) .eqv. me%size == 1, 'all of logical')
        small = .true.
        call tutti_allreduce(me, TUTTI_IN_PLACE, small, TUTTI_LXOR)
        call expect(all(small .eqv. mod(me%size, 2) == 1), 'odd number of logical(1)')
        wide = 2_wide_integer**(bit_size(wide) - 5)
        call tutti_allreduce(me, TUTTI_IN_PLACE, wide, TUTTI_SUM)
        call expect(wide == me%size * 2_wide_integer**(bit_size(wide) - 5), 'sum of wide integers')
        long = [real(long_real) :: me%rank, 1 / 3._long_real]
        call tutti_allreduce(me, TUTTI_IN_PLACE, long, TUTTI_MAX)
        call expect(long(1) == me%size - 1 .and. long(2) == 1 / 3._long_real, 'maximum of long reals')
        counts = [(i, i = 1, me%size)]
        pairs(1, :) = -me%rank
        pairs(2, :) = me%rank
        call tutti_reduce_scatterv(me, pairs, mine, counts, TUTTI_MINLOC)
        call expect(all(mine(2, :) == me%size - 1), 'reduce_scatterv of pairs')
    end subroutine

    subroutine refusals(me)
        type(tutti_caller), intent(in) :: me
        character(*), parameter :: why = 'allreduce: operators for pairs, such as TUTTI_MINLOC'
        real(8) :: triples(3, 2), flat(4)
        integer(2) :: short(2)
        integer :: ierr
        triples = 1
        flat = 1
        short = 1
        call tutti_allreduce(me, TUTTI_IN_PLACE, triples, TUTTI_MINLOC, ierr)
        call refused(ierr, why)
        call tutti_allreduce(me, TUTTI_IN_PLACE, flat, TUTTI_MINLOC, ierr)
        call refused(ierr, why)
        call tutti_allreduce(me, TUTTI_IN_PLACE, short, TUTTI_MAXLOC, ierr)
        call refused(ierr, why)
        call tutti_allreduce(me, TUTTI_IN_PLACE, ierr, TUTTI_MAXLOC, ierr)
        call refused(ierr, why)
    end subroutine
end module

program operators
    use operators_of_members
    use omp_lib
    implicit none
    integer :: members, how
    type(tutti_group) :: group
    type(tutti_async_group) :: meeting
    type(tutti_caller) :: me
    do members = 1, 5
        call tutti_group_create(members, group)
        call tutti_async_group_create(members, meeting)
!$omp parallel num_threads(members) private(me, how)
        call tutti_join(group, omp_get_thread_num(), me)
        do how = 0, 3
            call pairs(me, meeting, how)
        end do
        call other_types(me)
        call refusals(me)
        call tutti_leave(me)
!$omp end parallel
        call tutti_async_group_free(meeting)
        call tutti_group_free(group)
    end do
    call tell()
end program
