/* A C program: each way of calling, and parts of a group, in pthreads of its own. */
#include <tutti/tutti.h>

#include <pthread.h>
#include <stdio.h>

enum { threads = 4 };

static tutti_group* group;
static tutti_async_group* meeting;

static void add_one(tutti_status status, void* user) {
    *(int*)user += status == TUTTI_OK ? 1 : 1000;
}

/* The bits of what is wrong. */
static unsigned call_in_every_way(tutti_member me) {
    const double in[2] = {me.rank, 1};
    double out[5][2];
    tutti_request request[3] = {{0}, {0}, {0}};
    tutti_member half;
    int calls = 0, done = 0;
    unsigned wrong = 0;
    wrong |= tutti_allreduce(me, in, out[0], 2, TUTTI_DOUBLE, TUTTI_SUM) != TUTTI_OK;
    wrong |= tutti_allreduce(tutti_nonblocking(me, &request[0]), in, out[1], 2, TUTTI_DOUBLE, TUTTI_SUM) !=
             TUTTI_OK;
    wrong |= tutti_then(&request[0], add_one, &calls) != TUTTI_OK;
    wrong |= tutti_allreduce(tutti_persistent(me, &request[1]), in, out[2], 2, TUTTI_DOUBLE, TUTTI_SUM) !=
             TUTTI_OK;
    wrong |= tutti_start(&request[1]) != TUTTI_OK;
    wrong |= tutti_allreduce(tutti_async_rank(meeting, me.rank, &request[2]), in, out[3], 2, TUTTI_DOUBLE,
                             TUTTI_SUM) != TUTTI_OK;
    wrong |= tutti_wait_all(request, 3) != TUTTI_OK;
    wrong |= tutti_request_free(&request[1]) != TUTTI_OK;
    request[1] = TUTTI_REQUEST_NULL;
    wrong |= tutti_wait_for(&request[1], TUTTI_NEVER, &done) != TUTTI_OK;
    for (int i = 0; i < 4; ++i) {
        wrong |= (out[i][0] != 6 || out[i][1] != (double)threads) * 2U;
    }
    wrong |= (calls != 1 || done != 1) * 4U;
    out[4][0] = me.rank;
    wrong |= (tutti_split(me, me.rank % 2, 0, &half) != TUTTI_OK || half.size != 2) * 8U;
    wrong |= (tutti_allreduce(half, TUTTI_IN_PLACE, out[4], 1, TUTTI_DOUBLE, TUTTI_SUM) != TUTTI_OK) * 8U;
    wrong |= (tutti_leave(half) != TUTTI_OK || out[4][0] != (me.rank % 2 ? 4 : 2)) * 8U;
    return wrong;
}

static void* work(void* argument) {
    unsigned* const rank_then_wrong = argument;
    tutti_member me;
    if (tutti_join(group, (int)*rank_then_wrong, &me) == TUTTI_OK) {
        *rank_then_wrong = call_in_every_way(me);
        tutti_leave(me);
    }
    return NULL;
}

int main(void) {
    pthread_t thread[threads];
    unsigned numbers[threads], wrong = 0;
    if (tutti_group_create(threads, NULL, &group) != TUTTI_OK ||
        tutti_async_group_create(threads, NULL, &meeting) != TUTTI_OK) {
        return 1;
    }
    for (unsigned i = 0; i < threads; ++i) {
        numbers[i] = i;
        wrong |= pthread_create(&thread[i], NULL, work, &numbers[i]) != 0;
    }
    for (int i = 0; i < threads; ++i) {
        pthread_join(thread[i], NULL);
        wrong |= numbers[i];
    }
    tutti_async_group_free(meeting);
    tutti_group_free(group);
#if TUTTI_VERSION < 100
#error "TUTTI_VERSION is not for #if"
#endif
    wrong |= (tutti_version() != TUTTI_VERSION) * 16U;
    printf("tutti %d, wrong: %u\n", tutti_version(), wrong);
    return wrong != 0;
}
