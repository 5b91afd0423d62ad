#pragma once

#include "support.hpp"
#include "tests/texts.hpp"

#include <tutti/tutti_mpi.h>

#include <functional>
#include <latch>
#include <string>

namespace tutti::test {

inline void check_refused(tutti_status status, const std::string& text) {
    CHECK(status == TUTTI_ARGUMENT_ERROR);
    CHECK_MESSAGE(mentions(tutti_error_text(), text), std::string(tutti_error_text()));
}

/// A cluster of `members` threads of this process.
class Joinable {
public:
    Joinable(MPI_Comm communicator, int members, const tutti_cluster_options* options = nullptr) {
        REQUIRE(tutti_group_create(members, nullptr, &group_) == TUTTI_OK);
        REQUIRE(tutti_cluster_create(group_, communicator, options, &cluster) == TUTTI_OK);
        CHECK(tutti_group_free(group_) == TUTTI_OK);
    }
    ~Joinable() { CHECK(tutti_cluster_free(cluster) == TUTTI_OK); }
    Joinable(const Joinable&) = delete;
    Joinable& operator=(const Joinable&) = delete;

    tutti_cluster* cluster = nullptr;

private:
    tutti_group* group_ = nullptr;
};

/// Runs `body` on members of a cluster. The main thread is member 0.
inline void on_callers(MPI_Comm communicator, int members, const std::function<void(tutti_caller)>& body,
                       const tutti_cluster_options* options = nullptr) {
    const Joinable joinable(communicator, members, options);
    std::latch joined(members);
    on_ranks(members, [&](int rank) {
        tutti_caller me;
        REQUIRE(tutti_cluster_join(joinable.cluster, rank, &me) == TUTTI_OK);
        joined.arrive_and_wait(); // none fails before
        body(me);
        CHECK(tutti_leave(me) == TUTTI_OK);
    });
}

/// A cluster of a team with `members_here()` threads, of which the calling one is the first.
class Runnable {
public:
    explicit Runnable(MPI_Comm communicator) {
        tutti_team_options options = TUTTI_TEAM_OPTIONS_INIT;
        options.placement = "none";
        options.caller_is_member = 1;
        REQUIRE(tutti_team_create(members_here(), &options, &team_) == TUTTI_OK);
        REQUIRE(tutti_cluster_create_for_team(team_, communicator, nullptr, &cluster) == TUTTI_OK);
    }
    ~Runnable() {
        CHECK(tutti_cluster_free(cluster) == TUTTI_OK);
        CHECK(tutti_team_free(team_) == TUTTI_OK);
    }
    Runnable(const Runnable&) = delete;
    Runnable& operator=(const Runnable&) = delete;

    tutti_cluster* cluster = nullptr;

private:
    tutti_team* team_ = nullptr;
};

} // namespace tutti::test
