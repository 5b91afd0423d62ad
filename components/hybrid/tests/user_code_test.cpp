// Code of the program that runs inside the library, in clusters: what it may do there, and what becomes of
// the members.

#include "exam.hpp"
#include "tests/api/coroutines.hpp"
#include "tests/forked.hpp"

#include <tutti/observe.hpp>

namespace tutti::test {

namespace {

enum class Code { in_operator, continuation, coroutine };
constexpr std::array code_names{" in an operator", " in a continuation", " in a coroutine"};

/// One member, and what its code may touch.
struct Actor {
    std::optional<Cluster> cluster = {};
    std::optional<ClusterMember> me = {};
    std::optional<ClusterMember> other = {}; ///< of the same members
    Request request = {};                    ///< of `other`
    /// The one of which all members' code makes calls: of `other` in a continuation, because continuations of
    /// different members come at different times.
    ClusterMember* called = nullptr;
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
    {"fork", false, [](Actor&) { fork_and_return(); }, "", ""},
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
    const auto op = [code](long a, long b) {
        if (code == Code::in_operator) {
            act();
        }
        return a + b;
    };
    ClusterMember& me = *actor.me;
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
        Cluster cluster(Group(members_here(), {.trace = Trace::statistics}), part, {.timeout = 5s});
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
                                                [&](ClusterMember& me) {
                                                    Request request = me.start.barrier();
                                                    const auto op = [&](long a, long b) {
                                                        request.wait();
                                                        return a + b;
                                                    };
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
    static Cluster* hooked;
    static Group* own;
    static void (*report)();
    for (void (*const act)() :
         {+[] { throw std::runtime_error("which is ignored"); }, +[] { CHECK(!hooked->roll_call().empty()); },
          +[] { static_cast<void>(own->statistics()); }, &fork_and_return}) {
        calls = 0;
        report = act;
        set_failure_hook([](int member, std::string_view) {
            ++calls;
            failed = member;
            report();
        });
        on_processes(2, [&](MPI_Comm part) {
            Group group(members_here(), {.trace = Trace::statistics});
            Cluster cluster(group, part);
            own = &group;
            hooked = &cluster;
            on_ranks(members_here(), [&](int rank) {
                ClusterMember me = cluster.join(rank);
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

} // namespace tutti::test
