// Clusters of some members of a cluster: beside it, after it, and when something fails.

#include "exam.hpp"

namespace tutti::test {

namespace {

TEST_CASE("parts of parts, and more of them than MPI has communicators") {
    on_members_of(2, [](ClusterMember& me) {
        std::optional<ClusterMember> own = me.split(process_of_world(), 0);
        CHECK(own->size() == members_here());
        ClusterMember of_own = own->dup();
        CHECK(of_own.allreduce(1, tutti::sum) == members_here());
        for (int round = 0; round < 800; ++round) {
            ClusterMember copy = me.dup();
            if (round % 16 == 0) {
                ClusterMember again = copy.dup();
                again.dup().barrier();
                CHECK(again.allreduce(1, tutti::sum) == me.size());
            }
            copy.barrier();
        }
        CHECK(of_own.allreduce(1, tutti::sum) == members_here());
    });
}

TEST_CASE("a part that outlives the cluster") {
    on_processes(2, [](MPI_Comm part) {
        std::vector<std::optional<ClusterMember>> copies(static_cast<std::size_t>(members_here()));
        on_members(part, members_here(), [&](ClusterMember& me) {
            copies[static_cast<std::size_t>(me.local().rank())] = me.dup();
        });
        on_ranks(members_here(), [&](int rank) {
            ClusterMember copy = std::move(*copies[static_cast<std::size_t>(rank)]);
            CHECK(copy.allreduce(1, tutti::sum) == copy.size());
            examine(copy, 300);
        });
    });
}

TEST_CASE("a member takes over another membership by assignment, and leaves its own") {
    on_members_of(2, [](ClusterMember& me) {
        ClusterMember current = me.dup();
        for (int repetition = 0; repetition < 3; ++repetition) {
            ClusterMember next = current.dup();
            current = std::move(next);
            CHECK(current.allreduce(1, tutti::sum) == me.size());
            examine(current, 300);
        }
        CHECK(me.allreduce(1, tutti::sum) == me.size());
    });
}

TEST_CASE("parts of the threads of a team, also where the main thread makes the MPI calls") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        Team team(3);
        Cluster cluster(team, part);
        std::vector<std::optional<ClusterMember>> kept(3);
        for (int run = 0; run < 2; ++run) {
            cluster.run([&](ClusterMember& me) {
                std::optional<ClusterMember>& own = kept[static_cast<std::size_t>(me.local().rank())];
                if (run == 0) {
                    own.emplace(me.dup());
                    CHECK(me.split(me.local().rank() < 2 ? std::optional(0) : std::nullopt, 0).has_value() ==
                          (me.local().rank() < 2));
                    std::optional<ClusterMember> inside = me.split(process_of_world(), -me.rank());
                    CHECK(inside->rank() == 2 - me.local().rank());
                    examine(*inside, 300);
                }
                examine(*own, 300);
            });
        }
    });
}

/// Code of each member in clusters of two processes, and part of the text that all members get.
struct PartFailure {
    const char* name;
    const char* text;
    void (*body)(ClusterMember&);
    bool needs_several_members = false;
};

void fail(ClusterMember& me) {
    me.abort("out of paper");
}

bool is_last(const ClusterMember& me) {
    return me.rank() == me.size() - 1;
}

const std::array part_failures{
    PartFailure{"the cluster is divided by different calls",
                "calls split: all members must make the same call",
                [](ClusterMember& me) {
                    is_last(me) ? static_cast<void>(me.split(0, 0)) : static_cast<void>(me.dup());
                }},
    PartFailure{"by different lists", "call subset with different lists, of 1 and 1 ranks",
                [](ClusterMember& me) { static_cast<void>(me.subset(std::vector{process_of_world()})); }},
    PartFailure{"a member aborts the cluster while the others wait in a part", "out of paper",
                [](ClusterMember& me) {
                    ClusterMember copy = me.dup();
                    is_last(me) ? fail(me) : void();
                    copy.barrier();
                }},
    PartFailure{"a member leaves both by an exception", "",
                [](ClusterMember& me) {
                    ClusterMember copy = me.dup();
                    is_last(me) ? throw std::runtime_error("out of paper") : copy.barrier();
                }},
    PartFailure{"a leader that only leaves the part passes the failure on", "out of paper",
                [](ClusterMember& me) {
                    ClusterMember copy = me.dup();
                    is_last(me) ? fail(me) : void();
                    process_of_world() == 0 ? copy.barrier() : me.barrier();
                }},
    PartFailure{"a leader waits for another process", "out of paper",
                [](ClusterMember& me) {
                    std::optional<ClusterMember> leaders =
                        me.split(me.local().rank() == 0 ? std::optional(0) : std::nullopt, 0);
                    if (me.rank() == 1) {
                        std::this_thread::sleep_for(50ms); // so that the other one waits
                        fail(me);
                    }
                    me.rank() == 0 ? leaders->barrier() : me.barrier();
                },
                true}};

TEST_CASE("failures of a cluster release the members that are in its parts") {
    for (const PartFailure& failure : part_failures) {
        INFO(failure.name);
        if (!failure.needs_several_members || members_here() > 1) {
            on_processes(2, [&](MPI_Comm both) {
                check_all(thrown_by<std::exception>(both, {.timeout = 2min}, failure.body), failure.text);
            });
        }
    }
}

TEST_CASE("a failure of a part leaves the cluster usable") {
    on_members_of(2, [](ClusterMember& me) {
        ClusterMember other = me.dup();
        CHECK(message_of<std::exception>([&] {
                  ClusterMember copy = me.dup();
                  copy.barrier();
                  if (me.rank() == 0) {
                      throw std::runtime_error("out of ink");
                  }
                  copy.barrier();
              }) != "");
        CHECK(me.allreduce(1, tutti::sum) == me.size());
        CHECK(other.allreduce(1, tutti::sum) == me.size());
        CHECK(me.dup().allreduce(1, tutti::sum) == me.size());
    });
}

TEST_CASE("a member that has left a part ends the calls of the others, in its process at once") {
    if (members_here() == 1) {
        return;
    }
    on_members_of(2, {.timeout = 20s}, [](ClusterMember& me) {
        {
            ClusterMember copy = me.dup();
            if (!is_last(me)) { // which leads nobody
                CHECK_THROWS_AS(copy.barrier(), Error);
            }
        }
        CHECK(me.allreduce(1, tutti::sum) == me.size());
    });
}

} // namespace

} // namespace tutti::test
