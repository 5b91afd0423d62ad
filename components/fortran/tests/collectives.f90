! Every collective, called inside regions of OpenMP.
program collectives
    use support
    implicit none
    integer :: p, how, part_size
    do p = 1, 5
        call all_in_region(p)
    end do
    call fail()
    call tell()
contains
    subroutine all_in_region(members)
        integer, intent(in) :: members
        type(tutti_group) :: group
        type(tutti_async_group) :: meeting
        type(tutti_caller) :: me, part
        call tutti_group_create(members, group)
        call tutti_async_group_create(members, meeting)
!$omp parallel num_threads(members) private(me, part, how, part_size)
        call tutti_join(group, omp_get_thread_num(), me)
        do how = 0, 3
            call all_collectives(me, meeting, how)
            call shift(me, meeting, how)
        end do
        call irregular(me)
        call reproducible(me)
        call refusals(me)
        call types(me)
        call tutti_split(me, mod(me%rank, 2), 0, part)
        part_size = 1
        call tutti_allreduce(part, TUTTI_IN_PLACE, part_size, TUTTI_SUM)
        call expect(part_size == part%size .and. part_size == (members + 1 - mod(me%rank, 2)) / 2, 'split')
        call tutti_leave(part)
        call tutti_leave(me)
!$omp end parallel
        call tutti_async_group_free(meeting)
        call tutti_group_free(group)
    end subroutine

    ! One fails, and the others are told why.
    subroutine fail()
        type(tutti_group) :: group
        type(tutti_caller) :: me
        integer :: ierr
        character(400) :: text
        call tutti_group_create(3, group)
!$omp parallel num_threads(3) private(me, ierr, text)
        call tutti_join(group, omp_get_thread_num(), me, ierr)
        if (ierr == TUTTI_OK .and. me%rank == 1) call tutti_abort(me, 'no bread left')
        if (ierr == TUTTI_OK .and. me%rank /= 1) call tutti_barrier(me, ierr)
        call tutti_error_text(text)
        call expect(omp_get_thread_num() == 1 .or. ierr == TUTTI_ABORTED .and. index(text, 'no bread left') > 0, 'abort')
        if (me%size /= 0) call tutti_leave(me)
!$omp end parallel
        call tutti_group_free(group)
    end subroutine
end program
