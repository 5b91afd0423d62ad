// Every collective against what a loop over the global ranks gives.

#include "exam.hpp"
#include "tests/aligned.hpp"

namespace tutti::test {

namespace {

void examine(mpi::Member& me, std::size_t count) {
    examine(me, cluster_shapes(me.size(), count), {});
    examine_one_object(me, {});
}

template <std::size_t Bytes>
void examine_aligned(mpi::Member& me, std::size_t count, const Options& options) {
    using Element = Aligned<Bytes>;
    std::atomic<int> misplaced{0};
    const auto sum = [&misplaced](const Element& a, const Element& b) {
        misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
        return added(a, b);
    };
    const auto element = [](std::size_t rank, std::size_t i) { return element_of<Element>(value, rank, i); };
    examine(me, only(cluster_shapes(me.size(), count), combines), options, element, sum, added<Element>);
    CHECK_MESSAGE(misplaced == 0, Bytes, " bytes, count ", count);
}

} // namespace

TEST_CASE("all collectives, up to 4 processes of up to 4 members, and of different numbers of members") {
    const bool is_several = most_members(4) > 1;
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            for (int members = 1; members <= most_members(4); ++members) {
                on_members(part, members, [](mpi::Member& me) {
                    for (const std::size_t count : {0U, 1U, 5U, 300U}) {
                        examine(me, count);
                    }
                });
            }
            for (const std::array<int, 4>& uneven : {std::array{1, 3, 2, 4}, std::array{4, 1, 1, 2}}) {
                const int members = uneven[static_cast<std::size_t>(process_of_world())];
                if (processes > 1 && is_several) {
                    on_members(part, members, [](mpi::Member& me) {
                        for (const std::size_t count : {1U, 7U, 200U, 1000U}) {
                            examine(me, count);
                        }
                    });
                }
            }
            for (const int members : {1, 2, 1 + process_of_world() % most_members(3)}) {
                on_members(part, std::min(members, most_members(3)), [](mpi::Member& me) {
                    for (const std::size_t count : {0U, 1U, 300U}) {
                        examine_started(me, count);
                    }
                    examine_started(me, 7, map, tutti::non_commutative(compose), compose);
                });
            }
        });
    }
}

TEST_CASE("long vectors") {
    for (int processes = 2; processes <= 3; ++processes) {
        on_members_of(processes, [](mpi::Member& me) { examine(me, 70001); });
    }
    on_members_of(3, [](mpi::Member& me) { examine_started(me, 70001); });
    // Several segments, where all leaders work alone and where one does not.
    for (const bool all_alone : {true, false}) {
        on_processes(3, [&](MPI_Comm part) {
            on_members(part, all_alone || process_of_world() > 0 ? 1 : members_here(), [](mpi::Member& me) {
                const std::vector<Shape> shapes = only(cluster_shapes(me.size(), 300'001), is_cut);
                examine(me, shapes, {}, value, tutti::sum, std::plus<>());
            });
        });
    }
}

TEST_CASE("operators see elements only where their alignment allows, in clusters") {
    for (const int processes : {1, 2, 3}) {
        on_processes(processes, [&](MPI_Comm part) {
            for (int members = 1; members <= most_members(3); members += 2) {
                on_members(part, members, [](mpi::Member& me) {
                    for (const Options& options : {Options(), Options{.order = Order::serial}}) {
                        for (const std::size_t count : {1U, 3U, 33U, 700U}) {
                            examine_aligned<32>(me, count, options);
                            examine_aligned<128>(me, count, options);
                            examine_aligned<1024>(me, count, options);
                        }
                    }
                });
            }
        });
    }
    struct Loose {
        std::int64_t values[16];
    };
    on_members_of(2, [](mpi::Member& me) { // one size and two alignments in turn
        std::atomic<int> misplaced{0};
        const auto first = [&misplaced](const auto& a, const auto& b) {
            misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
            return a;
        };
        for (const std::size_t count : {3U, 1000U}) {
            std::vector<Loose> loose(count);
            std::vector<Aligned<128>> strict(count);
            for (int round = 0; round < 2; ++round) {
                me.allreduce(loose, first);
                me.allreduce(strict, first);
            }
        }
        CHECK(misplaced == 0);
    });
}

TEST_CASE(
    "an algorithm and an operator that clusters do not have are rejected, and the message names others") {
    on_members_of(2, [](mpi::Member& me) {
        std::vector<double> vector(4, 1);
        CHECK_THROWS_WITH_AS(me.barrier({.algorithm = "direct"}), doctest::Contains("dissemination"),
                             ArgumentError);
        me.allreduce(vector, tutti::sum); // nothing has been sent by those
        CHECK(vector == std::vector<double>(4, me.size()));
    });
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

TEST_CASE("a team whose members are never on the main thread takes its process's share of the node's CPUs") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        const mpi::Share share = mpi::divide_cpus(part);
        CHECK(share.cpus >= 1);
        CHECK(mentions(share.note, "on this node"));
        Team team(2, {.placement = share.placement});
        mpi::Cluster cluster(team, part);
        for (int round = 0; round < 3; ++round) {
            cluster.run([](mpi::Member& me) {
                CHECK(me.size() == 4);
                CHECK(me.allreduce(me.rank(), tutti::sum) == 6);
                examine_started(me, 300);
            });
        }
        CHECK_THROWS_WITH_AS(cluster.join(0), doctest::Contains("run()"), ArgumentError);
    });
}

} // namespace tutti::test
