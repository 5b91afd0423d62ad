// A team beside threads and teams that come and go around it.
#include "support.hpp"

#include <pthread.h>

using namespace tutti;
using namespace tutti::test;

#ifndef _LIBCPP_VERSION // with libc++, pthread_exit() in a function that catches everything ends the program
TEST_CASE("a member whose thread ends releases the others, and the team gets another thread") {
    for (const int members : {1, 2, 4}) {
        Team team(members, {.placement = "none"});
        for (int round = 0; round < 6; ++round) {
            const int ended = round % members;
            Outcomes outcomes(members);
            const Thrown reached = test::thrown_by([&] {
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
            CHECK(reached.kind == Thrown::Kind::error);
            CHECK(mentions(reached.text, "member " + std::to_string(ended) + "'s thread was ended by "));
            CHECK(outcomes.count(Thrown::Kind::aborted) == members - 1);
            check_usable(team);
        }
    }
}

TEST_CASE("a member's thread may end in an operator or a sub-group") {
    Team team(3, {.placement = "none"});
    for (const std::size_t elements : {std::size_t{1}, std::size_t{1000}}) {
        for (const bool in_sub_group : {false, true}) {
            const Thrown reached = test::thrown_by([&] {
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
            CHECK(reached.kind == Thrown::Kind::error);
            CHECK(mentions(reached.text, "member 1's thread was ended by "));
            check_usable(team);
        }
    }
}

TEST_CASE("a thread that calls a team and is ended in its part takes nobody with it") {
    Team team(2, {.placement = "none", .caller_is_member = true});
    Thrown other;
    bool went_on = false;
    std::thread([&] {
        team.run([&](Member& me) {
            if (me.rank() == 0) {
                pthread_exit(nullptr);
            }
            other = test::thrown_by([&] { me.barrier(); });
        });
        went_on = true;
    }).join();
    CHECK_FALSE(went_on);
    CHECK(other.kind == Thrown::Kind::aborted);
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
            const Thrown thrown = test::thrown_by([&] { a.run(part); });
            CHECK(thrown.kind == Thrown::Kind::error);
            CHECK(mentions(thrown.text, "wait for itself"));
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
            std::vector<std::thread> callers;
            for (std::size_t i = 0; i < count; ++i) {
                callers.emplace_back([&, i] {
                    thrown[i] = test::thrown_by([&] {
                        teams[i]->run([&](Member& me) {
                            if (me.rank() == 1) {
                                all_run.arrive_and_wait();
                                teams[(i + 1) % count]->run([](Member& other) { other.barrier(); });
                            }
                            me.barrier();
                        });
                    });
                });
            }
            for (std::thread& caller : callers) {
                caller.join();
            }
            int failed = 0;
            for (const Thrown& each : thrown) {
                failed += each.kind != Thrown::Kind::nothing ? 1 : 0;
                CHECK((each.kind == Thrown::Kind::nothing || each.kind == Thrown::Kind::error));
                CHECK((each.kind == Thrown::Kind::nothing || mentions(each.text, "wait for each other")));
            }
            CHECK(failed == 1);
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
        for (int i = 0; i < (test::reduced ? 3 : 20); ++i) {
            outer.run([&](Member& me) {
                inner.run([&](Member& other) {
                    other.barrier();
                    ++parts;
                });
                me.barrier();
            });
        }
        CHECK(parts == (test::reduced ? 3 : 20) * 9);
    }
}

TEST_CASE("the caller is member 0 where it is to be, and the others have threads of their own") {
    for (const TeamOptions& options : team_options()) {
        Team team(4, options);
        CHECK(team.size() == 4);
        CHECK(team.pinning().size() == 4);
        for (int i = 0; i < 3; ++i) {
            std::vector<std::thread::id> ids(4);
            team.run(
                [&](Member& me) { ids[static_cast<std::size_t>(me.rank())] = std::this_thread::get_id(); });
            for (std::size_t rank = 0; rank < ids.size(); ++rank) {
                const bool is_caller = options.caller_is_member && rank == 0;
                CHECK((ids[rank] == std::this_thread::get_id()) == is_caller);
            }
        }
        const Thrown thrown = test::thrown_by([&] {
            team.run([](Member& me) {
                if (me.rank() == 0) {
                    throw std::domain_error("the first one");
                }
                me.barrier();
            });
        });
        CHECK(thrown.text == "the first one");
        check_usable(team);
    }
    Team alone(1, {.caller_is_member = true});
    check_usable(alone);
    CHECK(mentions(alone.pinning().front(), "caller"));
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
