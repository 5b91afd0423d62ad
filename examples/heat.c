/* Heat in a rod, from C: every thread of an OpenMP region has a part of the rod and steps it, after it has
 * exchanged the ends of its part with its neighbours. While they are under way it looks how far the rod is
 * from its steady state. */
#include <tutti/tutti.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { members = 4, part = 16, most_steps = 50000 };

static void check(tutti_status status) {
    if (status != TUTTI_OK) {
        fprintf(stderr, "%s\n", tutti_error_text());
        exit(1);
    }
}

/* Steps until nothing changes any more; `rod` has a neighbour's cell at both ends. Returns the number of
 * steps. */
static void relax(tutti_member me, double* rod) {
    double next[part + 2];
    double from_left = 0, from_right = 0, change = 1;
    tutti_request to_right = TUTTI_REQUEST_NULL, to_left = TUTTI_REQUEST_NULL, most = TUTTI_REQUEST_NULL;
    /* Found out once, started in each step. */
    check(tutti_shift(tutti_persistent(me, &to_right), &rod[part], &from_left, 1, TUTTI_DOUBLE, 1));
    check(tutti_shift(tutti_persistent(me, &to_left), &rod[1], &from_right, 1, TUTTI_DOUBLE, -1));
    check(tutti_allreduce(tutti_persistent(me, &most), TUTTI_IN_PLACE, &change, 1, TUTTI_DOUBLE, TUTTI_MAX));
    for (int step = 0; change > 1e-8 && step < most_steps; ++step) {
        check(tutti_start(&to_right));
        check(tutti_start(&to_left));
        for (int i = 2; i < part; ++i) { /* needs nobody */
            next[i] = (rod[i - 1] + rod[i + 1]) / 2;
        }
        check(tutti_wait(&to_right));
        check(tutti_wait(&to_left));
        rod[0] = me.rank == 0 ? 1 : from_left; /* the rod's ends are kept at 1 and 0 */
        rod[part + 1] = me.rank == me.size - 1 ? 0 : from_right;
        next[1] = (rod[0] + rod[2]) / 2;
        next[part] = (rod[part - 1] + rod[part + 1]) / 2;
        change = 0;
        for (int i = 1; i <= part; ++i) {
            change = fmax(change, fabs(next[i] - rod[i]));
        }
        check(tutti_start(&most));
        memcpy(&rod[1], &next[1], part * sizeof(double));
        check(tutti_wait(&most));
    }
    check(tutti_request_free(&to_right));
    check(tutti_request_free(&to_left));
    check(tutti_request_free(&most));
}

int main(void) {
    tutti_group* group = NULL;
    double whole[members * part];
    check(tutti_group_create(members, NULL, &group));
#pragma omp parallel num_threads(members)
    {
        double rod[part + 2] = {0};
        tutti_member me;
        check(tutti_join(group, omp_get_thread_num(), &me));
        relax(me, rod);
        check(tutti_gather(me, &rod[1], me.rank == 0 ? whole : NULL, part, TUTTI_DOUBLE, 0));
        check(tutti_leave(me));
    }
    check(tutti_group_free(group));
    double worst = 0;
    for (int i = 0; i < members * part; ++i) { /* a straight line from 1 to 0 */
        const double off = fabs(whole[i] - (1 - (i + 1.0) / (members * part + 1)));
        worst = off > worst ? off : worst; /* fmax() here crashes GCC 12 for arm64 */
    }
    printf("at most %g from a straight line\n", worst);
    return worst < 1e-4 ? 0 : 1;
}
