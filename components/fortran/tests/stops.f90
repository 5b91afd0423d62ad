! A failure stops a program that has no place for a status, and says what it was.
program stops
    use tutti
    implicit none
    type(tutti_group) :: group
    type(tutti_member) :: me
    real :: numbers(4, 4)
    numbers = 1
    call tutti_group_create(1, group)
    call tutti_join(group, 0, me)
    print *, 'before'
    call tutti_broadcast(me, numbers(1, :), 0)
    print *, 'after'
end program
