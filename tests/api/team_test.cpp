// A team beside threads and teams that come and go around it, options that are no enumerators, and the
// version.
#include "support.hpp"

#include <pthread.h>

#include <typeinfo>

static_assert(TUTTI_VERSION == TUTTI_VERSION_MAJOR * 10000 + TUTTI_VERSION_MINOR * 100 + TUTTI_VERSION_PATCH);
#if TUTTI_VERSION < 100
#error "TUTTI_VERSION is not for #if"
#endif

namespace {

/// What is no enumerator.
template <class Enum>
constexpr Enum no_enumerator = static_cast<Enum>(99);

} // namespace

#ifndef _LIBCPP_VERSION // with libc++, pthread_exit() in a function that catches everything ends the program
TEST_CASE("a member whose thread ends releases the others, and the team gets another thread") {
    for (const int members : {1, 2, 4}) {
        Team team(members, {.placement = Placement::none});
        for (int round = 0; round < 6; ++round) {
            const int ended = round % members;
            Outcomes outcomes(members);
            const Thrown reached = thrown_by([&] {
                team.run([&](Member& me) {
                    if (me.rank() == ended && round < 3) {
                        pthread_exit(nullptr);
                    }
                    if (me.rank() == ended) {
                        pthread_cancel(pthread_self());
                        pthread_testcancel();
                    }
                    outcomes.note(me, [&] { me.barrier(); });
                });
            });
            check_thrown(reached, Kind::error,
                         {"member " + std::to_string(ended) + "'s thread was ended by "});
            CHECK(outcomes.count(Kind::aborted) == members - 1);
            check_usable(team);
        }
    }
}

TEST_CASE("a member's thread may end in an operator or a sub-group") {
    Team team(3, {.placement = Placement::none});
    for (const std::size_t elements : {std::size_t{1}, std::size_t{1000}}) {
        for (const bool in_sub_group : {false, true}) {
            const Thrown reached = thrown_by([&] {
                team.run([&](Member& me) {
                    const std::vector<int> in(elements, 1);
                    std::vector<int> out(elements);
                    const auto op = [ends = me.rank() == 1](int a, int b) {
                        if (ends) {
                            pthread_exit(nullptr);
                        }
                        return a + b;
                    };
                    Member mates = me.dup();
                    (in_sub_group ? mates : me).allreduce(in, out, op);
                    me.barrier();
                });
            });
            check_thrown(reached, Kind::error, {"member 1's thread was ended by "});
            check_usable(team);
        }
    }
}

TEST_CASE("a thread that calls a team and is ended in its part takes nobody with it") {
    Team team(2, {.placement = Placement::none, .caller_is_member = true});
    Thrown other;
    bool went_on = false;
    std::thread([&] {
        team.run([&](Member& me) {
            if (me.rank() == 0) {
                pthread_exit(nullptr);
            }
            other = thrown_by([&] { me.barrier(); });
        });
        went_on = true;
    }).join();
    CHECK_FALSE(went_on);
    CHECK(other.kind == Kind::aborted);
    check_usable(team);
}
#endif

TEST_CASE("a team that is called by one of its members, however far in, says so") {
    for (const TeamOptions& options : team_options()) {
        Team a(2, options);
        Team b(2, options);
        Team c(2, options);
        const auto call_a = [&](Member&) { a.run([](Member&) {}); };
        for (const auto& part : std::vector<std::function<void(Member&)>>{
                 call_a, [&](Member&) { b.run(call_a); },
                 [&](Member&) { b.run([&](Member&) { c.run(call_a); }); }}) {
            const Thrown thrown = thrown_by([&] { a.run(part); });
            check_thrown(thrown, Kind::error, {"wait for itself"});
        }
        check_usable(a);
        check_usable(b);
    }
}

TEST_CASE("teams that call each other do not wait for each other for ever") {
    for (const TeamOptions& options : team_options()) {
        for (const std::size_t count : {std::size_t{2}, std::size_t{3}}) {
            std::vector<std::unique_ptr<Team>> teams;
            for (std::size_t i = 0; i < count; ++i) {
                teams.push_back(std::make_unique<Team>(2, options));
            }
            std::latch all_run(static_cast<std::ptrdiff_t>(count));
            std::vector<Thrown> thrown(count);
            on_threads(static_cast<int>(count), [&](int thread) {
                const auto caller = static_cast<std::size_t>(thread);
                thrown[caller] = thrown_by([&] {
                    teams[caller]->run([&](Member& me) {
                        if (me.rank() == 1) {
                            all_run.arrive_and_wait();
                            teams[(caller + 1) % count]->run([](Member& other) { other.barrier(); });
                        }
                        me.barrier();
                    });
                });
            });
            CHECK(std::ranges::count(thrown, Kind::nothing, &Thrown::kind) + 1 == static_cast<int>(count));
            const auto failed = std::ranges::find(thrown, Kind::error, &Thrown::kind);
            REQUIRE(failed != thrown.end());
            CHECK(mentions(failed->text, "wait for each other"));
            for (const auto& team : teams) {
                check_usable(*team);
            }
        }
    }
}

TEST_CASE("members may run other teams, also the same one in turn") {
    for (const TeamOptions& options : team_options()) {
        Team outer(3, options);
        Team inner(3, options);
        std::atomic<int> parts{0};
        for (int i = 0; i < 5; ++i) {
            outer.run([&](Member& me) {
                inner.run([&](Member& other) { parts += other.allreduce(1, sum); });
                me.barrier();
            });
        }
        CHECK(parts == 5 * 27);
    }
}

TEST_CASE("the caller is member 0 where it is to be, and the others have threads of their own") {
    for (const TeamOptions& options : team_options()) {
        Team team(4, options);
        CHECK(team.size() == 4);
        CHECK(team.pinning().size() == 4);
        for (int i = 0; i < 3; ++i) {
            const auto ids = team.run([](Member&) { return std::this_thread::get_id(); });
            for (std::size_t rank = 0; rank < ids.size(); ++rank) {
                const bool is_caller = options.caller_is_member && rank == 0;
                CHECK((ids[rank] == std::this_thread::get_id()) == is_caller);
            }
        }
        check_fails(team, Kind::other, {"the first one"}, [](Member& me) {
            me.rank() == 0 ? throw std::domain_error("the first one") : me.barrier();
        });
    }
    Team alone(1, {.caller_is_member = true});
    check_usable(alone);
    CHECK(mentions(alone.pinning().front(), "caller"));
}

TEST_CASE("a team recovers after an operator that has destroyed the member whose call runs it") {
    Team team(2, {.placement = Placement::none});
    const Ended ended = run(team, [](Member& me) {
        std::optional<Member> own(std::move(me));
        std::vector<double> values(10, 1);
        own->allreduce(values, [&](double a, double b) {
            if (own && own->rank() == 0) {
                own.reset();
            }
            return a + b;
        });
    });
    check_thrown(ended.run, Kind::error, {"an operator has destroyed the member"});
    check_usable(team);
}

TEST_CASE("runs follow each other at any distance") {
    for (const Wait wait : {Wait::automatic, Wait::spin, Wait::yield, Wait::sleep}) {
        Team team(3, {.group = {.wait = wait}});
        int runs = 0;
        for (int i = 0; i < 40; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(i * i));
            team.run([&](Member& me) {
                if (me.rank() == 0) {
                    ++runs;
                }
            });
        }
        CHECK(runs == 40);
    }
}

TEST_CASE("values of options that are no enumerators are refused, with those that are") {
    const auto check = [](const std::string& says, const std::function<void()>& call) {
        CHECK(check_rejected("", call) == says);
    };
    const std::string order = "`options.order` is 99, must be 0 (canonical), 1 (serial) or 2 (by_process)";
    const std::string roll_call = "roll_call: `format` is 99, must be 0 (text) or 1 (json)";
    const std::string trace = "trace: `format` is 99, must be 0 (json_lines) or 1 (perfetto)";
    const Options options{.order = no_enumerator<Order>};
    constexpr auto format = no_enumerator<RollCallFormat>;
    Team team(2, {.placement = Placement::none});
    AsyncGroup async(1);
    team.run([&](Member& me) {
        int sums = 1;
        check("allreduce: " + order, [&] { static_cast<void>(me.allreduce(1, sum, options)); });
        check("allreduce: " + order, [&] { me.start.allreduce(std::span(&sums, 1), sum, options).wait(); });
        check("barrier: " + order, [&] { static_cast<void>(me.prepare.barrier(options)); });
        check("split: `level` is 99, must be 0 (socket), 1 (numa_node), 2 (l3), 3 (l2) or 4 (core)",
              [&] { static_cast<void>(me.split(no_enumerator<Level>)); });
        check(roll_call, [&] { static_cast<void>(me.roll_call(format)); });
        check(trace, [&] { static_cast<void>(me.trace(no_enumerator<TraceFormat>)); });
        CHECK(me.allreduce(1, sum) == 2);
    });
    check("barrier: " + order, [&] { static_cast<void>(async.at(0).barrier(options)); });
    check(roll_call, [&] { static_cast<void>(async.roll_call(format)); });
    check(roll_call, [&] { static_cast<void>(team.roll_call(format)); });
    check(trace, [&] { static_cast<void>(team.trace(no_enumerator<TraceFormat>)); });
    check("GroupOptions::wait is 99, must be 0 (automatic), 1 (spin), 2 (yield) or 3 (sleep)",
          [] { const Group group(2, {.wait = no_enumerator<Wait>}); });
    check("GroupOptions::trace is 99, must be 0 (off), 1 (statistics), 2 (operations) or 3 (steps)",
          [] { const Team traced(2, {.group = {.trace = no_enumerator<Trace>}}); });
}

TEST_CASE("the library's version is that of its headers") {
    CHECK(version() == TUTTI_VERSION);
    CHECK(std::string(TUTTI_VERSION_STRING) == std::to_string(TUTTI_VERSION_MAJOR) + "." +
                                                   std::to_string(TUTTI_VERSION_MINOR) + "." +
                                                   std::to_string(TUTTI_VERSION_PATCH));
}

TEST_CASE("symbols have the version in their names, so that objects of two versions do not mix") {
    const std::string version =
        "v" + std::to_string(TUTTI_VERSION_MAJOR) + "_" + std::to_string(TUTTI_VERSION_MINOR);
    for (const std::type_info* type : {&typeid(Group), &typeid(detail::Call)}) {
        CHECK(std::string_view(type->name()).find(version) != std::string_view::npos);
    }
}
