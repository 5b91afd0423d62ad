// Code of the program that runs inside the library, in clusters: what it may do there, and what becomes of
// the members. And errors that are found among the threads of one process.

#include "exam.hpp"

#include <tutti/log.hpp>

namespace tutti::test {

namespace {

enum class Code { in_operator, continuation };

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

/// What the code does, and what all members learn then: empty if it does no harm, null if that is not
/// examined.
struct Row {
    const char* action;
    bool by_all;
    void (*act)(Actor&);
    const char* in_operator;
    const char* in_continuation;
};

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<Row> rows = {
    {"a call that blocks", true, [](Actor& a) { a.called->barrier(); }, "called by an operator", ""},
    {"the start of a call", true, [](Actor& a) { a.request = a.called->start.barrier(); },
     "called by an operator", ""},
    {"a wait", false, [](Actor& a) { a.request.wait(); }, "", ""},
    {"the end of the member", false, [](Actor& a) { a.me.reset(); }, "an operator has destroyed the member",
     nullptr},
    {"the end of a handle", false, [](Actor& a) { a.cluster.reset(); }, "", ""},
    {"the end of a request", false, [](Actor& a) { a.request = Request(); }, "", ""},
    {"abort", false, [](Actor& a) { a.me->abort("out of ink"); }, "out of ink", "out of ink"},
    {"an exception", false, [](Actor&) { throw std::runtime_error("out of paper"); }, "out of paper",
     "out of paper"},
    {"a roll call", false, [](Actor& a) { CHECK(!a.cluster->roll_call().empty()); }, "", ""},
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

void make_call(Actor& actor, Code code, Manner manner) {
    const auto continued = [](const std::exception_ptr& failure) { failure == nullptr ? act() : void(); };
    const auto op = tutti::non_commutative([code](long a, long b) {
        if (code == Code::in_operator) {
            act();
        }
        return a + b;
    });
    mpi::Member& me = *actor.me;
    if (manner == Manner::blocking) {
        Request side = actor.other->start.barrier();
        if (code == Code::continuation) {
            side.then(continued);
        }
        me.allreduce(actor.in, actor.out, op);
        side.wait();
        return;
    }
    if (manner == Manner::persistent) {
        Persistent call = me.prepare.allreduce(actor.in, actor.out, op);
        call.start();
        call.wait();
        call.start();
        code == Code::continuation ? call.then(continued) : void();
        call.wait();
        return;
    }
    Request call = me.start.allreduce(actor.in, actor.out, op);
    code == Code::continuation ? call.then(continued) : void();
    call.wait();
}

void check_row(const Row& row, Code code, Manner manner) {
    const char* const expected = code == Code::in_operator ? row.in_operator : row.in_continuation;
    if (&row == &rows.front() && code == Code::continuation && manner == Manner::blocking) {
        return; // it may run before or after the other call, and so on members in different orders
    }
    INFO(std::string(row.action),
         std::string(code == Code::in_operator ? " in an operator" : " in a continuation"), ", manner ",
         static_cast<int>(manner));
    on_processes(2, [&](MPI_Comm part) {
        mpi::Cluster cluster(Group(members_here()), part, {.timeout = 5s});
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
                if (expected != nullptr) {
                    actor.me->barrier(); // in which the others learn of it
                    CHECK(actor.out == std::vector<long>(40, actor.me->size()));
                }
            });
            current_row = nullptr;
            // Of an exception that leaves a call of `me` because of `other`, the others of `me` learn this
            // much.
            const bool is_right = expected == nullptr ||
                                  (*expected == 0 ? text.empty() : mentions(text, expected)) ||
                                  mentions(text, "an exception ended its part");
            CHECK_MESSAGE(is_right, "\"", text, "\"");
        });
    });
}

} // namespace

TEST_CASE("operators and continuations of clusters act") {
    for (const Manner manner : manners) {
        for (const Row& row : rows) {
            check_row(row, Code::in_operator, manner);
            check_row(row, Code::continuation, manner);
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

TEST_CASE("a hook of failures is called once in each process, with a rank in the cluster") {
    static std::atomic<int> calls{0};
    static std::atomic<int> failed{-1};
    calls = 0;
    set_failure_hook([](int member, std::string_view) {
        ++calls;
        failed = member;
        throw std::runtime_error("which is ignored");
    });
    on_processes(2, [&](MPI_Comm part) {
        const Texts texts = thrown_by<std::exception>(part, {}, [&](mpi::Member& me) {
            me.barrier();
            if (me.rank() == me.size() - 1) {
                me.abort("out of ink");
            }
            me.barrier();
        });
        check_all(texts, "out of ink");
        CHECK(calls == 1);
        CHECK(failed / members_here() == process_of_world());
    });
    set_failure_hook({});
}

namespace {

/// An error that a member of process 1 gets.
struct Caught {
    std::string text;
    ErrorContext context;
};

std::vector<Caught> caught(std::chrono::milliseconds timeout, const Body& body) {
    std::vector<Caught> all(2);
    on_processes(2, [&](MPI_Comm part) {
        on_members(part, 2, {.timeout = timeout}, [&](mpi::Member& me) {
            Caught& mine = all[static_cast<std::size_t>(me.local().rank())];
            try {
                body(me);
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

/// Of the members 2 and 3, which are those of process 1.
void check_ranks(const std::vector<Caught>& all, const std::vector<std::string>& parts) {
    for (int member = 0; process_of_world() == 1 && member < 2; ++member) {
        const Caught& each = all[static_cast<std::size_t>(member)];
        CHECK(each.context.rank == 2 + member);
        CHECK_MESSAGE((each.context.peer == 2 || each.context.peer == 3), each.context.peer);
        CHECK(each.text.find("released because") == each.text.rfind("released because"));
        CHECK_MESSAGE(!mentions(each.text, "barrier"), each.text);
        for (const std::string& part : parts) {
            CHECK_MESSAGE(mentions(each.text, part), each.text);
        }
    }
}

} // namespace

TEST_CASE("errors among the threads of a process have the ranks and the calls of the cluster") {
    if (members_here() == 1) {
        return;
    }
    const auto sum_of = [](auto& way) {
        static thread_local std::vector<double> in(1000, 1), out(1000);
        return way.allreduce(in, out, tutti::sum);
    };
    check_ranks(caught(20s, [&](mpi::Member& me) { me.rank() == 3 ? sum_of(me) : sum_of(me.start).wait(); }),
                {"members 3 and 2", "member 3 calls allreduce", "member 2 starts allreduce"});
    std::atomic<bool> is_told{false};
    const auto after_others = [&](mpi::Member& me) {
        while (me.rank() == 3 && !is_told) {
            std::this_thread::yield();
        }
        try {
            sum_of(me);
        } catch (...) {
            is_told = true;
            throw;
        }
    };
    check_ranks(caught(50ms, after_others),
                {"member 2 has waited", "allreduce", "member 3 has made no call yet"});
    const std::vector<Caught> all = caught(20s, [&](mpi::Member& me) {
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

} // namespace tutti::test
