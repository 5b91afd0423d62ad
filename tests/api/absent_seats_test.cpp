// Seats of a group that nobody ever takes, because a region got fewer threads than the group has seats.

#include "../on_threads.hpp"
#include "support.hpp"

using namespace tutti;
using namespace std::chrono_literals;
using test::Thrown;

namespace {

/// Threads take the first seats of a group and act; what each throws.
std::vector<Thrown> acting(Group& group, int threads, const std::function<void(Member&)>& act) {
    std::vector<Thrown> thrown(static_cast<std::size_t>(threads));
    test::on_threads(threads, [&](int rank) {
        thrown[static_cast<std::size_t>(rank)] = test::thrown_by([&] { group.run(rank, act); });
    });
    return thrown;
}

/// Whoever looks first says it, the others may be released by that.
void check_told(const std::vector<Thrown>& thrown, const std::string& who) {
    bool is_said = false;
    for (const Thrown& each : thrown) {
        INFO(each.text);
        CHECK((each.kind == Thrown::Kind::error || each.kind == Thrown::Kind::aborted));
        CHECK(test::mentions(each.text, who));
        CHECK(test::mentions(each.text, "OMP_THREAD_LIMIT"));
        is_said = is_said || each.kind == Thrown::Kind::error;
    }
    CHECK(is_said);
}

const std::array<Wait, 4> ways{Wait::automatic, Wait::spin, Wait::yield, Wait::sleep};

} // namespace

TEST_CASE("members that wait for seats that nobody takes are told which") {
    for (const Wait wait : ways) {
        Group group(4, {.wait = wait, .join_timeout = 300ms});
        check_told(acting(group, 2, [](Member& me) { me.barrier(); }),
                   "members 2, 3 have not joined within 300 ms");
    }
}

TEST_CASE("so is one that looks at a vector of theirs, and those that wait for that one") {
    Group group(4, {.join_timeout = 300ms});
    check_told(acting(group, 3,
                      [](Member& me) {
                          std::vector<double> x(10000);
                          me.allreduce(x, sum, {.algorithm = "ring"});
                      }),
               "member 3 has not joined within 300 ms");
}

TEST_CASE("of many of them the list is short") {
    Group group(64, {.join_timeout = 1000ms});
    check_told(acting(group, 1, [](Member& me) { me.barrier(); }), "members 1-63 have not joined within 1 s");
}

TEST_CASE("those that wait for operations in flight are told as well") {
    using Act = std::function<void(Member&)>;
    const std::array<Act, 5> all{
        [](Member& me) {
            int x = 1;
            me.start.allreduce(std::span(&x, 1), sum).wait();
        },
        [](Member& me) {
            int x = 1;
            Request request = me.start.allreduce(std::span(&x, 1), sum);
            while (!request.test()) {
            }
        },
        [](Member& me) {
            int x = 1;
            Request request = me.start.allreduce(std::span(&x, 1), sum);
            progress_until([&] { return request.test(); });
        },
        [](Member& me) {
            int x = 1;
            Persistent step = me.prepare.allreduce(std::span(&x, 1), sum);
            step.start();
            step.wait();
        },
        [](Member& me) { static_cast<void>(me.split(0, 0)); },
    };
    for (const Act& act : all) {
        Group group(3, {.join_timeout = 300ms});
        check_told(acting(group, 2, act), "member 2 has not joined within 300 ms");
    }
}

TEST_CASE("a thread that comes to its seat after that is told, too") {
    Group group(2, {.join_timeout = 1000ms});
    check_told(acting(group, 1, [](Member& me) { me.barrier(); }), "member 1 has not joined within 1 s");
    const Thrown thrown = test::thrown_by([&] { static_cast<void>(group.join(1)); });
    CHECK(thrown.kind == Thrown::Kind::aborted);
    CHECK(test::mentions(thrown.text, "member 1 has not joined within 1 s"));
}

TEST_CASE("a seat may be taken late") {
    for (const Timeout& timeout : {Timeout(), Timeout(never)}) {
        for (const Wait wait : ways) {
            Group group(3, {.wait = wait, .join_timeout = timeout});
            std::vector<int> sums(3);
            std::vector<std::thread> threads;
            for (int rank = 0; rank < 3; ++rank) {
                std::this_thread::sleep_for(20ms);
                threads.emplace_back([&, rank] {
                    group.run(rank, [&](Member& me) {
                        sums[static_cast<std::size_t>(rank)] = me.allreduce(1, sum);
                    });
                });
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
            CHECK(sums == std::vector(3, 3));
        }
    }
}

TEST_CASE("a member that has taken its seat may come to a call as late as it likes") {
    Group group(2, {.join_timeout = 1ms});
    for (int region = 0; region < 3; ++region) {
        std::atomic<int> there = 0;
        const std::vector<Thrown> thrown = acting(group, 2, [&](Member& me) {
            for (++there; there < 2;) {
                std::this_thread::yield();
            }
            if (me.rank() == region % 2) {
                std::this_thread::sleep_for(20ms);
            }
            me.barrier();
        });
        for (const Thrown& each : thrown) {
            CHECK(each.kind == Thrown::Kind::nothing);
        }
    }
}
