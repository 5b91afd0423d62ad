// Who calls.

#include "fortran/arrays.h"

tutti_status tutti_f_begin(const char* function, const tutti_caller* me, int root,
                           struct tutti_f_place* place) {
    static const tutti_request none = TUTTI_REQUEST_NULL;
    if (me->request != NULL) {
        *me->request = none;
    }
    int size = me->size;
    if (me->rendezvous != NULL && tutti_rendezvous_size(me->rendezvous, &size) != TUTTI_OK) {
        return tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: `me` has no rendezvous", function);
    }
    if (size < 1) {
        return tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: `me` is no caller: tutti_join() makes one", function);
    }
    if (me->rank < 0 || me->rank >= size) {
        return tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: the rank of `me` is %d, must be in 0..%d", function,
                            me->rank, size - 1);
    }
    *place = (struct tutti_f_place){me->rank == root, tutti_counts_on_all(*me).how == me->how, (size_t)size};
    return TUTTI_OK;
}
