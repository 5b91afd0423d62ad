! Collectives of clusters, of scalars and of arrays of several dimensions, held against what they promise. tests/ways has the rest.
module collectives
    use checks
    implicit none
contains
    ! All collectives with equal blocks. `how` is 0 where they block, 1 where they are started, 2 prepared.
    subroutine all_collectives(me, how)
        type(tutti_member), intent(in) :: me
        integer, intent(in) :: how
        integer, parameter :: n = 3
        integer :: p, i, j, calls
        type(tutti_request) :: requests(20)
        integer, asynchronous :: r, one, ranks, upto, before, from
        real(8), asynchronous, dimension(n) :: mine, cast, reduced, greatest, block, scattered
        real(8), asynchronous, dimension(n, me%size) :: own, parts, whole, gathered, everything, swapped
        calls = 0
        r = me%rank
        p = me%size
        one = 1
        ranks = r
        before = -7 ! stays on rank 0
        mine = [(10 * r + i, i = 1, n)]
        cast = mine
        reduced = -1
        own = r
        parts = spread(mine, 2, p)
        everything = reshape([((10 * (j - 1) + i, i = 1, n), j = 1, p)], [n, p])
        gathered = 0

        call tutti_barrier(by())
        call tutti_broadcast(by(), cast, p - 1)
        call tutti_reduce(by(), mine, reduced, TUTTI_SUM, p - 1)
        call tutti_allreduce(by(), mine, greatest, TUTTI_MAX)
        call tutti_allreduce(by(), TUTTI_IN_PLACE, ranks, TUTTI_SUM)
        call tutti_reduce_scatter(by(), parts, block, TUTTI_SUM)
        call tutti_allgather(by(), mine, whole)
        call tutti_gather(by(), mine, gathered, 0)
        call tutti_scatter(by(), everything, scattered, 0)
        call tutti_alltoall(by(), own, swapped)
        call tutti_scan(by(), one, upto, TUTTI_SUM)
        call tutti_exscan(by(), one, before, TUTTI_SUM)
        call tutti_shift(by(), r, from, -1)
        call done()
        call expect(all(cast == [(10 * (p - 1) + i, i = 1, n)]), 'broadcast')
        call expect(all(reduced == merge([(5 * p * (p - 1) + i * p, i = 1, n)], -1, r == p - 1)), 'reduce')
        call expect(all(greatest == [(10 * (p - 1) + i, i = 1, n)]), 'allreduce')
        call expect(ranks == p * (p - 1) / 2, 'allreduce of a scalar in place')
        call expect(all(block == [(5 * p * (p - 1) + i * p, i = 1, n)]), 'reduce_scatter')
        call expect(all(whole == everything), 'allgather')
        call expect(all(gathered == merge(everything, 0d0, r == 0)), 'gather')
        call expect(all(scattered == mine), 'scatter')
        call expect(all(swapped == spread([(real(i, 8), i = 0, p - 1)], 1, n)), 'alltoall')
        call expect(upto == r + 1, 'scan')
        call expect(before == merge(-7, r, r == 0), 'exscan')
        call expect(from == mod(r + 1, p), 'shift')
    contains
        include 'ways.inc'
    end subroutine

    ! Each member has a column of a field, whose border rows go to the members above and below.
    subroutine halo(me, how)
        type(tutti_member), intent(in) :: me
        integer, intent(in) :: how
        type(tutti_neighbors) :: line
        type(tutti_request) :: requests(1)
        real(8), asynchronous :: field(3, 0:5)
        integer, allocatable :: ranks(:)
        integer :: above, below, calls
        calls = 0
        call tutti_neighbors_grid(me, [me%size], [.false.], line)
        above = merge(me%rank - 1, TUTTI_NEIGHBOR_NONE, me%rank > 0)
        below = merge(me%rank + 1, TUTTI_NEIGHBOR_NONE, me%rank < me%size - 1)
        call tutti_neighbors_sources(line, ranks)
        call expect(all(ranks == [above, below]), 'sources')
        call tutti_neighbors_destinations(line, ranks)
        call expect(size(ranks) == 2 .and. all(ranks == [above, below]), 'destinations')
        field = -1
        field(:, 1:4) = me%rank
        call tutti_neighbor_alltoallv(by(), line, field, [3, 3], field, [3_8, 3_8], [3, 12], [0, 15])
        call done()
        call expect(all(field(:, 0) == above) .and. all(field(:, 5) == below) .and. all(field(:, 1:4) == me%rank), 'halo')
        call tutti_barrier(me)
        call tutti_neighbors_free(line)
    contains
        include 'ways.inc'
    end subroutine

    ! Member 0 sends to all, and all but it send to nobody.
    subroutine star(me)
        type(tutti_member), intent(in) :: me
        type(tutti_neighbors) :: graph
        integer :: i, out(2), in(2, merge(me%size, 0, me%rank == 0))
        integer, allocatable :: ranks(:)
        call tutti_neighbors_create(me, [0], [(i, i = 0, size(in, 2) - 1)], graph)
        call tutti_neighbors_destinations(graph, ranks)
        call expect(size(ranks) == size(in, 2), 'number of destinations')
        in = reshape([(i, i = 1, size(in))], shape(in))
        call tutti_neighbor_alltoall(me, graph, in, out)
        call expect(all(out == [2 * me%rank + 1, 2 * me%rank + 2]), 'star')
        call tutti_barrier(me)
        call tutti_neighbors_free(graph)
        call expect(.not. c_associated(graph%handle), 'a handle that is empty when freed')
        call tutti_neighbors_create(me, ranks(:0), ranks(:0), graph)
        call tutti_neighbor_alltoall(me, graph, in(:, :0), out(:0))
        call tutti_neighbors_free(graph)
    end subroutine

    ! Member r has r + 1 terms.
    subroutine reproducible(me)
        type(tutti_member), intent(in) :: me
        real(8) :: terms(me%rank + 1), total
        real(4) :: floats(me%rank + 1), small
        integer :: i, n, ierr
        n = me%size * (me%size + 1) / 2
        terms = [(real(i, 8), i = 0, me%rank)]
        floats = 3
        call tutti_reproducible_sum(me, terms, total)
        call expect(total == sum([(real(i, 8) * (me%size - i), i = 0, me%size - 1)]), 'reproducible_sum')
        call tutti_reproducible_dot(me, floats, floats, small)
        call expect(small == 9 * n, 'reproducible_dot of real(4)')
        terms = 1
        call tutti_reproducible_norm2(me, terms, total)
        call expect(total == sqrt(real(n, 8)), 'reproducible_norm2')
        call tutti_reproducible_sum(me, terms, small, ierr)
        call refused(ierr, 'reproducible_sum: `result` must be one number of the type of `terms`')
        call tutti_reproducible_dot(me, terms, [0d0, terms], total, ierr)
        call refused(ierr, 'reproducible_dot: `b` has')
    end subroutine

    ! Operators on columns. The least value is 0 in the first column, -r in the second, and the same on all members in the third.
    subroutine pairs(me)
        type(tutti_member), intent(in) :: me
        real(8) :: double(2, 3), least(2, 3)
        real(4) :: single(2), greatest(2)
        integer(8) :: wide(2), block(2, 2), blocks(2, 2, me%size), mine(2, me%rank + 1), &
            many(2, me%size * (me%size + 3) / 2)
        integer :: r, p, i
        r = me%rank
        p = me%size
        double = reshape([real(8) :: mod(r + 1, p), r, -r, r, 5, r], [2, 3])
        call tutti_allreduce(me, double, least, TUTTI_MINLOC)
        call expect(all(least == reshape([real(8) :: 0, p - 1, 1 - p, p - 1, 5, 0], [2, 3])), 'minloc')
        single = [real(r), real(r)]
        greatest = -1
        call tutti_reduce(me, single, greatest, TUTTI_MAXLOC, 0)
        call expect(all(greatest == merge(real(p - 1), -1., r == 0)), 'maxloc')
        wide = [int(r, 8), -int(r, 8)]
        call tutti_exscan(me, TUTTI_IN_PLACE, wide, TUTTI_MAXLOC)
        call expect(all(wide == merge(0, max(r - 1, 0), r == 0) * [1, -1]), 'maxloc of integer(8)')
        blocks(1, :, :) = r
        blocks(2, :, :) = 7
        call tutti_reduce_scatter(me, blocks, block, TUTTI_MAXLOC)
        call expect(all(block(1, :) == p - 1) .and. all(block(2, :) == 7), 'reduce_scatter of pairs')
        many = spread([-int(r, 8), int(r, 8)], 2, size(many, 2)) ! more than the blocks: the rest is neither read nor written
        call tutti_reduce_scatterv(me, many, mine, [(i, i = 1, p)], TUTTI_MINLOC)
        call expect(all(mine(2, :) == p - 1), 'reduce_scatterv of pairs')
        call tutti_reduce_scatterv(me, TUTTI_IN_PLACE, many, [(i, i = 1, p)], TUTTI_MINLOC)
        call expect(all(many(2, size(many, 2) - p + 1:) == r), 'columns behind the blocks')
    end subroutine
end module
