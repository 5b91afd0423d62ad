// Groups that threads join: regions one after the other, failures that last, and several groups at once.

#include "support.hpp"

namespace {

constexpr int regions = test::reduced ? 20 : 200;

/// A member of the group fails.
void fail_as(Group& group, int rank) {
    const auto fails = [&] { group.run(rank, [](Member&) { throw std::domain_error("enough"); }); };
    check_thrown(thrown_by(fails), Kind::other, {"enough"});
}

} // namespace

TEST_CASE("the same group serves one set of threads after another") {
    Group group(4);
    for (int i = 0; i < regions / 4; ++i) {
        on_threads(4, [&](int rank) {
            Member me = group.join((rank + i) % 4);
            std::vector<int> values(static_cast<std::size_t>(1 + 100 * (i % 2)), me.rank());
            me.allreduce(values, sum);
            CHECK(values.back() == 6);
        });
    }
}

TEST_CASE("members that come after the failure are told why, as often as they come") {
    Group group(3);
    fail_as(group, 1);
    for (const int late : {2, 0, 1, 2}) {
        check_thrown(thrown_by([&] { static_cast<void>(group.join(late)); }), Kind::aborted,
                     {"the group has failed and stays failed; make a new one: ", "member 1 failed"});
    }
    group = Group(3);
    on_threads(3, [&](int rank) { CHECK(group.join(rank).allreduce(1, sum) == 3); });
}

TEST_CASE("every later call of a failed group reports why") {
    using Act = std::function<void(Member&, std::vector<int>&)>;
    const Act all[] = {
        [](Member& me, auto&) { me.barrier(); },
        [](Member& me, auto& x) { me.allreduce(x, sum); },
        [](Member& me, auto& x) { me.broadcast(x, 0); }, // the root waits for nobody
        [](Member& me, auto& x) { me.start.broadcast(x, 0).wait(); },
        [](Member& me, auto& x) { me.start.allreduce(std::span(x), sum).wait(); },
        [](Member& me, auto& x) {
            Persistent call = me.prepare.broadcast(x, 0);
            call.start();
            call.wait();
        },
        [](Member& me, auto&) { static_cast<void>(me.split(0, 0)); },
        [](Member& me, auto& x) { me.among(1).allreduce(x, sum); },
    };
    for (const Act& act : all) {
        Group group(2);
        Member me = group.join(0);
        std::vector<int> x(4, 1);
        std::jthread([&] { fail_as(group, 1); }).join();
        for (int times = 0; times < 3; ++times) {
            check_thrown(thrown_by([&] { act(me, x); }), Kind::aborted, {"member 1 failed: enough"});
        }
    }
}

TEST_CASE("a failure takes those with it that have gone on to the next region") {
    Group group(2);
    Member behind = group.join(0);
    { const Member left = group.join(1); }
    Member ahead = group.join(1);
    CHECK(thrown_by([&] {
              const Member mine = std::move(behind);
              throw std::domain_error("enough");
          }).text == "enough");
    CHECK(thrown_by([&] { ahead.barrier(); }).kind == Kind::aborted);
}

TEST_CASE("all regions before the failure succeed and all after it fail, in whatever order members come") {
    constexpr int members = 4;
    for (int round = 0; round < (test::reduced ? 30 : 100); ++round) {
        Group group(members);
        std::array<std::atomic<int>, 4> good{};
        on_threads(members, [&](int rank) {
            std::minstd_rand random(static_cast<unsigned>(round * members + rank));
            const auto loiter = [&random] { // often not at all
                random() % 4 == 0 ? std::this_thread::sleep_for(1us * (random() % 300)) : void();
            };
            for (int region = 0; region < 4; ++region) {
                const Thrown thrown = thrown_by([&] {
                    loiter();
                    group.run(rank, [&](Member& me) {
                        loiter();
                        if (region == 2 && rank == round % members) {
                            throw std::domain_error("enough");
                        }
                        const int all = me.allreduce(region, sum);
                        CHECK(all == members * region);
                        loiter();
                    });
                });
                good[static_cast<std::size_t>(region)] += thrown.kind == Kind::nothing ? 1 : 0;
                CHECK((thrown.kind == Kind::nothing || mentions(thrown.text, "enough")));
            }
        });
        CHECK(good[0] == members);
        CHECK(good[1] > 0); // the others may still have been there
        CHECK(good[2] + good[3] == 0);
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
            const Thrown thrown = thrown_by([&] { group.run(rank, call); });
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
            CHECK(group.join(0).allreduce(i, sum) == i);
            turn.store(i + 1, std::memory_order_relaxed);
        }
    });
}

TEST_CASE("a copy of a group, and one that has been moved from, are the same group") {
    static_assert(std::is_nothrow_move_constructible_v<Group> && std::is_nothrow_move_assignable_v<Group>);
    Group group(2);
    Group copy = group;
    Group moved = std::move(group);
    Group assigned(1);
    assigned = std::move(moved);
    for (Group* each :
         {&copy, &group, &moved, &assigned}) { // NOLINT(bugprone-use-after-move): it may be used
        CHECK(each->size() == 2);
        const Member me = each->join(0);
        check_rejected("taken", [&] { static_cast<void>(assigned.join(0)); });
        CHECK(copy.join(1).rank() == 1);
        CHECK(mentions(each->roll_call(), "roll call of 2 members"));
    }
}

TEST_CASE("a member joined while an exception is on its way is not taken for a failure") {
    Group group(1);
    struct Joins {
        Group& group;
        ~Joins() { CHECK(group.join(0).allreduce(3, sum) == 3); }
    };
    const Thrown thrown = thrown_by([&] {
        const Joins joins{group};
        throw std::domain_error("on its way");
    });
    CHECK(thrown.text == "on its way");
    CHECK(thrown_by([&] { group.join(0).barrier(); }).kind == Kind::nothing);
}

TEST_CASE("callers of one team take turns") {
    Team team(3, {.placement = Placement::none});
    std::atomic<int> inside{0};
    on_threads(4, [&](int caller) {
        for (int i = 0; i < regions / 8; ++i) {
            const Ended ended = run(team, [&](Member& me) {
                CHECK(++inside <= 3);
                if (caller == 3 && me.rank() == 1) {
                    --inside;
                    throw std::domain_error("mine");
                }
                int value = 100 * caller + me.rank();
                const Thrown released = thrown_by([&] { value = me.allreduce(value, sum); });
                CHECK((caller == 3 || value == 300 * caller + 3));
                CHECK((caller == 3) == (released.kind == Kind::aborted));
                --inside;
            });
            CHECK(ended.run.text == (caller == 3 ? "mine" : ""));
        }
    });
}
