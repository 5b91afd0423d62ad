#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using MemberFunction = std::function<void(Member&)>;

constexpr int repetitions = test::reduced ? 10 : 50;

/// Runs a part that cannot succeed, notes what it throws on each member, and checks what reaches the caller.
/// Afterwards the team must work.
class Failing {
public:
    explicit Failing(int members) : team_(members, {.placement = "none"}), outcomes_(members) {}

    /// The exception goes through the part, as it does in a program that does not expect it.
    Thrown run(const MemberFunction& part) {
        outcomes_ = Outcomes(team_.size());
        const Thrown reached = test::thrown_by([&] {
            team_.run([&](Member& me) {
                std::exception_ptr failure;
                outcomes_.note(me, [&] {
                    try {
                        part(me);
                    } catch (...) {
                        failure = std::current_exception();
                        throw;
                    }
                });
                if (failure != nullptr) {
                    std::rethrow_exception(failure);
                }
            });
        });
        check_usable();
        return reached;
    }

    const Outcomes& outcomes() const { return outcomes_; }

private:
    void check_usable() {
        std::vector<int> sums(static_cast<std::size_t>(team_.size()));
        team_.run([&](Member& me) {
            std::vector<int> large(1000, me.rank());
            me.allreduce(large, sum);
            me.allreduce(me.rank(), sums[static_cast<std::size_t>(me.rank())], sum);
        });
        CHECK(sums == std::vector<int>(sums.size(), team_.size() * (team_.size() - 1) / 2));
    }

    Team team_;
    Outcomes outcomes_;
};

/// An allreduce of `elements` integers whose operator throws on one member.
void reduce_with_throwing_operator(Member& me, int thrower, std::size_t elements,
                                   std::string_view algorithm) {
    std::vector<int> in(elements, 1);
    std::vector<int> out(elements);
    const bool throws = me.rank() == thrower;
    const auto op = [throws](int a, int b) {
        if (throws && b == 1) {
            throw std::domain_error("the operator gave up");
        }
        return a + b;
    };
    me.allreduce(in, out, op, {.algorithm = algorithm});
}

} // namespace

TEST_CASE("an exception in one member's function releases the others and reaches the caller") {
    for (const int members : {1, 2, 3, 8}) {
        Failing failing(members);
        for (int i = 0; i < repetitions; ++i) {
            const int thrower = i % members;
            const Thrown reached = failing.run([&](Member& me) {
                if (me.rank() == thrower) {
                    throw std::domain_error("no more data");
                }
                std::vector<double> values(static_cast<std::size_t>(1 + 300 * (i % 2)), 1.0);
                me.allreduce(values, sum);
            });
            CHECK(reached.kind == Thrown::Kind::other);
            CHECK(reached.text == "no more data");
            CHECK(failing.outcomes().count(Thrown::Kind::aborted) == members - 1);
            if (members > 1) {
                CHECK(mentions(failing.outcomes().text(Thrown::Kind::aborted),
                               "member " + std::to_string(thrower) + " failed: no more data"));
            }
        }
    }
}

TEST_CASE("a repeated call that waits for nobody sees that its group has failed") {
    Failing failing(2);
    const Thrown reached = failing.run([&](Member& me) {
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
    CHECK(reached.text == "no more data");
    CHECK(failing.outcomes().count(Thrown::Kind::aborted) == 1);
}

TEST_CASE("an exception in an operator releases the others and reaches the caller") {
    for (const int members : {2, 3, 8}) {
        Failing failing(members);
        for (int i = 0; i < repetitions; ++i) {
            const std::size_t elements = i % 3 == 0 ? 1 : 1000;
            const std::string_view algorithm = i % 2 == 0 ? "" : "circulant";
            const Thrown reached = failing.run([&](Member& me) {
                const int thrower = elements == 1 && i % 2 != 0 ? 0 : i % members;
                reduce_with_throwing_operator(me, thrower, elements, algorithm);
                me.barrier();
            });
            CHECK(reached.kind == Thrown::Kind::other);
            CHECK(reached.text == "the operator gave up");
            CHECK(failing.outcomes().count(Thrown::Kind::aborted) == members - 1);
        }
    }
}

TEST_CASE("what one member's operator throws does not end others' use of its vectors") {
    // The first member fails at once and unwinds; the last one still reads the first one's vectors by then,
    // and stores into them.
    Failing failing(3);
    for (int i = 0; i < repetitions; ++i) {
        failing.run([&](Member& me) {
            std::vector<int> in(300, 1);
            std::vector<int> out(300);
            const bool throws = me.rank() == 0;
            const auto op = [&](int a, int b) {
                if (throws) {
                    throw std::domain_error("at once");
                }
                std::this_thread::sleep_for(std::chrono::microseconds(20));
                return a + b;
            };
            me.allreduce(in, out, op, {.algorithm = "direct"});
        });
    }
}

TEST_CASE("a member that returns without calling releases those that wait for it") {
    for (const int members : {2, 3, 8}) {
        Failing failing(members);
        for (int i = 0; i < repetitions; ++i) {
            const int absent = i % members;
            const Thrown reached = failing.run([&](Member& me) {
                if (me.rank() != absent) {
                    std::vector<int> values(static_cast<std::size_t>(1 + 300 * (i % 2)), 1);
                    me.allreduce(values, sum);
                }
            });
            CHECK(reached.kind == Thrown::Kind::mismatch);
            CHECK(mentions(reached.text, "member " + std::to_string(absent) + " has returned"));
            CHECK(failing.outcomes().of(absent).kind == Thrown::Kind::nothing);
            CHECK(failing.outcomes().count(Thrown::Kind::nothing) == 1);
        }
    }
}

TEST_CASE("failures and successes take turns") {
    Team team(4, {.placement = "none"});
    for (int i = 0; i < 4 * repetitions; ++i) {
        const Thrown reached = test::thrown_by([&] {
            team.run([&](Member& me) {
                for (int call = 0; call < i % 7; ++call) {
                    int value = 1;
                    value = me.allreduce(value, sum);
                    if (value != 4) {
                        throw std::logic_error("wrong sum");
                    }
                }
                if (me.rank() == i % 4 && i % 2 == 0) {
                    throw std::domain_error("now");
                }
                me.barrier();
            });
        });
        CHECK(reached.text == (i % 2 == 0 ? "now" : ""));
    }
}

TEST_CASE("a member that swallows its failure cannot hide it") {
    Team team(3, {.placement = "none"});
    std::vector<Thrown> second(3);
    const Thrown reached = test::thrown_by([&] {
        team.run([&](Member& me) {
            test::thrown_by([&] { reduce_with_throwing_operator(me, 1, 1000, ""); });
            second[static_cast<std::size_t>(me.rank())] = test::thrown_by([&] { me.barrier(); });
        });
    });
    CHECK(reached.text == "the operator gave up");
    for (const Thrown& thrown : second) {
        CHECK(thrown.kind == Thrown::Kind::aborted);
    }
}

TEST_CASE("what is thrown need not be a std::exception") {
    Team team(2, {.placement = "none"});
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
        Team team(members, {.placement = "none"});
        std::vector<Thrown> thrown(static_cast<std::size_t>(members));
        CHECK_THROWS_AS(team.run([&](Member& me) {
            double x = 1;
            const auto repeat = [&] { me.allreduce(std::span(&x, 1), sum); };
            thrown[static_cast<std::size_t>(me.rank())] = thrown_by([&] {
                for (int call = 0; call < 5; ++call) {
                    repeat();
                }
                if (me.rank() == 0) {
                    CHECK(thrown_by([&] { me.reduce(std::span(&x, 1), sum, 99); }).kind ==
                          Thrown::Kind::argument);
                    me.abort("given up");
                }
                repeat();
            });
            throw std::runtime_error("the end");
        }),
                        Error);
        for (const Thrown& each : thrown) {
            CHECK(mentions(each.text, "given up"));
        }
    }
}
