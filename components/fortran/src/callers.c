// Callers and their modes.

#include "fortran/src/arrays.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

tutti_status tutti_f_begin(const char* function, const tutti_caller* me, int root,
                           struct tutti_f_place* place) {
    if (me->request != NULL) {
        *me->request = TUTTI_REQUEST_NULL;
    }
    int size = me->size;
    if (me->async_group != NULL && tutti_async_group_size(me->async_group, &size) != TUTTI_OK) {
        return tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: `me` has no async group", function);
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

/// Options that a program has used. They are kept, each once, since a caller refers to its options for as
/// long as it is used, and Fortran has no place for them.
struct kept {
    struct kept* next;
    tutti_call_options options;
};

static _Atomic(struct kept*) all_kept;

static int is_same_text(const char* a, const char* b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/// The options that are like those, or NULL. Acquire: pairs with keep().
static const tutti_call_options* find_kept(const tutti_call_options* like) {
    for (const struct kept* i = atomic_load_explicit(&all_kept, memory_order_acquire); i != NULL;
         i = i->next) {
        if (i->options.order == like->order && i->options.timeout_ms == like->timeout_ms &&
            is_same_text(i->options.algorithm, like->algorithm)) {
            return &i->options;
        }
    }
    return NULL;
}

/// Two threads may keep the same options twice. NULL if there is no memory.
static const tutti_call_options* keep(tutti_call_options options) {
    struct kept* const kept = malloc(sizeof *kept);
    if (kept == NULL) {
        return NULL;
    }
    *kept = (struct kept){atomic_load_explicit(&all_kept, memory_order_relaxed), options};
    // Release: pairs with find_kept().
    while (!atomic_compare_exchange_weak_explicit(&all_kept, &kept->next, kept, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    return &kept->options;
}

tutti_caller tutti_f_with_options(tutti_caller me, const CFI_cdesc_t* algorithm, const int* order,
                                  const int* timeout_ms);
tutti_caller tutti_f_with_options(tutti_caller me, const CFI_cdesc_t* algorithm, const int* order,
                                  const int* timeout_ms) {
    static const tutti_caller nobody;
    tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
    char* const name = algorithm != NULL ? tutti_f_text(algorithm) : NULL;
    if (algorithm != NULL && name == NULL) {
        return nobody;
    }
    options.algorithm = name;
    options.order = order != NULL ? *order : options.order;
    options.timeout_ms = timeout_ms != NULL ? *timeout_ms : options.timeout_ms;
    const tutti_call_options* chosen = find_kept(&options);
    if (chosen != NULL) {
        free(name);
    } else {
        chosen = keep(options);
    }
    return chosen != NULL ? tutti_with_options(me, chosen) : nobody;
}
