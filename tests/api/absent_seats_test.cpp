// Seats of a group that nobody ever takes, because a region got fewer threads than the group has seats.

#include "support.hpp"

namespace {

/// The first `threads` members of the group wait in vain. One reports it, the others may be released by that.
void check_told(Group group, int threads, const std::string& who, const Part& act) {
    bool is_said = false;
    for (const Thrown& each : run_threads(group, threads, act)) {
        is_said = is_said || each.kind == Kind::error;
        CHECK((each.kind == Kind::error || each.kind == Kind::aborted));
        check_thrown(each, each.kind, {who, "OMP_THREAD_LIMIT"});
    }
    CHECK(is_said);
}

void barrier(Member& me) {
    me.barrier();
}

const std::array<Wait, 4> waits{Wait::automatic, Wait::spin, Wait::yield, Wait::sleep};

} // namespace

TEST_CASE("members that wait for seats that nobody takes are told which") {
    for (const Wait wait : waits) {
        check_told(Group(4, {.wait = wait, .join_timeout = 300ms}), 2,
                   "members 2, 3 have not joined within 300 ms", barrier);
    }
    // The list is short.
    check_told(Group(64, {.join_timeout = 1000ms}), 1, "members 1-63 have not joined within 1 s", barrier);
}

TEST_CASE("so is one that looks at a vector of theirs, and those that wait for that one, or for operations") {
    const Part all[] = {
        [](Member& me) {
            std::vector<double> x(10000);
            me.allreduce(x, sum, {.algorithm = "ring"});
        },
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
    for (const Part& act : all) {
        check_told(Group(4, {.join_timeout = 300ms}), 3, "member 3 has not joined within 300 ms", act);
    }
}

TEST_CASE("a thread that comes to its seat after that is told, too") {
    Group group(2, {.join_timeout = 1000ms});
    check_told(group, 1, "member 1 has not joined within 1 s", barrier);
    check_thrown(thrown_by([&] { static_cast<void>(group.join(1)); }), Kind::aborted,
                 {"member 1 has not joined within 1 s"});
}

TEST_CASE("a seat may be taken late") {
    for (const Timeout& timeout : {Timeout(), Timeout(never)}) {
        for (const Wait wait : waits) {
            Group group(3, {.wait = wait, .join_timeout = timeout});
            on_threads(3, [&](int rank) {
                std::this_thread::sleep_for(20ms * rank);
                group.run(rank, [](Member& me) { CHECK(me.allreduce(1, sum) == 3); });
            });
        }
    }
}

TEST_CASE("a member that has taken its seat may come to a call as late as it likes") {
    Group group(2, {.join_timeout = 1ms});
    for (int region = 0; region < 3; ++region) {
        std::atomic<int> there = 0;
        const auto part = [&](Member& me) {
            ++there;
            await(there, 2);
            if (me.rank() == region % 2) {
                std::this_thread::sleep_for(20ms);
            }
            me.barrier();
        };
        for (const Thrown& each : run_threads(group, 2, part)) {
            check_thrown(each, Kind::nothing);
        }
    }
}
