/* Collectives inside somebody else's callback, from C: an integrator calls a function that returns nothing,
 * so that the function cannot pass a status on. It keeps the first status that is not TUTTI_OK and makes no
 * more calls; the member's function returns that status, and the run has its text. */
#include <tutti/tutti.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Somebody else's: integrates dy/dt = f(t, y) from 0 to 1. */
static double integrate(void (*f)(double t, double y, double* dydt, void* user), void* user, int steps) {
    double y = 1, slope = 0;
    for (int step = 0; step < steps; ++step) {
        f((double)step / steps, y, &slope, user);
        y += slope / steps;
    }
    return y;
}

/* The data of the callback: the member, and the first failure. */
struct context {
    tutti_member me;
    tutti_status status;
    int bad_step; /* in which member 1 passes a wrong argument; -1: in none */
    int step;
};

/* The slope is the mean of what the members contribute. */
static void mean_slope(double t, double y, double* dydt, void* user) {
    struct context* const context = user;
    const double own = context->me.rank * y + 0 * t;
    const int is_bad = context->me.rank == 1 && context->step++ == context->bad_step;
    double sum = 0;
    if (context->status == TUTTI_OK) {
        context->status =
            tutti_allreduce(context->me, is_bad ? NULL : &own, &sum, 1, TUTTI_DOUBLE, TUTTI_SUM);
    }
    *dydt = sum / context->me.size; /* 0 after a failure: the integrator comes to its end */
}

static tutti_status member(tutti_member me, void* user) {
    struct context context = {me, TUTTI_OK, *(int*)user, 0};
    const double y = integrate(mean_slope, &context, 1000);
    if (context.status == TUTTI_OK && fabs(y - exp(0.5 * (me.size - 1))) > 0.01 * y) {
        fprintf(stderr, "member %d has %g\n", me.rank, y);
        context.status = 100; /* one of this program */
    }
    return context.status; /* not TUTTI_OK: releases the other members */
}

int main(void) {
    int bad_step = -1;
    tutti_team* team = NULL;
    if (tutti_team_create(3, NULL, &team) != TUTTI_OK ||
        tutti_team_run(team, member, &bad_step) != TUTTI_OK) {
        fprintf(stderr, "%s\n", tutti_error_text());
        return 1;
    }
    bad_step = 500;
    const tutti_status status = tutti_team_run(team, member, &bad_step);
    printf("%s\n", tutti_error_text()); /* prints: allreduce: `in` is a null pointer */
    const int is_right = status == TUTTI_ARGUMENT_ERROR &&
                         strcmp(tutti_error_text(), "allreduce: `in` is a null pointer") == 0;
    tutti_team_free(team);
    return is_right ? 0 : 1;
}
