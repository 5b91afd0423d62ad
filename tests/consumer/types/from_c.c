/* Calls by one member: of the types f64 and i32 all succeed, and of f32 those that combine nothing. */
#include <tutti/tutti.h>

#include <stdio.h>
#include <string.h>

static int fails_with(const char* what, tutti_status status) {
    const char* const text = tutti_error_text();
    if (status == TUTTI_ARGUMENT_ERROR && strstr(text, "elements of type f32") != NULL &&
        strstr(text, "TUTTI_TYPES") != NULL) {
        return 0;
    }
    printf("%s of floats, which were left out: status %d, %s\n", what, (int)status, text);
    return 1;
}

static int succeeds(const char* what, tutti_status status) {
    if (status == TUTTI_OK) {
        return 0;
    }
    printf("%s: %s\n", what, tutti_error_text());
    return 1;
}

int wrong_from_c(void) {
    tutti_group* group;
    tutti_member me;
    double doubles[2] = {3, 4};
    int ints[2] = {3, 4};
    float floats[2] = {3, 4};
    int wrong = succeeds("group", tutti_group_create(1, NULL, &group));
    wrong += succeeds("join", tutti_join(group, 0, &me));
    wrong += succeeds("doubles", tutti_allreduce(me, TUTTI_IN_PLACE, doubles, 2, TUTTI_DOUBLE, TUTTI_SUM));
    wrong += succeeds("ints", tutti_allreduce(me, TUTTI_IN_PLACE, ints, 2, TUTTI_INT, TUTTI_MAX));
    wrong += fails_with("allreduce", tutti_allreduce(me, TUTTI_IN_PLACE, floats, 2, TUTTI_FLOAT, TUTTI_SUM));
    wrong += fails_with("reduce_local", tutti_reduce_local(floats, floats + 1, 1, TUTTI_FLOAT, TUTTI_SUM));
    wrong += succeeds("broadcast of floats", tutti_broadcast(me, floats, 2, TUTTI_FLOAT, 0));
    wrong += succeeds("leave", tutti_leave(me));
    return wrong + succeeds("free", tutti_group_free(group));
}
