// The fields of errors: which call has ended, and which other member is involved.

#include "../fast_clock.hpp"
#include "support.hpp"

static_assert(std::is_nothrow_copy_constructible_v<ArgumentError> &&
              std::is_nothrow_copy_constructible_v<MismatchError> &&
              std::is_nothrow_copy_constructible_v<Aborted> &&
              std::is_nothrow_copy_constructible_v<TimeoutError>);

namespace {

void check_is(const ErrorContext& context, int rank, int peer, std::uint64_t operation,
              std::optional<Collective> collective, unsigned line) {
    CHECK(context.rank == rank);
    CHECK(context.peer == peer);
    CHECK(context.operation == operation);
    CHECK(context.collective == collective);
    CHECK(context.where.line == line);
    CHECK((context.where.file != nullptr) == (line != 0));
    CHECK((line == 0 || mentions(context.where.file, "error_context_test.cpp")));
}

/// The fields of what each member's part throws, in a run that ends by this kind of error.
template <class E = Error>
std::vector<ErrorContext> contexts(int members, Kind kind, const Part& part,
                                   const GroupOptions& options = {}) {
    std::vector<ErrorContext> all(static_cast<std::size_t>(members));
    Team team(members, {.placement = Placement::none, .group = options});
    const Thrown run = thrown_by(
        [&] { team.run([&](Member& me) { all[index_of(me)] = context_of<E>([&] { part(me); }); }); });
    CHECK(run.kind == kind);
    return all;
}

/// Member `failed` of three fails when the other two have come here.
void fail_when_ready(const Member& me, int failed, std::atomic<int>& ready) {
    if (me.rank() == failed) {
        await(ready, 2);
        throw std::range_error("mine");
    }
    ++ready;
}

/// What members 0 and 1 of three get from `call`, which comes after fail_when_ready() of member 2.
std::array<ErrorContext, 3> released_by_2(const Part& before, const Part& call) {
    Team team(3, {.placement = Placement::none});
    std::array<ErrorContext, 3> all;
    std::atomic<int> ready{0};
    const auto part = [&](Member& me) {
        before(me);
        fail_when_ready(me, 2, ready);
        all[index_of(me)] = context_of<Aborted>([&] { call(me); });
    };
    CHECK_THROWS_AS(team.run(part), std::range_error);
    return all;
}

} // namespace

TEST_CASE("an error without a call has no fields; that of a wrong argument has member, collective and line") {
    check_is(context_of<ArgumentError>([] { const Group group(-1); }), -1, -1, 0, std::nullopt, 0);
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

TEST_CASE("members in different calls have the other member; a split has its line, and no collective") {
    const auto calls = contexts(2, Kind::mismatch, [](Member& me) {
        me.barrier();
        std::vector<int> values(1000);
        me.rank() == 0 ? me.allreduce(values, sum) : me.allgather(std::vector<int>(500), values);
    });
    check_is(calls[0], 0, 1, 2, Collective::allreduce, __LINE__ - 2);
    check_is(calls[1], 1, 0, 2, Collective::allgather, __LINE__ - 3);
    const std::vector<int> own{0};
    const auto splits = contexts(2, Kind::mismatch, [&](Member& me) {
        static_cast<void>(me.rank() == 0 ? me.subset(own) : me.split(0, 0)); //
    });
    check_is(splits[0], 0, -1, 0, std::nullopt, __LINE__ - 2);
    check_is(splits[1], 1, -1, 0, std::nullopt, __LINE__ - 3);
}

TEST_CASE("a member that is released has the member that failed") {
    const auto repeated = released_by_2(
        [](Member& me) {
            for (int i = 0; i < 2; ++i) {
                CHECK(me.allreduce(1, sum) == 3);
            }
        },
        [](Member& me) {
            static_cast<void>(me.allreduce(1, sum));
        }); // though it repeats that of another line
    check_is(repeated[0], 0, 2, 3, Collective::allreduce, __LINE__ - 2);
    check_is(repeated[1], 1, 2, 3, Collective::allreduce, __LINE__ - 3);
    std::vector<int> in(8), out(8);
    const auto started = released_by_2([](Member&) {},
                                       [&](Member& me) {
                                           static_cast<void>(thrown_by([&] { me.barrier(); }));
                                           static_cast<void>(me.start.allreduce(in, out, sum));
                                       });
    check_is(started[0], 0, 2, 0, Collective::allreduce, __LINE__ - 2); // it has not begun
    check_is(started[1], 1, 2, 0, Collective::allreduce, __LINE__ - 3);
    std::array<Request, 3> requests;
    const auto waited = released_by_2(
        [&](Member& me) {
            if (me.rank() != 2) {
                requests[index_of(me)] = me.start.barrier();
            }
        },
        [&](Member& me) {
            while (!mentions(me.roll_call(), "mine")) {
            }
            requests[index_of(me)].wait();
        });
    check_is(waited[0], 0, 2, 1, Collective::barrier, __LINE__ - 8);
    const auto thrown = contexts(2, Kind::error, [](Member& me) {
        static_cast<void>(me.allreduce(1, [](int, int) -> int { throw Error("of an operator"); }));
    });
    CHECK(thrown[0].collective == Collective::allreduce);
    CHECK(thrown[1].rank == 1);
}

TEST_CASE("in a sub-group, ranks are those of the sub-group") {
    for (const int failed : {2, 0}) {
        Team team(3, {.placement = Placement::none});
        ErrorContext inside;
        std::atomic<int> ready{0};
        const auto part = [&](Member& me) {
            std::optional<Member> half = me.split(me.rank() == 0 ? 1 : 0, 0);
            fail_when_ready(me, failed, ready);
            const ErrorContext mine = me.rank() == 0 ? ErrorContext() : context_of<Aborted>([&] {
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
    const FastClock clock(4);
    const Part calls[] = {[](Member& me) { me.barrier({.timeout = 200ms}); },
                          [](Member& me) { me.start.barrier({.timeout = 200ms}).wait(); },
                          [](Member& me) {
                              Persistent barrier = me.prepare.barrier({.timeout = 200ms});
                              barrier.start();
                              barrier.wait();
                          }};
    for (const Part& call : calls) {
        std::atomic<int> ended{0};
        const auto part = [&](Member& me) {
            struct Ends {
                std::atomic<int>& ended;
                ~Ends() { ++ended; }
            } const ends{ended};
            if (me.rank() == 1) {
                await(ended, 2);
            }
            call(me);
        };
        const auto all = contexts<TimeoutError>(3, Kind::timeout, part, {.timeout = 60s});
        for (const std::size_t rank : {0U, 2U}) {
            check_is(all[rank], static_cast<int>(rank), 1, 1, Collective::barrier, all[rank].where.line);
        }
        CHECK(all[1].rank == 1);
        CHECK(all[1].peer == 1);
    }
}

TEST_CASE("a rank that is never joined is the peer; join() has the member that failed") {
    const FastClock clock(4);
    Group absent(2, {.join_timeout = 30ms});
    Member waits = absent.join(0);
    check_is(context_of<Error>([&] { waits.barrier(); }), 0, 1, 1, Collective::barrier, __LINE__);
    Group group(3);
    {
        Member me = group.join(0);
        std::jthread([&] {
            CHECK_THROWS_AS(group.run(1, [](Member&) { throw std::range_error("mine"); }), std::range_error);
        }).join();
        check_is(context_of<Aborted>([&] { me.barrier(); }), 0, 1, 0, Collective::barrier, __LINE__);
    }
    const auto late = [&] { const Member me = group.join(2); }; // has missed the region
    std::jthread([&] { check_is(context_of<Aborted>(late), 2, 1, 0, std::nullopt, 0); }).join();
}

TEST_CASE("an async group has the two ranks") {
    const FastClock clock(4);
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
