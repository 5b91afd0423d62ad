#include "../twelve.hpp"

#include <tutti/tutti.hpp>

#include <doctest/doctest.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace tutti;
using namespace std::chrono_literals;

namespace {

/// A line of a trace.
struct Line {
    std::string kind;
    std::string name;
    int rank;
    int peer;
    std::int64_t begin;
    std::int64_t end;
    std::uint64_t bytes;
    std::uint64_t number;
};

std::string value(const std::string& line, const std::string& key) {
    const std::size_t at = line.find("\"" + key + "\":");
    REQUIRE(at != std::string::npos);
    const std::size_t start = at + key.size() + 3;
    return line[start] == '"' ? line.substr(start + 1, line.find('"', start + 1) - start - 1)
                              : line.substr(start, line.find_first_of(",}", start) - start);
}

std::vector<Line> lines_of(const std::string& trace) {
    std::vector<Line> lines;
    std::istringstream stream(trace);
    for (std::string line; std::getline(stream, line);) {
        const std::string peer = value(line, "peer");
        lines.push_back({.kind = value(line, "kind"),
                         .name = value(line, "name"),
                         .rank = std::stoi(value(line, "rank")),
                         .peer = peer == "null" ? -1 : std::stoi(peer),
                         .begin = std::stoll(value(line, "begin_ns")),
                         .end = std::stoll(value(line, "end_ns")),
                         .bytes = std::stoull(value(line, "bytes")),
                         .number = std::stoull(value(line, "number"))});
    }
    return lines;
}

Team team_of(int members, Trace trace) {
    return Team(TeamOptions{.members = members, .placement = "none", .group = {.trace = trace}});
}

/// Lets go all members but the last, and that one some time after they have said that they come.
class LateStart {
public:
    explicit LateStart(int members) : members_(members) {}
    void come(int rank, std::chrono::microseconds late) {
        const int round = ++rounds_[static_cast<std::size_t>(rank)];
        if (rank != members_ - 1) {
            coming_.fetch_add(1);
            return;
        }
        while (coming_.load() < round * (members_ - 1)) {
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(late);
    }

private:
    int members_;
    std::array<int, 16> rounds_{};
    std::atomic<int> coming_{0};
};

constexpr const char* traced = "program that is traced";

/// What a shell says of this program with `environment`, running that test case; `output` goes where it says.
int run_again(const std::string& environment, const std::string& output = "> /dev/null 2>&1",
              const std::string& test_case = traced) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    return std::system(
        (environment + " '" + self + "' --no-skip --test-case='" + test_case + "' " + output).c_str());
}

} // namespace

TEST_CASE("statistics count calls, bytes and times of each member") {
    Team team = team_of(3, Trace::statistics);
    team.run([](Member& me) {
        std::vector<double> one(100, 1.0);
        std::vector<double> out(100);
        for (int i = 0; i < 7; ++i) {
            me.allreduce(one, out, std::plus<>{});
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
        CHECK(calls.worst_spread >= calls.spread);
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

TEST_CASE("a group that records nothing says so") {
    Group group(1);
    CHECK_THROWS_WITH_AS(group.statistics(), doctest::Contains("GroupOptions::trace"), Error);
    CHECK_THROWS_WITH_AS(group.trace(), doctest::Contains("GroupOptions::trace"), Error);
}

TEST_CASE("who comes late is named, in all collectives") {
    constexpr int members = 3;
    for (int collective = 0; collective < test::collectives; ++collective) {
        CAPTURE(collective);
        Team team = team_of(members, Trace::operations);
        LateStart start(members);
        team.run([&](Member& me) {
            test::Operands<double> operands(members, 4);
            for (int i = 0; i < 5; ++i) {
                me.barrier();
                start.come(me.rank(), 5ms);
                test::call(me, collective, operands, std::plus<>{}, members - 1, 0);
            }
        });
        const Statistics statistics = team.statistics();
        const auto& calls = statistics.collectives.back();
        const auto latest = std::ranges::max_element(calls.members, {}, &MemberStatistics::late);
        CHECK(latest - calls.members.begin() == members - 1);
        CHECK(latest->late >= 1ms);
        if (collective == test::scan || collective == test::exscan) {
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
            me.allreduce(one, out, std::plus<>{});
        }
    });
    const std::vector<Line> lines = lines_of(team.trace());
    for (int rank = 0; rank < 3; ++rank) {
        for (std::uint64_t number = 1; number <= 3; ++number) {
            CAPTURE(rank);
            CAPTURE(number);
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
    Group group(2, {.trace = Trace::operations});
    std::atomic<bool> is_through{false};
    const auto region = [&](int barriers, bool fails) {
        const auto member = [&](int rank) {
            try {
                group.run(rank, [&](Member& me) {
                    for (int i = 0; i < barriers; ++i) {
                        me.barrier();
                    }
                    if (!fails) {
                        return;
                    }
                    if (rank == 0) {
                        is_through.wait(false);
                        throw Error("as asked");
                    }
                    is_through = true;
                    is_through.notify_all();
                    me.barrier();
                });
            } catch (const Error&) {
                CHECK(fails);
            }
        };
        std::thread other(member, 1);
        member(0);
        other.join();
    };
    region(3, true);
    region(2, false);
    CHECK(group.statistics().collectives[0].compared == 5);
    for (int rank = 0; rank < 2; ++rank) {
        std::uint64_t last = 0;
        for (const Line& line : lines_of(group.trace())) {
            if (line.rank == rank && line.kind == "operation") {
                CHECK(line.number > last);
                last = line.number;
            }
        }
    }
}

TEST_CASE("started operations are recorded from their starts on, with what is waited for them") {
    constexpr int members = 3;
    Team team = team_of(members, Trace::operations);
    LateStart start(members);
    team.run([&](Member& me) {
        const std::vector<double> one(100, 1.0);
        std::vector<double> sum(100);
        std::vector<double> scanned(100);
        for (int i = 0; i < 5; ++i) {
            me.barrier();
            start.come(me.rank(), 5ms);
            Request first = me.start.allreduce(one, sum, std::plus<>{});
            Request second = me.start.scan(one, scanned, std::plus<>{});
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
        std::array<const Line*, 11> started{};
        int overlapping = 0;
        int complete = 0;
        const std::vector<Line> lines = lines_of(team.trace());
        std::int64_t last_begin = 0;
        for (const Line& line : lines) {
            if (line.rank == rank && line.kind == "started") {
                CHECK(line.begin >= last_begin);
                last_begin = line.begin;
                REQUIRE(line.number >= 1);
                REQUIRE(line.number <= 10);
                CHECK(line.name.starts_with(line.number % 2 == 1 ? "allreduce (" : "scan ("));
                CHECK(line.bytes == 800);
                CHECK(line.begin <= line.end);
                started[line.number] = &line;
                ++complete;
            }
        }
        REQUIRE(complete == 10);
        for (std::size_t number = 1; number < 10; ++number) {
            CHECK(started[number]->begin <= started[number + 1]->begin);
            overlapping += started[number]->end > started[number + 1]->begin ? 1 : 0;
        }
        CHECK(overlapping > (rank == 0 ? 0 : -1));
        for (const Line& line : lines) {
            if (line.rank == rank && line.name == "request wait") {
                CHECK(line.kind == "wait");
                REQUIRE(started.at(line.number) != nullptr);
                CHECK(line.begin >= started.at(line.number)->begin);
                CHECK(line.end >= started.at(line.number)->end);
                if (rank == 0) {
                    waited += line.end - line.begin;
                }
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
        Persistent request = me.prepare.allreduce(one, sum, std::plus<>{});
        for (int i = 0; i < 5; ++i) {
            request.start();
            request.wait();
        }
        barrier.start();
        barrier.wait();
    });
    for (int rank = 0; rank < 2; ++rank) {
        std::array<int, 3> starts{};
        for (const Line& line : lines_of(team.trace())) {
            if (line.rank == rank && line.kind == "prepared") {
                REQUIRE(line.number <= 2);
                ++starts[line.number];
                CHECK(line.name.starts_with(line.number == 1 ? "barrier" : "allreduce"));
            }
            CHECK(line.kind != "operation");
        }
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
                std::this_thread::sleep_for(150ms);
                return;
            }
            const Options soon{.deadline = 50ms};
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
        request.then([&] {
            if (me.rank() == 0) {
                others.run([](Member& other) { other.start.barrier().wait(); });
                std::this_thread::sleep_for(50ms);
            }
        });
        request.wait();
    });
    const std::vector<Line> lines = lines_of(team.trace());
    const auto started = std::ranges::find_if(
        lines, [](const Line& line) { return line.rank == 0 && line.kind == "started"; });
    REQUIRE(started != lines.end());
    for (const Line& line : lines) {
        if (line.rank == 0 && line.name == "request wait") {
            CHECK(line.begin >= started->begin);
            CHECK(line.end <= started->end);
        }
    }
    CHECK(team.statistics().collectives.front().members[0].waited < 50ms);
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

TEST_CASE("what is under way is not in a trace") {
    Team team = team_of(2, Trace::steps);
    std::atomic<bool> is_over{false};
    std::thread reader([&] {
        while (!is_over) {
            std::array<std::set<std::uint64_t>, 2> operations;
            const std::vector<Line> lines = lines_of(team.trace());
            for (const Line& line : lines) {
                if (line.kind == "operation") {
                    operations.at(static_cast<std::size_t>(line.rank)).insert(line.number);
                }
            }
            CHECK(std::ranges::all_of(lines, [&](const Line& line) {
                return operations.at(static_cast<std::size_t>(line.rank)).contains(line.number);
            }));
        }
    });
    team.run([](Member& me) {
        std::vector<double> values(20000, 1.0);
        for (int i = 0; i < 200; ++i) {
            me.allreduce(values, max);
        }
    });
    is_over = true;
    reader.join();
}

TEST_CASE("a wait within a wait counts once") {
    Team team = team_of(2, Trace::operations);
    team.run([](Member& me) {
        Request outer = me.start.barrier();
        Request inner = me.start.barrier();
        bool is_called = false;
        outer.then([&] {
            inner.wait();
            is_called = true;
        });
        while (!is_called) {
            outer.wait();
        }
    });
    for (int rank = 0; rank < 2; ++rank) {
        std::int64_t last_end = 0;
        for (const Line& line : lines_of(team.trace())) {
            if (line.rank == rank && line.kind == "wait") {
                CHECK(line.begin >= last_end);
                last_end = line.end;
            }
        }
    }
}

TEST_CASE("numbers of started operations go on after a failure") {
    Group group(1, {.trace = Trace::operations});
    const auto region = [&](int starts, bool fails) {
        group.run(0, [&](Member& me) {
            for (int i = 0; i < starts; ++i) {
                me.start.barrier().wait();
            }
            if (fails) {
                throw Error("as asked");
            }
        });
    };
    CHECK_THROWS_AS(region(3, true), Error);
    region(2, false);
    std::uint64_t last = 0;
    for (const Line& line : lines_of(group.trace())) {
        if (line.kind == "started") {
            CHECK(line.number == last + 1);
            last = line.number;
        }
    }
    CHECK(last == 5);
}

TEST_CASE("statistics alone keep no events of what is in flight") {
    Team team = team_of(2, Trace::statistics);
    team.run([](Member& me) {
        me.barrier();
        for (int i = 0; i < 5000; ++i) {
            me.start.barrier().wait();
        }
    });
    const Statistics statistics = team.statistics();
    CHECK(statistics.collectives.at(0).members.at(0).calls == 5001);
    CHECK(statistics.collectives.at(0).compared == 1);
    CHECK_THROWS_AS(team.trace(), Error);
}

TEST_CASE("any thread may ask while members call") {
    Team team = team_of(2, Trace::steps);
    std::atomic<bool> is_over{false};
    std::thread asks([&] {
        while (!is_over) {
            for (const Line& line : lines_of(team.trace())) {
                CHECK(line.begin <= line.end);
                CHECK(line.peer <= 1);
            }
            team.statistics();
        }
    });
    team.run([](Member& me) {
        int sum = 0;
        for (int i = 0; i < 20000; ++i) {
            me.allreduce(i, sum, std::plus<>{});
            me.start.allreduce(i, sum, std::plus<>{}).wait();
        }
    });
    is_over = true;
    asks.join();
}

TEST_CASE("program that is traced" * doctest::skip()) {
    Team kept = team_of(2, Trace::off);
    kept.run([](Member& me) { me.barrier(); });
    Group gone(1);
    gone.run(0, [](Member& me) {
        me.barrier();
        me.dup().barrier();
    });
}

TEST_CASE("the environment names a file for the traces of all groups") {
    const std::string name =
        (std::filesystem::temp_directory_path() / ("tutti_trace_test." + std::to_string(getpid()))).string();
    REQUIRE(run_again("TUTTI_TRACE='" + name + ",steps'") == 0);
    std::ifstream file(name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove(name);
    const std::vector<Line> lines = lines_of(text);
    CHECK(std::ranges::count(lines, "operation", &Line::kind) >= 4);
    CHECK(std::ranges::count(lines, "step", &Line::kind) >= 4);
    CHECK(text.find("\"group\":\"group 1 of 2 members\"") != std::string::npos);
    CHECK(text.find("\"group\":\"group 3 of 1 members\"") != std::string::npos);
}

TEST_CASE("program that ends when a signal has had its trace written" * doctest::skip()) {
    Team team = team_of(2, Trace::off);
    team.run([](Member& me) { me.barrier(); });
    const std::string file = std::getenv("TUTTI_TRACE");
    while (!std::filesystem::exists(file) || std::filesystem::file_size(file) == 0) {
        kill(getpid(), SIGUSR1);
        std::this_thread::sleep_for(10ms);
    }
    _exit(0);
}

TEST_CASE("program that goes elsewhere" * doctest::skip()) {
    Team team = team_of(1, Trace::off);
    team.run([](Member& me) { me.barrier(); });
    std::filesystem::current_path("/");
}

TEST_CASE("a file is where the process was when it made its first group") {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const std::string name = "tutti_trace_here." + std::to_string(getpid());
    REQUIRE(run_again("cd '" + folder.string() + "'; TUTTI_TRACE='" + name + "'", "> /dev/null 2>&1",
                      "program that goes elsewhere") == 0);
    CHECK(std::filesystem::remove(folder / name));
}

TEST_CASE("the signal of roll calls has the file written") {
    const std::string name =
        (std::filesystem::temp_directory_path() / ("tutti_trace_signal." + std::to_string(getpid())))
            .string();
    REQUIRE(run_again("TUTTI_ROLL_CALL=USR1 TUTTI_TRACE='" + name + "'", "> /dev/null 2>&1",
                      "program that ends when a signal*") == 0);
    std::ifstream file(name);
    std::string line;
    CHECK(std::getline(file, line));
    CHECK(line.starts_with("{\"group\":\"group 1 of 2 members\""));
    std::filesystem::remove(name);
}

TEST_CASE("a file that cannot be understood or written is told") {
    CHECK(run_again("TUTTI_TRACE=file,all", "2>&1 | grep -q 'TUTTI_TRACE: \"file,all\"'") == 0);
    CHECK(run_again("TUTTI_TRACE=/nowhere/trace", "2>&1 | grep -q 'TUTTI_TRACE: /nowhere/trace'") == 0);
}

TEST_CASE("statistics are written as Prometheus reads them") {
    Team team = team_of(2, Trace::statistics);
    team.run([](Member& me) { me.barrier(); });
    const std::string text = team.statistics().prometheus("solver \"a\"");
    CHECK(text.find("# TYPE tutti_calls_total counter\n"
                    "tutti_calls_total{group=\"solver \\\"a\\\"\",collective=\"barrier\",rank=\"0\"} 1\n"
                    "tutti_calls_total{group=\"solver \\\"a\\\"\",collective=\"barrier\",rank=\"1\"} 1\n") !=
          std::string::npos);
    CHECK(text.find("# TYPE tutti_arrival_spread_seconds gauge\n") != std::string::npos);
}
