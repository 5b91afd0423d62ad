// Groups, members, neighbours, requests and records: the procedures of the module that are no collectives.

#include "fortran/src/arrays.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Groups, async groups and requests, whose functions differ by the last argument only.
#define FORWARD(name, parameters, call)                                                                      \
    void tutti_f_##name parameters {                                                                         \
        tutti_f_forward(call, ierr);                                                                         \
    }
FORWARD(group_free, (tutti_group * *group, int* ierr), tutti_group_free(tutti_f_taken((void**)group)))
FORWARD(group_set_timeout, (tutti_group * *group, int milliseconds, int* ierr),
        tutti_group_set_timeout(*group, milliseconds))
FORWARD(join, (tutti_group * *group, int rank, tutti_member* me, int* ierr), tutti_join(*group, rank, me))
FORWARD(leave, (tutti_member me, int* ierr), tutti_leave(me))
FORWARD(split, (tutti_member me, int color, int key, tutti_member* part, int* ierr),
        tutti_split(me, color, key, part))
FORWARD(split_by_level, (tutti_member me, int level, tutti_member* part, int* ierr),
        tutti_split_by_level(me, level, part))
FORWARD(among, (tutti_member me, int count, int first, int stride, tutti_member* part, int* ierr),
        tutti_among(me, count, first, stride, part))
FORWARD(cpu, (tutti_member me, int* cpu, int* ierr), tutti_cpu(me, cpu))
FORWARD(dup, (tutti_member me, tutti_member* copy, int* ierr), tutti_dup(me, copy))
FORWARD(async_group_free, (tutti_async_group * *async_group, int* ierr),
        tutti_async_group_free(tutti_f_taken((void**)async_group)))
FORWARD(neighbors_free, (tutti_neighbors * *neighbors, int* ierr),
        tutti_neighbors_free(tutti_f_taken((void**)neighbors)))
FORWARD(op_create, (tutti_op_function function, void* user, int commutative, tutti_op* op, int* ierr),
        tutti_op_create(function, user, commutative, op))
FORWARD(op_free, (tutti_op op, int* ierr), tutti_op_free(op))
FORWARD(wait, (tutti_request * request, int* ierr), tutti_wait(request))
FORWARD(test, (tutti_request * request, int* done, int* ierr), tutti_test(request, done))
FORWARD(wait_for, (tutti_request * request, int milliseconds, int* done, int* ierr),
        tutti_wait_for(request, milliseconds, done))
FORWARD(progress, (int* ierr), tutti_progress())
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
                          const int* report_after_ms, const CFI_cdesc_t* levels, const int* trace) {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    char* const file = tuning != NULL ? tutti_f_text(tuning) : NULL;
    options.tuning = file;
    options.wait = wait != NULL ? *wait : options.wait;
    options.join_timeout_ms = join_timeout_ms != NULL ? *join_timeout_ms : options.join_timeout_ms;
    options.timeout_ms = timeout_ms != NULL ? *timeout_ms : options.timeout_ms;
    options.report_after_ms = report_after_ms != NULL ? *report_after_ms : options.report_after_ms;
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

void tutti_f_subset(tutti_member me, const CFI_cdesc_t* ranks, tutti_member* part, int* ierr) {
    int* const list = tutti_f_list(ranks);
    const tutti_status status =
        list != NULL ? tutti_f_noted(tutti_subset(me, list, (size_t)ranks->dim[0].extent, part))
                     : tutti_f_note(TUTTI_NO_MEMORY, "subset: out of memory");
    free(list);
    tutti_f_finish(status, ierr);
}

// Members.
tutti_status tutti_f_begin(const char* function, const tutti_member* me, int root,
                           struct tutti_f_place* place) {
    int size = me->size;
    if (me->async_group != NULL && tutti_async_group_size(me->async_group, &size) != TUTTI_OK) {
        return REFUSED("%s: `me` has no async group", function);
    }
    if (size < 1) {
        return REFUSED("%s: `me` is no member: tutti_join() makes one", function);
    }
    if (me->rank < 0 || me->rank >= size) {
        return REFUSED("%s: the rank of `me` is %d, must be in 0..%d", function, me->rank, size - 1);
    }
    *place = (struct tutti_f_place){me->rank == root, tutti_counts_on_all(*me).how == me->how, (size_t)size};
    return TUTTI_OK;
}

/// The names of algorithms that a program has used. They are kept, each once, since a member refers to the
/// name for as long as it is used, and Fortran has no place for it.
struct kept {
    struct kept* next;
    const char* name;
};

static _Atomic(struct kept*) all_kept;

/// The name that is like this one, or NULL. Acquire: pairs with keep().
static const char* find_kept(const char* like) {
    for (const struct kept* i = atomic_load_explicit(&all_kept, memory_order_acquire); i != NULL;
         i = i->next) {
        if (strcmp(i->name, like) == 0) {
            return i->name;
        }
    }
    return NULL;
}

/// Two threads may keep the same name twice. NULL if there is no memory.
static const char* keep(const char* name) {
    struct kept* const kept = malloc(sizeof *kept);
    if (kept == NULL) {
        return NULL;
    }
    *kept = (struct kept){atomic_load_explicit(&all_kept, memory_order_relaxed), name};
    // Release: pairs with find_kept().
    while (!atomic_compare_exchange_weak_explicit(&all_kept, &kept->next, kept, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    return name;
}

tutti_member tutti_f_with_options(tutti_member me, const CFI_cdesc_t* algorithm, const int* order,
                                  const int* timeout_ms) {
    static const tutti_member nobody;
    tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
    if (algorithm != NULL) {
        char* const name = tutti_f_text(algorithm);
        options.algorithm = name != NULL ? find_kept(name) : NULL;
        if (options.algorithm != NULL || name == NULL || (options.algorithm = keep(name)) == NULL) {
            free(name);
        }
        if (options.algorithm == NULL) {
            return nobody;
        }
    }
    options.order = order != NULL ? *order : options.order;
    options.timeout_ms = timeout_ms != NULL ? *timeout_ms : options.timeout_ms;
    return tutti_with_options(me, &options);
}

// Neighbours.
void tutti_f_neighbors_create(tutti_member me, CFI_cdesc_t* sources, CFI_cdesc_t* destinations,
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

void tutti_f_neighbors_grid(tutti_member me, CFI_cdesc_t* dims, CFI_cdesc_t* wraps,
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

// Requests.
static tutti_status check_requests(const char* function, const CFI_cdesc_t* requests) {
    return requests->dim[0].extent < 2 || CFI_is_contiguous(requests)
               ? TUTTI_OK
               : REFUSED("%s: `requests` is not contiguous", function);
}

void tutti_f_wait_all(CFI_cdesc_t* requests, int* ierr) {
    const tutti_status status = check_requests("wait_all", requests);
    FINISH(status, tutti_wait_all(requests->base_addr, (size_t)requests->dim[0].extent));
}

/// `index` counts from 1, as Fortran does; 0 is none. Waits if `done` is NULL.
static void any(const char* function, CFI_cdesc_t* requests, int* index, int* done, int* ierr) {
    const size_t n = (size_t)requests->dim[0].extent;
    size_t found = n;
    tutti_status status = check_requests(function, requests);
    if (status == TUTTI_OK) {
        status = tutti_f_noted(done == NULL ? tutti_wait_any(requests->base_addr, n, &found)
                                            : tutti_test_any(requests->base_addr, n, &found, done));
    }
    *index = found < n ? (int)found + 1 : 0;
    tutti_f_finish(status, ierr);
}

void tutti_f_wait_any(CFI_cdesc_t* requests, int* index, int* ierr) {
    any("wait_any", requests, index, NULL, ierr);
}

void tutti_f_test_any(CFI_cdesc_t* requests, int* index, int* done, int* ierr) {
    *done = 0;
    any("test_any", requests, index, done, ierr);
}

void tutti_f_test_all(CFI_cdesc_t* requests, int* done, int* ierr) {
    *done = 0;
    const tutti_status status = check_requests("test_all", requests);
    FINISH(status, tutti_test_all(requests->base_addr, (size_t)requests->dim[0].extent, done));
}

tutti_member tutti_f_async_rank(tutti_async_group** async_group, int rank, tutti_request* request) {
    return tutti_async_rank(*async_group, rank, request);
}

void tutti_f_abort(tutti_member me, CFI_cdesc_t* text, int* ierr) {
    char* const copy = tutti_f_text(text);
    const tutti_status status = tutti_f_noted(tutti_abort(me, copy));
    free(copy);
    tutti_f_finish(status, ierr);
}

// Records are written to files: Fortran has no text whose length the callee determines.
/// The whole of a trace, which may grow from one call to the next, to be freed.
static tutti_status whole_trace(const tutti_group* group, int format, char** text, size_t* length) {
    *text = NULL;
    tutti_status status = tutti_f_noted(tutti_group_trace(group, format, NULL, 0, length));
    for (size_t bytes = 0; status == TUTTI_OK && *length + 1 > bytes;) {
        bytes = *length + 1;
        free(*text);
        *text = malloc(bytes);
        status = *text != NULL ? tutti_f_noted(tutti_group_trace(group, format, *text, bytes, length))
                               : tutti_f_note(TUTTI_NO_MEMORY, "group_trace: out of memory");
    }
    return status;
}

static tutti_status write_file(const char* file, const char* text, size_t length) {
    FILE* const stream = fopen(file, "wb");
    if (stream == NULL) {
        return REFUSED("group_trace: `file` \"%s\" cannot be written: %s", file, strerror(errno));
    }
    const int is_short = fwrite(text, 1, length, stream) != length;
    return fclose(stream) != 0 || is_short
               ? tutti_f_note(TUTTI_ERROR, "group_trace: `file` \"%s\" has not been written in full", file)
               : TUTTI_OK;
}

void tutti_f_group_trace(tutti_group** group, int format, CFI_cdesc_t* file, int* ierr) {
    char* text = NULL;
    size_t length = 0;
    tutti_status status = whole_trace(*group, format, &text, &length);
    char* const name = tutti_f_text(file);
    if (status == TUTTI_OK) {
        status = name != NULL ? write_file(name, text, length)
                              : tutti_f_note(TUTTI_NO_MEMORY, "group_trace: out of memory");
    }
    free(name);
    free(text);
    tutti_f_finish(status, ierr);
}

void tutti_f_save_tuning(CFI_cdesc_t* path, int* ierr) {
    char* const name = tutti_f_text(path);
    const tutti_status status = name != NULL ? tutti_f_noted(tutti_save_tuning(name))
                                             : tutti_f_note(TUTTI_NO_MEMORY, "save_tuning: out of memory");
    free(name);
    tutti_f_finish(status, ierr);
}
