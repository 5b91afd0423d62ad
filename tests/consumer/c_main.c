/* A C program outside the tree: four members add their ranks, with their library's operator and with one of
 * this program. */
#include <tutti/tutti.h>

#include <stdio.h>

struct both {
    double value;
    int count;
};

static void add(const void* in, void* inout, size_t n, void* user) {
    const struct both* left = in;
    struct both* right = inout;
    (void)user;
    for (size_t i = 0; i < n; ++i) {
        right[i].value += left[i].value;
        right[i].count += left[i].count;
    }
}

static tutti_status sum(tutti_caller me, void* user) {
    struct both* results = user;
    struct both mine = {me.rank, 1};
    tutti_op op = 0;
    tutti_status status = tutti_op_create(add, NULL, 1, &op);
    if (status == TUTTI_OK) {
        status = tutti_allreduce(me, &mine, &results[me.rank], 1, tutti_type_of_size(sizeof mine), op);
    }
    if (status == TUTTI_OK) {
        status = tutti_allreduce(me, TUTTI_IN_PLACE, &mine.value, 1, TUTTI_DOUBLE, TUTTI_SUM);
    }
    results[me.rank].value -= mine.value;
    tutti_op_free(op);
    return status;
}

int main(void) {
    struct both results[4] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};
    tutti_team* team = NULL;
    int wrong = 0;
    if (tutti_team_create(4, NULL, &team) != TUTTI_OK || tutti_team_run(team, sum, results) != TUTTI_OK) {
        printf("%s\n", tutti_error_text());
        return 1;
    }
    tutti_team_free(team);
    for (int i = 0; i < 4; ++i) {
        wrong += results[i].value != 0 || results[i].count != 4;
    }
    printf("tutti %d from C, wrong elements: %d\n", tutti_version(), wrong);
    return wrong;
}
