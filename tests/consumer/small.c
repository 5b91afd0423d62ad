/* A program without reductions, as one that replaces its barriers and broadcasts of pointers. */
#include <tutti/tutti.h>

#include <stdint.h>

int main(void) {
    int64_t word = 1;
    tutti_group* group;
    tutti_member me;
    return tutti_group_create(1, NULL, &group) != TUTTI_OK || tutti_join(group, 0, &me) != TUTTI_OK ||
           tutti_barrier(me) != TUTTI_OK || tutti_broadcast(me, &word, 1, TUTTI_INT64, 0) != TUTTI_OK ||
           tutti_leave(me) != TUTTI_OK || tutti_group_free(group) != TUTTI_OK;
}
