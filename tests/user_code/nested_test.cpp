// Operations and members that end inside an operator, or while a failure of another group is under way.

#include "two_members.hpp"

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

} // namespace

TEST_CASE("two groups that fail crosswise release members that wait in a call of the other group") {
    Team team(3, {.placement = "none", .group = {.timeout = 20s}});
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
