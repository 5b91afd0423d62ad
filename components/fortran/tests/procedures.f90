! The procedures beside the collectives, held against what they promise.
module procedures
    use, intrinsic :: ieee_arithmetic
    use checks
    implicit none
contains
    ! Parts of a group of three members.
    subroutine parts(me)
        type(tutti_member), intent(in) :: me
        type(tutti_member) :: part
        integer :: total, list(4), ierr, level, cpu
        call tutti_split(me, mod(me%rank, 2), 0, part)
        call expect(part%size == 2 - mod(me%rank, 2) .and. part%rank == me%rank / 2, 'split')
        call tutti_leave(part)
        list = [2, -1, 0, -1]
        call tutti_subset(me, list(1:3:2), part)
        call expect(part%size == merge(0, 2, me%rank == 1), 'subset')
        if (part%size == 2) then
            call expect(part%rank == merge(0, 1, me%rank == 2), 'ranks of a subset')
            total = me%rank
            call tutti_allreduce(part, TUTTI_IN_PLACE, total, TUTTI_SUM)
            call expect(total == 2, 'allreduce of a subset')
            call tutti_leave(part)
            call tutti_among(me, 2, 0, 2, part)
            call expect(part%size == 2 .and. part%rank == me%rank / 2, 'among')
            call tutti_leave(part)
        end if
        do level = TUTTI_LEVEL_SOCKET, TUTTI_LEVEL_CORE
            call tutti_split_by_level(me, level, part)
            call expect(part%size >= 1 .and. part%size <= me%size, 'split_by_level')
            call tutti_leave(part)
        end do
        call tutti_split_by_level(me, 9, part, ierr)
        call refused(ierr, '9')
        cpu = -2
        call tutti_cpu(me, cpu)
        call expect(cpu >= -1, 'cpu')
        call tutti_dup(me, part)
        call expect(part%size == me%size .and. part%rank == me%rank, 'dup')
        call tutti_leave(part)
    end subroutine

    ! Options of calls of several members.
    subroutine call_options(me)
        type(tutti_member), intent(in) :: me
        type(tutti_member) :: ring
        real(8) :: x, y
        integer :: ierr
        character(:), allocatable :: name
        x = 1
        call tutti_allreduce(tutti_with_options(me, algorithm='nonesuch'), x, y, TUTTI_SUM, ierr)
        call refused(ierr, 'nonesuch')
        call tutti_allreduce(tutti_with_options(me, order=5), x, y, TUTTI_SUM, ierr)
        call refused(ierr, '`options.order` is 5')
        call tutti_allreduce(tutti_with_options(me, timeout_ms=-5), x, y, TUTTI_SUM, ierr)
        call refused(ierr, '`options.timeout` is -5 ms')
        name = 'ring   '
        ring = tutti_with_options(me, name, TUTTI_ORDER_CANONICAL)
        deallocate (name)
        call tutti_allreduce(ring, x, y, TUTTI_SUM)
        call expect(y == me%size, 'algorithm')
        call tutti_allreduce(tutti_with_options(me, 'ring', TUTTI_ORDER_SERIAL), x, y, TUTTI_SUM, ierr)
        call expect(ierr == TUTTI_ARGUMENT_ERROR, 'a ring has an order of its own')
    end subroutine

    ! Requests that nobody waits for.
    subroutine waits()
        type(tutti_request) :: several(3)
        integer :: index, ierr
        logical :: done
        call tutti_wait_any(several(1:3:2), index, ierr)
        call refused(ierr, 'wait_any: `requests` is not contiguous')
        call tutti_wait_all(several(1:3:2), ierr)
        call refused(ierr, 'wait_all: `requests` is not contiguous')
        call tutti_test_any(several(1:3:2), index, done, ierr)
        call refused(ierr, 'test_any: `requests` is not contiguous')
        call tutti_test_all(several(1:3:2), done, ierr)
        call refused(ierr, 'test_all: `requests` is not contiguous')
        call tutti_start(several(1), ierr)
        call refused(ierr, 'not of a prepared call')
        call tutti_progress()
        call tutti_progress(ierr)
        call expect(ierr == TUTTI_OK, 'progress without operations')
    end subroutine

    subroutine alone()
        real(4) :: x(3), y(3)
        integer :: ierr
        logical :: flags(2)
        type(tutti_group) :: group
        character(:), allocatable :: text
        character(5) :: short
        x = [1, 5, 3]
        y = [4, 2, 6]
        call tutti_reduce_local(x, y, TUTTI_MAX)
        call expect(all(y == [4, 5, 6]), 'reduce_local')
        call tutti_reduce_local(x, y(:2), TUTTI_MAX, ierr)
        call refused(ierr, 'reduce_local: `inout` has 2 elements, must have 3')
        call tutti_reduce_local(flags, flags, TUTTI_SUM, ierr)
        call refused(ierr, 'reduce_local: operators are for')
        call tutti_reduce_local(TUTTI_IN_PLACE, y, TUTTI_MAX, ierr)
        call refused(ierr, 'reduce_local: `in` is TUTTI_IN_PLACE')
        y(2) = ieee_value(y(2), ieee_quiet_nan)
        call tutti_reduce_local(x, y, TUTTI_MIN)
        call expect(y(1) == 1 .and. ieee_is_nan(y(2)) .and. y(3) == 3, 'min')
        y(2) = 7
        call tutti_reduce_local(x, y, TUTTI_MAX)
        call expect(all(y == [1, 7, 3]), 'max')
        call expect(tutti_version() >= 100 .and. tutti_version() < 1000000, 'version')

        call tutti_group_create(-1, group, ierr)
        text = tutti_error_message()
        call expect(index(text, '-1') > 0 .and. len(text) == len_trim(text), 'message')
        call tutti_error_text(short)
        call expect(short == text(:5), 'text of a fixed length')
        deallocate (text)
        call tutti_error_text(text) ! has no place for it, and gets none
        call expect(.not. allocated(text), 'text that is not allocated')
        text = tutti_status_text(TUTTI_TIMEOUT_ERROR)
        call expect(text(:21) == 'TUTTI_TIMEOUT_ERROR: ' .and. len(text) == len_trim(text), 'text of a status')
    end subroutine

    ! Options of groups; the other member, or rank, does not come.
    subroutine group_options()
        type(tutti_group) :: group
        type(tutti_async_group) :: async_group
        type(tutti_member) :: me
        type(tutti_request), asynchronous :: request
        integer :: ierr, rank, peer
        integer(c_int64_t) :: operation
        character(9) :: collective
        character(:), allocatable :: text
        call tutti_group_create(1, group, ierr, wait=17)
        call refused(ierr, '`options.wait` is 17')
        call tutti_group_create(1, group, ierr, trace=17)
        call refused(ierr, '`options.trace` is 17')
        call tutti_group_create(1, group, ierr, timeout_ms=-2)
        call refused(ierr, 'timeout is -2 ms')
        call tutti_last_error(rank, peer)
        call expect(rank == -1 .and. peer == -1, 'fields of no call')
        call tutti_group_create(4, group, ierr, levels=[3, 2])
        call refused(ierr, 'the product of the sizes')
        call tutti_group_create(4, group, tuning='/nonesuch ', levels=[2, 2]) ! warns
        call tutti_group_set_timeout(group, -7, ierr)
        call refused(ierr, 'set_timeout: `timeout` is -7 ms')
        call tutti_group_set_timeout(group, TUTTI_NEVER)
        call tutti_group_free(group)

        call tutti_group_create(2, group, wait=TUTTI_WAIT_SLEEP, join_timeout_ms=30)
        call tutti_join(group, 0, me)
        call tutti_barrier(me, ierr)
        text = tutti_error_message()
        call expect(ierr == TUTTI_ERROR .and. index(text, 'within 30 ms') > 0, 'a seat that nobody takes')
        call tutti_leave(me)
        call tutti_group_free(group)

        call tutti_group_create(2, group)
        call tutti_join(group, 0, me)
        call tutti_barrier(tutti_with_options(me, timeout_ms=30), ierr)
        call expect(ierr == TUTTI_TIMEOUT_ERROR, 'timeout of a call')
        call tutti_last_error(rank, peer, operation, collective)
        call expect(rank == 0 .and. peer == 1 .and. operation == 1 .and. collective == 'barrier', 'fields of a failure')
        call tutti_leave(me)
        call tutti_group_free(group)

        call tutti_group_create(1, group)
        call tutti_join(group, 0, me)
        call tutti_abort(me, repeat('no bread ', 400)//'left ')
        call tutti_barrier(me, ierr)
        text = tutti_error_message()
        call expect(ierr == TUTTI_ABORTED .and. index(text, repeat('no bread ', 400)//'left') > 0, 'abort')
        call tutti_leave(me)
        call tutti_group_free(group)

        call tutti_async_group_create(2, async_group, timeout_ms=30)
        call tutti_barrier(tutti_async_rank(async_group, 1, request))
        call tutti_wait(request, ierr)
        call expect(ierr == TUTTI_TIMEOUT_ERROR, 'timeout of an async group')
        call tutti_async_group_free(async_group)
    end subroutine

    ! A group's records are in files. The constants are those of C: other numbers would be rejected, or give
    ! other files.
    subroutine records()
        type(tutti_group) :: group
        type(tutti_member) :: me
        integer :: ierr, i, x
        call tutti_group_create(1, group, trace=TUTTI_TRACE_STEPS)
        call tutti_join(group, 0, me)
        do i = 1, 3
            x = i
            call tutti_allreduce(me, TUTTI_IN_PLACE, x, TUTTI_SUM)
        end do
        call tutti_leave(me)
        call tutti_group_trace(group, TUTTI_TRACE_JSON_LINES, 'procedures.jsonl ')
        call expect(times('procedures.jsonl', '"kind":"operation","name":"allreduce') == 3, 'trace as lines')
        call tutti_group_trace(group, TUTTI_TRACE_PERFETTO, 'procedures.pftrace')
        call expect(times('procedures.pftrace', 'allreduce') > 0, 'trace for Perfetto')
        call tutti_group_trace(group, 17, 'procedures.jsonl', ierr)
        call refused(ierr, 'group_trace: `format` is 17')
        call tutti_group_trace(group, TUTTI_TRACE_PERFETTO, '/nonesuch/trace', ierr)
        call refused(ierr, 'group_trace: `file` "/nonesuch/trace" cannot be written')
        call tutti_group_trace(group, TUTTI_TRACE_JSON_LINES, '/dev/full', ierr)
        call expect(ierr == TUTTI_ERROR, 'a full disk')
        call tutti_group_free(group)
        call tutti_save_tuning('procedures.tuning ')
        call expect(times('procedures.tuning', 'tutti-tuning') == 1, 'what has been learnt')
        call tutti_save_tuning('/nonesuch/tuned', ierr)
        call refused(ierr, 'save_tuning: `path` "/nonesuch/tuned" is not written')
        call tutti_group_create(1, group, trace=TUTTI_TRACE_OFF)
        call tutti_group_trace(group, TUTTI_TRACE_PERFETTO, 'procedures.pftrace', ierr)
        call expect(ierr == TUTTI_ERROR, 'operations that are not recorded')
        call tutti_group_free(group)
    end subroutine

    ! How often a file has some words. The file is gone afterwards.
    integer function times(file, words)
        character(*), intent(in) :: file, words
        character(:), allocatable :: text
        integer :: unit, length, i
        open (newunit=unit, file=file, access='stream', status='old')
        inquire (unit, size=length)
        allocate (character(length) :: text)
        read (unit) text
        times = count([(text(i:i + len(words) - 1) == words, i = 1, length - len(words) + 1)])
        close (unit, status='delete')
    end function
end module
