/* A C program whose threads are its own: they join a group, and make collectives in every way of calling and
 * in parts of the group. */
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
    call_in_parts(me);
    WORKS(tutti_leave(me));
    EXPECT(tutti_barrier(me) == TUTTI_ARGUMENT_ERROR);
    return NULL;
}

static void run(void) {
    pthread_t thread[threads];
    int rank[threads];
    for (int i = 0; i < threads; ++i) {
        rank[i] = i;
        EXPECT(pthread_create(&thread[i], NULL, work, &rank[i]) == 0);
    }
    for (int i = 0; i < threads; ++i) {
        EXPECT(pthread_join(thread[i], NULL) == 0);
    }
}

int main(void) {
    WORKS(tutti_group_create(threads, NULL, &group));
    WORKS(tutti_async_group_create(threads, NULL, &meeting));
    run();
    WORKS(tutti_async_group_free(meeting));
    WORKS(tutti_group_free(group));
#if TUTTI_VERSION < 100
#error "TUTTI_VERSION is not for #if"
#endif
    wrong += tutti_version() != TUTTI_VERSION;
    printf("tutti %d, %d wrong\n", tutti_version(), wrong);
    return wrong != 0;
}
