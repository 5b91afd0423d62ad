// Code of the program that runs inside the library, in clusters: what it may do there, and what becomes of
// the members. And errors that are found among the threads of one process.

#include "exam.hpp"
#include "tests/api/coroutines.hpp"

#include <tutti/log.hpp>

#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test {

namespace {

enum class Code { in_operator, continuation, coroutine };
constexpr std::array code_names{" in an operator", " in a continuation", " in a coroutine"};

/// One member, and what its code may touch.
struct Actor {
    std::optional<mpi::Cluster> cluster = {};
    std::optional<mpi::Member> me = {};
    std::optional<mpi::Member> other = {}; ///< of the same members
    Request request = {};                  ///< of `other`
    /// The one of which all members' code makes calls: of `other` in a continuation, because continuations of
    /// different members come at different times.
    mpi::Member* called = nullptr;
    bool acts = false;
    std::vector<long> in = std::vector<long>(40, 1);
    std::vector<long> out = std::vector<long>(40);
};

/// What the code does, and what all members learn then: empty if it does no harm. A coroutine is a
/// continuation, but it keeps what it throws. No cells are:
///
/// - a call that blocks in a continuation of such a call: it may run before or after the call that follows,
///   and so the members would make calls in different orders
/// - the log function, which acts when the group of a process is made (tests/user_code): a cluster has no
///   messages of its own, and the function must not call the library
/// - an executor: only async groups have one
struct Row {
    const char* action;
    bool by_all;
    void (*act)(Actor&);
    const char* in_operator;
    const char* in_continuation;
    /// Whether the member makes another call after a continuation.
    bool goes_on = true;
};

void fork_and_wait() {
    const pid_t child = fork();
    if (child == 0) {
        _exit(7);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 7);
}

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<Row> rows = {
    {"a call that blocks", true, [](Actor& a) { a.called->barrier(); }, "called by an operator", ""},
    {"the start of a call", true, [](Actor& a) { a.request = a.called->start.barrier(); },
     "called by an operator", ""},
    {"a wait", false, [](Actor& a) { a.request.wait(); }, "", ""},
    {"the end of the member", false, [](Actor& a) { a.me.reset(); }, "an operator has destroyed the member",
     "", false},
    {"the end of a handle", false, [](Actor& a) { a.cluster.reset(); }, "", ""},
    {"the end of a request", false, [](Actor& a) { a.request = Request(); }, "", ""},
    {"abort", false, [](Actor& a) { a.me->abort("out of ink"); }, "out of ink", "out of ink"},
    {"an exception", false, [](Actor&) { throw std::runtime_error("out of paper"); }, "out of paper",
     "out of paper"},
    {"a roll call", false, [](Actor& a) { CHECK(!a.cluster->roll_call().empty()); }, "", ""},
    {"statistics", false, [](Actor& a) { static_cast<void>(a.me->local().statistics()); }, "", ""},
    {"fork", false, [](Actor&) { fork_and_wait(); }, "", ""},
};

thread_local Actor* current = nullptr;
thread_local const Row* current_row = nullptr;

/// The action, the first time that it is reached by a thread that acts.
void act() {
    const Row* const row = std::exchange(current_row, nullptr);
    if (row != nullptr && (current->acts || row->by_all)) {
        row->act(*current);
    }
}

template <class Request>
Task acts_after(Request& request) {
    co_await request;
    act();
}

void make_call(Actor& actor, Code code, Manner manner) {
    std::optional<Task> task;
    const auto follow = [&](auto& request) {
        if (code == Code::continuation) {
            request.then([](const std::exception_ptr& failure) { failure == nullptr ? act() : void(); });
        } else if (code == Code::coroutine) {
            task.emplace(acts_after(request));
        }
    };
    const auto op = tutti::non_commutative([code](long a, long b) {
        if (code == Code::in_operator) {
            act();
        }
        return a + b;
    });
    mpi::Member& me = *actor.me;
    if (manner == Manner::blocking) {
        Request side = actor.other->start.barrier();
        follow(side);
        me.allreduce(actor.in, actor.out, op);
        side.wait();
        return;
    }
    if (manner == Manner::persistent) {
        Persistent call = me.prepare.allreduce(actor.in, actor.out, op);
        call.start();
        call.wait();
        call.start();
        follow(call);
        call.wait();
        return;
    }
    Request call = me.start.allreduce(actor.in, actor.out, op);
    follow(call);
    call.wait();
}

void check_row(const Row& row, Code code, Manner manner) {
    const bool keeps = code == Code::coroutine && std::string_view(row.action) == "an exception";
    const std::string expected = code == Code::in_operator ? row.in_operator
                                 : keeps                   ? ""
                                                           : row.in_continuation;
    if (&row == &rows.front() && code != Code::in_operator && manner == Manner::blocking) {
        return;
    }
    INFO(std::string(row.action), std::string(code_names[static_cast<std::size_t>(code)]), ", manner ",
         static_cast<int>(manner));
    on_processes(2, [&](MPI_Comm part) {
        mpi::Cluster cluster(Group(members_here(), {.trace = Trace::statistics}), part, {.timeout = 5s});
        on_ranks(members_here(), [&](int rank) {
            const std::string text = message_of<std::exception>([&] {
                Actor actor{.cluster = cluster, .me = cluster.join(rank)};
                actor.other.emplace(actor.me->dup());
                actor.request = actor.other->start.barrier();
                const int acting = code == Code::in_operator ? members_here() : actor.me->size() - 1;
                actor.acts = actor.me->rank() == acting;
                actor.called = code == Code::in_operator ? &*actor.me : &*actor.other;
                current = &actor;
                current_row = &row;
                make_call(actor, code, manner);
                if (row.goes_on || code == Code::in_operator) {
                    actor.me->barrier(); // in which the others learn of it
                }
                CHECK(actor.out == std::vector<long>(40, actor.other->size()));
            });
            current_row = nullptr;
            // Of an exception that leaves a call of `me` because of `other`, the others of `me` learn this
            // much.
            const bool is_right = (expected.empty() ? text.empty() : mentions(text, expected)) ||
                                  mentions(text, "an exception ended its part");
            CHECK_MESSAGE(is_right, "\"", text, "\"");
        });
    });
}

} // namespace

TEST_CASE("operators and continuations of clusters act") {
    for (const Manner manner : manners) {
        for (const Row& row : rows) {
            for (const Code code : {Code::in_operator, Code::continuation, Code::coroutine}) {
                check_row(row, code, manner);
            }
        }
    }
}

TEST_CASE("an operator of a cluster's call that blocks cannot wait for a request of the same cluster") {
    for (const Order order : {Order::canonical, Order::serial}) {
        on_processes(2, [&](MPI_Comm part) {
            check_all(thrown_by<std::exception>(part, {.timeout = 5s},
                                                [&](mpi::Member& me) {
                                                    Request request = me.start.barrier();
                                                    const auto op =
                                                        tutti::non_commutative([&](long a, long b) {
                                                            request.wait();
                                                            return a + b;
                                                        });
                                                    std::vector<long> sum(40);
                                                    me.allreduce(std::vector<long>(40, 1), sum, op,
                                                                 {.order = order});
                                                }),
                      "called by an operator");
        });
    }
}

TEST_CASE("a hook of failures is called once in each process, with a rank in the cluster, and may report") {
    static std::atomic<int> calls, failed;
    static mpi::Cluster* hooked;
    static Group* own;
    static void (*report)();
    for (void (*const act)() :
         {+[] { throw std::runtime_error("which is ignored"); }, +[] { CHECK(!hooked->roll_call().empty()); },
          +[] { static_cast<void>(own->statistics()); }, &fork_and_wait}) {
        calls = 0;
        report = act;
        set_failure_hook([](int member, std::string_view) {
            ++calls;
            failed = member;
            report();
        });
        on_processes(2, [&](MPI_Comm part) {
            Group group(members_here(), {.trace = Trace::statistics});
            mpi::Cluster cluster(group, part);
            own = &group;
            hooked = &cluster;
            on_ranks(members_here(), [&](int rank) {
                mpi::Member me = cluster.join(rank);
                const std::string text = message_of<std::exception>([&] {
                    me.barrier();
                    if (me.rank() == me.size() - 1) {
                        me.abort("out of ink");
                    }
                    me.barrier();
                });
                CHECK(mentions(text, "out of ink"));
            });
            CHECK(calls == 1);
            CHECK(failed / members_here() == process_of_world());
        });
        set_failure_hook({});
    }
}

namespace {

/// An error that a member of process 1 gets.
struct Caught {
    std::string text;
    ErrorContext context;
};

using Act = std::function<void(mpi::Member& me, MPI_Comm part)>;

std::vector<Caught> caught(std::chrono::milliseconds timeout, const Act& body) {
    std::vector<Caught> all(2);
    on_processes(2, [&](MPI_Comm part) {
        on_members(part, 2, {.timeout = timeout}, [&](mpi::Member& me) {
            Caught& mine = all[static_cast<std::size_t>(me.local().rank())];
            try {
                body(me, part);
                me.barrier();
            } catch (const Error& error) {
                mine = {error.what(), error.context()};
            } catch (const std::exception& error) {
                mine = {error.what(), {}};
            }
        });
    });
    return all;
}

/// What members 2 and 3, which are those of process 1, must get.
struct Expected {
    std::optional<Collective> collective = {};
    std::vector<std::string> parts = {};
    /// Whether a member of another process fails.
    bool fails_elsewhere = false;
    /// That makes no such call.
    int failing = -1;
    bool has_begun = false;
};

void check_fields(const std::vector<Caught>& all, const Expected& expected) {
    for (int member = 2; process_of_world() == 1 && member < 4; ++member) {
        const auto& [text, context] = all[static_cast<std::size_t>(member - 2)];
        CHECK_MESSAGE(context.rank == member, text);
        CHECK_MESSAGE(expected.fails_elsewhere == (context.peer == -1), text, context.peer);
        CHECK_MESSAGE((context.peer == -1 || context.peer == 2 || context.peer == 3), text, context.peer);
        CHECK_MESSAGE((member == expected.failing || context.collective == expected.collective), text);
        CHECK_MESSAGE((!expected.has_begun || context.operation != 0), text);
        CHECK(text.find("released because") == text.rfind("released because"));
        for (const std::string& part : expected.parts) {
            CHECK_MESSAGE(mentions(text, part), text);
        }
    }
}

template <class Way>
auto sum_of(Way& way) {
    static thread_local std::vector<double> in(1000, 1), out(1000);
    return way.allreduce(in, out, tutti::sum);
}

/// A call that other members may not make.
struct Calls {
    mpi::Member& me;
    Request request;
    Persistent prepared;
};

struct FailingCall {
    const char* name;
    std::optional<Collective> collective;
    /// Whether it fails in the operation that the member has started before.
    bool waits;
    void (*make)(Calls& calls);
};

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<FailingCall> failing_calls = {
    {"a call that blocks", Collective::allreduce, false, [](Calls& c) { sum_of(c.me); }},
    {"wait", Collective::allreduce, true, [](Calls& c) { c.request.wait(); }},
    {"test", Collective::allreduce, true,
     [](Calls& c) {
         while (!c.request.test()) {
         }
     }},
    {"start of a nonblocking call", Collective::allreduce, false,
     [](Calls& c) { sum_of(c.me.start).wait(); }},
    {"start of a persistent call", Collective::allreduce, false,
     [](Calls& c) {
         c.prepared.start();
         c.prepared.wait();
     }},
    {"split", std::nullopt, false, [](Calls& c) { static_cast<void>(c.me.split(0, 0)); }},
    {"dup", std::nullopt, false, [](Calls& c) { static_cast<void>(c.me.dup()); }},
};

/// Member `failing` aborts. With `knows`, the others of its process make the call when it has.
void check_abort(const FailingCall& call, int failing, bool knows) {
    INFO(std::string(call.name), ", member ", failing);
    std::atomic<bool> has_failed{false};
    std::barrier<> here(2);
    const std::vector<Caught> all = caught(20s, [&](mpi::Member& me, MPI_Comm part) {
        Calls calls{.me = me, .request = {}, .prepared = sum_of(me.prepare)};
        if (call.waits && me.rank() != failing) {
            calls.request = sum_of(me.start);
        }
        here.arrive_and_wait(); // no call of the cluster, which might be the one that fails
        if (me.local().rank() == 0) {
            MPI_Barrier(part);
        }
        here.arrive_and_wait();
        if (me.rank() == failing) {
            me.abort("out of ink");
            has_failed = true;
            return;
        }
        while (knows && me.rank() / 2 == failing / 2 && !has_failed) {
            std::this_thread::yield();
        }
        call.make(calls);
    });
    check_fields(all, {call.collective, {"out of ink"}, failing < 2, failing, call.waits});
}

/// Member 3 makes the call when it has failed for the others.
template <class Make>
void check_late(const Expected& expected, Make make) {
    std::atomic<bool> is_told{false};
    std::barrier<> here(2);
    // The other process waits for longer, so that the failure is this one's.
    const auto timeout = process_of_world() == 0 ? 20'000ms : 50ms;
    const std::vector<Caught> all = caught(timeout, [&](mpi::Member& me, MPI_Comm /*part*/) {
        here.arrive_and_wait(); // a member that joined later would get the failure there
        Persistent prepared = sum_of(me.prepare);
        while (me.rank() == 3 && !is_told) {
            std::this_thread::yield();
        }
        try {
            make(me, prepared);
        } catch (...) {
            is_told = true;
            throw;
        }
    });
    check_fields(all, expected);
    for (const Caught& each : all) {
        CHECK_MESSAGE(!mentions(each.text, "barrier"), each.text);
    }
}

} // namespace

TEST_CASE("errors among the threads of a process have the ranks and the calls of the cluster") {
    if (members_here() == 1) {
        return;
    }
    check_fields(
        caught(20s, [&](mpi::Member& me,
                        MPI_Comm /*part*/) { me.rank() == 3 ? void(sum_of(me)) : sum_of(me.start).wait(); }),
        {Collective::allreduce,
         {"members 3 and 2", "member 3 calls allreduce", "member 2 starts allreduce"}});
    const std::string late = "member 3 has come to prepared operation 1, allreduce";
    check_late({Collective::allreduce, {"member 2 has waited", "in operation 1, allreduce", late}},
               [](mpi::Member& me, Persistent& /*prepared*/) { sum_of(me); });
    check_late({Collective::allreduce, {"in started operation 1, allreduce", late}},
               [](mpi::Member& me, Persistent& /*prepared*/) { sum_of(me.start).wait(); });
    check_late({Collective::allreduce, {"in started operation 1, allreduce", late}},
               [](mpi::Member& /*me*/, Persistent& prepared) {
                   prepared.start();
                   prepared.wait();
               });
    check_late({std::nullopt, {"in operation 1, split", late}},
               [](mpi::Member& me, Persistent& /*prepared*/) { static_cast<void>(me.split(0, 0)); });
    for (const FailingCall& call : failing_calls) {
        for (const int failing : {3, 2, 0}) {
            check_abort(call, failing, true);
            check_abort(call, failing, false);
        }
    }
    const std::vector<Caught> all = caught(20s, [&](mpi::Member& me, MPI_Comm /*part*/) {
        Request request = sum_of(me.start);
        if (me.rank() == 3) {
            request.then([](const std::exception_ptr&) { throw std::runtime_error("own"); });
        }
        request.wait();
    });
    if (process_of_world() == 1) {
        CHECK(all[0].text == "released because member 3 failed: own");
        CHECK(all[0].context.rank == 2);
        CHECK(all[0].context.peer == 3);
        CHECK(all[1].text == "own");
    }
}

TEST_CASE("an error of an operator keeps the rank that it has") {
    for (const Manner manner : manners) {
        const std::vector<Caught> all = caught(20s, [&](mpi::Member& me, MPI_Comm /*part*/) {
            const auto op = [](double /*a*/, double /*b*/) -> double { throw Error("own", {.rank = 7}); };
            std::vector<double> in(10), out(10);
            complete(me, manner, [&](auto& way) { return way.allreduce(in, out, op); });
        });
        for (const Caught& each : all) {
            CHECK_MESSAGE((members_here() == 1 || each.text != "own" || each.context.rank == 7),
                          each.context.rank);
        }
    }
}

} // namespace tutti::test
