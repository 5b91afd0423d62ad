! The arguments that the module takes apart itself: those that it rejects, and the types and lengths of arrays. For two members.
module arguments
    use checks
    implicit none
    type :: particle
        real(8) :: place(3)
        integer :: charge
        character(3) :: name
    end type
    integer, parameter :: wide_integer = max(selected_int_kind(30), 1), wide_character = selected_char_kind('ISO_10646'), &
        long_real = max(selected_real_kind(18), 4), wide_real = max(selected_real_kind(30), 4)
contains
    ! A call that the module refuses writes its request, as one does that the library refuses.
    subroutine request_of_a_refused_call(me, meeting)
        type(tutti_member), intent(in) :: me
        type(tutti_async_group), intent(inout) :: meeting
        type(tutti_request) :: request
        real(8), asynchronous :: x(10), y(10)
        integer :: ierr
        x = 1
        call forget()
        call tutti_allreduce(tutti_nonblocking(me, request), x(1:10:3), y(1:4), TUTTI_SUM, ierr)
        call gives_none('start')
        call tutti_broadcast(tutti_persistent(me, request), x(1:10:3), 0, ierr)
        call gives_none('prepare')
        call tutti_allgatherv(tutti_async_rank(meeting, me%rank, request), x(1:10:3), y, [1, 1], ierr=ierr)
        call gives_none('arrive with irregular blocks')
    contains
        ! A value that a request may have which is private in a region of OpenMP.
        subroutine forget()
            request = transfer([1234567_8, 7777_8], request)
        end subroutine
        subroutine gives_none(what)
            character(*), intent(in) :: what
            call refused(ierr, 'is not contiguous')
            call tutti_wait(request, ierr)
            call expect(ierr == TUTTI_OK, what//' that is refused leaves its request')
            call forget()
        end subroutine
    end subroutine

    subroutine refusals(me, sized)
        type(tutti_member), intent(in) :: me
        real(8) :: sized(*)
        character(*), parameter :: in_place = 'is TUTTI_IN_PLACE, which only what a call reads can be'
        real(8) :: a(4, 4), b(4, 4)
        real(4) :: c(4, 4)
        integer :: n, ierr, counts(2)
        type(tutti_member) :: nobody
        a = 0
        n = 5
        counts = 1
        call tutti_allreduce(me, a(1, :), b(:, 1), TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `in` is not contiguous')
        call tutti_allreduce(me, a(:, 1), b(1:3:2, 1), TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` is not contiguous')
        call tutti_allreduce(me, a, c, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `in` and `out` are of different types')
        call tutti_allreduce(me, a(:, 1), b(:, 1:2), TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` has 8 elements, must have 4')
        call tutti_allgather(me, a(:, 1), b(1:1, 1), ierr)
        call refused(ierr, 'allgather: `out` has 1 element, must have')
        call tutti_alltoall(me, a(:3, 1), b, ierr)
        call refused(ierr, 'alltoall: `in` has 3 elements, which cannot be divided into 2 equal blocks')
        call tutti_broadcast(nobody, a, 0, ierr)
        call refused(ierr, 'broadcast: `me` is no member')
        call tutti_broadcast(me, sized, 0, ierr)
        call refused(ierr, 'broadcast: `inout` is of assumed size')
        call tutti_broadcast(me, TUTTI_IN_PLACE, 0, ierr)
        call refused(ierr, 'broadcast: `inout` '//in_place)
        call tutti_allreduce(me, n, TUTTI_IN_PLACE, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` '//in_place)
        call tutti_allreduce(me, TUTTI_IN_PLACE, TUTTI_IN_PLACE, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` '//in_place)
        call tutti_allgatherv(me, a, b, counts(:1), ierr=ierr)
        call refused(ierr, 'allgatherv: `counts` must be 2 numbers')
        call tutti_reduce_scatterv(me, a, b(:3, 1), [8, 8], TUTTI_SUM, ierr)
        call refused(ierr, 'reduce_scatterv: `block` has 3 elements, must have 8')
        call tutti_gatherv(tutti_counts_on_all(me), a, b, counts(:1), 0, ierr=ierr)
        call refused(ierr, 'gatherv: `counts` must be 2 numbers')
        call tutti_allgatherv(me, a(1, 1), b(:2, 1), counts, [1, 0], ierr)
        call expect(ierr == TUTTI_OK, 'allgatherv with displacements')
        call tutti_allgatherv(me, a(1, 1), b(:2, 1), counts, [2, 0], ierr)
        call refused(ierr, 'allgatherv: `out` has 2 elements, and its blocks reach to 3')
        call tutti_allgatherv(me, a, b, [huge(0_8), huge(0_8)], ierr=ierr)
        call refused(ierr, 'allgatherv: `out` has 16 elements, and its blocks')
        call tutti_allgatherv(me, a, b, [huge(0_8), huge(0_8)], [huge(0_8), huge(0_8)], ierr)
        call refused(ierr, 'allgatherv: `out` has 16 elements, and its blocks')
    end subroutine

    subroutine refusals_of_neighbors(me)
        type(tutti_member), intent(in) :: me
        type(tutti_neighbors) :: ring
        integer :: ierr, in(4), out(4)
        call tutti_neighbors_grid(me, [me%size, 2], [.true., .true.], ring, ierr)
        call refused(ierr, 'grid: `dims` is')
        call tutti_neighbors_grid(me, [me%size], [.true., .true.], ring, ierr)
        call refused(ierr, 'grid: `wraps` must be 1 elements of logical')
        call tutti_neighbors_grid(me, [me%size], [1], ring, ierr)
        call refused(ierr, 'grid: `wraps` must be 1 elements of logical')
        call tutti_neighbor_alltoall(me, ring, in, out, ierr)
        call refused(ierr, '`neighbors` is a null pointer')
        call tutti_neighbors_grid(me, [me%size], [.true.], ring)
        in = me%rank
        call tutti_neighbor_alltoall(me, ring, in(:3), out, ierr)
        call refused(ierr, 'neighbor_alltoall: `in` has 3 elements, which cannot be divided into 2 equal blocks')
        call tutti_neighbor_alltoall(me, ring, in, out(:2), ierr)
        call refused(ierr, 'neighbor_alltoall: `out` has 2 elements, must have 4')
        call tutti_neighbor_alltoallv(me, ring, in, [1, 1, 1], out, [1, 1], ierr=ierr)
        call refused(ierr, 'neighbor_alltoallv: `send_counts` must be 2 numbers')
        call tutti_neighbor_alltoall(me, ring, in, out)
        call expect(all(out == 1 - me%rank), 'ring')
        call tutti_barrier(me)
        call tutti_neighbors_free(ring)
    end subroutine

    subroutine not_allocated(me, absent, absent_one)
        type(tutti_member), intent(in) :: me
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
        call tutti_allreduce(me, x(1), no_scalar, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` is not allocated')
        call tutti_allreduce(me, nowhere, x, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `in` is not allocated')
        call tutti_allreduce(me, x, absent, TUTTI_SUM, ierr)
        call refused(ierr, 'allreduce: `out` ') ! is not allocated, or empty: gfortran gives it any extents
        call tutti_broadcast(me, absent_one, 0, ierr)
        call refused(ierr, 'broadcast: `inout` is not allocated')
        call tutti_allgatherv(me, x, x, no_counts, ierr=ierr)
        call refused(ierr, 'allgatherv: `counts` is not allocated')
        call tutti_broadcast(me, [real(8) ::], 0, ierr)
        call expect(ierr == TUTTI_OK, 'broadcast of nothing')
    end subroutine

    ! All types of numbers and logical, and arrays of no rank and of many.
    subroutine types_that_are_combined(me)
        type(tutti_member), intent(in) :: me
        integer(1) :: i1
        integer(2) :: i2(2, 1, 2)
        integer(8) :: i8(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)
        integer(wide_integer) :: wide
        real(4) :: r4(0), r4s
        real(long_real) :: long(2)
        complex(4) :: c4
        complex(8) :: c8(2, 2)
        logical :: flag, flags(3)
        logical(1) :: small(2)
        i1 = 1_1
        i2 = 2_2
        i8 = 3_8
        wide = 2_wide_integer**(bit_size(wide) - 5)
        r4s = 0.5
        long = [real(long_real) :: me%rank, 1 / 3._long_real]
        c4 = (2, 3)
        c8 = (1, -1)
        flags = [me%rank == 0, .true., .false.]
        small = .true.
        flag = me%rank == 0
        call tutti_allreduce(me, TUTTI_IN_PLACE, i1, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, i2, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, i8, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, wide, TUTTI_SUM)
        call expect(i1 == 2 .and. all(i2 == 4) .and. all(i8 == 6), 'integers')
        call expect(wide == 2_wide_integer**(bit_size(wide) - 4), 'wide integers')
        call tutti_allreduce(me, TUTTI_IN_PLACE, r4, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, r4s, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, long, TUTTI_MAX)
        call tutti_allreduce(me, TUTTI_IN_PLACE, c4, TUTTI_SUM)
        call tutti_allreduce(me, TUTTI_IN_PLACE, c8, TUTTI_SUM)
        call expect(r4s == 1 .and. c4 == (4, 6) .and. all(c8 == (2, -2)), 'real and complex numbers')
        call expect(long(1) == 1 .and. long(2) == 1 / 3._long_real, 'long reals')
        call tutti_allreduce(me, TUTTI_IN_PLACE, flags, TUTTI_LOR)
        call expect(all(flags .eqv. [.true., .true., .false.]), 'any of logical')
        call tutti_allreduce(me, flag, flags(1), TUTTI_LAND)
        call expect(.not. flags(1), 'all of logical')
        call tutti_allreduce(me, TUTTI_IN_PLACE, small, TUTTI_LXOR)
        call expect(.not. logical(any(small)), 'odd number of logical(1)')
    end subroutine

    ! Elements without operators are moved, by their size: member 1 gets those of member 0.
    subroutine types_that_are_moved(me)
        type(tutti_member), intent(in) :: me
        logical(1) :: flags(3)
        character(5) :: word
        character(:), allocatable :: text
        character(kind=wide_character, len=2) :: wide_text
        real(wide_real) :: precise
        complex(wide_real) :: complexes(1, 2)
        type(particle) :: sent(3), got(2)
        type(c_ptr) :: address, own
        integer, target :: number
        integer :: i
        flags = me%rank == 0
        call tutti_broadcast(me, flags, 0)
        call expect(logical(all(flags)), 'logical(1)')
        word = merge('wines', 'bread', me%rank == 0)
        call tutti_broadcast(me, word(2:4), 0)
        call expect(word == merge('wines', 'bined', me%rank == 0), 'part of a character')
        text = merge('left ', 'right', me%rank == 0)
        call tutti_shift(me, text, word, 1)
        call expect(word == merge('right', 'left ', me%rank == 0), 'character(:), allocatable')
        wide_text = repeat(achar(66 + me%rank, wide_character), 2)
        call tutti_broadcast(me, wide_text, 0)
        call expect(wide_text == repeat(achar(66, wide_character), 2), 'character of another kind')
        precise = 1 / real(3 + me%rank, wide_real)
        call tutti_broadcast(me, precise, 0)
        call expect(precise == 1 / 3._wide_real, 'real of much precision')
        complexes = cmplx(me%rank, 1, wide_real)
        call tutti_broadcast(me, complexes, 0)
        call expect(all(complexes == (0, 1)), 'complex of much precision')
        sent = particle([real(8) :: 1, 2, me%rank], me%rank, 'ion')
        sent%charge = [(10 * me%rank + i, i = 1, 3)]
        call tutti_scatterv(me, sent, [1, 2], got(:me%rank + 1), 0)
        call expect(got(1)%charge == me%rank + 1 .and. got(1)%name == 'ion', 'derived type')
        number = me%rank
        own = c_loc(number)
        address = own
        call tutti_broadcast(me, address, 0)
        call expect(c_associated(address, own) .eqv. me%rank == 0, 'c_ptr')
    end subroutine

    subroutine types_that_are_refused(me, polymorphic)
        type(tutti_member), intent(in) :: me
        class(*), intent(inout) :: polymorphic(:)
        character(*), parameter :: why = 'operators are for integer(1,2,4,8,16), real(4,8,10) and complex(4,8)', &
            pairs = 'allreduce: operators for pairs, such as TUTTI_MINLOC'
        logical :: flag, flags(2)
        character(4) :: word
        character(3) :: short_word
        character(0) :: nothing
        real(8) :: flat(4)
        integer(2) :: short(2)
        integer :: number, ierr
        integer(c_int64_t) :: op
        flags = .true.
        flag = .true.
        word = 'rice'
        flat = 1
        short = 1
        call tutti_scan(me, TUTTI_IN_PLACE, flag, TUTTI_SUM, ierr)
        call refused(ierr, 'scan: '//why)
        call tutti_reduce_scatterv(me, flags, flag, [1, 1], TUTTI_SUM, ierr)
        call refused(ierr, 'reduce_scatterv: '//why)
        call tutti_allreduce(me, TUTTI_IN_PLACE, flat, TUTTI_MINLOC, ierr)
        call refused(ierr, pairs)
        call tutti_allreduce(me, TUTTI_IN_PLACE, short, TUTTI_MAXLOC, ierr)
        call refused(ierr, pairs)
        call tutti_allreduce(me, TUTTI_IN_PLACE, number, TUTTI_MAXLOC, ierr)
        call refused(ierr, pairs)
        call tutti_shift(me, word, short_word, 1, ierr)
        call refused(ierr, 'shift: `in` and `out` are of different types')
        call tutti_shift(me, flag, number, 1, ierr)
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
