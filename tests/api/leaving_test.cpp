// Members that leave: sub-groups that are kept from one run or region to the next, and regions in which
// others wait.

#include "support.hpp"

namespace {

constexpr int kept_rounds = reduced ? 5 : 30;

/// A team whose members keep a sub-group of two or three each, made of a duplicate of all.
class Keeping {
public:
    explicit Keeping(int members)
        : team_(members, {.placement = "none"}), rows_(static_cast<std::size_t>(members)) {
        split();
    }

    void split() {
        for (std::optional<Member>& row : rows_) {
            row.reset();
        }
        team_.run([&](Member& me) {
            Member all = me.dup();
            row(me).emplace(all.split(me.rank() % 2, 0).value());
        });
    }

    std::optional<Member>& row(const Member& me) { return rows_[index_of(me)]; }
    Team& team() { return team_; }
    /// What a run throws in which all members call their sub-groups.
    Thrown called(int i);

private:
    Team team_;
    std::vector<std::optional<Member>> rows_;
};

void call_row(Member& row, int i) {
    std::vector<int> values(static_cast<std::size_t>(1 + 400 * (i % 2)), 1);
    row.allreduce(values, sum);
    if (values.back() != row.size()) {
        throw std::logic_error("wrong sum");
    }
}

Thrown Keeping::called(int i) {
    return thrown_by([&] { team_.run([&](Member& me) { call_row(*row(me), i); }); });
}

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

/// Regions in which the members are differently fast.
void check_regions(Group& group, int regions) {
    on_threads(group.size(), [&](int rank) {
        for (int region = 0; region < regions; ++region) {
            group.run(rank, [&](Member& me) {
                CHECK(me.allreduce(1, sum) == me.size());
                if (region % 3 == me.rank()) {
                    std::this_thread::yield();
                }
                CHECK(me.broadcast(me.rank() == 0 ? region : -1, 0) == region);
            });
        }
    });
}

} // namespace

TEST_CASE("a kept sub-group serves run after run") {
    Keeping keeping(5);
    for (int i = 0; i < kept_rounds; ++i) {
        CHECK(keeping.called(i).text == "");
    }
}

TEST_CASE("a member that throws releases those that wait in a kept sub-group") {
    Keeping keeping(5);
    for (int i = 0; i < kept_rounds; ++i) {
        const Ended ended = run(keeping.team(), [&](Member& me) {
            if (me.rank() == i % 5) {
                throw std::domain_error("no more data");
            }
            call_row(*keeping.row(me), i);
            me.barrier();
        });
        CHECK(ended.run.text == "no more data");
        CHECK(ended.each.count(Kind::aborted) == 4);
        CHECK(mentions(ended.each.text(Kind::aborted), "no more data"));
        // It stays failed, whoever asks.
        check_thrown(keeping.called(i), Kind::aborted, {"no more data"});
        keeping.split();
        CHECK(keeping.called(i).text == "");
    }
}

TEST_CASE("a kept sub-group learns of failures after a run that ended in different calls") {
    Keeping keeping(3);
    const Thrown different = thrown_by([&] {
        keeping.team().run([](Member& me) {
            int value = 1;
            if (me.rank() == 0) {
                value = me.broadcast(value, 0); // which waits for nobody
            }
        });
    });
    CHECK(different.kind == Kind::mismatch);
    CHECK(keeping.called(0).text == "");
    const Thrown reached = thrown_by([&] {
        keeping.team().run([&](Member& me) {
            if (me.rank() == 1) {
                throw std::domain_error("no more data");
            }
            for (;;) {
                call_row(*keeping.row(me), 0);
            }
        });
    });
    CHECK(reached.text == "no more data");
}

TEST_CASE("a member that returns early releases those that wait in a kept sub-group") {
    Keeping keeping(4);
    for (int i = 0; i < kept_rounds; ++i) {
        Outcomes outcomes(4);
        keeping.team().run([&](Member& me) {
            outcomes.note(me, [&] {
                call_row(*keeping.row(me), i);
                if (me.rank() != i % 4) {
                    call_row(*keeping.row(me), i);
                }
            });
        });
        const int partner = (i + 2) % 4; // in the sub-group of two
        check_thrown(outcomes.of(partner), Kind::mismatch, {"has returned without calling it"});
        CHECK(outcomes.count(Kind::nothing) == 3);
        keeping.split();
    }
}

TEST_CASE("an exception in a region of a joined group releases those that wait in a kept sub-group") {
    std::vector<std::optional<Member>> twins(3);
    const auto twin_of = [&](const Member& me) -> std::optional<Member>& { return twins[index_of(me)]; };
    for (int i = 0; i < kept_rounds; ++i) {
        Group group(3);
        run_threads(group, 3, [&](Member& me) { twin_of(me).emplace(me.dup()); });
        run_threads(group, 3, [&](Member& me) { call_row(*twin_of(me), i); });
        const std::vector<Thrown> thrown = run_threads(group, 3, [&](Member& me) {
            if (me.rank() == i % 3) {
                throw std::domain_error("no more data");
            }
            call_row(*twin_of(me), i);
        });
        for (int rank = 0; rank < 3; ++rank) {
            CHECK((thrown[static_cast<std::size_t>(rank)].kind == Kind::aborted) == (rank != i % 3));
        }
        for (std::optional<Member>& twin : twins) {
            twin.reset();
        }
    }
}

TEST_CASE("a failure elsewhere in the midst of a split") {
    Team team(5, {.placement = "none"});
    for (int i = 0; i < 2 * kept_rounds; ++i) {
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
    check_regions(group, 300);
}

TEST_CASE("nor does one that has left the region before") {
    Group group(2, leaving());
    on_threads(2, [&](int rank) {
        for (int region = 0; region < 20; ++region) {
            if (rank == 1) {
                std::this_thread::sleep_for(2ms); // the other is there and waits
            }
            group.run(rank, [&](Member& me) { CHECK(me.allreduce(1, sum) == 2); });
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
