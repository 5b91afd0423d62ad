// Members of a group that leave a region in which others still wait for them.

#include "../on_threads.hpp"
#include "support.hpp"

using namespace tutti;
using namespace std::chrono_literals;
using test::Thrown;

namespace {

GroupOptions leaving(Wait wait = Wait::automatic) {
    return {.wait = wait, .timeout = 60s};
}

/// What each thread throws in a region in which the last member does not act.
std::vector<Thrown> all_but_the_last(Group& group, const std::function<void(Member&)>& act) {
    std::vector<Thrown> thrown(static_cast<std::size_t>(group.size()));
    test::on_threads(group.size(), [&](int rank) {
        thrown[static_cast<std::size_t>(rank)] = test::thrown_by([&] {
            group.run(rank, [&](Member& me) {
                me.barrier(); // all have joined
                if (rank != me.size() - 1) {
                    act(me);
                }
            });
        });
    });
    return thrown;
}

/// Whoever looks first says it, the others may be released by that.
void check_told(const std::vector<Thrown>& thrown, const std::string& what) {
    CHECK(thrown.back().kind == Thrown::Kind::nothing);
    for (std::size_t rank = 0; rank + 1 < thrown.size(); ++rank) {
        INFO(thrown[rank].text);
        CHECK((thrown[rank].kind == Thrown::Kind::mismatch || thrown[rank].kind == Thrown::Kind::aborted));
        CHECK(test::mentions(thrown[rank].text, what));
    }
}

/// Regions in which the members are differently fast.
void check_usable(Group& group, int regions) {
    test::on_threads(group.size(), [&](int rank) {
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

TEST_CASE("members of a group of among() are told so as well") {
    Group group(2, leaving());
    check_told(all_but_the_last(group, [](Member& me) { static_cast<void>(me.among(2).allreduce(1, sum)); }),
               "member 1 has returned without calling it");
}

TEST_CASE("members that wait for one that has left are told so at once") {
    for (const Wait wait : {Wait::automatic, Wait::spin, Wait::yield, Wait::sleep}) {
        Group group(3, leaving(wait));
        check_told(all_but_the_last(group, [](Member& me) { static_cast<void>(me.allreduce(1, sum)); }),
                   "member 2 has returned without calling it");
    }
}

TEST_CASE("so are those with operations in flight") {
    Group group(3, leaving());
    check_told(all_but_the_last(group,
                                [](Member& me) {
                                    int x = 1;
                                    me.start.allreduce(std::span(&x, 1), sum).wait();
                                }),
               "member 2 has returned without starting it");
}

TEST_CASE("a member that has left after all calls ends nobody's") {
    Group group(3, leaving());
    check_usable(group, 300);
}

TEST_CASE("nor does one that has left the region before") {
    Group group(2, leaving());
    test::on_threads(2, [&](int rank) {
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
    test::on_threads(2, [&](int rank) {
        if (rank == 0) {
            told = test::thrown_by([&] {
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
        static_cast<void>(test::thrown_by([&] { group.run(1, [&](Member&) { is_told.wait(false); }); }));
    });
    CHECK(told.kind == Thrown::Kind::mismatch);
    CHECK(test::mentions(told.text, "member 1 has returned without calling it"));
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
            test::on_threads(2, [&](int rank) {
                if (rank == 0) {
                    told = test::thrown_by([&] { group.run(0, [&](Member& me) { check_sum(me, 1); }); });
                } else {
                    std::this_thread::sleep_for(pause);
                    group.run(1, [](Member&) {});
                }
                // Refused or released, if the other has noticed by then.
                static_cast<void>(
                    test::thrown_by([&] { group.run(rank, [&](Member& me) { check_sum(me, 1000); }); }));
            });
            CHECK(wrong == 0);
            INFO(told.text);
            CHECK(told.kind != Thrown::Kind::nothing);
            CHECK(told.kind != Thrown::Kind::timeout);
        }
    }
}
