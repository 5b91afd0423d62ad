// Every collective against what a loop over the global ranks gives.

#include "exam.hpp"

#include <string>

namespace tutti::test {

namespace {

void examine(mpi::Member& me, std::size_t count, const Options& options) {
    examine(me, cluster_shapes(me.size(), count), options);
    examine_one_object(me, options);
}

void sliced(mpi::Member& me, std::size_t count, const Options& options) {
    examine(me, only(cluster_shapes(me.size(), count), is_cut), options);
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

TEST_CASE("the MPI library's own collectives") {
    for (int processes = 1; processes <= 3; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            on_members(part, members_here(), [](mpi::Member& me) {
                for (const std::size_t count : {1U, 1000U}) {
                    examine(me, count, {.algorithm = "library"});
                }
            });
        });
    }
}

TEST_CASE("long vectors") {
    for (int processes = 2; processes <= 3; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            on_members(part, members_here(), [](mpi::Member& me) { examine(me, 70001, {}); });
        });
    }
}

TEST_CASE("the ways over the wire") {
    const std::vector<Options> ways{
        {.way = "leader"}, {.way = "pipelined"}, {.algorithm = "library", .way = "pipelined"}};
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            for (const int members : {1, 2}) {
                const int here = std::min(members + process_of_world() % 2, most_members(4));
                on_members(part, here, [&](mpi::Member& me) {
                    for (const Options& options : ways) {
                        for (const std::size_t count : {0U, 1U, 3U, 1000U, 40001U}) {
                            sliced(me, count, options);
                        }
                    }
                });
            }
        });
    }
}

TEST_CASE("a way that the collective does not allow is refused by name") {
    on_processes(2, [](MPI_Comm part) {
        on_members(part, members_here(), [](mpi::Member& me) {
            std::vector<double> vector(4, 1);
            CHECK_THROWS_WITH_AS(me.scan(vector, tutti::sum, {.way = "pipelined"}),
                                 doctest::Contains("\"leader\" would work"), ArgumentError);
            CHECK_THROWS_WITH_AS(me.barrier({.way = "flying"}),
                                 doctest::Contains("there is no way \"flying\""), ArgumentError);
            CHECK_THROWS_WITH_AS(me.barrier({.algorithm = "direct"}), doctest::Contains("dissemination"),
                                 ArgumentError);
            me.allreduce(vector, tutti::sum); // nothing has been sent by those
            CHECK(vector == std::vector<double>(4, me.size()));
        });
    });
}

TEST_CASE("sums of 16-bit numbers, which are rounded once, are for the members of one process") {
    for (int processes = 1; processes <= 2; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            on_members(part, members_here(), [&](mpi::Member& me) {
                std::vector<bfloat16> vector(4, bfloat16(1));
                if (processes == 1) {
                    me.allreduce(vector, tutti::sum);
                } else {
                    CHECK_THROWS_WITH_AS(me.allreduce(vector, tutti::sum),
                                         doctest::Contains("reduce elements of a wider type"), ArgumentError);
                    // What is not rounded works, by MPI's own collectives as well.
                    me.allreduce(vector, tutti::max);
                    me.allreduce(vector, tutti::min, {.algorithm = "library"});
                    me.broadcast(vector, 0, {.algorithm = "library"});
                }
                CHECK(vector ==
                      std::vector<bfloat16>(4, bfloat16(processes == 1 ? static_cast<float>(me.size()) : 1)));
            });
        });
    }
}

TEST_CASE("operators that accumulate are for groups, also if there is one process") {
    for (int processes = 1; processes <= 2; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            on_members(part, members_here(), [&](mpi::Member& me) {
                std::vector<float> vector(4, 1);
                CHECK_THROWS_WITH_AS(me.allreduce(vector, tutti::mean),
                                     doctest::Contains("use tutti::sum and scale the result"), ArgumentError);
                me.allreduce(vector, tutti::sum);
                CHECK(vector == std::vector<float>(4, static_cast<float>(me.size())));
            });
        });
    }
}

TEST_CASE("the MPI library's allreduces of processes of which some are alone and some are not") {
    for (const int processes : {3, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            const int here = process_of_world() == 0 ? members_here() : 1;
            on_members(part, here, [&](mpi::Member& me) {
                std::vector<double> in(20'000, me.rank() + 1), out(in.size());
                const double total = me.size() * (me.size() + 1) / 2;
                const PerProcess<double> together(me, std::vector<double>(in.size()));
                me.allreduce(in, shared(together.span()), tutti::sum, {.algorithm = "library"});
                CHECK(std::ranges::count(together.span(), total) == 20'000);
                if (me.rank() == 0) {
                    out = in;
                    me.allreduce(out, out, tutti::sum, {.algorithm = "library"});
                } else {
                    me.allreduce(in, out, tutti::sum, {.algorithm = "library"});
                }
                CHECK(out == std::vector<double>(in.size(), total));
            });
        });
    }
}

TEST_CASE("sums of short integers wrap around, also by the MPI library") {
    on_processes(2, [](MPI_Comm part) {
        on_members(part, 1, [](mpi::Member& me) {
            const auto check = [&]<class T>(T operand) {
                std::vector<T> vector(100, operand);
                me.allreduce(vector, tutti::sum, {.algorithm = "library"});
                CHECK(vector == std::vector<T>(100, static_cast<T>(2 * operand)));
            };
            check(std::int8_t{100});
            check(std::uint8_t{200});
            check(std::int16_t{30'000});
            check(std::uint16_t{60'000});
        });
    });
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
