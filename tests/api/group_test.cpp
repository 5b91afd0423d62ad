#include "../on_threads.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int repetitions = test::reduced ? 20 : 200;

} // namespace

TEST_CASE("threads join a group, call, and leave") {
    for (const int members : {1, 2, 5, 16}) {
        Group group(members);
        std::vector<int> sums(static_cast<std::size_t>(members));
        on_threads(members, [&](int rank) {
            Member me = group.join(rank);
            for (int i = 0; i < 20; ++i) {
                me.allreduce(rank, sums[static_cast<std::size_t>(rank)], sum);
            }
        });
        CHECK(sums == std::vector<int>(sums.size(), members * (members - 1) / 2));
    }
}

TEST_CASE("the same group serves one set of threads after another") {
    Group group(4);
    std::atomic<int> good{0};
    for (int i = 0; i < repetitions / 4; ++i) {
        on_threads(4, [&](int rank) {
            Member me = group.join((rank + i) % 4);
            std::vector<int> values(static_cast<std::size_t>(1 + 100 * (i % 2)), me.rank());
            me.allreduce(values, sum);
            good += values.back() == 6 ? 1 : 0;
        });
    }
    CHECK(good == 4 * (repetitions / 4));
}

TEST_CASE("threads that join again and again need no barrier of their own") {
    Group group(3);
    std::atomic<int> good{0};
    on_threads(3, [&](int rank) {
        for (int i = 0; i < repetitions; ++i) {
            Member me = group.join(rank);
            int value = i + rank;
            value = me.allreduce(value, max);
            good += value == i + 2 ? 1 : 0;
        }
    });
    CHECK(good == 3 * repetitions);
}

TEST_CASE("an exception in one thread releases the others, and a new group works") {
    Group group(4);
    for (int i = 0; i < repetitions / 2; ++i) {
        std::atomic<int> aborted{0};
        on_threads(4, [&](int rank) {
            const Thrown thrown = test::thrown_by([&] {
                Member me = group.join(rank);
                std::vector<double> values(200, 1.0);
                me.allreduce(values, sum);
                if (rank == i % 4) {
                    throw std::domain_error("enough");
                }
                me.allreduce(values, sum);
            });
            aborted += thrown.kind == Thrown::Kind::aborted ? 1 : 0;
        });
        CHECK(aborted == 3);
        group = Group(4);
        on_threads(4, [&](int rank) { CHECK(group.join(rank).allreduce(rank, sum) == 6); });
    }
}

TEST_CASE("what a thread has thrown ends on that thread") {
    // Elsewhere it would end while that thread may still look at it, for all that a thread sanitizer can see.
    struct Counted : std::domain_error {
        explicit Counted(std::shared_ptr<int> life) : std::domain_error("enough"), lives(std::move(life)) {}
        std::shared_ptr<int> lives;
    };
    for (const bool in_a_part : {false, true}) {
        Group group(2);
        on_threads(2, [&](int rank) {
            const auto life = std::make_shared<int>();
            const auto call = [&](Member& me) {
                Member part = me.dup();
                part.barrier();
                const auto add = [&](int one, int other) {
                    if (in_a_part && rank == 1) {
                        throw Counted(life);
                    }
                    return one + other;
                };
                if (!in_a_part && rank == 1) {
                    throw Counted(life);
                }
                static_cast<void>(part.allreduce(1, add));
            };
            const Thrown thrown = test::thrown_by([&] { group.run(rank, call); });
            CHECK((rank == 0 || thrown.text == "enough"));
            CHECK(life.use_count() == 1);
        });
    }
}

TEST_CASE("the group orders the threads that are a member one after the other") {
    Group group(1);
    std::atomic<int> turn{0};
    on_threads(2, [&](int thread) {
        for (int i = thread; i < 20; i += 2) {
            while (turn.load(std::memory_order_relaxed) != i) { // orders nothing
                std::this_thread::yield();
            }
            {
                Member me = group.join(0);
                CHECK(me.allreduce(i, sum) == i);
            }
            turn.store(i + 1, std::memory_order_relaxed);
        }
    });
}

TEST_CASE("a copy of a group is the same group") {
    Group group(2);
    Group copy = group;
    const Member me = group.join(0);
    CHECK(test::thrown_by([&] { static_cast<void>(copy.join(0)); }).kind == Thrown::Kind::argument);
    CHECK(copy.join(1).rank() == 1);
}

TEST_CASE("a group that has been moved from is still the same group") {
    static_assert(std::is_nothrow_move_constructible_v<Group> && std::is_nothrow_move_assignable_v<Group>);
    Group group(2);
    Group moved = std::move(group);
    Group assigned(1);
    assigned = std::move(moved);
    for (Group* each : {&group, &moved, &assigned}) { // NOLINT(bugprone-use-after-move): it may be used
        CHECK(each->size() == 2);
        const Member me = each->join(0);
        CHECK(test::thrown_by([&] { static_cast<void>(assigned.join(0)); }).kind == Thrown::Kind::argument);
        CHECK(test::mentions(each->roll_call(), "roll call of 2 members"));
    }
}

TEST_CASE("a member joined while an exception is on its way is not taken for a failure") {
    Group group(1);
    struct Joins {
        Group& group;
        int& value;
        ~Joins() {
            Member me = group.join(0);
            value = me.allreduce(value, sum);
        }
    };
    int value = 3;
    const Thrown thrown = test::thrown_by([&] {
        const Joins joins{group, value};
        throw std::domain_error("on its way");
    });
    CHECK(thrown.text == "on its way");
    CHECK(value == 3);
    CHECK(test::thrown_by([&] { group.join(0).barrier(); }).kind == Thrown::Kind::nothing);
}

TEST_CASE("several groups and teams at once do not disturb one another") {
    std::vector<int> sums(8);
    std::vector<std::jthread> owners;
    for (std::size_t owner = 0; owner < 2; ++owner) {
        owners.emplace_back([&sums, owner] {
            Team team(4, {.placement = "none"});
            for (int i = 0; i < repetitions / 4; ++i) {
                team.run([&](Member& me) {
                    int& sum_here = sums[owner * 4 + static_cast<std::size_t>(me.rank())];
                    me.allreduce(static_cast<int>(owner) + me.rank(), sum_here, sum);
                    me.barrier();
                });
            }
        });
    }
    Team failing(4, {.placement = "none"});
    int failures = 0;
    for (int i = 0; i < repetitions / 4; ++i) {
        const Thrown thrown = test::thrown_by([&] {
            failing.run([&](Member& me) {
                if (me.rank() == i % 4) {
                    throw std::domain_error("only here");
                }
                me.barrier();
            });
        });
        failures += thrown.text == "only here" ? 1 : 0;
    }
    owners.clear();
    CHECK(failures == repetitions / 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(sums[i] == 6);
        CHECK(sums[4 + i] == 10);
    }
}

TEST_CASE("callers of one team take turns") {
    Team team(3, {.placement = "none"});
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> good{0};
    std::atomic<int> failed{0};
    on_threads(4, [&](int caller) {
        for (int i = 0; i < repetitions / 8; ++i) {
            const Thrown thrown = test::thrown_by([&] {
                team.run([&](Member& me) {
                    const int now = ++inside;
                    int seen = most;
                    while (now > seen && !most.compare_exchange_weak(seen, now)) {
                    }
                    if (caller == 3 && me.rank() == 1) {
                        --inside;
                        throw std::domain_error("mine");
                    }
                    int value = 100 * caller + me.rank();
                    const Thrown released = test::thrown_by([&] { value = me.allreduce(value, sum); });
                    good += value == 300 * caller + 3 ? 1 : 0;
                    --inside;
                    CHECK((caller == 3) == (released.kind == Thrown::Kind::aborted));
                });
            });
            failed += thrown.text == "mine" ? 1 : 0;
        }
    });
    CHECK(most <= 3);
    CHECK(good == 3 * 3 * (repetitions / 8));
    CHECK(failed == repetitions / 8);
}
