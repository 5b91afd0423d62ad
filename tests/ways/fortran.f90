! The calls of the ways of Fortran: procedures for fortran.cpp, which call the module `tutti`.
module ways
    use tutti
    implicit none
contains
    function fortran_call(name, me, in, out, op, number, sent, sent_places, received, received_places) bind(c) result(ierr)
        character(c_char), intent(in) :: name(16)
        type(tutti_member), value :: me
        type(*), dimension(..), intent(in), asynchronous, target :: in
        type(*), dimension(..), asynchronous, target :: out
        integer(c_int64_t), value :: op
        integer(c_int), value :: number
        integer(8), dimension(me%size), intent(in), optional :: sent, sent_places, received, received_places
        integer(c_int) :: ierr
        character(16) :: text
        select case (transfer(name, text))
        case ('barrier'); call tutti_barrier(me, ierr)
        case ('broadcast'); call tutti_broadcast(me, out, number, ierr)
        case ('reduce'); call tutti_reduce(me, in, out, op, number, ierr)
        case ('allreduce'); call tutti_allreduce(me, in, out, op, ierr)
        case ('reduce_scatter'); call tutti_reduce_scatter(me, in, out, op, ierr)
        case ('allgather'); call tutti_allgather(me, in, out, ierr)
        case ('gather'); call tutti_gather(me, in, out, number, ierr)
        case ('scatter'); call tutti_scatter(me, in, out, number, ierr)
        case ('alltoall'); call tutti_alltoall(me, in, out, ierr)
        case ('scan'); call tutti_scan(me, in, out, op, ierr)
        case ('exscan'); call tutti_exscan(me, in, out, op, ierr)
        case ('shift'); call tutti_shift(me, in, out, number, ierr)
        case ('reduce_scatterv'); call tutti_reduce_scatterv(me, in, out, sent, op, ierr)
        case ('allgatherv'); call tutti_allgatherv(me, in, out, received, received_places, ierr)
        case ('gatherv'); call tutti_gatherv(me, in, out, received, number, received_places, ierr)
        case ('scatterv'); call tutti_scatterv(me, in, sent, out, number, sent_places, ierr)
        case ('alltoallv'); call tutti_alltoallv(me, in, sent, out, received, sent_places, received_places, ierr)
        case default; error stop 'no collective'
        end select
    end function

    ! `what` is the enumeration Ask of c.hpp.
    function fortran_ask(what, requests, n, milliseconds, index, done) bind(c) result(ierr)
        integer(c_int), value :: what
        integer(c_size_t), value :: n
        type(tutti_request), intent(inout), target :: requests(n)
        integer(c_int64_t), value :: milliseconds
        integer(c_size_t), intent(out) :: index
        integer(c_int), intent(out) :: done
        integer(c_int) :: ierr, found
        logical :: is_done
        found = 0
        is_done = .true.
        select case (what)
        case (0); call tutti_start(requests(1), ierr)
        case (1); call tutti_request_free(requests(1), ierr)
        case (2); call tutti_wait(requests(1), ierr)
        case (3); call tutti_wait_for(requests(1), int(min(milliseconds, int(huge(0), 8))), is_done, ierr)
        case (4); call tutti_wait_any(requests, found, ierr)
        case (5); call tutti_test(requests(1), is_done, ierr)
        case (6); call tutti_test_all(requests, is_done, ierr)
        case (7); call tutti_test_any(requests, found, is_done, ierr)
        end select
        index = merge(int(found - 1, c_size_t), n, found /= 0)
        done = merge(1, 0, is_done)
    end function

    ! The text of the last failure, with a zero behind it.
    subroutine fortran_error_text(text, n) bind(c)
        integer(c_size_t), value :: n
        character(c_char), intent(out) :: text(n)
        character(:), allocatable :: message
        integer :: i
        message = tutti_error_message()
        message = message//repeat(c_null_char, int(n))
        text = [(message(i:i), i = 1, int(n))]
    end subroutine
end module
