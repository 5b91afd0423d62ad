! Collectives among the threads of a process, for Fortran: OpenMP regions. The arguments are those of the
! interface for C (tutti/tutti.h), except that types and numbers of elements follow from the arrays. Ranks and
! roots count from 0, as in MPI.
!
!     call tutti_join(group, omp_get_thread_num(), me)
!     call tutti_allreduce(me, in, out, TUTTI_SUM)                             ! blocking
!     call tutti_allreduce(tutti_nonblocking(me, request), in, out, TUTTI_SUM)       ! nonblocking
!     call tutti_allreduce(tutti_persistent(me, request), in, out, TUTTI_SUM)     ! persistent
!
! Arrays must be contiguous, of any rank and type, or scalars. The library's operators are for
! integer(1,2,4,8,16), real(4,8,10), complex(4,8) and logical; some combine the columns of arrays (2, n). If the first array is TUTTI_IN_PLACE, the second is both input
! and output. A procedure that can fail has an argument `ierr`, which becomes TUTTI_OK or another status.
! Without `ierr`, a failure stops the program. Counts and displacements are integer(4) or integer(8). An
! argument after one that is left out must be passed by keyword. See docs/fortran.md.
!
! The arrays of nonblocking and persistent calls must be `asynchronous` in the program, as with MPI. If a
! program has forgotten that, gfortran could assume that they do not change between two calls; arrays and
! requests are therefore targets here.
module tutti
    use, intrinsic :: iso_c_binding
    implicit none
    public

    integer(c_int), parameter :: TUTTI_OK = 0, TUTTI_ARGUMENT_ERROR = 1, TUTTI_MISMATCH_ERROR = 2, &
        TUTTI_ABORTED = 3, TUTTI_ERROR = 4, TUTTI_NO_MEMORY = 5, TUTTI_FOREIGN_ERROR = 6, &
        TUTTI_TIMEOUT_ERROR = 7

    integer(c_int64_t), parameter :: TUTTI_SUM = 65, TUTTI_PROD = 66, TUTTI_MIN = 67, TUTTI_MAX = 68, &
        TUTTI_LAND = 69, TUTTI_LOR = 70, TUTTI_LXOR = 71, TUTTI_BAND = 72, TUTTI_BOR = 73, TUTTI_BXOR = 74, &
        TUTTI_MINIMUM = 75, TUTTI_MAXIMUM = 76, TUTTI_MINLOC = 97, TUTTI_MAXLOC = 98

    ! The order in which a reduction combines the members' operands, and how a member waits for another
    ! member.
    integer(c_int), parameter :: TUTTI_ORDER_CANONICAL = 0, TUTTI_ORDER_SERIAL = 1, TUTTI_ORDER_BY_PROCESS = 2
    integer(c_int), parameter :: TUTTI_TIMEOUT_DEFAULT = 0, TUTTI_NEVER = -1
    ! In a list of ranks: no neighbour.
    integer(c_int), parameter :: TUTTI_NEIGHBOR_NONE = -1
    integer(c_int), parameter :: TUTTI_WAIT_AUTOMATIC = 0, TUTTI_WAIT_SPIN = 1, TUTTI_WAIT_YIELD = 2, TUTTI_WAIT_SLEEP = 3

    ! The levels of a machine by which tutti_split_by_level divides a group.
    integer(c_int), parameter :: TUTTI_LEVEL_SOCKET = 0, TUTTI_LEVEL_NUMA_NODE = 1, TUTTI_LEVEL_L3 = 2, &
        TUTTI_LEVEL_L2 = 3, TUTTI_LEVEL_CORE = 4

    ! The parts of calls that are recorded, and the formats of a trace.
    integer(c_int), parameter :: TUTTI_TRACE_OFF = 0, TUTTI_TRACE_STATISTICS = 1, TUTTI_TRACE_OPERATIONS = 2, &
        TUTTI_TRACE_STEPS = 3
    integer(c_int), parameter :: TUTTI_TRACE_JSON_LINES = 0, TUTTI_TRACE_PERFETTO = 1

    ! Passed instead of the array that a call reads.
    integer(c_int), bind(c, name="tutti_f_in_place") :: TUTTI_IN_PLACE

    type, bind(c) :: tutti_group
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c) :: tutti_async_group
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c) :: tutti_neighbors
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c) :: tutti_request
        type(c_ptr) :: operation = c_null_ptr
        integer(c_int64_t) :: kind = 0
    end type

    ! A request that waits for nothing, as a newly declared request does. A request that is private in an
    ! OpenMP region must be set to it, because gfortran does not initialise such variables.
    type(tutti_request), parameter :: TUTTI_REQUEST_NULL = tutti_request()

    ! The caller of a call, and its mode. The program may read only `rank` and `size`.
    type, bind(c) :: tutti_caller
        integer(c_int) :: rank = 0
        integer(c_int) :: size = 0
        integer(c_int64_t) :: member = 0
        type(c_ptr) :: async_group = c_null_ptr
        type(c_ptr) :: request = c_null_ptr
        type(c_ptr) :: options = c_null_ptr
        integer(c_int64_t) :: how = 0
        type(c_ptr) :: file = c_null_ptr
        integer(c_int64_t) :: line = 0
    end type

    interface
        ! The version of the library as a number: 10000 * major + 100 * minor + patch.
        function tutti_version() bind(c, name="tutti_f_version") result(version)
            import
            integer(c_int) :: version
        end function

        ! Makes a group, whose ranks threads join with tutti_join. Arguments after `ierr` should be passed by
        ! keyword.
        subroutine tutti_group_create(members, group, ierr, wait, tuning, join_timeout_ms, timeout_ms, levels, trace) &
            bind(c, name="tutti_f_group_create")
            import
            integer(c_int), value :: members
            type(tutti_group), intent(inout) :: group
            integer(c_int), intent(out), optional :: ierr
            integer(c_int), intent(in), optional :: wait, join_timeout_ms, timeout_ms, trace
            character(kind=c_char, len=*), intent(in), optional :: tuning
            integer(c_int), intent(in), optional :: levels(:)
        end subroutine

        subroutine tutti_group_free(group, ierr) bind(c, name="tutti_f_group_free")
            import
            type(tutti_group), intent(inout) :: group
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! Replaces the timeout of the group for waits that begin from now on.
        subroutine tutti_group_set_timeout(group, milliseconds, ierr) bind(c, name="tutti_f_group_set_timeout")
            import
            type(tutti_group), intent(inout) :: group
            integer(c_int), value :: milliseconds
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! Writes the last operations of the members to a file.
        subroutine tutti_group_trace(group, format, file, ierr) bind(c, name="tutti_f_group_trace")
            import
            type(tutti_group), intent(inout) :: group
            integer(c_int), value :: format
            character(kind=c_char, len=*), intent(in) :: file
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! Saves what all groups have learnt of algorithms, for the argument `tuning` of the next run.
        subroutine tutti_save_tuning(path, ierr) bind(c, name="tutti_f_save_tuning")
            import
            character(kind=c_char, len=*), intent(in) :: path
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        subroutine tutti_join(group, rank, new, ierr) bind(c, name="tutti_f_join")
            import
            type(tutti_group), intent(inout) :: group
            integer(c_int), value :: rank
            type(tutti_caller), intent(out) :: new
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        subroutine tutti_leave(me, ierr) bind(c, name="tutti_f_leave")
            import
            type(tutti_caller), value :: me
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! Ends the calls of the other members with TUTTI_ABORTED, whose text contains this text.
        subroutine tutti_abort(me, text, ierr) bind(c, name="tutti_f_abort")
            import
            type(tutti_caller), value :: me
            character(kind=c_char, len=*), intent(in) :: text
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! The CPU on which the calling thread, a member's, runs at the time of the call.
        subroutine tutti_cpu(me, cpu, ierr) bind(c, name="tutti_f_cpu")
            import
            type(tutti_caller), value :: me
            integer(c_int), intent(out) :: cpu
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        subroutine tutti_split(me, color, key, new, ierr) bind(c, name="tutti_f_split")
            import
            type(tutti_caller), value :: me
            integer(c_int), value :: color, key
            type(tutti_caller), intent(out) :: new
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! Makes groups of the members that run in the same part of the machine, for example on the same NUMA
        ! node.
        subroutine tutti_split_by_level(me, level, new, ierr) bind(c, name="tutti_f_split_by_level")
            import
            type(tutti_caller), value :: me
            integer(c_int), value :: level
            type(tutti_caller), intent(out) :: new
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! Makes a group of the members in the list, ranked by their position in it.
        subroutine tutti_subset(me, ranks, new, ierr) bind(c, name="tutti_f_subset")
            import
            type(tutti_caller), value :: me
            integer(c_int), intent(in) :: ranks(:)
            type(tutti_caller), intent(out) :: new
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! The group of the members with the ranks first, first + stride, and so on, which alone call it.
        subroutine tutti_among(me, count, first, stride, new, ierr) bind(c, name="tutti_f_among")
            import
            type(tutti_caller), value :: me
            integer(c_int), value :: count, first, stride
            type(tutti_caller), intent(out) :: new
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        subroutine tutti_dup(me, new, ierr) bind(c, name="tutti_f_dup")
            import
            type(tutti_caller), value :: me
            type(tutti_caller), intent(out) :: new
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        subroutine tutti_async_group_create(ranks, async_group, ierr, timeout_ms) bind(c, name="tutti_f_async_group_create")
            import
            integer(c_int), value :: ranks
            type(tutti_async_group), intent(inout) :: async_group
            integer(c_int), intent(out), optional :: ierr
            integer(c_int), intent(in), optional :: timeout_ms
        end subroutine

        subroutine tutti_async_group_free(async_group, ierr) bind(c, name="tutti_f_async_group_free")
            import
            type(tutti_async_group), intent(inout) :: async_group
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! Makes an operator of the program, from the c_funloc of a procedure that matches tutti_op_function of
        ! the C interface, and an address that is passed to it.
        subroutine tutti_op_create(function, user, commutative, new_op, ierr) bind(c, name="tutti_f_op_create")
            import
            type(c_funptr), value :: function
            type(c_ptr), value :: user
            integer(c_int), value :: commutative
            integer(c_int64_t), intent(out) :: new_op
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        subroutine tutti_op_free(op, ierr) bind(c, name="tutti_f_op_free")
            import
            integer(c_int64_t), value :: op
            integer(c_int), intent(out), optional :: ierr
        end subroutine

        ! The text of the last failure on the calling thread.
        subroutine tutti_error_text(message) bind(c, name="tutti_f_error_text")
            import
            character(kind=c_char, len=*), intent(out) :: message
        end subroutine

        ! The fields of the last failure on the calling thread: the member whose call has ended, the other
        ! member, the number of the call, and the name of the collective. -1, 0 or blank: unknown.
        subroutine tutti_last_error(rank, peer, operation, collective) bind(c, name="tutti_f_last_error")
            import
            integer(c_int), intent(out) :: rank, peer
            integer(c_int64_t), intent(out), optional :: operation
            character(kind=c_char, len=*), intent(out), optional :: collective
        end subroutine

        include "requests.inc"
        include "collectives.inc"
        include "neighbors.inc"
    end interface

    ! No text of the library is longer.
    integer, parameter, private :: longest_text = 512
contains
    subroutine tutti_test(request, done, ierr)
        type(tutti_request), intent(inout), target :: request
        logical, intent(out) :: done
        integer(c_int), intent(out), optional :: ierr
        logical(c_bool) :: is_done
        interface
            subroutine test_in_c(request, done, ierr) bind(c, name="tutti_f_test")
                import
                type(tutti_request), intent(inout), target :: request
                logical(c_bool), intent(out) :: done
                integer(c_int), intent(out), optional :: ierr
            end subroutine
        end interface
        call test_in_c(request, is_done, ierr)
        done = is_done
    end subroutine

    ! Like tutti_wait, for at most so many milliseconds. `done` is whether the operation is complete or has
    ! failed; it continues otherwise. TUTTI_NEVER, which is -1, waits until it is. 0, and any other negative
    ! number: the same as tutti_test.
    subroutine tutti_wait_for(request, milliseconds, done, ierr)
        type(tutti_request), intent(inout), target :: request
        integer(c_int), intent(in) :: milliseconds
        logical, intent(out) :: done
        integer(c_int), intent(out), optional :: ierr
        logical(c_bool) :: is_done
        interface
            subroutine wait_for_in_c(request, milliseconds, done, ierr) bind(c, name="tutti_f_wait_for")
                import
                type(tutti_request), intent(inout), target :: request
                integer(c_int), value :: milliseconds
                logical(c_bool), intent(out) :: done
                integer(c_int), intent(out), optional :: ierr
            end subroutine
        end interface
        call wait_for_in_c(request, milliseconds, is_done, ierr)
        done = is_done
    end subroutine

    ! If all operations are complete or have failed, `done` is true and all requests are TUTTI_REQUEST_NULL, as
    ! after tutti_wait_all. Otherwise `done` is false and the requests are unchanged.
    subroutine tutti_test_all(requests, done, ierr)
        type(tutti_request), intent(inout), target :: requests(:)
        logical, intent(out) :: done
        integer(c_int), intent(out), optional :: ierr
        logical(c_bool) :: is_done
        interface
            subroutine test_all_in_c(requests, done, ierr) bind(c, name="tutti_f_test_all")
                import
                type(tutti_request), intent(inout), target :: requests(:)
                logical(c_bool), intent(out) :: done
                integer(c_int), intent(out), optional :: ierr
            end subroutine
        end interface
        call test_all_in_c(requests, is_done, ierr)
        done = is_done
    end subroutine

    ! If an operation is complete or has failed, `done` is true, `index` is the index of its request, from 1,
    ! and the request is TUTTI_REQUEST_NULL. Otherwise `index` is 0, and `done` is true only if no request has
    ! an operation.
    subroutine tutti_test_any(requests, index, done, ierr)
        type(tutti_request), intent(inout), target :: requests(:)
        integer(c_int), intent(out) :: index
        logical, intent(out) :: done
        integer(c_int), intent(out), optional :: ierr
        logical(c_bool) :: is_done
        interface
            subroutine test_any_in_c(requests, index, done, ierr) bind(c, name="tutti_f_test_any")
                import
                type(tutti_request), intent(inout), target :: requests(:)
                integer(c_int), intent(out) :: index
                logical(c_bool), intent(out) :: done
                integer(c_int), intent(out), optional :: ierr
            end subroutine
        end interface
        call test_any_in_c(requests, index, is_done, ierr)
        done = is_done
    end subroutine

    ! Like tutti_error_text, with the length of the text.
    function tutti_error_message() result(message)
        character(:), allocatable :: message
        character(longest_text) :: text
        call tutti_error_text(text)
        message = trim(text)
    end function

    ! The name of a status, and its meaning in one sentence.
    function tutti_status_text(status) result(status_text)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: status_text
        character(longest_text) :: text
        interface
            subroutine status_text_in_c(status, text) bind(c, name="tutti_f_status_text")
                import
                integer(c_int), value :: status
                character(kind=c_char, len=*), intent(out) :: text
            end subroutine
        end interface
        call status_text_in_c(status, text)
        status_text = trim(text)
    end function
end module tutti
