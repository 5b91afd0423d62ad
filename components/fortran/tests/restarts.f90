! Calls that are started or prepared read and write the program's variables behind the compiler's back: optimised code must
! not keep these in registers meanwhile. Variables that are not `asynchronous` are the program's error, but a frequent one,
! whose results would be wrong without a word: the module keeps gfortran from it.
module restarts
    use checks
    implicit none
    real(8), private :: global_in, global_out
!$omp threadprivate(global_in, global_out)
contains
    subroutine variables(me, argument_in, argument_out)
        type(tutti_member), intent(in) :: me
        real(8), intent(inout) :: argument_in(:), argument_out
        real(8), asynchronous :: x, y(8)
        real(8) :: scalar_in, scalar_out, array_in(4), array_out(4)
        type(tutti_request) :: requests(5)
        integer :: step, i
        call tutti_allgather(tutti_persistent(me, requests(1)), x, y(:me%size))
        call tutti_allreduce(tutti_persistent(me, requests(2)), scalar_in, scalar_out, TUTTI_SUM)
        call tutti_allreduce(tutti_persistent(me, requests(3)), array_in, array_out, TUTTI_SUM)
        call tutti_allreduce(tutti_persistent(me, requests(4)), argument_in(1), argument_out, TUTTI_SUM)
        call tutti_allreduce(tutti_persistent(me, requests(5)), global_in, global_out, TUTTI_SUM)
        do step = 1, 10
            x = step
            scalar_in = step
            array_in = step
            argument_in(1) = step
            global_in = step
            y = 0
            scalar_out = 0
            array_out = 0
            argument_out = 0
            global_out = 0
            do i = 1, 5
                call tutti_start(requests(i))
            end do
            do i = 1, 5
                call tutti_wait(requests(i))
            end do
            call expect(y(me%size) == step, 'asynchronous')
            call expect(scalar_out == me%size * step, 'scalars')
            call expect(array_out(2) == me%size * step, 'arrays')
            call expect(argument_out == me%size * step, 'arguments')
            call expect(global_out == me%size * step, 'globals')
        end do
        do i = 1, 5
            call tutti_request_free(requests(i))
        end do
    end subroutine

    ! The request is written by the call that gets the member, and so is what is copied of it.
    subroutine a_kept_member(me)
        type(tutti_member), intent(in) :: me
        type(tutti_member) :: starting
        type(tutti_request) :: request, requests(10)
        real(8) :: x(10), y(10)
        integer :: i
        x = 1
        y = 0
        starting = tutti_nonblocking(me, request)
        do i = 1, 10
            call tutti_allreduce(starting, x(i), y(i), TUTTI_SUM)
            requests(i) = request
            request = TUTTI_REQUEST_NULL
        end do
        do i = 1, 10
            call tutti_progress()
            call expect(c_associated(requests(i)%operation), 'a request of a kept member')
            call tutti_wait(requests(i))
            call expect(y(i) == me%size, 'a kept member')
        end do
    end subroutine
end module
