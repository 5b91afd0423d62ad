// Every collective against what a loop over the global ranks gives.

#include "exam.hpp"

#include <tutti/numbers.hpp>

#include <string>

namespace tutti::test {

namespace {

void examine(mpi::Member& me, std::size_t count, const Options& options) {
    examine(me, cluster_shapes(me.size(), count), options);
    examine_one_object(me, options);
}

} // namespace

TEST_CASE("all collectives, up to 4 processes of up to 4 members") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            for (int members = 1; members <= most_members(4); ++members) {
                CAPTURE(processes);
                CAPTURE(members);
                on_members(part, members, [](mpi::Member& me) {
                    for (const std::size_t count : {0U, 1U, 5U, 300U}) {
                        examine(me, count, {});
                    }
                });
            }
        });
    }
}

TEST_CASE("processes with different numbers of members") {
    if (most_members(4) == 1) {
        return;
    }
    for (const std::array<int, 4>& members : {std::array{1, 3, 2, 4}, std::array{4, 1, 1, 2}}) {
        for (int processes = 2; processes <= 4; ++processes) {
            on_processes(processes, [&](MPI_Comm part) {
                on_members(part, members[static_cast<std::size_t>(process_of_world())], [](mpi::Member& me) {
                    for (const std::size_t count : {1U, 7U, 200U, 1000U}) {
                        examine(me, count, {});
                    }
                });
            });
        }
    }
}

TEST_CASE("long vectors") {
    for (int processes = 2; processes <= 3; ++processes) {
        on_members_of(processes, [](mpi::Member& me) { examine(me, 70001, {}); });
    }
}

TEST_CASE("vectors of several segments, where all leaders work alone and where one does not") {
    for (const bool all_alone : {true, false}) {
        on_processes(3, [&](MPI_Comm part) {
            const int here = all_alone || process_of_world() > 0 ? 1 : members_here();
            on_members(part, here, [](mpi::Member& me) {
                examine(me, only(cluster_shapes(me.size(), 300'001), is_cut), {}, value, tutti::sum,
                        std::plus<>());
            });
        });
    }
}

TEST_CASE("an algorithm that needs shared memory is rejected, and the message names others") {
    on_members_of(2, [](mpi::Member& me) {
        std::vector<double> vector(4, 1);
        CHECK_THROWS_WITH_AS(me.barrier({.algorithm = "direct"}), doctest::Contains("dissemination"),
                             ArgumentError);
        me.allreduce(vector, tutti::sum); // nothing has been sent by those
        CHECK(vector == std::vector<double>(4, me.size()));
    });
}

TEST_CASE("sums of 16-bit numbers, which are rounded once, are for the members of one process") {
    const auto check = []<class Half>(int processes, Half one) {
        on_members_of(processes, [&](mpi::Member& me) {
            std::vector<Half> vector(4, one);
            if (processes == 1) {
                me.allreduce(vector, tutti::sum);
            } else {
                CHECK_THROWS_WITH_AS(me.allreduce(vector, tutti::sum),
                                     doctest::Contains("reduce elements of a wider type"), ArgumentError);
                me.allreduce(vector, tutti::max); // what is not rounded works
                me.broadcast(vector, 0);
            }
            const auto expected = static_cast<Half>(processes == 1 ? static_cast<float>(me.size()) : 1.0F);
            CHECK(std::ranges::count(vector, expected) == 4);
        });
    };
    for (const int processes : {1, 2}) {
        check(processes, bfloat16(1));
#ifdef __FLT16_MANT_DIG__ // which the compiler also has in C++
        check(processes, static_cast<_Float16>(1));
#endif
    }
}

TEST_CASE("operators that accumulate are for groups, also if there is one process") {
    for (int processes = 1; processes <= 2; ++processes) {
        on_members_of(processes, [&](mpi::Member& me) {
            std::vector<float> vector(4, 1);
            CHECK_THROWS_WITH_AS(me.allreduce(vector, tutti::mean),
                                 doctest::Contains("use tutti::sum and scale the result"), ArgumentError);
            me.allreduce(vector, tutti::sum);
            CHECK(vector == std::vector<float>(4, static_cast<float>(me.size())));
        });
    }
}

TEST_CASE("processes of a node divide its CPUs, and a team takes its share") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        const mpi::Share share = mpi::divide_cpus(part);
        CHECK(share.cpus >= 1);
        CHECK(share.note.find("on this node") != std::string::npos);
        Team team(2, {.placement = share.placement});
        mpi::Cluster cluster(team, part);
        cluster.run([](mpi::Member& me) {
            int x = 1;
            x = me.allreduce(x, tutti::sum);
            CHECK(x == me.size());
        });
    });
}

} // namespace tutti::test
