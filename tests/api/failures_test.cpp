// Failures of members of a team: in their functions, in operators, and with operations outstanding.

#include "coroutines.hpp"
#include "support.hpp"

TEST_CASE("a repeated call that waits for nobody sees that its group has failed") {
    const Outcomes each = check_fails(2, Kind::other, {"no more data"}, [](Member& me) {
        std::optional<Member> alone = me.split(me.rank(), 0);
        double value = alone->allreduce(1.0, sum);
        value = alone->allreduce(value, sum); // is repeated from now on
        if (me.rank() == 0) {
            throw std::domain_error("no more data");
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (std::chrono::steady_clock::now() < end) {
            value = alone->allreduce(value, sum);
        }
    });
    CHECK(each.count(Kind::aborted) == 1);
}

TEST_CASE("what one member's operator throws does not end others' use of its vectors") {
    // The first member fails at once and unwinds; the last one still reads the first one's vectors by then,
    // and stores into them.
    Team team(3, {.placement = Placement::none});
    for (int i = 0; i < (test::reduced ? 10 : 50); ++i) {
        check_fails(team, Kind::other, {"at once"}, [](Member& me) {
            std::vector<int> in(300, 1);
            std::vector<int> out(300);
            const bool throws = me.rank() == 0;
            const auto op = [&](int a, int b) {
                if (throws) {
                    throw std::domain_error("at once");
                }
                std::this_thread::sleep_for(20us);
                return a + b;
            };
            me.allreduce(in, out, op, {.algorithm = "direct"});
        });
    }
}

TEST_CASE("what is thrown need not be a std::exception") {
    Team team(2, {.placement = Placement::none});
    int caught = 0;
    try {
        team.run([](Member& me) {
            if (me.rank() == 1) {
                throw 42;
            }
            me.barrier();
        });
    } catch (int value) {
        caught = value;
    }
    CHECK(caught == 42);
}

TEST_CASE("a member that aborts after a wrong argument makes no more calls, also none that it has repeated") {
    for (const int members : {1, 2}) {
        Outcomes outcomes(members);
        Team team(members, {.placement = Placement::none});
        const auto part = [&](Member& me) {
            double x = 1;
            outcomes.note(me, [&] {
                for (int call = 0; call < 6; ++call) {
                    if (call == 5 && me.rank() == 0) {
                        check_rejected("", [&] { me.reduce(std::span(&x, 1), sum, 99); });
                        me.abort("given up");
                    }
                    me.allreduce(std::span(&x, 1), sum);
                }
            });
            throw std::runtime_error("the end");
        };
        CHECK_THROWS_AS(team.run(part), Error);
        for (int rank = 0; rank < members; ++rank) {
            CHECK(mentions(outcomes.of(rank).text, "given up"));
        }
    }
}

TEST_CASE("wrong arguments are rejected on the spot, and the member starts again") {
    check_members(2, [](Member& me) {
        std::vector<int> in(4, 1), out(4), longer(5);
        std::vector<float> other(4);
        check_rejected("allreduce", [&] { const Request bad = me.start.allreduce(in, longer, sum); });
        Persistent step = me.prepare.allreduce(in, out, sum);
        check_rejected("start: `out` has 5 elements, but was prepared with 4",
                       [&] { step.start(in, longer); });
        check_rejected("prepared with two vectors", [&] { step.start(in); });
        check_rejected("do not overlap as they did", [&] { step.start(in, in); });
        check_rejected("allreduce: `out` has 4 elements but is a null pointer",
                       [&] { step.start(in, std::span<int>(static_cast<int*>(nullptr), 4)); });
        check_rejected("with which the operation was prepared", [&] { step.start(other, other); });
        if (me.rank() == 1) {
            me.barrier();
        }
        step.start();
        if (me.rank() == 0) {
            CHECK(mentions(thrown_by([&] { step.start(); }).text, "still outstanding"));
            me.barrier();
        }
        step.wait();
        return out[3] == 2;
    });
}

TEST_CASE("a failure ends all that is outstanding, once and for all, and the next run is whole") {
    constexpr int members = 3;
    Team team(members, {.placement = Placement::none});
    for (int failing = 0; failing < members; ++failing) {
        std::array<std::vector<Request>, members> kept;
        std::vector<std::vector<int>> vectors(members * 100, std::vector<int>(500, 1));
        const Outcomes each = check_fails(team, Kind::other, {"member gives up"}, [&](Member& me) {
            for (std::size_t i = 0; i < 100; ++i) {
                if (me.rank() == failing && i == 50) {
                    throw std::runtime_error("member gives up");
                }
                kept[index_of(me)].push_back(me.start.allreduce(vectors[100 * index_of(me) + i], sum));
            }
            wait_all(kept[index_of(me)]);
        });
        CHECK(each.count(Kind::aborted) == members - 1);
        for (auto& requests : kept) {
            for (Request& request : requests) {
                const Kind again = thrown_by([&] { request.wait(); }).kind;
                CHECK((again == Kind::aborted || again == Kind::nothing));
            }
        }
        kept = {};
        team.run([&](Member& me) {
            std::vector<int> vector(10, 1);
            me.start.allreduce(vector, sum).wait();
            CHECK(vector[0] == members);
        });
    }
}

TEST_CASE("after a failure nobody touches the vectors of what has been outstanding, and coroutines go on") {
    std::atomic<bool> has_failed{false};
    check_fails(2, Kind::other, {"broken"}, [&](Member& me) {
        std::vector<int> in(1000, 1), out(1000);
        if (me.rank() == 1) {
            has_failed = true;
            throw std::runtime_error("broken");
        }
        Request other = me.start.barrier();
        const Task task = one_step(me, in, out);
        await(has_failed, true);
        while (thrown_by([&] { other.test(); }).kind == Kind::nothing) {
        }
        // Whichever request was asked, all are over.
        CHECK(mentions(thrown_by([] { progress_until([] { return false; }); }).text,
                       "no outstanding operation"));
        CHECK(task.is_done());
        CHECK(thrown_by([&] { std::rethrow_exception(task.thrown()); }).kind == Kind::aborted);
    });
}

TEST_CASE("a member that fails does not wait for one that computes with operations outstanding") {
    std::atomic<bool> is_started{false}, has_failed{false};
    check_fails(2, Kind::other, {"operator"}, [&](Member& me) {
        std::vector<int> vector(10000, 1), other(7);
        const auto operation = [](int, int) -> int { throw std::runtime_error("operator"); };
        Request request = me.start.allreduce(vector, sum);
        if (me.rank() == 0) {
            const Request fails = me.start.allreduce(other, operation);
            is_started = true;
            await(has_failed, true); // computes
            request.wait();
        } else {
            await(is_started, true);
            const Thrown thrown = thrown_by([&] { me.start.allreduce(other, operation).wait(); });
            has_failed = true;
            CHECK(thrown.text == "operator");
        }
    });
}

TEST_CASE("an operation that fails ends when no other member computes with the vectors of the group") {
    std::atomic<bool> is_started{false}, computes{false}, may_end{false}, has_ended{false};
    check_fails(2, Kind::other, {"operator"}, [&](Member& me) {
        const std::vector<int> in(300, 1), few(7, 1);
        std::vector<int> out(in.size()), other(few.size());
        const bool is_slow = me.rank() == 1;
        const auto slow = [&](int a, int b) {
            if (is_slow && !computes.exchange(true)) {
                await(may_end, true);
                has_ended = true;
            }
            return a + b;
        };
        const auto fails = [is_slow](int a, int b) {
            return is_slow ? a + b : throw std::runtime_error("operator");
        };
        if (is_slow) {
            Request first = me.start.allreduce(in, out, slow);
            const Request second = me.start.allreduce(few, other, fails);
            is_started = true;
            first.wait();
        } else {
            await(is_started, true); // so that the other computes in its wait
            Request first = me.start.allreduce(in, out, slow);
            while (!computes) {
                first.test();
            }
            const std::jthread later([&] {
                std::this_thread::sleep_for(50ms);
                may_end = true;
            });
            CHECK(thrown_by([&] { me.start.allreduce(few, other, fails).wait(); }).text == "operator");
            CHECK(has_ended);
        }
    });
}
