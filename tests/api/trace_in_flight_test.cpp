// What is recorded of what is started or prepared, and of what fails.
#include "trace_lines.hpp"

TEST_CASE("started operations are recorded from their starts on, with what is waited for them") {
    constexpr int members = 3;
    Team team = team_of(members, Trace::operations);
    std::atomic<int> coming{0};
    team.run([&](Member& me) {
        const std::vector<double> one(100, 1.0);
        std::vector<double> sum(100);
        std::vector<double> scanned(100);
        for (int i = 0; i < 5; ++i) {
            me.barrier();
            come_late(me, coming, i);
            Request first = me.start.allreduce(one, sum, tutti::sum);
            Request second = me.start.scan(one, scanned, tutti::sum);
            second.wait();
            first.wait();
        }
    });
    const Statistics statistics = team.statistics();
    REQUIRE(statistics.collectives.size() == 3);
    for (const CollectiveStatistics& calls : statistics.collectives) {
        CHECK(calls.compared == (calls.collective == "barrier" ? 5 : 0));
        for (const MemberStatistics& member : calls.members) {
            CHECK(member.calls == 5);
            CHECK(member.bytes == (calls.collective == "barrier" ? 0 : 5 * 800));
            CHECK(member.waited <= member.time);
        }
    }
    std::int64_t waited = 0;
    for (int rank = 0; rank < members; ++rank) {
        CAPTURE(rank);
        const std::vector<Line> started = lines_of(team, rank, "started");
        REQUIRE(started.size() == 10);
        int overlapping = 0;
        for (std::size_t i = 0; i < 10; ++i) { // in the order of their starts
            const Line& line = started[i];
            CHECK(line.number == i + 1);
            CHECK(line.name.starts_with(i % 2 == 0 ? "allreduce (" : "scan ("));
            CHECK(line.bytes == 800);
            CHECK(line.begin <= line.end);
            CHECK((i == 0 || line.begin >= started[i - 1].begin));
            overlapping += i != 0 && started[i - 1].end > line.begin ? 1 : 0;
        }
        CHECK(overlapping > (rank == 0 ? 0 : -1));
        for (const Line& line : lines_of(team, rank, "wait")) {
            if (line.name == "request wait") {
                const Line& waited_for = started.at(line.number - 1);
                CHECK(line.begin >= waited_for.begin);
                CHECK(line.end >= waited_for.end);
                waited += rank == 0 ? line.end - line.begin : 0;
            }
        }
    }
    CHECK(waited >= 1'000'000);
}

TEST_CASE("a prepared operation has one number however often it is started") {
    Team team = team_of(2, Trace::operations);
    team.run([](Member& me) {
        int sum = 0;
        const int one = 1;
        Persistent barrier = me.prepare.barrier();
        Persistent request = me.prepare.allreduce(one, sum, tutti::sum);
        for (int i = 0; i < 5; ++i) {
            request.start();
            request.wait();
        }
        barrier.start();
        barrier.wait();
    });
    for (int rank = 0; rank < 2; ++rank) {
        std::array<int, 3> starts{};
        for (const Line& line : lines_of(team, rank, "prepared")) {
            REQUIRE(line.number <= 2);
            ++starts[line.number];
            CHECK(line.name.starts_with(line.number == 1 ? "barrier" : "allreduce"));
        }
        CHECK(lines_of(team, rank, "operation").empty());
        CHECK(starts[1] == 1);
        CHECK(starts[2] == 5);
    }
    for (const CollectiveStatistics& calls : team.statistics().collectives) {
        CHECK(calls.members[1].calls == (calls.collective == "barrier" ? 1 : 5));
    }
}

TEST_CASE("a call that fails is recorded with what was waited in it, and counts as none") {
    for (const bool is_started : {false, true}) {
        CAPTURE(is_started);
        Team team = team_of(2, Trace::steps);
        CHECK_THROWS(team.run([&](Member& me) {
            me.barrier();
            if (me.rank() == 1) {
                std::this_thread::sleep_for(100ms);
                return;
            }
            const Options soon{.timeout = 50ms};
            is_started ? me.start.barrier(soon).wait() : me.barrier(soon);
        }));
        const std::vector<Line> lines = lines_of(team.trace());
        const auto failed = std::ranges::find(lines, "barrier (algorithm direct), failed", &Line::name);
        REQUIRE(failed != lines.end());
        CHECK(failed->rank == 0);
        CHECK(failed->kind == (is_started ? "started" : "operation"));
        CHECK(failed->end - failed->begin >= 50'000'000);
        const auto wait = std::ranges::find_if(lines, [&](const Line& line) {
            return line.rank == 0 && line.kind == "wait" && line.number == failed->number &&
                   line.end - line.begin >= 45'000'000;
        });
        REQUIRE(wait != lines.end());
        CHECK(wait->peer == 1);
        CHECK(wait->begin >= failed->begin);
        CHECK(wait->end <= failed->end);
        const Statistics statistics = team.statistics();
        REQUIRE(statistics.collectives.size() == 1);
        const CollectiveStatistics& barriers = statistics.collectives.front();
        CHECK(barriers.compared == 1);
        CHECK(barriers.members[0].calls == 1);
        CHECK(barriers.members[0].waited >= 45ms);
        CHECK(barriers.members[0].time >= barriers.members[0].waited);
    }
}

TEST_CASE("what a continuation does is no wait, and a wait ends with what is waited for") {
    Team team = team_of(2, Trace::operations);
    Team others = team_of(1, Trace::operations);
    team.run([&](Member& me) {
        Request request = me.start.barrier();
        request.then([&](const auto& /*failure*/) {
            if (me.rank() == 0) {
                others.run([](Member& other) { other.start.barrier().wait(); });
                std::this_thread::sleep_for(50ms);
            }
        });
        request.wait();
    });
    const std::vector<Line> started = lines_of(team, 0, "started");
    REQUIRE(!started.empty());
    for (const Line& line : lines_of(team, 0, "wait")) {
        if (line.name == "request wait") {
            CHECK(line.begin >= started.front().begin);
            CHECK(line.end <= started.front().end);
        }
    }
    CHECK(team.statistics().collectives.front().members[0].waited < 50ms);
}

TEST_CASE("a wait within a wait counts once") {
    Team team = team_of(2, Trace::operations);
    team.run([](Member& me) {
        Request outer = me.start.barrier();
        Request inner = me.start.barrier();
        bool is_called = false;
        outer.then([&](const auto& /*failure*/) {
            inner.wait();
            is_called = true;
        });
        while (!is_called) {
            outer.wait();
        }
    });
    for (int rank = 0; rank < 2; ++rank) {
        std::int64_t last_end = 0;
        for (const Line& line : lines_of(team, rank, "wait")) {
            CHECK(line.begin >= last_end);
            last_end = line.end;
        }
    }
}
