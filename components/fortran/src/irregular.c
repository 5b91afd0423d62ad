// The functions of the module with irregular blocks.

#include "fortran/src/arrays.h"

#include <stdint.h>
#include <stdlib.h>

/// The counts and displacements of a vector, in the terms of the interface for C.
struct blocks {
    size_t* counts;
    size_t* displacements;
};

/// Checks that a buffer of so many elements is as long as its blocks reach, or longer.
static tutti_status check_reach(const char* function, const char* name, size_t elements,
                                const struct blocks* blocks, size_t members) {
    size_t end = 0;
    for (size_t i = 0; i < members; ++i) {
        const size_t start = blocks->displacements != NULL ? blocks->displacements[i] : end;
        const size_t count = blocks->counts[i];
        const size_t reached = start > SIZE_MAX - count ? SIZE_MAX : start + count;
        end = count != 0 && reached > end ? reached : end;
    }
    if (end <= elements) {
        return TUTTI_OK;
    }
    return tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: `%s` has %zu elements, and its blocks reach to %zu",
                        function, name, elements, end);
}

/// Reads the blocks of a buffer that is divided by `counts`; `displacements` may be absent.
static tutti_status take_blocks(const char* function, const char* name, size_t elements,
                                const char* counts_name, const CFI_cdesc_t* counts,
                                const CFI_cdesc_t* displacements, size_t members, struct blocks* blocks) {
    tutti_status status = tutti_f_numbers(function, counts_name, counts, members, &blocks->counts);
    if (status == TUTTI_OK) {
        status = tutti_f_numbers(function, "displacements", displacements, members, &blocks->displacements);
    }
    return status == TUTTI_OK ? check_reach(function, name, elements, blocks, members) : status;
}

/// The same if only the root has the vector, and the others may give counts as well.
static tutti_status take_rooted_blocks(const char* function, const char* name, size_t elements,
                                       const CFI_cdesc_t* counts, const CFI_cdesc_t* displacements,
                                       const struct tutti_f_place* place, struct blocks* blocks) {
    if (!place->is_root && !place->has_counts_on_all) {
        return TUTTI_OK;
    }
    return take_blocks(function, name, place->is_root ? elements : SIZE_MAX, "counts", counts, displacements,
                       place->members, blocks);
}

static void free_blocks(struct blocks* blocks) {
    free(blocks->counts);
    free(blocks->displacements);
}

static int is_in_place(const CFI_cdesc_t* array) {
    return array->base_addr == &tutti_f_in_place;
}

/// A vector that is read, or NULL for one that is in place.
static tutti_status take_input(const char* function, const char* name, const CFI_cdesc_t* in,
                               const char* out_name, const struct tutti_f_vectors* out,
                               struct tutti_f_vectors* taken) {
    if (is_in_place(in)) {
        *taken = (struct tutti_f_vectors){TUTTI_IN_PLACE, NULL, 0, out->type};
        return TUTTI_OK;
    }
    const tutti_status status = tutti_f_one(function, name, in, taken);
    taken->in = taken->out;
    if (status == TUTTI_OK && taken->type != out->type) {
        return tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: `%s` and `%s` are of different types", function, name,
                            out_name);
    }
    return status;
}

void tutti_f_reduce_scatterv(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* block, CFI_cdesc_t* counts,
                             tutti_op op, int* ierr) {
    struct tutti_f_vectors to = {NULL, NULL, 0, 0}, from = to;
    struct blocks blocks = {NULL, NULL};
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("reduce_scatterv", &me, 0, &place);
    status = status != TUTTI_OK ? status : tutti_f_one("reduce_scatterv", "block", block, &to);
    status = status != TUTTI_OK ? status : take_input("reduce_scatterv", "in", in, "block", &to, &from);
    status = status != TUTTI_OK ? status : tutti_f_combines("reduce_scatterv", in, block, op, &to);
    if (status == TUTTI_OK && !is_in_place(in)) {
        status = tutti_f_combines("reduce_scatterv", in, block, op, &from);
    }
    if (status == TUTTI_OK) {
        status = take_blocks("reduce_scatterv", is_in_place(in) ? "block" : "in",
                             is_in_place(in) ? to.n : from.n, "counts", counts, NULL, place.members, &blocks);
    }
    if (status == TUTTI_OK && !is_in_place(in) && to.n != blocks.counts[me.rank]) {
        status =
            tutti_f_note(TUTTI_ARGUMENT_ERROR, "reduce_scatterv: `block` has %zu elements, must have %zu",
                         to.n, blocks.counts[me.rank]);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_noted(tutti_reduce_scatterv(me, from.in, to.out, blocks.counts, to.type, op));
    }
    free_blocks(&blocks);
    tutti_f_finish(status, ierr);
}

void tutti_f_allgatherv(tutti_caller me, CFI_cdesc_t* block, CFI_cdesc_t* out, CFI_cdesc_t* counts,
                        CFI_cdesc_t* displacements, int* ierr) {
    struct tutti_f_vectors to = {NULL, NULL, 0, 0}, from = to;
    struct blocks blocks = {NULL, NULL};
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("allgatherv", &me, 0, &place);
    status = status != TUTTI_OK ? status : tutti_f_one("allgatherv", "out", out, &to);
    status = status != TUTTI_OK ? status : take_input("allgatherv", "block", block, "out", &to, &from);
    if (status == TUTTI_OK) {
        status =
            take_blocks("allgatherv", "out", to.n, "counts", counts, displacements, place.members, &blocks);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_noted(
            tutti_allgatherv(me, from.in, from.n, to.out, blocks.counts, blocks.displacements, to.type));
    }
    free_blocks(&blocks);
    tutti_f_finish(status, ierr);
}

void tutti_f_gatherv(tutti_caller me, CFI_cdesc_t* block, CFI_cdesc_t* out, CFI_cdesc_t* counts, int root,
                     CFI_cdesc_t* displacements, int* ierr) {
    struct tutti_f_vectors to = {NULL, NULL, 0, 0}, from = to;
    struct blocks blocks = {NULL, NULL};
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("gatherv", &me, root, &place);
    if (status == TUTTI_OK && (place.is_root || is_in_place(block))) {
        status = tutti_f_one("gatherv", "out", out, &to);
        status = status != TUTTI_OK ? status : take_input("gatherv", "block", block, "out", &to, &from);
    } else if (status == TUTTI_OK) { // nobody looks at its output
        status = tutti_f_one("gatherv", "block", block, &from);
        to = (struct tutti_f_vectors){NULL, NULL, 0, from.type};
        from.in = from.out;
    }
    if (status == TUTTI_OK) {
        status = take_rooted_blocks("gatherv", "out", to.n, counts, displacements, &place, &blocks);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_noted(tutti_gatherv(me, from.in, is_in_place(block) ? to.n : from.n, to.out,
                                             blocks.counts, blocks.displacements, to.type, root));
    }
    free_blocks(&blocks);
    tutti_f_finish(status, ierr);
}

void tutti_f_scatterv(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* counts, CFI_cdesc_t* block, int root,
                      CFI_cdesc_t* displacements, int* ierr) {
    struct tutti_f_vectors to = {NULL, NULL, 0, 0}, from = to;
    struct blocks blocks = {NULL, NULL};
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("scatterv", &me, root, &place);
    status = status != TUTTI_OK ? status : tutti_f_one("scatterv", "block", block, &to);
    if (status == TUTTI_OK && (place.is_root || is_in_place(in))) {
        status = take_input("scatterv", "in", in, "block", &to, &from);
    }
    if (status == TUTTI_OK) {
        status = take_rooted_blocks("scatterv", is_in_place(in) ? "block" : "in",
                                    is_in_place(in) ? to.n : from.n, counts, displacements, &place, &blocks);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_noted(
            tutti_scatterv(me, from.in, blocks.counts, blocks.displacements, to.out, to.n, to.type, root));
    }
    free_blocks(&blocks);
    tutti_f_finish(status, ierr);
}

/// An all-to-all of the interface for C: among neighbours unless that is NULL.
static tutti_status exchange(const char* function, tutti_caller me, tutti_neighbors** neighbors,
                             const CFI_cdesc_t* in, const CFI_cdesc_t* send_counts, const CFI_cdesc_t* out,
                             const CFI_cdesc_t* recv_counts, const CFI_cdesc_t* send_displacements,
                             const CFI_cdesc_t* recv_displacements) {
    struct tutti_f_vectors to = {NULL, NULL, 0, 0}, from = to;
    struct blocks sent = {NULL, NULL}, received = {NULL, NULL};
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin(function, &me, 0, &place);
    size_t to_send = place.members, to_receive = place.members;
    if (status == TUTTI_OK && neighbors != NULL) {
        status = tutti_f_blocks(*neighbors, &to_send, &to_receive);
    }
    status = status != TUTTI_OK ? status : tutti_f_one(function, "out", out, &to);
    status = status != TUTTI_OK ? status : take_input(function, "in", in, "out", &to, &from);
    if (status == TUTTI_OK) {
        status = take_blocks(function, "out", to.n, "recv_counts", recv_counts, recv_displacements,
                             to_receive, &received);
    }
    if (status == TUTTI_OK && !is_in_place(in)) {
        status = take_blocks(function, "in", from.n, "send_counts", send_counts, send_displacements, to_send,
                             &sent);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_noted(neighbors != NULL
                                   ? tutti_neighbor_alltoallv(me, *neighbors, from.in, sent.counts,
                                                              sent.displacements, to.out, received.counts,
                                                              received.displacements, to.type)
                                   : tutti_alltoallv(me, from.in, sent.counts, sent.displacements, to.out,
                                                     received.counts, received.displacements, to.type));
    }
    free_blocks(&sent);
    free_blocks(&received);
    return status;
}

void tutti_f_alltoallv(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* send_counts, CFI_cdesc_t* out,
                       CFI_cdesc_t* recv_counts, CFI_cdesc_t* send_displacements,
                       CFI_cdesc_t* recv_displacements, int* ierr) {
    tutti_f_finish(exchange("alltoallv", me, NULL, in, send_counts, out, recv_counts, send_displacements,
                            recv_displacements),
                   ierr);
}

void tutti_f_neighbor_alltoallv(tutti_caller me, tutti_neighbors** neighbors, CFI_cdesc_t* in,
                                CFI_cdesc_t* send_counts, CFI_cdesc_t* out, CFI_cdesc_t* recv_counts,
                                CFI_cdesc_t* send_displacements, CFI_cdesc_t* recv_displacements, int* ierr) {
    tutti_f_finish(exchange("neighbor_alltoallv", me, neighbors, in, send_counts, out, recv_counts,
                            send_displacements, recv_displacements),
                   ierr);
}
