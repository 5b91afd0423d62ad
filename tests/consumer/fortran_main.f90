! A Fortran program outside the tree: one member of a group.
program consumer
    use tutti
    implicit none
    type(tutti_group) :: group
    type(tutti_member) :: me
    real(8) :: in(3), out(3)
    in = [1, 2, 3]
    call tutti_group_create(1, group)
    call tutti_join(group, 0, me)
    call tutti_allreduce(me, in, out, TUTTI_SUM)
    call tutti_leave(me)
    call tutti_group_free(group)
    print *, 'from Fortran, wrong elements: ', count(abs(out - in) > 0)
    if (any(abs(out - in) > 0)) error stop 1
end program
