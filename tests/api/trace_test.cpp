// What is recorded of blocking calls, and when it may be read.

#include "../reference/each.hpp"
#include "trace_lines.hpp"

TEST_CASE("statistics count calls, bytes and times of each member") {
    Team team = team_of(3, Trace::statistics);
    team.run([](Member& me) {
        std::vector<double> one(100, 1.0);
        std::vector<double> out(100);
        for (int i = 0; i < 7; ++i) {
            me.allreduce(one, out, tutti::sum);
            me.barrier();
        }
    });
    const Statistics statistics = team.statistics();
    REQUIRE(statistics.collectives.size() == 2);
    const CollectiveStatistics& barriers = statistics.collectives[0];
    const CollectiveStatistics& reductions = statistics.collectives[1];
    CHECK(barriers.collective == "barrier");
    CHECK(reductions.collective == "allreduce");
    for (const CollectiveStatistics& calls : statistics.collectives) {
        REQUIRE(calls.members.size() == 3);
        CHECK(calls.compared == 7);
        CHECK((calls.worst_spread >= calls.spread && calls.worst_spread <= 7 * (calls.spread + 10ns)));
        for (const MemberStatistics& member : calls.members) {
            CHECK(member.calls == 7);
            CHECK(member.bytes == (calls.collective == "barrier" ? 0 : 7 * 800));
            CHECK(member.time > 0ns);
            CHECK(member.waited <= member.time);
            CHECK(member.late <= calls.spread);
        }
    }
    CHECK_THROWS_WITH_AS(team.trace(), doctest::Contains("Trace::operations"), Error);
}

TEST_CASE("statistics count the calls of each algorithm") {
    Team team = team_of(2, Trace::statistics);
    team.run([](Member& me) {
        std::vector<double> values(100, 1.0);
        for (int i = 0; i < 7; ++i) {
            me.allreduce(values, tutti::sum, {.algorithm = i < 3 ? "ring" : "direct"});
        }
        me.start.allreduce(values, tutti::sum, {.algorithm = "ring"}).wait();
    });
    const Statistics statistics = team.statistics();
    REQUIRE(statistics.collectives.size() == 1);
    const CollectiveStatistics& reductions = statistics.collectives[0];
    std::map<std::string_view, std::uint64_t> calls;
    std::chrono::nanoseconds time{0};
    for (const AlgorithmStatistics& by_this : reductions.algorithms) {
        calls[by_this.algorithm] = by_this.calls;
        time += by_this.time;
    }
    CHECK(calls == std::map<std::string_view, std::uint64_t>{{"direct", 8}, {"ring", 8}});
    CHECK(time == reductions.members[0].time + reductions.members[1].time);
}

TEST_CASE("a group that records nothing says so") {
    Group group(1);
    CHECK_THROWS_WITH_AS(group.statistics(), doctest::Contains("GroupOptions::trace"), Error);
    CHECK_THROWS_WITH_AS(group.trace(), doctest::Contains("GroupOptions::trace"), Error);
}

TEST_CASE("who comes late is named, in all collectives") {
    constexpr int members = 3;
    for (const Collective collective : detail::all_collectives) {
        CAPTURE(to_string(collective));
        Team team = team_of(members, Trace::operations);
        std::atomic<int> coming{0};
        team.run([&](Member& me) {
            Operands<double> operands(members, 4);
            for (int i = 0; i < 5; ++i) {
                me.barrier();
                come_late(me, coming, i);
                call(me, collective, operands, tutti::sum, members - 1, 0);
            }
        });
        const Statistics statistics = team.statistics();
        const auto& calls = statistics.collectives.back();
        const auto latest = std::ranges::max_element(calls.members, {}, &MemberStatistics::late);
        CHECK(latest - calls.members.begin() == members - 1);
        CHECK(latest->late >= 1ms);
        if (detail::traits_of(collective).is_prefix()) {
            continue;
        }
        CHECK(calls.members[0].waited >= 5ms);
        std::int64_t for_late = 0;
        std::int64_t for_others = 0;
        for (const Line& line : lines_of(team.trace())) {
            if (line.kind == "wait" && line.rank != members - 1) {
                (line.peer == members - 1 ? for_late : for_others) += line.end - line.begin;
            }
        }
        CHECK(for_late > for_others);
    }
}

TEST_CASE("steps and waits of an operation are within it, and steps are all of it") {
    Team team = team_of(3, Trace::steps);
    team.run([](Member& me) {
        std::vector<double> one(20000, 1.0);
        std::vector<double> out(20000);
        for (int i = 0; i < 3; ++i) {
            me.allreduce(one, out, tutti::sum);
        }
    });
    const std::vector<Line> lines = lines_of(team.trace());
    for (int rank = 0; rank < 3; ++rank) {
        for (std::uint64_t number = 1; number <= 3; ++number) {
            INFO("member ", rank, ", operation ", number);
            std::vector<Line> own;
            std::ranges::copy_if(lines, std::back_inserter(own), [&](const Line& line) {
                return line.rank == rank && line.number == number;
            });
            REQUIRE(own.size() > 2);
            const Line& operation = own.front();
            CHECK(operation.kind == "operation");
            CHECK(operation.name.starts_with("allreduce (algorithm "));
            CHECK(operation.bytes == 160000);
            std::int64_t in_steps = 0;
            std::int64_t waited = 0;
            std::int64_t last_end = operation.begin;
            for (const Line& line : own) {
                CHECK(line.begin >= operation.begin);
                CHECK(line.end <= operation.end);
                if (line.kind == "step") {
                    CHECK(line.begin >= last_end);
                    last_end = line.end;
                    in_steps += line.end - line.begin;
                }
                waited += line.kind == "wait" ? line.end - line.begin : 0;
            }
            CHECK(waited <= in_steps);
            CHECK(in_steps == operation.end - operation.begin);
        }
    }
}

TEST_CASE("a step names the member whose vector it reads, and none if there are several") {
    constexpr int members = 4;
    Team team = team_of(members, Trace::steps);
    team.run([](Member& me) {
        std::vector<double> one(5000, 1.0);
        std::vector<double> all(members * one.size());
        me.allgather(one, all, {.algorithm = "ring"});
        me.allgather(one, all, {.algorithm = "direct"});
    });
    std::array<std::set<int>, members> peers;
    for (const Line& line : lines_of(team.trace())) {
        if (line.kind == "step" && line.name == "copy") {
            CHECK(((line.number == 1) || line.peer == -1));
            peers[static_cast<std::size_t>(line.rank)].insert(line.peer);
        }
    }
    for (int rank = 0; rank < members; ++rank) {
        CHECK(peers[static_cast<std::size_t>(rank)] == std::set{-1, (rank + members - 1) % members});
    }
}

TEST_CASE("a trace keeps the last events") {
    Team team = team_of(2, Trace::operations);
    team.run([](Member& me) {
        for (int i = 0; i < 10000; ++i) {
            me.barrier();
        }
    });
    const std::vector<Line> lines = lines_of(team.trace());
    CHECK(std::ranges::max(lines, {}, &Line::number).number == 10000);
    CHECK(lines.size() == 2 * 4095);
}

TEST_CASE("numbers of operations go on after a failure") {
    for (const bool is_started : {false, true}) {
        Team team = team_of(2, Trace::operations);
        std::atomic<bool> is_through{false};
        const auto run_barriers = [&](int barriers, bool fails) {
            team.run([&](Member& me) {
                for (int i = 0; i < barriers; ++i) {
                    is_started ? me.start.barrier().wait() : me.barrier();
                }
                if (fails && me.rank() == 0) {
                    await(is_through, true);
                    throw Error("as asked");
                }
                if (fails) {
                    is_through = true;
                    me.barrier();
                }
            });
        };
        CHECK_THROWS_AS(run_barriers(3, true), Error);
        run_barriers(2, false);
        CHECK((is_started || team.statistics().collectives[0].compared == 5));
        for (int rank = 0; rank < 2; ++rank) {
            std::uint64_t last = 0;
            for (const Line& line : lines_of(team, rank, is_started ? "started" : "operation")) {
                CHECK((is_started ? line.number == last + 1 : line.number > last));
                last = line.number;
            }
            CHECK((!is_started || last == 5));
        }
    }
}

TEST_CASE("times stay what they are, whenever they are asked for") {
    Team team = team_of(2, Trace::steps);
    team.run([](Member& me) {
        for (int i = 0; i < 20; ++i) {
            me.barrier();
        }
    });
    const std::string trace = team.trace();
    const Statistics statistics = team.statistics();
    for (int look = 0; look < 5; ++look) {
        std::this_thread::sleep_for(3ms);
        CHECK(team.trace() == trace);
        CHECK(team.statistics().collectives.front().members[1].time ==
              statistics.collectives.front().members[1].time);
    }
}

TEST_CASE("any thread may ask while members call, and what is under way is not in a trace") {
    Team team = team_of(2, Trace::steps);
    std::atomic<bool> is_over{false};
    std::jthread asks([&] {
        while (!is_over) {
            std::array<std::set<std::uint64_t>, 2> operations;
            const std::vector<Line> lines = lines_of(team.trace());
            for (const Line& line : lines) {
                CHECK(line.begin <= line.end);
                CHECK(line.peer <= 1);
                if (line.kind == "operation") {
                    operations.at(static_cast<std::size_t>(line.rank)).insert(line.number);
                }
            }
            CHECK(std::ranges::all_of(lines, [&](const Line& line) {
                return operations.at(static_cast<std::size_t>(line.rank)).contains(line.number);
            }));
            team.statistics();
        }
    });
    team.run([](Member& me) {
        std::vector<double> values(20000, 1.0);
        for (int i = 0; i < 200; ++i) {
            me.allreduce(values, max);
        }
    });
    is_over = true;
}
