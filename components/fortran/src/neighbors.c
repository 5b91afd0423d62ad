// The functions of the module for neighbours, but those with irregular blocks.

#include "fortran/src/arrays.h"

#include <stdlib.h>
#include <string.h>

void tutti_f_neighbors_create(tutti_caller me, CFI_cdesc_t* sources, CFI_cdesc_t* destinations,
                              tutti_neighbors** neighbors, int* ierr) {
    int* const from = tutti_f_list(sources);
    int* const to = tutti_f_list(destinations);
    const tutti_status status =
        from != NULL && to != NULL
            ? tutti_f_noted(tutti_neighbors_create(me, from, (size_t)sources->dim[0].extent, to,
                                                   (size_t)destinations->dim[0].extent, neighbors))
            : tutti_f_note(TUTTI_NO_MEMORY, "neighbors: out of memory");
    free(from);
    free(to);
    tutti_f_finish(status, ierr);
}

void tutti_f_neighbors_grid(tutti_caller me, CFI_cdesc_t* dims, CFI_cdesc_t* wraps,
                            tutti_neighbors** neighbors, int* ierr) {
    const size_t n = (size_t)dims->dim[0].extent;
    tutti_status status = TUTTI_OK;
    int* const around = tutti_f_truths("grid", "wraps", wraps, n, &status);
    int* const lengths = tutti_f_list(dims);
    if (status == TUTTI_OK) {
        status = lengths != NULL ? tutti_f_noted(tutti_neighbors_grid(me, lengths, around, n, neighbors))
                                 : tutti_f_note(TUTTI_NO_MEMORY, "grid: out of memory");
    }
    free(lengths);
    free(around);
    tutti_f_finish(status, ierr);
}

/// Hands a list of the interface for C to the program, if there is one.
static void give(const char* function, tutti_status status, const int* list, size_t n, CFI_cdesc_t* ranks,
                 int* ierr) {
    const CFI_index_t first = 1, last = (CFI_index_t)n;
    if (status == TUTTI_OK && ranks->base_addr != NULL) {
        CFI_deallocate(ranks);
    }
    if (status == TUTTI_OK && CFI_allocate(ranks, &first, &last, sizeof(int)) != CFI_SUCCESS) {
        status = tutti_f_note(TUTTI_NO_MEMORY, "%s: out of memory", function);
    }
    if (status == TUTTI_OK && n != 0) {
        memcpy(ranks->base_addr, list, n * sizeof(int));
    }
    tutti_f_finish(status, ierr);
}

#define GIVE(name)                                                                                           \
    void tutti_f_neighbors_##name(tutti_neighbors** neighbors, CFI_cdesc_t* ranks, int* ierr) {              \
        const int* list = NULL;                                                                              \
        size_t n = 0;                                                                                        \
        const tutti_status status = tutti_f_noted(tutti_neighbors_##name(*neighbors, &list, &n));            \
        give("neighbors_" #name, status, list, n, ranks, ierr);                                              \
    }
GIVE(sources)
GIVE(destinations)

tutti_status tutti_f_blocks(const tutti_neighbors* neighbors, size_t* sent, size_t* received) {
    const int* list = NULL;
    const tutti_status status = tutti_f_noted(tutti_neighbors_destinations(neighbors, &list, sent));
    return status != TUTTI_OK ? status : tutti_f_noted(tutti_neighbors_sources(neighbors, &list, received));
}

void tutti_f_neighbor_alltoall(tutti_caller me, tutti_neighbors** neighbors, CFI_cdesc_t* in,
                               CFI_cdesc_t* out, int* ierr) {
    const char* const function = "neighbor_alltoall";
    struct tutti_f_vectors v = {NULL, NULL, 0, 0};
    struct tutti_f_place place = {0, 0, 1};
    size_t sent = 0, received = 0;
    tutti_status status = tutti_f_begin(function, &me, 0, &place);
    status = status != TUTTI_OK ? status : tutti_f_blocks(*neighbors, &sent, &received);
    if (status == TUTTI_OK && sent + received != 0) {
        status = tutti_f_two(function, "in", in, sent, "out", out, received, 1, &v);
    } else if (status == TUTTI_OK) { // the type is the call's also on a member without neighbours
        status = tutti_f_one(function, "in", in, &v);
        v.in = v.out;
    }
    if (status == TUTTI_OK) {
        status = tutti_f_noted(tutti_neighbor_alltoall(me, *neighbors, v.in, v.out, v.n, v.type));
    }
    tutti_f_finish(status, ierr);
}
