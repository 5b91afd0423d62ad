! The greatest eigenvalue of the matrix with 2 on its diagonal and -1 beside it, by the power method: every thread of an
! OpenMP region has some of the rows, and of the vector the elements that belong to them.
module rows
    use tutti
    implicit none
    integer, parameter :: part = 8
contains
    ! y = A x, of this member's rows; the neighbours' elements come from them. Operands of nonblocking calls
    ! must be `asynchronous`: else the compiler may take them for untouched until the wait.
    subroutine multiply(me, x, y)
        type(tutti_member), intent(in) :: me
        real(8), intent(in) :: x(part)
        real(8), intent(out) :: y(part)
        real(8), asynchronous :: first, last, before, after
        type(tutti_request) :: to_next, to_last
        first = x(1)
        last = x(part)
        call tutti_shift(tutti_nonblocking(me, to_next), last, before, 1)
        call tutti_shift(tutti_nonblocking(me, to_last), first, after, -1)
        y = 2 * x                               ! needs nobody
        y(2:) = y(2:) - x(:part - 1)
        y(:part - 1) = y(:part - 1) - x(2:)
        call tutti_wait(to_next)
        call tutti_wait(to_last)
        if (me%rank > 0) y(1) = y(1) - before
        if (me%rank < me%size - 1) y(part) = y(part) - after
    end subroutine

    ! The dot product of the whole vectors.
    real(8) function dot(me, x, y)
        type(tutti_member), intent(in) :: me
        real(8), intent(in) :: x(part), y(part)
        dot = dot_product(x, y)
        call tutti_allreduce(me, TUTTI_IN_PLACE, dot, TUTTI_SUM)
    end function
end module

program power_method
    use omp_lib
    use rows
    implicit none
    integer, parameter :: members = 4, n = members * part
    real(8), parameter :: pi = acos(-1d0)
    type(tutti_group) :: group
    type(tutti_member) :: me
    real(8) :: x(part), y(part), mine, eigenvalue, expected
    real(8) :: vector(part, members)
    integer :: i, step

    call tutti_group_create(members, group)
!$omp parallel num_threads(members) private(me, x, y, mine, step, i) shared(eigenvalue, vector)
    call tutti_join(group, omp_get_thread_num(), me)
    x = [(merge(1, -1, mod(i, 2) == 0) + 0.01d0 * i, i = 1, part)]
    do step = 1, 3000
        x = x / sqrt(dot(me, x, x))
        call multiply(me, x, y)
        if (step == 3000) exit
        x = y
    end do
    call tutti_gather(me, x, vector, 0)
    mine = dot(me, x, y)
    if (me%rank == 0) eigenvalue = mine
    call tutti_leave(me)
!$omp end parallel
    call tutti_group_free(group)

    expected = 2 + 2 * cos(pi / (n + 1))
    print '(a, f12.9, a, f12.9, a, f6.3)', 'eigenvalue ', eigenvalue, ', must be ', expected, ', |vector| ', norm2(vector)
    if (abs(eigenvalue - expected) > 1d-8 .or. abs(norm2(vector) - 1) > 1d-12) error stop 'wrong'
end program
