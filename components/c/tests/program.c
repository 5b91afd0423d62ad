/* A C program whose threads are its own: they join a group, make collectives in every way of calling, and are
 * told of what goes wrong. */
#include <tutti/tutti.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { threads = 4, length = 1000 };

static tutti_group* group;
static tutti_async_group* meeting;
static int wrong;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void expect(int holds, const char* what, int line) {
    if (!holds) {
        pthread_mutex_lock(&counting);
        ++wrong;
        printf("line %d: %s: %s\n", line, what, tutti_error_text());
        pthread_mutex_unlock(&counting);
    }
}
#define EXPECT(holds) expect(holds, #holds, __LINE__)
#define WORKS(call) expect((call) == TUTTI_OK, #call, __LINE__)

struct place {
    double value;
    long rank;
};

static void lower(const void* in, void* inout, size_t n, void* user) {
    const struct place* left = in;
    struct place* right = inout;
    (void)user;
    for (size_t i = 0; i < n; ++i) {
        if (left[i].value <= right[i].value) {
            right[i] = left[i];
        }
    }
}

static void add_one(tutti_status status, void* user) {
    *(int*)user += status == TUTTI_OK ? 1 : 1000;
}

static void call_in_every_way(tutti_caller me, const double* in, double* out) {
    tutti_request request = TUTTI_REQUEST_NULL;
    int calls = 0;
    int done = 0;
    WORKS(tutti_allreduce(me, in, out, length, TUTTI_DOUBLE, TUTTI_SUM));
    EXPECT(out[length - 1] == 0 + 1 + 2 + 3);

    WORKS(tutti_allreduce(tutti_nonblocking(me, &request), in, out, length, TUTTI_DOUBLE, TUTTI_MAX));
    WORKS(tutti_then(&request, add_one, &calls));
    while (!done) {
        WORKS(tutti_test(&request, &done));
    }
    EXPECT(out[0] == 3 && calls == 1 && request.operation == NULL);

    WORKS(tutti_scan(tutti_persistent(me, &request), in, out, length, TUTTI_DOUBLE, TUTTI_SUM));
    for (int i = 0; i < 3; ++i) {
        WORKS(tutti_start(&request));
        WORKS(tutti_wait(&request));
    }
    EXPECT(out[7] == me.rank * (me.rank + 1) / 2.0);
    WORKS(tutti_request_free(&request));
    request = TUTTI_REQUEST_NULL;
    WORKS(tutti_wait_for(&request, 1000, &done));
    EXPECT(done == 1);

    WORKS(tutti_allreduce(tutti_async_rank(meeting, me.rank, &request), in, out, length, TUTTI_DOUBLE,
                          TUTTI_MIN));
    WORKS(tutti_wait(&request));
    EXPECT(out[1] == 0);
}

static void reduce_structs(tutti_caller me) {
    tutti_op op = 0;
    const tutti_type type = tutti_type_of_size(sizeof(struct place));
    struct place mine = {(double)((me.rank + 2) % threads), me.rank};
    WORKS(tutti_op_create(lower, NULL, 1, &op));
    WORKS(tutti_allreduce(me, TUTTI_IN_PLACE, &mine, 1, type, op));
    EXPECT(mine.value == 0 && mine.rank == 2);
    WORKS(tutti_op_free(op));
    EXPECT(tutti_allreduce(me, TUTTI_IN_PLACE, &mine, 1, type, op) == TUTTI_ARGUMENT_ERROR);
    EXPECT(strstr(tutti_error_text(), "`op`") != NULL);
}

static void call_in_parts(tutti_caller me) {
    tutti_caller half;
    int rank = me.rank;
    WORKS(tutti_split(me, me.rank % 2, 0, &half));
    EXPECT(half.size == 2 && half.rank == me.rank / 2);
    WORKS(tutti_allreduce(half, TUTTI_IN_PLACE, &rank, 1, TUTTI_INT, TUTTI_SUM));
    EXPECT(rank == (me.rank % 2 ? 1 + 3 : 0 + 2));
    WORKS(tutti_leave(half));
    EXPECT(tutti_leave(half) == TUTTI_ARGUMENT_ERROR);
    WORKS(tutti_among(me, 2, me.rank % 2, 2, &half));
    EXPECT(half.size == 2 && half.rank == me.rank / 2);
    WORKS(tutti_allreduce(half, TUTTI_IN_PLACE, &rank, 1, TUTTI_INT, TUTTI_SUM));
    EXPECT(rank == 2 * (me.rank % 2 ? 1 + 3 : 0 + 2));
    WORKS(tutti_leave(half));
    if (me.rank < 3) {
        WORKS(tutti_among(me, 3, 0, 1, &half));
        WORKS(tutti_barrier(half));
        WORKS(tutti_leave(half));
    }
    int cpu = -2;
    WORKS(tutti_cpu(me, &cpu));
    EXPECT(cpu >= -1);
    for (int level = TUTTI_LEVEL_SOCKET; level <= TUTTI_LEVEL_CORE; ++level) {
        int members = 1;
        WORKS(tutti_split_by_level(me, level, &half));
        EXPECT(half.size >= 1 && half.size <= me.size);
        WORKS(tutti_allreduce(half, TUTTI_IN_PLACE, &members, 1, TUTTI_INT, TUTTI_SUM));
        EXPECT(members == half.size);
        WORKS(tutti_leave(half));
    }
}

static void* work(void* argument) {
    const int rank = *(const int*)argument;
    double in[length], out[length];
    tutti_caller me;
    for (int i = 0; i < length; ++i) {
        in[i] = rank;
    }
    WORKS(tutti_join(group, rank, &me));
    call_in_every_way(me, in, out);
    reduce_structs(me);
    call_in_parts(me);
    WORKS(tutti_leave(me));
    EXPECT(tutti_barrier(me) == TUTTI_ARGUMENT_ERROR);
    return NULL;
}

/* One fails, the others are told. */
static void* fail(void* argument) {
    const int rank = *(const int*)argument;
    tutti_caller me;
    tutti_status status = tutti_join(group, rank, &me);
    if (status == TUTTI_OK) {
        status = rank == 2 ? tutti_abort(me, "no bread left") : tutti_barrier(me);
        WORKS(tutti_leave(me));
    }
    EXPECT(status == (rank == 2 ? TUTTI_OK : TUTTI_ABORTED));
    EXPECT(rank == 2 || strstr(tutti_error_text(), "member 2 failed: no bread left") != NULL);
    return NULL;
}

static void run(void* (*function)(void*)) {
    pthread_t thread[threads];
    int rank[threads];
    for (int i = 0; i < threads; ++i) {
        rank[i] = i;
        EXPECT(pthread_create(&thread[i], NULL, function, &rank[i]) == 0);
    }
    for (int i = 0; i < threads; ++i) {
        EXPECT(pthread_join(thread[i], NULL) == 0);
    }
}

int main(void) {
    WORKS(tutti_group_create(threads, NULL, &group));
    WORKS(tutti_async_group_create(threads, NULL, &meeting));
    run(work);
    run(fail); /* the group stays failed, and a new one works */
    WORKS(tutti_group_free(group));
    WORKS(tutti_group_create(threads, NULL, &group));
    run(work);
    WORKS(tutti_async_group_free(meeting));
    WORKS(tutti_group_free(group));
#if TUTTI_VERSION < 100
#error "TUTTI_VERSION is not for #if"
#endif
    wrong += tutti_version() != TUTTI_VERSION;
    printf("tutti %d, %d wrong\n", tutti_version(), wrong);
    return wrong != 0;
}
