// Members that leave: sub-groups that are kept from one run or region to the next, and regions in which
// others wait.

#include "support.hpp"

namespace {

GroupOptions leaving(Wait wait = Wait::automatic) {
    return {.wait = wait, .timeout = 60s};
}

/// What each thread throws in a region in which the last member does not act.
std::vector<Thrown> all_but_the_last(Group& group, const std::function<void(Member&)>& act) {
    return run_threads(group, group.size(), [&](Member& me) {
        me.barrier(); // all have joined
        if (me.rank() != me.size() - 1) {
            act(me);
        }
    });
}

/// Whoever looks first says it, the others may be released by that.
void check_released_by(const std::vector<Thrown>& thrown, const std::string& what) {
    CHECK(thrown.back().kind == Kind::nothing);
    for (std::size_t rank = 0; rank + 1 < thrown.size(); ++rank) {
        INFO(thrown[rank].text);
        CHECK((thrown[rank].kind == Kind::mismatch || thrown[rank].kind == Kind::aborted));
        CHECK(mentions(thrown[rank].text, what));
    }
}

} // namespace

TEST_CASE("a kept sub-group learns of failures after a run that ended in different calls") {
    Team team(3, {.placement = Placement::none});
    std::vector<std::optional<Member>> kept(3);
    team.run([&](Member& me) { kept[index_of(me)] = me.split(me.rank() % 2, 0); });
    check_fails(team, Kind::mismatch, {}, [](Member& me) {
        int value = 1;
        if (me.rank() == 0) {
            value = me.broadcast(value, 0); // which waits for nobody
        }
    });
    const auto call = [&](Member& me) { return kept[index_of(me)]->allreduce(1, sum); };
    CHECK(team.run(call) == std::vector<int>{2, 1, 2});
    check_fails(team, Kind::other, {"no more data"}, [&](Member& me) {
        if (me.rank() == 1) {
            throw std::domain_error("no more data");
        }
        for (;;) {
            call(me);
        }
    });
    // It stays failed.
    check_fails(team, Kind::aborted, {"no more data"}, [&](Member& me) { static_cast<void>(call(me)); });
}

TEST_CASE("an exception in a region of a joined group releases those that wait in a kept sub-group") {
    Group group(3);
    std::vector<std::optional<Member>> twins(3);
    run_threads(group, 3, [&](Member& me) { twins[index_of(me)] = me.dup(); });
    const std::vector<Thrown> thrown = run_threads(group, 3, [&](Member& me) {
        me.rank() == 1 ? throw std::domain_error("no more data") : twins[index_of(me)]->barrier();
    });
    check_thrown(thrown[0], Kind::aborted, {"no more data"});
    check_thrown(thrown[2], Kind::aborted, {"no more data"});
}

TEST_CASE("a failure elsewhere in the midst of a split") {
    Team team(5, {.placement = Placement::none});
    for (int i = 0; i < (reduced ? 10 : 60); ++i) {
        Outcomes outcomes(5);
        const Thrown reached = thrown_by([&] {
            team.run([&](Member& me) {
                outcomes.note(me, [&] {
                    std::optional<Member> row = me.split(me.rank() == 4 ? std::nullopt : std::optional(0), 0);
                    while (row) {
                        static_cast<void>(row->dup());
                    }
                });
                std::this_thread::sleep_for(std::chrono::microseconds(40 * (i % 50)));
                throw std::domain_error("no more data");
            });
        });
        CHECK(reached.text == "no more data");
        CHECK(outcomes.count(Kind::aborted) == 4);
    }
}

TEST_CASE("members that wait for one that has left are told so at once, by whatever call they wait") {
    for (const Wait wait : {Wait::automatic, Wait::spin, Wait::yield, Wait::sleep}) {
        Group group(3, leaving(wait));
        check_released_by(
            all_but_the_last(group, [](Member& me) { static_cast<void>(me.allreduce(1, sum)); }),
            "member 2 has returned without calling it");
    }
    Group subset(2, leaving());
    check_released_by(
        all_but_the_last(subset, [](Member& me) { static_cast<void>(me.among(2).allreduce(1, sum)); }),
        "member 1 has returned without calling it");
    Group nonblocking(3, leaving());
    check_released_by(all_but_the_last(nonblocking, [](Member& me) { me.start.barrier().wait(); }),
                      "member 2 has returned without starting it");
}

TEST_CASE("a member that has left after all calls ends nobody's") {
    Group group(3, leaving());
    on_threads(3, [&](int rank) {
        for (int region = 0; region < 300; ++region) {
            if (region % 10 == rank) {
                std::this_thread::sleep_for(1ms); // the others are there and wait
            }
            group.run(rank, [&](Member& me) {
                CHECK(me.allreduce(1, sum) == 3);
                CHECK(me.broadcast(me.rank() == 0 ? region : -1, 0) == region);
            });
        }
    });
}

TEST_CASE("a member that leaves to join again is late for the calls of the region") {
    Group group(2, leaving());
    Thrown told;
    std::atomic<bool> is_told = false;
    on_threads(2, [&](int rank) {
        if (rank == 0) {
            told = thrown_by([&] {
                group.run(0, [](Member& me) {
                    me.barrier();
                    me.barrier();
                });
            });
            is_told = true;
            is_told.notify_one();
            return;
        }
        group.run(1, [](Member& me) { me.barrier(); });
        // The join is refused if the group has failed before.
        static_cast<void>(thrown_by([&] { group.run(1, [&](Member&) { is_told.wait(false); }); }));
    });
    check_thrown(told, Kind::mismatch, {"member 1 has returned without calling it"});
}

TEST_CASE("a call of one region is none of the next one, for which a member has left it") {
    for (const auto pause : {0us, 3000us}) {
        for (int run = 0; run < 10; ++run) {
            Group group(2, leaving());
            Thrown told;
            std::atomic<int> wrong = 0;
            const auto check_sum = [&](Member& me, int own) {
                wrong += me.allreduce(own, sum) != 2 * own ? 1 : 0;
            };
            on_threads(2, [&](int rank) {
                if (rank == 0) {
                    told = thrown_by([&] { group.run(0, [&](Member& me) { check_sum(me, 1); }); });
                } else {
                    std::this_thread::sleep_for(pause);
                    group.run(1, [](Member&) {});
                }
                // Refused or released, if the other has noticed by then.
                static_cast<void>(
                    thrown_by([&] { group.run(rank, [&](Member& me) { check_sum(me, 1000); }); }));
            });
            CHECK(wrong == 0);
            INFO(told.text);
            CHECK(told.kind != Kind::nothing);
            CHECK(told.kind != Kind::timeout);
        }
    }
}
