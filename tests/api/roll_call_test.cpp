// Roll calls: the place of each member, on request.

#include "../fast_clock.hpp"
#include "support.hpp"

#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace {

/// Roll calls until one has all parts; returns the one after that, which says what has changed. The parts
/// must say that all members are where they stay: on a busy machine they may take long to get there.
std::string roll_call_with(const std::function<std::string()>& roll_call,
                           const std::vector<std::string>& parts) {
    std::string text = roll_call();
    while (!std::ranges::all_of(parts, [&](const std::string& part) { return mentions(text, part); })) {
        std::this_thread::sleep_for(1ms);
        text = roll_call();
    }
    return roll_call();
}

/// Runs `act` on a team, in which members may wait for `release`, while another thread asks.
template <class Act>
std::string while_running(Team& team, RollCallFormat format, const std::vector<std::string>& parts, Act act) {
    std::atomic<bool> release{false};
    std::string text;
    std::jthread asks([&] {
        text = roll_call_with([&] { return team.roll_call(format); }, parts);
        release = true;
    });
    team.run([&](Member& me) { act(me, release); });
    asks.join();
    return text;
}

long lines_in(const std::string& text) {
    return std::ranges::count(text, '\n');
}

} // namespace

TEST_CASE("a roll call says who waits for whom, in which call and where that is in the program") {
    Team team(4, {.placement = Placement::none});
    unsigned line = 0;
    const std::string text = while_running(team, RollCallFormat::text,
                                           {"members 0, 2, 3: in operation 3", "waiting for member 1 for "},
                                           [&](Member& me, const std::atomic<bool>& release) {
                                               double x = me.allreduce(1.0, sum);
                                               std::vector<float> list(100);
                                               me.broadcast(list, 1);
                                               if (me.rank() == 1) {
                                                   line = __LINE__ - 2;
                                                   await(release, true);
                                               }
                                               me.allreduce(std::span(&x, 1), max);
                                           });
    check_mentions(text, {"roll call of 4 members:\n", "members 0, 2, 3: in operation 3, allreduce",
                          "of 8 bytes of f64 with max, in place or by value, at roll_call_test.cpp:" +
                              std::to_string(line + 5),
                          "waiting for member 1 for ", "member 1: came to operation 2, broadcast",
                          "of 400 bytes of f32, root 1, at roll_call_test.cpp:" + std::to_string(line),
                          "\n    1: thread ", "CPU ", ", ran "});
}

TEST_CASE("tools get the same as JSON") {
    Team team(2, {.placement = Placement::none});
    const std::string text = while_running(team, RollCallFormat::json, {"\"waits_for\""},
                                           [](Member& me, const std::atomic<bool>& release) {
                                               if (me.rank() == 1) {
                                                   await(release, true);
                                               }
                                               double x = 0;
                                               me.reduce(std::span(&x, 1), sum, 0);
                                           });
    check_mentions(text, {"{\"group\": \"2 members\", \"members\": 2, \"waits\": \"",
                          ", \"us_since_last_look\": ", "\"places\": [\n  {\"rank\": 0, ",
                          "\"blocking\": {\"number\": 1, \"collective\": \"reduce\", \"bytes\": 8, ",
                          "\"algorithm\": \"", "\"operator\": \"sum\", \"root\": 0, ",
                          "roll_call_test.cpp\", \"line\": ",
                          "\"waits_for\": {\"rank\": 1, \"calls\": \"blocking\", \"number\": 1, \"us\": ",
                          "\"moved\": ", "\"ran_us\": ", "\"thread\": {\"id\": ", "\"state\": \"",
                          "{\"rank\": 1, \"joined\": true"});
    const std::string since = "\"us_since_last_look\": ";
    CHECK(std::stoll(text.substr(text.find(since) + since.size())) < 60'000'000); // this test takes no minute
    CHECK(std::ranges::count(text, '{') == std::ranges::count(text, '}'));
    CHECK(std::ranges::count(text, '"') % 2 == 0);
}

TEST_CASE("seats that nobody has taken, members that have left, and groups where nobody was") {
    Group group(3);
    CHECK(group.roll_call() == "roll call of 3 members:\n  members 0-2: not joined\n");
    std::thread([&] { group.run(0, [](Member&) {}); }).join();
    std::thread([&] { group.run(1, [](Member&) {}); }).join();
    const std::string text = group.roll_call();
    check_mentions(text,
                   {"member 2: not joined\n", "members 0, 1: left without a call\n", ", which has ended\n"});
    Team team(2, {.placement = Placement::none});
    team.run([](Member& me) { me.barrier(); });
    CHECK(mentions(team.roll_call(), "members 0, 1: left after operation 1, barrier"));
}

TEST_CASE("of many members only the odd ones out are told apart") {
    constexpr int members = 40;
    Team team(members, {.placement = Placement::none});
    const std::string text =
        while_running(team, RollCallFormat::text, {"members 0-6, 8-39: in operation 2", "member 7: came to"},
                      [](Member& me, const std::atomic<bool>& release) {
                          me.barrier();
                          if (me.rank() == 7) {
                              await(release, true);
                          }
                          me.barrier();
                      });
    INFO(text);
    check_mentions(text, {"member 7: came to operation 1, barrier", "\n    7: thread ", "\n  waits: "});
    CHECK(lines_in(text) == 5);
    CHECK(lines_in(team.roll_call(RollCallFormat::json)) == members + 2);
}

TEST_CASE("members of a sub-group are named by the ranks of both") {
    std::string text;
    run_members(3, [&](Member& me) {
        const std::vector<int> ranks{2, 1};
        std::optional<Member> part = me.subset(ranks);
        if (me.rank() == 1) {
            text = roll_call_with([&] { return part->roll_call(); }, {"waiting"});
        }
        if (part) {
            part->barrier();
        }
    });
    check_mentions(text, {"roll call of a sub-group of 2 members:\n", "member 0: in operation 1, barrier",
                          ", member 2 of the whole group\n"});
}

TEST_CASE("any thread may ask at any time") {
    Team team(3, {.placement = Placement::none, .group = {.timeout = 10s}});
    std::atomic<bool> stop{false};
    std::jthread asks([&] {
        while (!stop) {
            CHECK(!team.roll_call().empty());
            CHECK(!team.roll_call(RollCallFormat::json).empty());
        }
    });
    for (int round = 0; round < (reduced ? 10 : 100); ++round) {
        const Thrown thrown = thrown_by([&] {
            team.run([&](Member& me) {
                std::vector<int> list(100, 1);
                for (int i = 0; i < 20; ++i) {
                    me.allreduce(list, sum);
                    Request request = me.start.broadcast(list, i % 3);
                    me.barrier();
                    request.wait();
                }
                if (round % 3 == 1 && me.rank() == 0) {
                    throw Error("given up");
                }
                round % 3 == 2 && me.rank() == 0 ? me.barrier() : me.broadcast(list, 0);
                me.allreduce(list, sum);
            });
        });
        CHECK((thrown.kind == Kind::nothing) == (round % 3 == 0));
    }
    stop = true;
}

TEST_CASE("where calls differ, one member shows the last ones and who is where, the others one line") {
    Group group(4);
    const std::vector<Thrown> thrown = run_threads(group, 4, [](Member& me) {
        std::vector<int> list(10);
        for (int i = 0; i < 5; ++i) {
            me.allreduce(list, sum);
        }
        me.rank() == 2 ? me.barrier() : me.allreduce(list, max);
        me.barrier();
    });
    const std::string roll_call = "\nroll call of 4 members:\n";
    CHECK(std::ranges::count_if(thrown, [&](const Thrown& each) { return mentions(each.text, roll_call); }) ==
          1);
    for (const Thrown& each : thrown) {
        INFO(each.text);
        CHECK(mentions(each.text, " differ at operation 6: "));
        if (mentions(each.text, roll_call)) {
            check_thrown(each, Kind::mismatch,
                         {"\n  1-5 both: allreduce", "\n> 6 member 2: barrier", "\n> 6 member ",
                          "of 40 bytes of i32 with max"});
            CHECK(each.text.back() != '\n');
        } else {
            CHECK(lines_in(each.text) == 0);
        }
    }
}

TEST_CASE("the line of a call is that of who calls a function that passes its options on") {
    const auto halo = [](Member& me, const Options& options = {}) { me.barrier(options); };
    const auto plain = [](Member& me) {
        Options options;
        me.barrier(options);
    };
    run_members(1, [&](Member& me) {
        halo(me);
        const unsigned line = __LINE__ - 1;
        CHECK(mentions(me.roll_call(), "at roll_call_test.cpp:" + std::to_string(line)));
        plain(me);
        CHECK(!mentions(me.roll_call(), "options.hpp")); // nobody said where
    });
}

TEST_CASE("a signal has all roll calls written") {
    const Environment signal("TUTTI_ROLL_CALL", "USR1");
    Group group(3);
    Team team(2, {.placement = Placement::none});
    const Collected log;
    kill(getpid(), SIGUSR1);
    CHECK(log.first() == Collected::Message(Severity::info,
                                            "roll call of 3 members:\n  members 0-2: not joined\n"
                                            "roll call of 2 members:\n  members 0, 1: no call yet"));
    team.run([](Member& me) { CHECK(me.allreduce(1, sum) == 2); });
    for (const char* wrong : {"USER1", "0", "9", "SIGSTOP", "USR1,xml"}) {
        setenv("TUTTI_ROLL_CALL", wrong, 1);
        CHECK(thrown_by([] { Group one(1); }).kind == Kind::nothing); // it is ignored
    }
}

TEST_CASE("who is kept waiting by a member inside an operator is told in a message") {
    Team team(2, {.placement = Placement::none, .group = {.timeout = 300ms}});
    std::atomic<bool> is_inside{false};
    std::atomic<bool> release{false};
    const Collected log;
    std::jthread lets_go([&] {
        await(is_inside, true);
        const FastClock clock(30);
        test::sleep_for(3s);
        release = true;
    });
    const auto slow = [&](int a, int b) {
        is_inside = true;
        await(release, true);
        return a + b;
    };
    std::vector<int> sums(1000);
    const Ended ended = run(team, [&](Member& me) {
        const std::vector<int> mine(1000, 1);
        const Thrown thrown = thrown_by([&] {
            me.reduce(mine, sums, slow, 0);
            me.barrier();
        });
        check_thrown(thrown, Kind::timeout, {"at last for member 0"});
        CHECK(release); // the vectors of the others were in use until then
    });
    CHECK(ended.run.kind == Kind::timeout);
    const auto [severity, text] = log.first();
    CHECK(severity == Severity::warning);
    check_mentions(text,
                   {"the group has failed, but member 0 is still inside its call", "roll call of 2 members"});
}

TEST_CASE("a member in code of its own that keeps others waiting, and the caller of run(), is a message") {
    const FastClock clock(10);
    for (const bool caller_is_member : {false, true}) {
        Team team(
            3,
            {.placement = Placement::none, .group = {.timeout = 2s}, .caller_is_member = caller_is_member});
        std::atomic<bool> is_late{false};
        std::atomic<bool> release{false};
        const Collected log;
        std::jthread lets_go([&] {
            await(is_late, true);
            std::ignore = log.first();
            release = true;
        });
        const Ended ended = run(team, [&](Member& me) {
            me.barrier();
            if (me.rank() == 1) {
                is_late = true;
                await(release, true);
            }
            me.barrier();
        });
        CHECK(ended.run.kind == Kind::timeout);
        REQUIRE(log.messages().size() == 1);
        const auto [severity, text] = log.messages().front();
        CHECK(severity == Severity::warning);
        check_mentions(text,
                       {"Team::run has failed, and waits for member 1 to return",
                        "has waited 2 s in operation 2, barrier", "member 1: came to operation 1, barrier",
                        "members 0, 2: left after operation 2, barrier", "; a call of it failed"});
        check_mentions(team.roll_call(), {"  before, member ", "members 0-2: no call since"});
        CHECK(mentions(team.roll_call(RollCallFormat::json), "\"recovered\": true"));
        team.run([](Member& me) { CHECK(me.allreduce(1, sum) == 3); });
    }
}

TEST_CASE("a member that is inside its operator is told apart") {
    for (const std::size_t elements : {1U, 1000U}) {
        Team team(2, {.placement = Placement::none});
        const auto act = [&](Member& me, const std::atomic<bool>& release) {
            std::vector<int> x(elements, 1);
            me.reduce(
                std::span(x), [&](int a, int b) { return await(release, true), a + b; }, 0);
        };
        while_running(team, RollCallFormat::text, {"member 0: at work in operation 1, reduce"}, act);
    }
}

TEST_CASE("roll calls tell where a group was split") {
    Team team(2, {.placement = Placement::none});
    const unsigned line = __LINE__ + 5;
    const auto act = [](Member& me, const std::atomic<bool>& release) {
        if (me.rank() == 1) {
            await(release, true);
        }
        static_cast<void>(me.split(0, 0));
    };
    const std::string text = while_running(team, RollCallFormat::text, {"in operation 1, split"}, act);
    CHECK(mentions(text, "split, subset or dup, at roll_call_test.cpp:" + std::to_string(line)));
}

TEST_CASE("the JSON of a roll call is UTF-8, whatever threads are called and exceptions say") {
    std::string json;
    for (const char* what : {"f\xFCr", "a\"b\\c\nd", "w\xC3", "\xE2\x82\xAC \xED\xA0\x80 \xF5"}) {
        Group group(2);
        std::jthread([&] {
            pthread_setname_np(pthread_self(), what);
            CHECK(thrown_by([&] { group.run(0, [&](Member&) { throw std::runtime_error(what); }); }).text ==
                  what);
        }).join();
        json = group.roll_call(RollCallFormat::json);
        INFO(json);
        for (const char* wrong : {"\xFC", "\xC3", "\xED", "\xF5"}) {
            CHECK(!mentions(json, wrong));
        }
        CHECK(std::ranges::count(group.roll_call(), '\n') < 10);
    }
    CHECK(mentions(json, "\xE2\x82\xAC \\ufffd\\ufffd\\ufffd \\ufffd"));
}

TEST_CASE("a group that has failed says so, and which member has left") {
    Group group(2);
    Member stays = group.join(1);
    CHECK(thrown_by([&] { group.run(0, [](Member&) { throw std::runtime_error("planned"); }); }).text ==
          "planned");
    CHECK(mentions(group.roll_call(), "\n  member 0 failed: planned\n"));
    CHECK(thrown_by([&] { stays.barrier(); }).kind == Kind::aborted);
    const std::string json = group.roll_call(RollCallFormat::json);
    CHECK(mentions(json, "\"rank\": 1, \"joined\": true, \"left\": false, \"failed\": true"));
    CHECK(!mentions(json, "barrier")); // which would differ from the last call of the one that has failed
    { const Member left = std::move(stays); }
    CHECK(mentions(group.roll_call(), "\n  member 0 failed: planned\n"));
    CHECK(mentions(group.roll_call(RollCallFormat::json), "\"recovered\": false"));
}
