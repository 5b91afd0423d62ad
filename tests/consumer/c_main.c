/* A program outside the tree, in C and in C++ at once: four members add their ranks. */
#include <tutti/tutti.h>

#include <stdio.h>

static tutti_status sum(tutti_member me, void* user) {
    double* const result = (double*)user + me.rank;
    *result = me.rank;
    return tutti_allreduce(me, TUTTI_IN_PLACE, result, 1, TUTTI_DOUBLE, TUTTI_SUM);
}

int main(void) {
    double results[4];
    tutti_team_options options = TUTTI_TEAM_OPTIONS_INIT;
    tutti_team* team = NULL;
    int wrong = 0;
    options.placement = "none";
    if (tutti_team_create(4, &options, &team) != TUTTI_OK || tutti_team_run(team, sum, results) != TUTTI_OK) {
        printf("%s\n", tutti_error_text());
        return 1;
    }
    tutti_team_free(team);
    for (int i = 0; i < 4; ++i) {
        wrong += results[i] != 6;
    }
    printf("from C, wrong elements: %d\n", wrong);
    return wrong;
}
