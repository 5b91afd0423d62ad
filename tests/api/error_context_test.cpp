// The fields of errors: which call has ended, and which other member is involved.

#include "support.hpp"

using namespace tutti;
using namespace std::chrono_literals;
using namespace tutti::test;

static_assert(std::is_nothrow_copy_constructible_v<ArgumentError> &&
              std::is_nothrow_copy_constructible_v<MismatchError> &&
              std::is_nothrow_copy_constructible_v<Aborted> &&
              std::is_nothrow_copy_constructible_v<TimeoutError>);

namespace {

/// The fields of the E that `call` throws.
template <class E>
ErrorContext context_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const E& error) {
        return error.context();
    } catch (const std::exception& other) {
        FAIL_CHECK("another error: ", other.what());
        return {};
    }
    FAIL_CHECK("no error");
    return {};
}

void check_is(const ErrorContext& context, int rank, int peer, std::uint64_t operation,
              std::optional<Collective> collective, unsigned line) {
    CHECK(context.rank == rank);
    CHECK(context.peer == peer);
    CHECK(context.operation == operation);
    CHECK(context.collective == collective);
    CHECK(context.where.line == line);
    CHECK((context.where.file != nullptr) == (line != 0));
    if (context.where.file != nullptr) {
        CHECK(mentions(context.where.file, "error_context_test.cpp"));
    }
}

/// The fields of what each member's part throws, in a team that goes on as if all was well.
std::vector<ErrorContext> contexts(Team& team, const std::function<void(Member&)>& part) {
    std::vector<ErrorContext> all(static_cast<std::size_t>(team.size()));
    try {
        team.run([&](Member& me) {
            all[static_cast<std::size_t>(me.rank())] = context_of<Error>([&] { part(me); });
        });
    } catch (const Error&) { // the first failure
    }
    return all;
}

/// Member `failed` of three fails when the other two have come here.
void fail_when_ready(const Member& me, int failed, std::atomic<int>& ready) {
    if (me.rank() != failed) {
        ++ready;
        return;
    }
    while (ready < 2) {
        std::this_thread::yield();
    }
    throw std::range_error("mine");
}

} // namespace

TEST_CASE("an error without a call has no fields") {
    check_is(context_of<ArgumentError>([] { const Group group(-1); }), -1, -1, 0, std::nullopt, 0);
}

TEST_CASE("a wrong argument has the member, the collective and the line") {
    Group group(1);
    Member me = group.join(0);
    me.barrier();
    std::vector<int> values(3);
    check_is(context_of<ArgumentError>([&] { me.broadcast(values, 7); }), 0, -1, 0, Collective::broadcast,
             __LINE__ - 1);
    check_is(context_of<ArgumentError>([&] { me.start.broadcast(values, 7).wait(); }), 0, -1, 0,
             Collective::broadcast, __LINE__ - 1);
    check_is(context_of<ArgumentError>([&] { me.barrier({.timeout = -1ms}); }), 0, -1, 0, Collective::barrier,
             __LINE__ - 1);
}

TEST_CASE("members in different calls have the other member") {
    Team team(2, {.placement = "none"});
    const auto all = contexts(team, [](Member& me) {
        me.barrier();
        std::vector<int> values(1000);
        me.rank() == 0 ? me.allreduce(values, sum) : me.allgather(std::vector<int>(500), values);
    });
    for (int rank : {0, 1}) {
        check_is(all[static_cast<std::size_t>(rank)], rank, 1 - rank, 2,
                 rank == 0 ? Collective::allreduce : Collective::allgather, __LINE__ - 4);
    }
}

TEST_CASE("who is released has the member that failed") {
    Team team(3, {.placement = "none"});
    std::array<ErrorContext, 3> all;
    std::atomic<int> ready{0};
    const auto part = [&](Member& me) {
        for (int i = 0; i < 2; ++i) {
            CHECK(me.allreduce(1, sum) == 3);
        }
        fail_when_ready(me, 2, ready);
        all[static_cast<std::size_t>(me.rank())] = context_of<Aborted>([&] { //
            static_cast<void>(me.allreduce(1, sum));
        });
    };
    CHECK_THROWS_AS(team.run(part), std::range_error);
    // Though it repeats the call of another line.
    check_is(all[0], 0, 2, 3, Collective::allreduce, __LINE__ - 5);
    check_is(all[1], 1, 2, 3, Collective::allreduce, __LINE__ - 6);

    ready = 0;
    const auto starts = [&](Member& me) {
        fail_when_ready(me, 2, ready);
        std::vector<int> in(8);
        std::vector<int> out(8);
        static_cast<void>(thrown_by([&] { me.barrier(); }));
        all[static_cast<std::size_t>(me.rank())] = context_of<Aborted>([&] { //
            static_cast<void>(me.start.allreduce(in, out, sum));
        });
    };
    CHECK_THROWS_AS(team.run(starts), std::range_error);
    check_is(all[0], 0, 2, 0, Collective::allreduce, __LINE__ - 4); // it has not begun
    check_is(all[1], 1, 2, 0, Collective::allreduce, __LINE__ - 5);

    Team operators(2, {.placement = "none"});
    const auto thrown = contexts(operators, [](Member& me) {
        static_cast<void>(me.allreduce(1, [](int, int) -> int { throw Error("of an operator"); }));
    });
    CHECK(thrown[0].collective == Collective::allreduce);
    CHECK(thrown[1].rank == 1);
}

TEST_CASE("in a sub-group, ranks are those of the sub-group") {
    for (const int failed : {2, 0}) {
        Team team(3, {.placement = "none"});
        ErrorContext inside;
        std::atomic<int> ready{0};
        const auto part = [&](Member& me) {
            std::optional<Member> half = me.split(me.rank() == 0 ? 1 : 0, 0);
            if (me.rank() == 0 && failed == 2) {
                ++ready;
                return;
            }
            fail_when_ready(me, failed, ready);
            const ErrorContext mine = context_of<Aborted>([&] {
                while (true) {
                    half->barrier();
                    std::this_thread::sleep_for(1ms);
                }
            });
            if (me.rank() == 1) {
                inside = mine;
            }
        };
        CHECK_THROWS_AS(team.run(part), std::range_error);
        CHECK(inside.rank == 0);
        CHECK(inside.peer == (failed == 2 ? 1 : -1)); // member 0 is in another half
        CHECK(inside.collective == Collective::barrier);
    }
}

TEST_CASE("a timeout has the member that is waited for, on all members and in every way of calling") {
    Team team(3, {.placement = "none", .group = {.timeout = 60s}});
    const std::vector<std::function<void(Member&)>> calls{
        [](Member& me) { me.barrier({.timeout = 200ms}); },
        [](Member& me) { me.start.barrier({.timeout = 200ms}).wait(); },
        [](Member& me) {
            Persistent barrier = me.prepare.barrier({.timeout = 200ms});
            barrier.start();
            barrier.wait();
        }};
    for (const auto& call : calls) {
        std::array<ErrorContext, 3> all;
        std::atomic<int> ended{0};
        const auto part = [&](Member& me) {
            while (me.rank() == 1 && ended < 2) {
                std::this_thread::yield();
            }
            all[static_cast<std::size_t>(me.rank())] = context_of<TimeoutError>([&] { call(me); });
            ++ended;
        };
        CHECK_THROWS_AS(team.run(part), TimeoutError);
        for (const int rank : {0, 2}) {
            const ErrorContext& context = all[static_cast<std::size_t>(rank)];
            CHECK(context.rank == rank);
            CHECK(context.peer == 1);
            CHECK(context.operation == 1);
            CHECK(context.collective == Collective::barrier);
            CHECK(mentions(context.where.file, "error_context_test.cpp"));
        }
        CHECK(all[1].rank == 1);
        CHECK(all[1].peer == 1);
    }
}

TEST_CASE("a split has its line, and no collective") {
    Team team(2, {.placement = "none"});
    const std::vector<int> own{0};
    const auto all = contexts(team, [&](Member& me) {
        static_cast<void>(me.rank() == 0 ? me.subset(own) : me.split(0, 0)); //
    });
    for (const int rank : {0, 1}) {
        check_is(all[static_cast<std::size_t>(rank)], rank, -1, 0, std::nullopt, __LINE__ - 3);
    }
}

TEST_CASE("a rank that is never joined is the peer") {
    Group group(2, {.join_timeout = 30ms});
    Member me = group.join(0);
    check_is(context_of<Error>([&] { me.barrier(); }), 0, 1, 1, Collective::barrier, __LINE__);
}

TEST_CASE("join() has the member that failed") {
    Group group(3);
    {
        Member me = group.join(0);
        std::jthread([&] {
            CHECK_THROWS_AS(group.run(1, [](Member&) { throw std::range_error("mine"); }), std::range_error);
        }).join();
        check_is(context_of<Aborted>([&] { me.barrier(); }), 0, 1, 1, Collective::barrier, __LINE__);
    }
    std::jthread([&] { // has missed the region
        check_is(context_of<Aborted>([&] { const Member me = group.join(2); }), 2, 1, 0, std::nullopt, 0);
    })
        .join();
}

TEST_CASE("an async group has the two ranks") {
    AsyncGroup group(3, {.timeout = 50ms});
    std::vector<int> x(2);
    std::vector<double> y(2);
    AsyncRequest late = group.at(0).broadcast(x, 0);
    check_is(context_of<TimeoutError>([&] { late.wait(); }), 0, 1, 1, Collective::broadcast, __LINE__ - 1);

    AsyncGroup different(2);
    AsyncRequest one = different.at(0).broadcast(x, 0);
    AsyncRequest other = different.at(1).broadcast(y, 0);
    for (AsyncRequest* request : {&one, &other}) {
        check_is(context_of<MismatchError>([&] { request->wait(); }), 0, 1, 1, Collective::broadcast, 0);
    }
    check_is(context_of<ArgumentError>([&] { different.at(1).broadcast(x, 2).wait(); }), 1, -1, 0,
             Collective::broadcast, __LINE__ - 1);

    AsyncRequest orphan;
    {
        AsyncGroup gone(2);
        orphan = gone.at(0).barrier();
    }
    check_is(context_of<Error>([&] { orphan.wait(); }), -1, 1, 1, std::nullopt, 0);
}
