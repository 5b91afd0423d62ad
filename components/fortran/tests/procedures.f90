! The procedures beside the collectives, held against what they promise.
module steps
    use, intrinsic :: ieee_arithmetic
    use checks
    use omp_lib
    use tutti
    implicit none
contains
    subroutine subset(me)
        type(tutti_caller), intent(in) :: me
        type(tutti_caller) :: part
        integer :: total, list(4), ierr, level, cpu
        total = me%rank
        list = [2, -1, 0, -1]
        call tutti_subset(me, list(1:3:2), part)
        call expect(part%size == merge(0, 2, me%rank == 1), 'subset')
        if (part%size == 2) then
            call expect(part%rank == merge(0, 1, me%rank == 2), 'ranks of a subset')
            call tutti_allreduce(part, TUTTI_IN_PLACE, total, TUTTI_SUM)
            call expect(total == 2, 'allreduce of a subset')
            call tutti_leave(part)
        end if
        call tutti_subset(me, [0, 3], part, ierr)
        call refused(ierr, '3')
        do level = TUTTI_LEVEL_SOCKET, TUTTI_LEVEL_CORE
            call tutti_split_by_level(me, level, part)
            total = 1
            call tutti_allreduce(part, TUTTI_IN_PLACE, total, TUTTI_SUM)
            call expect(total == part%size .and. total >= 1 .and. total <= me%size, 'split_by_level')
            call tutti_leave(part)
        end do
        call tutti_split_by_level(me, 9, part, ierr)
        call refused(ierr, '9')
        cpu = -2
        call tutti_cpu(me, cpu)
        call expect(cpu >= -1, 'cpu')
        if (me%rank /= 1) then
            call tutti_among(me, 2, 0, 2, part)
            call expect(part%size == 2 .and. part%rank == me%rank / 2, 'among')
            total = me%rank
            call tutti_allreduce(part, TUTTI_IN_PLACE, total, TUTTI_SUM)
            call expect(total == 2, 'allreduce among two')
            call tutti_leave(part)
        end if
        call tutti_among(me, 1, me%rank, 0, part, ierr)
        call refused(ierr, 'stride')
        call tutti_dup(me, part)
        call expect(part%size == me%size .and. part%rank == me%rank, 'dup')
        call tutti_leave(part)
    end subroutine

    subroutine requests(me)
        type(tutti_caller), intent(in) :: me
        type(tutti_request) :: several(3), prepared
        integer, asynchronous :: x(3), y(3), z(3)
        integer :: i, index, ierr, seen(3)
        logical :: done
        x = [(me%rank + i, i = 1, 3)]
        do i = 2, 3
            call tutti_allreduce(tutti_nonblocking(me, several(i)), x(i), y(i), TUTTI_SUM)
        end do
        seen = 0
        do i = 1, 2
            call tutti_wait_any(several, index)
            seen(index) = seen(index) + 1
            call expect(y(index) == 3 * index + 3, 'wait_any')
        end do
        call expect(all(seen == [0, 1, 1]), 'wait_any once for each')
        call tutti_wait_any(several, index)
        call expect(index == 0, 'wait_any of none')
        call tutti_wait_any(several(1:3:2), index, ierr)
        call refused(ierr, 'wait_any: `requests` is not contiguous')

        call tutti_test_any(several, index, done)
        call expect(done .and. index == 0, 'test_any of none')
        call tutti_test_all(several, done)
        call expect(done, 'test_all of none')
        call tutti_wait_for(several(1), 0, done)
        call expect(done, 'wait_for nothing')
        do i = 1, 3
            call tutti_allreduce(tutti_nonblocking(me, several(i)), x(i), y(i), TUTTI_SUM)
        end do
        if (me%rank == 0) then
            seen = 0
            do while (sum(seen) < 3)
                call tutti_test_any(several, index, done)
                call expect(done .eqv. index /= 0, 'test_any says so')
                if (done) seen(index) = seen(index) + 1
            end do
            call expect(all(seen == 1), 'test_any once for each')
        else if (me%rank == 1) then
            done = .false.
            do while (.not. done)
                call tutti_test_all(several, done)
            end do
        else
            do i = 1, 2
                done = .false.
                do while (.not. done)
                    call tutti_wait_for(several(i), 10, done)
                end do
            end do
            call tutti_wait_for(several(3), TUTTI_NEVER, done)
            call expect(done, 'wait_for without a limit')
        end if
        call expect(all(y == [6, 9, 12]), 'test_any, test_all, wait_for')
        call tutti_wait_any(several, index)
        call expect(index == 0, 'used up by test_any, test_all, wait_for')
        call tutti_test_any(several(1:3:2), index, done, ierr)
        call refused(ierr, 'test_any: `requests` is not contiguous')
        call tutti_test_all(several(1:3:2), done, ierr)
        call refused(ierr, 'test_all: `requests` is not contiguous')
        several(1)%kind = 77
        call tutti_wait_for(several(1), 1, done, ierr)
        call refused(ierr, 'wait_for: `request` is not valid')
        several(1) = TUTTI_REQUEST_NULL

        call tutti_broadcast(tutti_nonblocking(me, several(1)), x, 0)
        done = .false.
        do while (.not. done)
            call tutti_test(several(1), done)
        end do
        call expect(all(x == [1, 2, 3]), 'test')

        call tutti_allreduce(tutti_persistent(me, prepared), x, y, TUTTI_SUM)
        call tutti_start(prepared)
        call tutti_wait(prepared)
        call expect(all(y == 3 * x), 'start')
        call tutti_request_free(prepared)
    end subroutine

    subroutine options(me)
        type(tutti_caller), intent(in) :: me
        type(tutti_caller) :: serial
        real(8) :: x, y
        integer :: ierr
        character(:), allocatable :: name
        x = 10d0**(-20 * me%rank)
        call tutti_allreduce(tutti_with_options(me, order=TUTTI_ORDER_SERIAL), x, y, TUTTI_SUM)
        call expect(y == 1, 'serial order')
        call tutti_allreduce(tutti_with_options(me, algorithm='nonesuch'), x, y, TUTTI_SUM, ierr)
        call refused(ierr, 'nonesuch')
        name = 'ring   '
        serial = tutti_with_options(me, name, TUTTI_ORDER_CANONICAL)
        deallocate (name)
        call tutti_allreduce(serial, x, y, TUTTI_SUM)
        call expect(y == 1, 'algorithm')
        call tutti_allreduce(tutti_with_options(me, order=5), x, y, TUTTI_SUM, ierr)
        call refused(ierr, '`options.order` is 5')
        call tutti_allreduce(tutti_with_options(serial), x, y, TUTTI_SUM)
        call expect(y == 1, 'without options')
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
        call tutti_reduce_local(x, y, TUTTI_MINIMUM)
        call expect(y(1) == 1 .and. ieee_is_nan(y(2)) .and. y(3) == 3, 'minimum')
        y(2) = 7
        call tutti_reduce_local(x, y, TUTTI_MAXIMUM)
        call expect(all(y == [1, 7, 3]), 'maximum')
        call expect(tutti_version() >= 100 .and. tutti_version() < 1000000, 'version')

        call tutti_group_create(-1, group, ierr)
        text = tutti_error_message()
        call expect(index(text, '-1') > 0 .and. len(text) == len_trim(text), 'message')
        call tutti_error_text(short)
        call expect(short == text(:5), 'text of a fixed length')
        deallocate (text)
        call tutti_error_text(text) ! has no place for it, and gets none
        call expect(.not. allocated(text), 'text that is not allocated')
    end subroutine

    ! One of three members does not come.
    subroutine timeout()
        type(tutti_group) :: group
        integer :: ierr
        call tutti_group_create(3, group, wait=TUTTI_WAIT_SLEEP, join_timeout_ms=200)
!$omp parallel num_threads(2)
        call wait_in_vain(group)
!$omp end parallel
        call tutti_group_free(group)
        call tutti_group_create(1, group, ierr, wait=17)
        call refused(ierr, '`options.wait` is 17')
        call call_timeout()
        call tutti_group_create(4, group, ierr, levels=[3, 2])
        call refused(ierr, 'the product of the sizes')
        call tutti_group_create(4, group, levels=[2, 2])
        call tutti_group_free(group)
        call tutti_group_create(1, group, tuning='/nonesuch ') ! warns
        call tutti_group_free(group)
    end subroutine

    ! One of two members, and of two ranks, does not come.
    subroutine call_timeout()
        type(tutti_group) :: group
        type(tutti_async_group) :: async_group
        type(tutti_caller) :: me
        type(tutti_request), asynchronous :: request
        integer :: ierr, rank, peer
        integer(c_int64_t) :: operation
        character(9) :: collective
        character(:), allocatable :: text
        call tutti_group_create(2, group)
        call tutti_join(group, 0, me)
        call tutti_barrier(tutti_with_options(me, timeout_ms=100), ierr)
        call expect(ierr == TUTTI_TIMEOUT_ERROR, 'timeout of a call')
        call tutti_last_error(rank, peer, operation, collective)
        call expect(rank == 0 .and. peer == 1 .and. operation == 1 .and. collective == 'barrier', 'fields of a failure')
        call tutti_leave(me)
        call tutti_group_free(group)
        call tutti_async_group_create(2, async_group, timeout_ms=100)
        call tutti_barrier(tutti_async_rank(async_group, 1, request))
        call tutti_wait(request, ierr)
        call expect(ierr == TUTTI_TIMEOUT_ERROR, 'timeout of an async group')
        call tutti_async_group_free(async_group)
        call tutti_group_create(-1, group, ierr)
        call tutti_last_error(rank, peer)
        call expect(rank == -1 .and. peer == -1, 'fields of no call')
        text = tutti_status_text(TUTTI_TIMEOUT_ERROR)
        call expect(text(:21) == 'TUTTI_TIMEOUT_ERROR: ' .and. len(text) == len_trim(text), 'text of a status')
    end subroutine

    ! The options of a group that concern waiting arrive.
    subroutine waits()
        type(tutti_group) :: group
        type(tutti_caller) :: me
        integer :: ierr
        call tutti_group_create(2, group, timeout_ms=60000)
        call tutti_group_set_timeout(group, -7, ierr)
        call refused(ierr, 'set_timeout: `timeout` is -7 ms')
        call tutti_group_set_timeout(group, TUTTI_NEVER)
!$omp parallel num_threads(2) private(me, ierr)
        call tutti_join(group, omp_get_thread_num(), me)
        call tutti_barrier(me)
        if (me%rank == 0) then
            call tutti_barrier(me, ierr)
            call expect(ierr == TUTTI_MISMATCH_ERROR, 'a member that has left')
        end if
        call tutti_leave(me)
!$omp end parallel
        call tutti_group_free(group)
    end subroutine

    ! A group's records are in files. The constants are those of C: other numbers would be rejected, or give
    ! other files.
    subroutine records()
        type(tutti_group) :: group
        type(tutti_caller) :: me
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
        call tutti_group_trace(group, TUTTI_TRACE_PERFETTO, 'procedures.pftrace')
        call expect(times('procedures.pftrace', '"kind"') == 0, 'Perfetto is not JSON')
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
        call tutti_group_create(1, group, ierr, trace=17)
        call refused(ierr, '`options.trace` is 17')
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

    ! A member that joins late gets the error there.
    subroutine wait_in_vain(group)
        type(tutti_group), intent(inout) :: group
        type(tutti_caller) :: me
        integer :: ierr
        character(:), allocatable :: text
        call tutti_join(group, omp_get_thread_num(), me, ierr)
        if (ierr == TUTTI_OK) call tutti_barrier(me, ierr)
        text = tutti_error_message()
        call expect(ierr /= TUTTI_OK .and. index(text, '2') > 0 .and. index(text, 'within 200 ms') > 0, 'timeout')
        if (me%size /= 0) call tutti_leave(me)
    end subroutine
end module

program procedures
    use steps
    implicit none
    type(tutti_group) :: group
    type(tutti_caller) :: me
    call tutti_group_create(3, group)
!$omp parallel num_threads(3) private(me)
    call tutti_join(group, omp_get_thread_num(), me)
    call subset(me)
    call requests(me)
    call options(me)
    call tutti_leave(me)
!$omp end parallel
    call tutti_group_free(group)
    call alone()
    call timeout()
    call records()
    call waits()
    call tell()
end program
