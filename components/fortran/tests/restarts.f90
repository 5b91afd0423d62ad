! Calls that are started or prepared read and write the program's variables behind the compiler's back: optimised code must
! not keep these in registers meanwhile. Variables that are not `asynchronous` are the program's error, but a frequent one,
! whose results would be wrong without a word: the module keeps gfortran from it.
module loops
    use tutti
    implicit none
    integer, parameter :: steps = 10
    real(8) :: global_in, global_out
!$omp threadprivate(global_in, global_out)
contains
    integer function of_asynchronous(me) result(wrong)
        type(tutti_caller), intent(in) :: me
        type(tutti_request) :: request
        real(8), asynchronous :: x, y(4)
        integer :: i
        wrong = 0
        x = 0
        y = 0
        call tutti_allgather(tutti_persistent(me, request), x, y(:me%size))
        do i = 1, steps
            x = i
            call tutti_start(request)
            call tutti_wait(request)
            if (y(me%size) /= i) wrong = wrong + 1
        end do
        call tutti_request_free(request)
    end function

    integer function of_scalars(me) result(wrong)
        type(tutti_caller), intent(in) :: me
        type(tutti_request) :: request
        real(8) :: x, y
        integer :: i
        wrong = 0
        x = 0
        y = 0
        call tutti_allreduce(tutti_persistent(me, request), x, y, TUTTI_SUM)
        do i = 1, steps
            x = i
            call tutti_start(request)
            call tutti_wait(request)
            if (y /= me%size * i) wrong = wrong + 1
        end do
        call tutti_request_free(request)
    end function

    integer function of_arrays(me) result(wrong)
        type(tutti_caller), intent(in) :: me
        type(tutti_request) :: request
        real(8) :: x(4), y(4)
        integer :: i
        wrong = 0
        x = 0
        y = 0
        call tutti_allreduce(tutti_persistent(me, request), x, y, TUTTI_SUM)
        do i = 1, steps
            x = i
            call tutti_start(request)
            call tutti_wait(request)
            if (y(2) /= me%size * i) wrong = wrong + 1
        end do
        call tutti_request_free(request)
    end function

    integer function of_arguments(me, x, y) result(wrong)
        type(tutti_caller), intent(in) :: me
        real(8), intent(inout) :: x(:), y
        type(tutti_request) :: request
        integer :: i
        wrong = 0
        call tutti_allreduce(tutti_persistent(me, request), x(1), y, TUTTI_SUM)
        do i = 1, steps
            x(1) = i
            y = 0
            call tutti_start(request)
            call tutti_wait(request)
            if (y /= me%size * i) wrong = wrong + 1
        end do
        call tutti_request_free(request)
    end function

    integer function of_globals(me) result(wrong)
        type(tutti_caller), intent(in) :: me
        type(tutti_request) :: request
        integer :: i
        wrong = 0
        call tutti_allreduce(tutti_persistent(me, request), global_in, global_out, TUTTI_SUM)
        do i = 1, steps
            global_in = i
            global_out = 0
            call tutti_start(request)
            call tutti_wait(request)
            if (global_out /= me%size * i) wrong = wrong + 1
        end do
        call tutti_request_free(request)
    end function

    ! The request is written by what the caller is handed to, and so is what is copied of it.
    integer function of_a_kept_caller(me) result(wrong)
        type(tutti_caller), intent(in) :: me
        type(tutti_caller) :: starting
        type(tutti_request) :: request, requests(steps)
        real(8) :: x(steps), y(steps)
        integer :: i
        wrong = 0
        x = 1
        y = 0
        starting = tutti_nonblocking(me, request)
        do i = 1, steps
            call tutti_allreduce(starting, x(i), y(i), TUTTI_SUM)
            requests(i) = request
        end do
        do i = 1, steps
            if (.not. c_associated(requests(i)%operation)) wrong = wrong + 1
            call tutti_wait(requests(i))
            if (y(i) /= me%size) wrong = wrong + 1
        end do
    end function
end module

program restarts
    use checks
    use loops
    use omp_lib
    implicit none
    type(tutti_group) :: group
    type(tutti_caller) :: me
    real(8) :: x(1), y
    call tutti_group_create(3, group)
!$omp parallel num_threads(3) private(me, x, y)
    call tutti_join(group, omp_get_thread_num(), me)
    call expect(of_asynchronous(me) == 0, 'asynchronous')
    call expect(of_scalars(me) == 0, 'scalars')
    call expect(of_arrays(me) == 0, 'arrays')
    call expect(of_arguments(me, x, y) == 0, 'arguments')
    call expect(of_globals(me) == 0, 'globals')
    call expect(of_a_kept_caller(me) == 0, 'a kept caller')
    call tutti_leave(me)
!$omp end parallel
    call tutti_group_free(group)
    call tell()
end program
