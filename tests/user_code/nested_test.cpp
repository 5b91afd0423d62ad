// Operations and members that end inside an operator, or while a failure of another group is under way.

#include "two_members.hpp"
#include "verdicts.hpp"

namespace {

const std::vector<double> one(1, 1);
const std::vector<double> large_ones(20000, 1);

/// Adds, and does something the first time.
Adds once(std::function<void()> act) {
    return {[act = std::move(act), is_done = std::make_shared<bool>()] {
        if (!std::exchange(*is_done, true)) {
            act();
        }
    }};
}

/// An operator of member 0 acts while a function or coroutine waits for an operation that is over.
void act_beside_ready(bool is_coroutine, const std::function<void(Beside&)>& act) {
    const Thrown thrown = run_both([&](Beside& own) {
        std::vector<double> beside(10);
        bool is_inside = false;
        bool is_called = false;
        if (own.is_first()) {
            own.request = own.side->start.allreduce(ones, beside, sum);
            const auto follows = [&] {
                CHECK(!is_inside);
                is_called = true;
            };
            std::optional<Task> task;
            if (is_coroutine) {
                task.emplace(coroutine(own.request, follows));
            } else {
                own.request.then([&](const std::exception_ptr&) { follows(); });
            }
            own.me.allreduce(ones, own.out, once([&] {
                                 progress_until([&] { return beside[9] == 2; });
                                 is_inside = true;
                                 act(own);
                                 is_inside = false;
                             }));
            own.me.barrier();
            own.me.start.barrier().wait();
            CHECK(is_called);
        } else {
            own.side->start.allreduce(ones, beside, sum).wait();
            Turn::hesitate();
            own.me.allreduce(ones, own.out, once([] {}));
            Turn::hesitate();
            own.me.barrier();
            own.me.start.barrier().wait();
        }
    });
    CHECK(thrown.text == "");
}

} // namespace

TEST_CASE("two groups that fail crosswise release members that wait in a call of the other group") {
    Team team(3, {.placement = Placement::none, .group = {.timeout = 20s}});
    for (int round = 0; round < 10; ++round) {
        std::latch started(2);
        std::barrier<> both(2);
        std::barrier<> end(3); // a member that leaves early is a failure of its own
        std::array<Thrown, 2> called;
        std::array<Thrown, 2> waited;
        static_cast<void>(thrown_by([&] {
            team.run([&](Member& me) {
                const bool is_last = me.rank() == 2;
                const std::size_t own = index_of(me);
                std::array<Member, 2> groups{me.dup(), me.dup()};
                std::array<Request, 2> requests;
                std::array<std::vector<double>, 2> out{one, one};
                std::vector<double> large(large_ones.size());
                if (is_last) {
                    started.wait();
                }
                static_cast<void>(thrown_by([&] {
                    for (const std::size_t group : {0U, 1U}) {
                        const Adds fails = once([&both, fails_here = group == 1 - own] {
                            if (fails_here) {
                                both.arrive_and_wait();
                                throw std::runtime_error("own");
                            }
                        });
                        requests[group] = groups[group].start.allreduce(one, out[group], fails);
                    }
                }));
                if (!is_last) {
                    started.count_down();
                    called[own] = thrown_by([&] { groups[own].allreduce(large_ones, large, sum); });
                    waited[own] = thrown_by([&] { requests[1 - own].wait(); });
                }
                end.arrive_and_wait();
            });
        }));
        for (const std::size_t member : {0U, 1U}) {
            check_thrown(waited[member], Kind::other, {"own"});
            check_thrown(called[member], Kind::aborted, {"failed: own"});
        }
    }
}

TEST_CASE("an operator's call ends by its timeout if the other member waits until the operator ends") {
    std::array<Thrown, 2> called;
    std::array<Thrown, 2> waited;
    Turn started;
    run_both([&](Beside& own) {
        std::vector<double> large(large_ones.size());
        std::vector<double> sum_of_both(1);
        const auto call = [&] { own.other.allreduce(large_ones, large, sum, {.timeout = 100ms}); };
        const auto start = [&](std::function<void()> act) {
            return own.side->start.allreduce(one, sum_of_both, once(std::move(act)));
        };
        if (own.is_first()) {
            started.await();
            waited[0] = thrown_by([&] {
                start([&] {
                    called[0] = thrown_by(call);
                    throw std::runtime_error("own 0");
                }).wait();
            });
        } else {
            Request request = start([] {
                Turn::hesitate();
                throw std::runtime_error("own 1");
            });
            started.pass();
            called[1] = thrown_by(call);
            waited[1] = thrown_by([&] { request.wait(); });
        }
    });
    CHECK(called[0].kind == Kind::timeout);
    CHECK(called[1].kind == Kind::timeout);
    check_thrown(waited[0], Kind::other, {"own 0"});
    check_thrown(waited[1], Kind::other, {"own 1"});
}

TEST_CASE("an operator that start() runs destroys its persistent operation, and then fails") {
    enum class End { none, exception, abort, destroy };
    constexpr std::array<std::pair<Kind, const char*>, 4> expected{
        {{Kind::nothing, ""},
         {Kind::other, "own"},
         {Kind::aborted, "own"},
         {Kind::aborted, "an operator has destroyed the member"}}};
    for (const End end : {End::none, End::exception, End::abort, End::destroy}) {
        Thrown started;
        run_both([&](Beside& own) {
            Persistent operation = own.side->prepare.allreduce(ones, own.out, once([&] {
                                                                   if (!own.is_first()) {
                                                                       return;
                                                                   }
                                                                   operation = Persistent();
                                                                   if (end == End::exception) {
                                                                       throw std::runtime_error("own");
                                                                   }
                                                                   if (end == End::abort) {
                                                                       own.side->abort("own");
                                                                   }
                                                                   if (end == End::destroy) {
                                                                       own.side.reset();
                                                                   }
                                                               }));
            if (!own.is_first()) {
                operation.start();
            }
            own.me.barrier();
            if (own.is_first()) {
                started = thrown_by([&] { operation.start(); });
            }
            own.me.barrier();
            static_cast<void>(thrown_by([&] { operation.wait(); }));
        });
        const auto& [kind, text] = expected[static_cast<std::size_t>(end)];
        check_thrown(started, kind, {text});
    }
}

TEST_CASE("an operator may own the last handle of its member") {
    for (const bool destroys_request : {false, true}) {
        Group group(2, {.timeout = 20s});
        on_threads(2, [&](int rank) {
            auto me = std::make_shared<Member>(group.join(rank));
            std::weak_ptr<Member> seen = me;
            std::vector<double> out(10);
            Persistent beside = me->prepare.barrier();
            std::optional<Request> request;
            if (rank == 0) {
                Turn::hesitate();
            }
            request = me->start.allreduce(ones, out, once([me, &request, destroys_request] {
                                              if (destroys_request) {
                                                  request.reset();
                                              }
                                          }));
            beside.start();
            me.reset();
            beside.wait();
            if (request) {
                request->wait();
            }
            CHECK(out == std::vector<double>(10, 2));
            request.reset();
            CHECK(seen.expired());
        });
    }
}

TEST_CASE("no function is called inside an operator, whatever it destroys") {
    for (const bool is_coroutine : {false, true}) {
        const auto end_request = [](Beside& own) { own.request = Request(); };
        const auto end_member = [](Beside& own) { own.side.reset(); };
        act_beside_ready(is_coroutine, end_request);
        act_beside_ready(is_coroutine, end_member);
        act_beside_ready(is_coroutine, [&](Beside& own) {
            end_request(own);
            end_member(own);
        });
        act_beside_ready(is_coroutine, [&](Beside& own) {
            end_member(own);
            end_request(own);
        });
    }
}

TEST_CASE("a function that an operator passes to then() of an operation that is over is called later") {
    const Thrown thrown = run_both([](Beside& own) {
        std::vector<double> beside(10);
        bool is_inside = false;
        bool is_called = false;
        own.request = own.side->start.allreduce(ones, beside, sum);
        own.request.wait();
        own.me.start
            .allreduce(ones, own.out, once([&] {
                           is_inside = true;
                           own.request.then([&](const std::exception_ptr&) {
                               CHECK(!is_inside);
                               is_called = true;
                           });
                           is_inside = false;
                       }))
            .wait();
        progress_until([&] { return is_called; });
    });
    CHECK(thrown.text == "");
}

TEST_CASE("test_any: a function destroys its request, which has failed, and its member") {
    std::array<Request, 1> requests;
    bool is_called = false;
    run_beside(
        true,
        [&](Beside& own, const std::exception_ptr& failure) {
            CHECK(failure != nullptr);
            is_called = true;
            own.side.reset();
            requests[0] = Request();
        },
        [&](Beside& own) {
            requests[0] = std::move(own.request);
            while (!is_called) {
                static_cast<void>(test_any(requests));
            }
            CHECK(test_any(requests) == requests.size());
        });
}
