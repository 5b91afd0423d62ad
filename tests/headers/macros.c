/* The macros of tutti/tutti.h, under the warnings of a careful program. */
#include <tutti/tutti.h>

static tutti_request requests[2];

tutti_status use(tutti_member me, const void* in, void* out, tutti_team** team,
                 tutti_async_group** async_group);

tutti_status use(tutti_member me, const void* in, void* out, tutti_team** team,
                 tutti_async_group** async_group) {
    tutti_call_options call = TUTTI_CALL_OPTIONS_INIT;
    tutti_group_options group = TUTTI_GROUP_OPTIONS_INIT;
    tutti_team_options threads = TUTTI_TEAM_OPTIONS_INIT;
    tutti_async_group_options ranks = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    tutti_error_info error = TUTTI_ERROR_INFO_INIT;
    const tutti_type types[] = {TUTTI_INT,  TUTTI_UNSIGNED, TUTTI_LONG,           TUTTI_UNSIGNED_LONG,
                                TUTTI_SIZE, TUTTI_INT8,     TUTTI_DOUBLE_COMPLEX, tutti_type_of_size(24)};
    requests[1] = TUTTI_REQUEST_NULL;
    call.order = TUTTI_ORDER_SERIAL;
    threads.group = &group;
    ranks.slice_bytes = 4096;
    if (tutti_team_create(TUTTI_ONE_PER_CPU, &threads, team) != TUTTI_OK ||
        tutti_async_group_create(4, &ranks, async_group) != TUTTI_OK) {
        return tutti_last_error(&error);
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        const tutti_status status =
            tutti_allreduce(tutti_with_options(tutti_nonblocking(me, &requests[0]), &call),
                            i % 2 != 0 ? in : TUTTI_IN_PLACE, out, 1, types[i], TUTTI_SUM);
        if (status != TUTTI_OK) {
            return status;
        }
    }
    return tutti_wait_all(requests, 2);
}
