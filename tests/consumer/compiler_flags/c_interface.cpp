// The interface for C, from C++ without exceptions and without the types of run time.

#include <tutti/tutti.h>

#include <cstdio>

namespace {

tutti_status sum_of_ranks(tutti_caller me, void* /*user*/) {
    double rank = me.rank;
    const tutti_status status = tutti_allreduce(me, TUTTI_IN_PLACE, &rank, 1, TUTTI_DOUBLE, TUTTI_SUM);
    if (me.rank == 0) {
        std::printf("%g\n", rank);
    }
    return status;
}

} // namespace

int main() {
    tutti_team_options options = TUTTI_TEAM_OPTIONS_INIT;
    options.placement = "none";
    tutti_team* team = nullptr;
    if (tutti_team_create(2, &options, &team) != TUTTI_OK ||
        tutti_team_run(team, sum_of_ranks, nullptr) != TUTTI_OK) {
        std::puts(tutti_error_text());
        return 1;
    }
    return tutti_team_free(team);
}
