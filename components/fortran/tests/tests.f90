! Every procedure of the module, called inside regions of OpenMP and outside.
program tests
    use arguments
    use collectives
    use omp_lib
    use procedures
    use restarts
    implicit none
    integer :: members
    do members = 1, 5
        call in_region()
    end do
    call waits()
    call alone()
    call group_options()
    call records()
    call tell()
contains
    subroutine in_region()
        type(tutti_group) :: group
        type(tutti_async_group) :: meeting
        type(tutti_member) :: me
        type(particle) :: some(2)
        real(8) :: x(1), y
        integer :: how
        call tutti_group_create(members, group)
        call tutti_async_group_create(members, meeting)
!$omp parallel num_threads(members) private(me, some, x, y, how)
        call tutti_join(group, omp_get_thread_num(), me)
        do how = 0, 2
            call all_collectives(me, how)
            call halo(me, how)
        end do
        call star(me)
        call reproducible(me)
        call pairs(me)
        if (members == 2) then
            call request_of_a_refused_call(me, meeting)
            call refusals(me, x)
            call refusals_of_neighbors(me)
            call not_allocated(me)
            call types_that_are_combined(me)
            call types_that_are_moved(me)
            call types_that_are_refused(me, some)
        else if (members == 3) then
            call parts(me)
            call call_options(me)
            call variables(me, x, y)
            call a_kept_member(me)
        end if
        call tutti_leave(me)
!$omp end parallel
        call tutti_async_group_free(meeting)
        call tutti_group_free(group)
    end subroutine
end program
