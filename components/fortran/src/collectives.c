// The collectives of the module: they take Fortran's arrays apart and call the interface for C.

#include "fortran/src/arrays.h"

#include <stdint.h>
#include <stdlib.h>

void tutti_f_barrier(tutti_member me, int* ierr) {
    FINISH(TUTTI_OK, tutti_barrier(me));
}

void tutti_f_broadcast(tutti_member me, CFI_cdesc_t* inout, int root, int* ierr) {
    struct tutti_f_vectors v;
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("broadcast", &me, root, &place);
    if (status == TUTTI_OK) {
        status = tutti_f_one("broadcast", "inout", inout, &v);
    }
    FINISH(status, tutti_broadcast(me, v.out, v.n, v.type, root));
}

/// The blocks of an array: one, or one of each member. Arrays of the root are not used on other members.
enum blocks { one, all, one_at_root, all_at_root };

static size_t number_of(enum blocks blocks, const struct tutti_f_place* place) {
    if ((blocks == one_at_root || blocks == all_at_root) && !place->is_root) {
        return 0;
    }
    return blocks == one || blocks == one_at_root ? 1 : place->members;
}

/// Begins a call with two arrays. `op` is 0 if the call combines nothing.
static tutti_status take_two(const char* function, const tutti_member* me, int root, const char* in_name,
                             const CFI_cdesc_t* in, enum blocks in_blocks, const char* out_name,
                             const CFI_cdesc_t* out, enum blocks out_blocks, tutti_op op,
                             struct tutti_f_vectors* v) {
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin(function, me, root, &place);
    if (status == TUTTI_OK) {
        status = tutti_f_two(function, in_name, in, number_of(in_blocks, &place), out_name, out,
                             number_of(out_blocks, &place), v);
    }
    return status == TUTTI_OK && op != 0 ? tutti_f_combines(function, in, out, op, v) : status;
}

/// The table of the collectives with two arrays: parameters, the root or 0, each array with its blocks, the
/// operator or 0, and the arguments of the function of C.
#define COLLECTIVE(name, parameters, root, in, in_blocks, out, out_blocks, op, arguments)                    \
    void tutti_f_##name parameters {                                                                         \
        struct tutti_f_vectors v;                                                                            \
        const tutti_status status =                                                                          \
            take_two(#name, &me, root, #in, in, in_blocks, #out, out, out_blocks, op, &v);                   \
        FINISH(status, tutti_##name arguments);                                                              \
    }
COLLECTIVE(allreduce, (tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* out, tutti_op op, int* ierr), 0, in,
           one, out, one, op, (me, v.in, v.out, v.n, v.type, op))
COLLECTIVE(scan, (tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* out, tutti_op op, int* ierr), 0, in, one,
           out, one, op, (me, v.in, v.out, v.n, v.type, op))
COLLECTIVE(exscan, (tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* out, tutti_op op, int* ierr), 0, in, one,
           out, one, op, (me, v.in, v.out, v.n, v.type, op))
COLLECTIVE(shift, (tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* out, int distance, int* ierr), 0, in, one,
           out, one, 0, (me, v.in, v.out, v.n, v.type, distance))
COLLECTIVE(reduce, (tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* out, tutti_op op, int root, int* ierr),
           root, in, one, out, one_at_root, op, (me, v.in, v.out, v.n, v.type, op, root))
COLLECTIVE(reduce_scatter, (tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* block, tutti_op op, int* ierr), 0,
           in, all, block, one, op, (me, v.in, v.out, v.n, v.type, op))
COLLECTIVE(allgather, (tutti_member me, CFI_cdesc_t* block, CFI_cdesc_t* out, int* ierr), 0, block, one, out,
           all, 0, (me, v.in, v.out, v.n, v.type))
COLLECTIVE(gather, (tutti_member me, CFI_cdesc_t* block, CFI_cdesc_t* out, int root, int* ierr), root, block,
           one, out, all_at_root, 0, (me, v.in, v.out, v.n, v.type, root))
COLLECTIVE(scatter, (tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* block, int root, int* ierr), root, in,
           all_at_root, block, one, 0, (me, v.in, v.out, v.n, v.type, root))
COLLECTIVE(alltoall, (tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* out, int* ierr), 0, in, all, out, all, 0,
           (me, v.in, v.out, v.n, v.type))

void tutti_f_reduce_local(CFI_cdesc_t* in, CFI_cdesc_t* inout, tutti_op op, int* ierr) {
    struct tutti_f_vectors v;
    tutti_status status = tutti_f_two("reduce_local", "in", in, 1, "inout", inout, 1, &v);
    if (status == TUTTI_OK) {
        status = tutti_f_combines("reduce_local", in, inout, op, &v);
    }
    FINISH(status, tutti_reduce_local(v.in, v.out, v.n, v.type, op));
}

// Reproducible sums. `b` may be NULL.
static tutti_status take_terms(const char* function, const tutti_member* me, const CFI_cdesc_t* a,
                               const char* a_name, const CFI_cdesc_t* b, const CFI_cdesc_t* result,
                               struct tutti_f_vectors* terms, void** place) {
    struct tutti_f_place member = {0, 0, 1};
    struct tutti_f_vectors found = {NULL, NULL, 0, 0};
    tutti_status status = tutti_f_begin(function, me, 0, &member);
    if (status == TUTTI_OK) {
        status = b != NULL ? tutti_f_two(function, a_name, a, 1, "b", b, 1, terms)
                           : tutti_f_one(function, a_name, a, terms);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_one(function, "result", result, &found);
    }
    if (status == TUTTI_OK && (found.n != 1 || found.type != terms->type)) {
        status = REFUSED("%s: `result` must be one number of the type of `%s`", function, a_name);
    }
    *place = found.out;
    return status;
}

#define REPRODUCIBLE(function, parameters, a, b, arguments)                                                  \
    void tutti_f_reproducible_##function parameters {                                                        \
        struct tutti_f_vectors v;                                                                            \
        void* place = NULL;                                                                                  \
        tutti_status status = take_terms("reproducible_" #function, &me, a, #a, b, result, &v, &place);      \
        FINISH(status, tutti_reproducible_##function arguments);                                             \
    }
REPRODUCIBLE(sum, (tutti_member me, CFI_cdesc_t* terms, CFI_cdesc_t* result, int* ierr), terms, NULL,
             (me, v.in, v.n, v.type, place))
REPRODUCIBLE(dot, (tutti_member me, CFI_cdesc_t* a, CFI_cdesc_t* b, CFI_cdesc_t* result, int* ierr), a, b,
             (me, v.in, v.out, v.n, v.type, place))
REPRODUCIBLE(norm2, (tutti_member me, CFI_cdesc_t* x, CFI_cdesc_t* result, int* ierr), x, NULL,
             (me, v.in, v.n, v.type, place))

// Irregular blocks.

/// The counts and displacements of a vector, in the terms of the interface for C.
struct divided {
    size_t* counts;
    size_t* displacements;
};

/// Checks that a buffer of so many elements is as long as its blocks reach, or longer.
static tutti_status check_reach(const char* function, const char* name, size_t elements,
                                const struct divided* blocks, size_t members) {
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
    return REFUSED("%s: `%s` has %zu element%s, and its blocks reach to %zu", function, name, elements,
                   elements == 1 ? "" : "s", end);
}

/// Reads the blocks of a buffer that is divided by `counts`; `displacements` may be absent.
static tutti_status take_blocks(const char* function, const char* name, size_t elements,
                                const char* counts_name, const CFI_cdesc_t* counts,
                                const CFI_cdesc_t* displacements, size_t members, struct divided* blocks) {
    tutti_status status = tutti_f_numbers(function, counts_name, counts, members, &blocks->counts);
    if (status == TUTTI_OK) {
        status = tutti_f_numbers(function, "displacements", displacements, members, &blocks->displacements);
    }
    return status == TUTTI_OK ? check_reach(function, name, elements, blocks, members) : status;
}

/// The same if only the root has the vector, and the others may give counts as well.
static tutti_status take_rooted_blocks(const char* function, const char* name, size_t elements,
                                       const CFI_cdesc_t* counts, const CFI_cdesc_t* displacements,
                                       const struct tutti_f_place* place, struct divided* blocks) {
    if (!place->is_root && !place->has_counts_on_all) {
        return TUTTI_OK;
    }
    return take_blocks(function, name, place->is_root ? elements : SIZE_MAX, "counts", counts, displacements,
                       place->members, blocks);
}

static int is_in_place(const CFI_cdesc_t* array) {
    return array->base_addr == &tutti_f_in_place;
}

/// What a call with irregular blocks takes from its arrays.
struct irregular {
    struct tutti_f_place place;
    struct tutti_f_vectors from;
    struct tutti_f_vectors to;
    struct divided blocks;
    struct divided sent; ///< in an all-to-all, whose `blocks` are received
};

/// Begins a call. The array `in`, if `in_of_root`, is used on the root only, as is `out` if `out_of_root`. In
/// place, both stand for the same array.
static tutti_status begin(const char* function, const tutti_member* me, int root, const char* in_name,
                          const CFI_cdesc_t* in, int in_of_root, const char* out_name, const CFI_cdesc_t* out,
                          int out_of_root, struct irregular* call) {
    *call = (struct irregular){.place = {0, 0, 1}};
    tutti_status status = tutti_f_begin(function, me, root, &call->place);
    const int is_used = call->place.is_root || is_in_place(in);
    const int uses_in = !in_of_root || is_used, uses_out = !out_of_root || is_used;
    if (status == TUTTI_OK && uses_out) {
        status = tutti_f_one(function, out_name, out, &call->to);
    }
    if (is_in_place(in)) {
        call->from = (struct tutti_f_vectors){TUTTI_IN_PLACE, NULL, 0, call->to.type};
    } else if (status == TUTTI_OK && uses_in) {
        status = tutti_f_one(function, in_name, in, &call->from);
    }
    if (!uses_out) {
        call->to.type = call->from.type;
    }
    if (status == TUTTI_OK && uses_in && call->from.type != call->to.type) {
        return REFUSED("%s: `%s` and `%s` are of different types", function, in_name, out_name);
    }
    return status;
}

static void give_back(struct irregular* call) {
    free(call->blocks.counts);
    free(call->blocks.displacements);
    free(call->sent.counts);
    free(call->sent.displacements);
}

void tutti_f_reduce_scatterv(tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* block, CFI_cdesc_t* counts,
                             tutti_op op, int* ierr) {
    struct irregular c;
    const int in_place = is_in_place(in);
    tutti_status status = begin("reduce_scatterv", &me, 0, "in", in, 0, "block", block, 0, &c);
    status = status != TUTTI_OK ? status : tutti_f_combines("reduce_scatterv", in, block, op, &c.to);
    if (status == TUTTI_OK && !in_place) {
        status = tutti_f_combines("reduce_scatterv", in, block, op, &c.from);
    }
    if (status == TUTTI_OK) {
        status = take_blocks("reduce_scatterv", in_place ? "block" : "in", in_place ? c.to.n : c.from.n,
                             "counts", counts, NULL, c.place.members, &c.blocks);
    }
    if (status == TUTTI_OK && !in_place && c.to.n != c.blocks.counts[me.rank]) {
        status = REFUSED("reduce_scatterv: `block` has %zu element%s, must have %zu", c.to.n,
                         c.to.n == 1 ? "" : "s", c.blocks.counts[me.rank]);
    }
    FINISH(status, tutti_reduce_scatterv(me, c.from.in, c.to.out, c.blocks.counts, c.to.type, op));
    give_back(&c);
}

void tutti_f_allgatherv(tutti_member me, CFI_cdesc_t* block, CFI_cdesc_t* out, CFI_cdesc_t* counts,
                        CFI_cdesc_t* displacements, int* ierr) {
    struct irregular c;
    tutti_status status = begin("allgatherv", &me, 0, "block", block, 0, "out", out, 0, &c);
    if (status == TUTTI_OK) {
        status = take_blocks("allgatherv", "out", c.to.n, "counts", counts, displacements, c.place.members,
                             &c.blocks);
    }
    FINISH(status, tutti_allgatherv(me, c.from.in, c.from.n, c.to.out, c.blocks.counts,
                                    c.blocks.displacements, c.to.type));
    give_back(&c);
}

void tutti_f_gatherv(tutti_member me, CFI_cdesc_t* block, CFI_cdesc_t* out, CFI_cdesc_t* counts, int root,
                     CFI_cdesc_t* displacements, int* ierr) {
    struct irregular c;
    tutti_status status = begin("gatherv", &me, root, "block", block, 0, "out", out, 1, &c);
    if (status == TUTTI_OK) {
        status = take_rooted_blocks("gatherv", "out", c.to.n, counts, displacements, &c.place, &c.blocks);
    }
    FINISH(status, tutti_gatherv(me, c.from.in, is_in_place(block) ? c.to.n : c.from.n, c.to.out,
                                 c.blocks.counts, c.blocks.displacements, c.to.type, root));
    give_back(&c);
}

void tutti_f_scatterv(tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* counts, CFI_cdesc_t* block, int root,
                      CFI_cdesc_t* displacements, int* ierr) {
    struct irregular c;
    const int in_place = is_in_place(in);
    tutti_status status = begin("scatterv", &me, root, "in", in, 1, "block", block, 0, &c);
    if (status == TUTTI_OK) {
        status = take_rooted_blocks("scatterv", in_place ? "block" : "in", in_place ? c.to.n : c.from.n,
                                    counts, displacements, &c.place, &c.blocks);
    }
    FINISH(status, tutti_scatterv(me, c.from.in, c.blocks.counts, c.blocks.displacements, c.to.out, c.to.n,
                                  c.to.type, root));
    give_back(&c);
}

/// How many blocks a member sends to its neighbours, and how many it receives.
static tutti_status count_neighbors(const tutti_neighbors* neighbors, size_t* sent, size_t* received) {
    const int* list = NULL;
    const tutti_status status = tutti_f_noted(tutti_neighbors_destinations(neighbors, &list, sent));
    return status != TUTTI_OK ? status : tutti_f_noted(tutti_neighbors_sources(neighbors, &list, received));
}

/// An all-to-all of the interface for C: among neighbours unless that is NULL.
static void exchange(const char* function, tutti_member me, tutti_neighbors** neighbors,
                     const CFI_cdesc_t* in, const CFI_cdesc_t* send_counts, const CFI_cdesc_t* out,
                     const CFI_cdesc_t* recv_counts, const CFI_cdesc_t* send_displacements,
                     const CFI_cdesc_t* recv_displacements, int* ierr) {
    struct irregular c;
    tutti_status status = begin(function, &me, 0, "in", in, 0, "out", out, 0, &c);
    size_t to_send = c.place.members, to_receive = c.place.members;
    if (status == TUTTI_OK && neighbors != NULL) {
        status = count_neighbors(*neighbors, &to_send, &to_receive);
    }
    if (status == TUTTI_OK) {
        status = take_blocks(function, "out", c.to.n, "recv_counts", recv_counts, recv_displacements,
                             to_receive, &c.blocks);
    }
    if (status == TUTTI_OK && !is_in_place(in)) {
        status = take_blocks(function, "in", c.from.n, "send_counts", send_counts, send_displacements,
                             to_send, &c.sent);
    }
    if (neighbors != NULL) {
        FINISH(status,
               tutti_neighbor_alltoallv(me, *neighbors, c.from.in, c.sent.counts, c.sent.displacements,
                                        c.to.out, c.blocks.counts, c.blocks.displacements, c.to.type));
    } else {
        FINISH(status, tutti_alltoallv(me, c.from.in, c.sent.counts, c.sent.displacements, c.to.out,
                                       c.blocks.counts, c.blocks.displacements, c.to.type));
    }
    give_back(&c);
}

void tutti_f_alltoallv(tutti_member me, CFI_cdesc_t* in, CFI_cdesc_t* send_counts, CFI_cdesc_t* out,
                       CFI_cdesc_t* recv_counts, CFI_cdesc_t* send_displacements,
                       CFI_cdesc_t* recv_displacements, int* ierr) {
    exchange("alltoallv", me, NULL, in, send_counts, out, recv_counts, send_displacements, recv_displacements,
             ierr);
}

void tutti_f_neighbor_alltoallv(tutti_member me, tutti_neighbors** neighbors, CFI_cdesc_t* in,
                                CFI_cdesc_t* send_counts, CFI_cdesc_t* out, CFI_cdesc_t* recv_counts,
                                CFI_cdesc_t* send_displacements, CFI_cdesc_t* recv_displacements, int* ierr) {
    exchange("neighbor_alltoallv", me, neighbors, in, send_counts, out, recv_counts, send_displacements,
             recv_displacements, ierr);
}

void tutti_f_neighbor_alltoall(tutti_member me, tutti_neighbors** neighbors, CFI_cdesc_t* in,
                               CFI_cdesc_t* out, int* ierr) {
    const char* const function = "neighbor_alltoall";
    struct tutti_f_vectors v = {NULL, NULL, 0, 0};
    struct tutti_f_place place = {0, 0, 1};
    size_t sent = 0, received = 0;
    tutti_status status = tutti_f_begin(function, &me, 0, &place);
    status = status != TUTTI_OK ? status : count_neighbors(*neighbors, &sent, &received);
    if (status == TUTTI_OK && sent + received != 0) {
        status = tutti_f_two(function, "in", in, sent, "out", out, received, &v);
    } else if (status == TUTTI_OK) { // the type is the call's also on a member without neighbours
        status = tutti_f_one(function, "in", in, &v);
    }
    FINISH(status, tutti_neighbor_alltoall(me, *neighbors, v.in, v.out, v.n, v.type));
}
