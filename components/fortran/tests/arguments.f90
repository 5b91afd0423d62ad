! The arguments that the module takes apart itself: those that it rejects, and the types and lengths of
! arrays.
module cases
    use checks
    use tutti
    implicit none
    type :: particle
        real(8) :: place(3)
        integer :: charge
        character(3) :: name
    end type
    integer, parameter :: wide_integer = max(selected_int_kind(30), 1), wide_real = max(selected_real_kind(30), 4)
contains
    ! A call that the module refuses writes its request, as one does that the library refuses.
    subroutine request_of_a_refused_call(me, meeting)
        type(tutti_caller), intent(in) :: me
        type(tutti_async_group), intent(inout) :: meeting
        type(tutti_request) :: request
        real(8), asynchronous :: x(10), y(10)
        integer :: ierr, counts(2)
        counts = 1
        x = 1
        request = junk()
        call tutti_allreduce(tutti_nonblocking(me, request), x(1:10:3), y(1:4), TUTTI_SUM, ierr)
        call gives_none('start')
        request = TUTTI_REQUEST_NULL
        call tutti_wait(request)
        request = junk()
        call tutti_broadcast(tutti_persistent(me, request), x(1:10:3), 0, ierr)
        call gives_none('prepare')
        call tutti_gather(tutti_async_rank(meeting, me%rank, request), x(1:10:3), y, 0, ierr)
        call gives_none('arrive')
        call tutti_allgatherv(tutti_nonblocking(me, request), x(1:10:3), y, counts, ierr=ierr)
        call gives_none('start with irregular blocks')
        call tutti_scatterv(tutti_nonblocking(me, request), x, counts, y(1:10:3), 0, ierr=ierr)
        call gives_none('start of a scatterv')
    contains
        ! A value that a request may have which is private in a region of OpenMP.
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

    ! Elements without operators are moved, by their size.
    subroutine types_that_are_moved(me)
        type(tutti_caller), intent(in) :: me
        logical :: flag, flags(2)
        logical(1) :: small_flags(3)
        character(5) :: word, words(2)
        character(:), allocatable :: text
        character(kind=selected_char_kind('ISO_10646'), len=2) :: wide_text
        integer(wide_integer) :: wide, wides(2)
        real(wide_real) :: precise, more_precise
        complex(wide_real) :: complexes(1, 2)
        type(particle) :: mine, all_of_them(2), sent(3), got(2)
        type(c_ptr) :: address, own
        integer, target :: number
        integer :: i, counts(2)
        flag = me%rank == 1
        call tutti_allgather(me, flag, flags)
        call expect(all(flags .eqv. [.false., .true.]), 'logical')
        small_flags = me%rank == 0
        call tutti_broadcast(me, small_flags, 0)
        call expect(logical(all(small_flags)), 'logical(1)')
        word = merge('bread', 'wines', me%rank == 0)
        call tutti_gather(me, word, words, 1)
        if (me%rank == 1) call expect(all(words == ['bread', 'wines']), 'character')
        call tutti_broadcast(me, word(2:4), 1)
        call expect(word == merge('bined', 'wines', me%rank == 0), 'part of a character')
        text = merge('left ', 'right', me%rank == 0)
        call tutti_shift(me, text, word, 1)
        call expect(word == merge('right', 'left ', me%rank == 0), 'character(:), allocatable')
        wide_text = achar(65 + me%rank)
        call tutti_broadcast(me, wide_text, 1)
        call expect(wide_text == selected_kind('B'), 'character of another kind')
        wide = 2_wide_integer**(bit_size(wide) - 3) + me%rank
        call tutti_allgather(me, wide, wides)
        call expect(wides(2) - wides(1) == 1 .and. wides(me%rank + 1) == wide, 'wide integer')
        precise = 1 / real(3 + me%rank, wide_real)
        call tutti_shift(me, precise, more_precise, 1)
        call expect(more_precise == 1 / real(4 - me%rank, wide_real), 'real of much precision')
        complexes = cmplx(me%rank, 1, wide_real)
        call tutti_broadcast(me, complexes, 1)
        call expect(all(complexes == (1, 1)), 'complex of much precision')

        mine = particle([real(8) :: 1, 2, me%rank], me%rank, 'ion')
        call tutti_allgather(me, mine, all_of_them)
        call expect(all(all_of_them%charge == [0, 1]) .and. all(all_of_them%name == 'ion'), 'derived type')
        sent = mine
        sent%charge = [(10 * me%rank + i, i = 1, 3)]
        counts = [1, 2]
        call tutti_scatterv(me, sent, counts, got(:me%rank + 1), 0)
        call expect(got(1)%charge == merge(1, 2, me%rank == 0), 'derived type in irregular blocks')
        call tutti_alltoall(me, all_of_them, got)
        call expect(all(got%charge == me%rank), 'derived type of all to all')
        number = me%rank
        own = c_loc(number)
        address = own
        call tutti_broadcast(me, address, 0)
        call expect(c_associated(address, own) .eqv. me%rank == 0, 'c_ptr')
    contains
        character(kind=selected_char_kind('ISO_10646'), len=1) function selected_kind(letter)
            character, intent(in) :: letter
            selected_kind = achar(iachar(letter))
        end function
    end subroutine

    subroutine types_that_are_refused(me, polymorphic)
        type(tutti_caller), intent(in) :: me
        class(*), intent(inout) :: polymorphic(:)
        character(*), parameter :: why = 'operators are for integer(1,2,4,8,16), real(4,8,10) and complex(4,8)'
        logical :: flag, flags(2)
        character(4) :: word, other_word
        character(3) :: short_word
        character(0) :: nothing
        integer :: i, ierr
        integer(c_int64_t) :: op
        flags = .true.
        flag = .true.
        word = 'rice'
        short_word = 'rye'
        call tutti_allreduce(me, flag, flags(1), TUTTI_BAND, ierr)
        call refused(ierr, 'allreduce: '//why)
        call tutti_reduce(me, word, other_word, TUTTI_MAX, 0, ierr)
        call refused(ierr, 'reduce: '//why)
        call tutti_scan(me, TUTTI_IN_PLACE, flag, TUTTI_SUM, ierr)
        call refused(ierr, 'scan: '//why)
        call tutti_reduce_scatter(me, flags, flag, TUTTI_SUM, ierr)
        call refused(ierr, 'reduce_scatter: '//why)
        call tutti_reduce_scatterv(me, flags, flag, [1, 1], TUTTI_SUM, ierr)
        call refused(ierr, 'reduce_scatterv: '//why)
        call tutti_shift(me, word, short_word, 1, ierr)
        call refused(ierr, 'shift: `in` and `out` are of different types')
        call tutti_shift(me, word, i, 1, ierr)
        call refused(ierr, 'shift: `in` and `out` are of different types')
        call tutti_shift(me, flag, i, 1, ierr)
        call refused(ierr, 'shift: `in` and `out` are of different types')
        call tutti_allgatherv(me, flag, [1, 2], [1, 1], ierr=ierr)
        call refused(ierr, 'allgatherv: `block` and `out` are of different types')
        call tutti_broadcast(me, nothing, 0, ierr)
        call refused(ierr, 'broadcast: `inout` has elements of 0 bytes')
        call tutti_broadcast(me, polymorphic, 0, ierr)
        call refused(ierr, 'broadcast: `inout` is polymorphic: pass it inside `select type`')
        select type (polymorphic)
        type is (particle)
            polymorphic%charge = me%rank
            call tutti_broadcast(me, polymorphic, 1)
            call expect(all(polymorphic%charge == 1), 'inside select type')
        end select

        call tutti_op_create(c_funloc(both), c_null_ptr, 1, op)
        flags = [.true., me%rank == 1]
        call tutti_allreduce(me, TUTTI_IN_PLACE, flags, op)
        call expect(all(flags .eqv. [.true., .false.]), 'operator for logical')
        call tutti_op_free(op)
    end subroutine

    ! An operator of the program's own, for logical.
    subroutine both(in, inout, n, user) bind(c)
        type(c_ptr), value :: in, inout, user
        integer(c_size_t), value :: n
        logical, pointer :: a(:), b(:)
        if (c_associated(user)) return
        call c_f_pointer(in, a, [n])
        call c_f_pointer(inout, b, [n])
        b = a .and. b
    end subroutine
end module

program arguments
    use cases
    use omp_lib
    implicit none
    type(tutti_group) :: group
    type(tutti_async_group) :: meeting
    type(tutti_caller) :: me
    type(particle) :: some(2)
    call tutti_group_create(2, group)
    call tutti_async_group_create(2, meeting)
!$omp parallel num_threads(2) private(me, some)
    call tutti_join(group, omp_get_thread_num(), me)
    call request_of_a_refused_call(me, meeting)
    call in_place_where_a_call_writes(me)
    call not_allocated(me)
    call counts_of_every_member(me)
    call longer_than_the_blocks(me)
    call types_that_are_moved(me)
    call types_that_are_refused(me, some)
    call tutti_leave(me)
!$omp end parallel
    call tutti_async_group_free(meeting)
    call tutti_group_free(group)
    call tell()
end program
