// The C side of the module tutti: takes Fortran's arrays apart and calls the interface for C.

#include "fortran/src/arrays.h"

#include <tutti/tutti.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/// Ends a function of the module with a call of the interface for C, if all was well before it.
#define FINISH(status, call) tutti_f_finish((status) != TUTTI_OK ? (status) : tutti_f_noted(call), ierr)

void tutti_f_barrier(tutti_caller me, int* ierr) {
    FINISH(TUTTI_OK, tutti_barrier(me));
}

void tutti_f_broadcast(tutti_caller me, CFI_cdesc_t* inout, int root, int* ierr) {
    struct tutti_f_vectors v;
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("broadcast", &me, root, &place);
    if (status == TUTTI_OK) {
        status = tutti_f_one("broadcast", "inout", inout, &v);
    }
    FINISH(status, tutti_broadcast(me, v.out, v.n, v.type, root));
}

// Those whose vectors are equally long.
static tutti_status take_equal(const char* function, const tutti_caller* me, const CFI_cdesc_t* in,
                               const CFI_cdesc_t* out, struct tutti_f_vectors* v) {
    struct tutti_f_place place = {0, 0, 1};
    const tutti_status status = tutti_f_begin(function, me, 0, &place);
    return status != TUTTI_OK ? status : tutti_f_two(function, "in", in, 1, "out", out, 1, 1, v);
}

#define REDUCES_TO_EQUAL(name)                                                                               \
    void tutti_f_##name(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* out, tutti_op op, int* ierr) {        \
        struct tutti_f_vectors v;                                                                            \
        tutti_status status = take_equal(#name, &me, in, out, &v);                                           \
        if (status == TUTTI_OK) {                                                                            \
            status = tutti_f_combines(#name, in, out, op, &v);                                               \
        }                                                                                                    \
        FINISH(status, tutti_##name(me, v.in, v.out, v.n, v.type, op));                                      \
    }
REDUCES_TO_EQUAL(allreduce)
REDUCES_TO_EQUAL(scan)
REDUCES_TO_EQUAL(exscan)

void tutti_f_shift(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* out, int distance, int* ierr) {
    struct tutti_f_vectors v;
    const tutti_status status = take_equal("shift", &me, in, out, &v);
    FINISH(status, tutti_shift(me, v.in, v.out, v.n, v.type, distance));
}

void tutti_f_reduce(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* out, tutti_op op, int root, int* ierr) {
    struct tutti_f_vectors v;
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("reduce", &me, root, &place);
    if (status == TUTTI_OK) {
        status = tutti_f_two("reduce", "in", in, 1, "out", out, place.is_root ? 1 : 0, 1, &v);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_combines("reduce", in, out, op, &v);
    }
    FINISH(status, tutti_reduce(me, v.in, v.out, v.n, v.type, op, root));
}

void tutti_f_reduce_scatter(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* block, tutti_op op, int* ierr) {
    struct tutti_f_vectors v;
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("reduce_scatter", &me, 0, &place);
    if (status == TUTTI_OK) {
        status = tutti_f_two("reduce_scatter", "in", in, place.members, "block", block, 1, place.members, &v);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_combines("reduce_scatter", in, block, op, &v);
    }
    FINISH(status, tutti_reduce_scatter(me, v.in, v.out, v.n, v.type, op));
}

void tutti_f_allgather(tutti_caller me, CFI_cdesc_t* block, CFI_cdesc_t* out, int* ierr) {
    struct tutti_f_vectors v;
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("allgather", &me, 0, &place);
    if (status == TUTTI_OK) {
        status = tutti_f_two("allgather", "block", block, 1, "out", out, place.members, place.members, &v);
    }
    FINISH(status, tutti_allgather(me, v.in, v.out, v.n, v.type));
}

void tutti_f_gather(tutti_caller me, CFI_cdesc_t* block, CFI_cdesc_t* out, int root, int* ierr) {
    struct tutti_f_vectors v;
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("gather", &me, root, &place);
    if (status == TUTTI_OK) {
        status = tutti_f_two("gather", "block", block, 1, "out", out, place.is_root ? place.members : 0,
                             place.is_root ? place.members : 1, &v);
    }
    FINISH(status, tutti_gather(me, v.in, v.out, v.n, v.type, root));
}

void tutti_f_scatter(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* block, int root, int* ierr) {
    struct tutti_f_vectors v;
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("scatter", &me, root, &place);
    if (status == TUTTI_OK) {
        status = tutti_f_two("scatter", "in", in, place.is_root ? place.members : 0, "block", block, 1,
                             place.is_root ? place.members : 1, &v);
    }
    FINISH(status, tutti_scatter(me, v.in, v.out, v.n, v.type, root));
}

void tutti_f_alltoall(tutti_caller me, CFI_cdesc_t* in, CFI_cdesc_t* out, int* ierr) {
    struct tutti_f_vectors v;
    struct tutti_f_place place = {0, 0, 1};
    tutti_status status = tutti_f_begin("alltoall", &me, 0, &place);
    if (status == TUTTI_OK) {
        status =
            tutti_f_two("alltoall", "in", in, place.members, "out", out, place.members, place.members, &v);
    }
    FINISH(status, tutti_alltoall(me, v.in, v.out, v.n, v.type));
}

// Groups, async groups and requests, whose functions differ by the last argument only.
#define FORWARD(name, parameters, call)                                                                      \
    void tutti_f_##name parameters {                                                                         \
        tutti_f_forward(call, ierr);                                                                         \
    }
FORWARD(group_free, (tutti_group * *group, int* ierr), tutti_group_free(tutti_f_taken((void**)group)))
FORWARD(group_set_timeout, (tutti_group * *group, int milliseconds, int* ierr),
        tutti_group_set_timeout(*group, milliseconds))
FORWARD(join, (tutti_group * *group, int rank, tutti_caller* me, int* ierr), tutti_join(*group, rank, me))
FORWARD(leave, (tutti_caller me, int* ierr), tutti_leave(me))
FORWARD(split, (tutti_caller me, int color, int key, tutti_caller* part, int* ierr),
        tutti_split(me, color, key, part))
FORWARD(split_by_level, (tutti_caller me, int level, tutti_caller* part, int* ierr),
        tutti_split_by_level(me, level, part))
FORWARD(among, (tutti_caller me, int count, int first, int stride, tutti_caller* part, int* ierr),
        tutti_among(me, count, first, stride, part))
FORWARD(cpu, (tutti_caller me, int* cpu, int* ierr), tutti_cpu(me, cpu))
FORWARD(dup, (tutti_caller me, tutti_caller* copy, int* ierr), tutti_dup(me, copy))
FORWARD(async_group_free, (tutti_async_group * *async_group, int* ierr),
        tutti_async_group_free(tutti_f_taken((void**)async_group)))
FORWARD(neighbors_free, (tutti_neighbors * *neighbors, int* ierr),
        tutti_neighbors_free(tutti_f_taken((void**)neighbors)))
FORWARD(op_create, (tutti_op_function function, void* user, int commutative, tutti_op* op, int* ierr),
        tutti_op_create(function, user, commutative, op))
FORWARD(op_free, (tutti_op op, int* ierr), tutti_op_free(op))
FORWARD(wait, (tutti_request * request, int* ierr), tutti_wait(request))
FORWARD(start, (tutti_request * request, int* ierr), tutti_start(request))
FORWARD(request_free, (tutti_request * request, int* ierr), tutti_request_free(request))

/// `timeout_ms` may be absent.
void tutti_f_async_group_create(int ranks, tutti_async_group** async_group, int* ierr,
                                const int* timeout_ms) {
    tutti_async_group_options options = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    options.timeout_ms = timeout_ms != NULL ? *timeout_ms : options.timeout_ms;
    tutti_f_forward(tutti_async_group_create(ranks, &options, async_group), ierr);
}

/// `wait` and all after it may be absent.
void tutti_f_group_create(int members, tutti_group** group, int* ierr, const int* wait,
                          const CFI_cdesc_t* tuning, const int* join_timeout_ms, const int* timeout_ms,
                          const CFI_cdesc_t* levels, const int* trace) {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    char* const file = tuning != NULL ? tutti_f_text(tuning) : NULL;
    options.tuning = file;
    options.wait = wait != NULL ? *wait : options.wait;
    options.join_timeout_ms = join_timeout_ms != NULL ? *join_timeout_ms : options.join_timeout_ms;
    options.timeout_ms = timeout_ms != NULL ? *timeout_ms : options.timeout_ms;
    options.trace = trace != NULL ? *trace : options.trace;
    int* const sizes = levels != NULL ? tutti_f_list(levels) : NULL;
    options.levels = sizes;
    options.level_count = levels != NULL ? (size_t)levels->dim[0].extent : 0;
    const int lacks_memory = (tuning != NULL && file == NULL) || (levels != NULL && sizes == NULL);
    const tutti_status status = lacks_memory ? tutti_f_note(TUTTI_NO_MEMORY, "group: out of memory")
                                             : tutti_f_noted(tutti_group_create(members, &options, group));
    free(sizes);
    free(file);
    tutti_f_finish(status, ierr);
}

void tutti_f_subset(tutti_caller me, const CFI_cdesc_t* ranks, tutti_caller* part, int* ierr) {
    int* const list = tutti_f_list(ranks);
    const tutti_status status =
        list != NULL ? tutti_f_noted(tutti_subset(me, list, (size_t)ranks->dim[0].extent, part))
                     : tutti_f_note(TUTTI_NO_MEMORY, "subset: out of memory");
    free(list);
    tutti_f_finish(status, ierr);
}

void tutti_f_reduce_local(CFI_cdesc_t* in, CFI_cdesc_t* inout, tutti_op op, int* ierr) {
    struct tutti_f_vectors v;
    tutti_status status = tutti_f_two("reduce_local", "in", in, 1, "inout", inout, 1, 1, &v);
    if (status == TUTTI_OK) {
        status = tutti_f_combines("reduce_local", in, inout, op, &v);
    }
    FINISH(status, tutti_reduce_local(v.in, v.out, v.n, v.type, op));
}

// Reproducible sums. `b` may be NULL.
static tutti_status take_terms(const char* function, const tutti_caller* me, const CFI_cdesc_t* a,
                               const char* a_name, const CFI_cdesc_t* b, const CFI_cdesc_t* result,
                               struct tutti_f_vectors* terms, void** place) {
    struct tutti_f_place member = {0, 0, 1};
    struct tutti_f_vectors found = {NULL, NULL, 0, 0};
    tutti_status status = tutti_f_begin(function, me, 0, &member);
    if (status == TUTTI_OK) {
        status = b != NULL ? tutti_f_two(function, a_name, a, 1, "b", b, 1, 1, terms)
                           : tutti_f_one(function, a_name, a, terms);
    }
    if (status == TUTTI_OK) {
        status = tutti_f_one(function, "result", result, &found);
    }
    if (status == TUTTI_OK && (found.n != 1 || found.type != terms->type)) {
        status = tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: `result` must be one number of the type of `%s`",
                              function, a_name);
    }
    *place = found.out;
    return status;
}

void tutti_f_reproducible_sum(tutti_caller me, CFI_cdesc_t* terms, CFI_cdesc_t* result, int* ierr) {
    struct tutti_f_vectors v;
    void* place = NULL;
    const tutti_status status = take_terms("reproducible_sum", &me, terms, "terms", NULL, result, &v, &place);
    FINISH(status, tutti_reproducible_sum(me, v.out, v.n, v.type, place));
}

void tutti_f_reproducible_dot(tutti_caller me, CFI_cdesc_t* a, CFI_cdesc_t* b, CFI_cdesc_t* result,
                              int* ierr) {
    struct tutti_f_vectors v;
    void* place = NULL;
    const tutti_status status = take_terms("reproducible_dot", &me, a, "a", b, result, &v, &place);
    FINISH(status, tutti_reproducible_dot(me, v.in, v.out, v.n, v.type, place));
}

void tutti_f_reproducible_norm2(tutti_caller me, CFI_cdesc_t* x, CFI_cdesc_t* result, int* ierr) {
    struct tutti_f_vectors v;
    void* place = NULL;
    const tutti_status status = take_terms("reproducible_norm2", &me, x, "x", NULL, result, &v, &place);
    FINISH(status, tutti_reproducible_norm2(me, v.out, v.n, v.type, place));
}

// Requests.
static tutti_status check_requests(const char* function, const CFI_cdesc_t* requests) {
    return requests->dim[0].extent < 2 || CFI_is_contiguous(requests)
               ? TUTTI_OK
               : tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: `requests` is not contiguous", function);
}

void tutti_f_wait_all(CFI_cdesc_t* requests, int* ierr) {
    const tutti_status status = check_requests("wait_all", requests);
    FINISH(status, tutti_wait_all(requests->base_addr, (size_t)requests->dim[0].extent));
}

/// `index` counts from 1, as Fortran does; 0 is none.
void tutti_f_wait_any(CFI_cdesc_t* requests, int* index, int* ierr) {
    const size_t n = (size_t)requests->dim[0].extent;
    size_t found = n;
    tutti_status status = check_requests("wait_any", requests);
    status = status != TUTTI_OK ? status : tutti_f_noted(tutti_wait_any(requests->base_addr, n, &found));
    *index = found < n ? (int)found + 1 : 0;
    tutti_f_finish(status, ierr);
}

void tutti_f_test_any(CFI_cdesc_t* requests, int* index, _Bool* done, int* ierr) {
    const size_t n = (size_t)requests->dim[0].extent;
    size_t found = n;
    int is_done = 0;
    tutti_status status = check_requests("test_any", requests);
    status =
        status != TUTTI_OK ? status : tutti_f_noted(tutti_test_any(requests->base_addr, n, &found, &is_done));
    *index = found < n ? (int)found + 1 : 0;
    *done = is_done != 0;
    tutti_f_finish(status, ierr);
}

void tutti_f_test_all(CFI_cdesc_t* requests, _Bool* done, int* ierr) {
    int is_done = 0;
    tutti_status status = check_requests("test_all", requests);
    status =
        status != TUTTI_OK
            ? status
            : tutti_f_noted(tutti_test_all(requests->base_addr, (size_t)requests->dim[0].extent, &is_done));
    *done = is_done != 0;
    tutti_f_finish(status, ierr);
}

void tutti_f_test(tutti_request* request, _Bool* done, int* ierr) {
    int is_done = 0;
    const tutti_status status = tutti_f_noted(tutti_test(request, &is_done));
    *done = is_done != 0;
    FINISH(status, TUTTI_OK);
}

void tutti_f_wait_for(tutti_request* request, int milliseconds, _Bool* done, int* ierr) {
    int is_done = 0;
    const tutti_status status = tutti_f_noted(tutti_wait_for(request, milliseconds, &is_done));
    *done = is_done != 0;
    FINISH(status, TUTTI_OK);
}

tutti_caller tutti_f_async_rank(tutti_async_group** async_group, int rank, tutti_request* request) {
    return tutti_async_rank(*async_group, rank, request);
}

void tutti_f_abort(tutti_caller me, CFI_cdesc_t* text, int* ierr) {
    char* const copy = tutti_f_text(text);
    const tutti_status status = tutti_f_noted(tutti_abort(me, copy));
    free(copy);
    tutti_f_finish(status, ierr);
}
