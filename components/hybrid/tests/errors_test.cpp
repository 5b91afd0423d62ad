// The fields of errors in clusters: the ranks and the calls of the cluster, if the threads of one process
// differ, if a member is late, and if one fails.

#include "exam.hpp"

namespace tutti::test {

namespace {

/// An error that a member of process 1 gets.
struct Caught {
    std::string text;
    ErrorContext context;
};

using Act = std::function<void(ClusterMember& me, MPI_Comm part)>;

std::vector<Caught> caught(std::chrono::milliseconds timeout, const Act& body) {
    std::vector<Caught> all(2);
    on_processes(2, [&](MPI_Comm part) {
        on_members(part, 2, {.timeout = timeout}, [&](ClusterMember& me) {
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
        const std::string& text = all[static_cast<std::size_t>(member - 2)].text;
        const ErrorContext& context = all[static_cast<std::size_t>(member - 2)].context;
        CHECK_MESSAGE(context.rank == member, text);
        CHECK_MESSAGE((expected.fails_elsewhere ? context.peer == -1 : context.peer / 2 == 1), text);
        CHECK_MESSAGE((member == expected.failing || context.collective == expected.collective), text);
        CHECK_MESSAGE((member == expected.failing || !expected.has_begun || context.operation != 0), text);
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
    ClusterMember& me;
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
    const std::vector<Caught> all = caught(20s, [&](ClusterMember& me, MPI_Comm part) {
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
    const std::vector<Caught> all = caught(timeout, [&](ClusterMember& me, MPI_Comm /*part*/) {
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
        caught(20s, [&](ClusterMember& me,
                        MPI_Comm /*part*/) { me.rank() == 3 ? void(sum_of(me)) : sum_of(me.start).wait(); }),
        {Collective::allreduce,
         {"members 3 and 2", "member 3 calls allreduce", "member 2 starts allreduce"}});
    const std::string late = "member 3 has come to prepared operation 1, allreduce";
    check_late({Collective::allreduce, {"member 2 has waited", "in operation 1, allreduce", late}},
               [](ClusterMember& me, Persistent& /*prepared*/) { sum_of(me); });
    check_late({Collective::allreduce, {"in started operation 1, allreduce", late}},
               [](ClusterMember& me, Persistent& /*prepared*/) { sum_of(me.start).wait(); });
    check_late({Collective::allreduce, {"in started operation 1, allreduce", late}},
               [](ClusterMember& /*me*/, Persistent& prepared) {
                   prepared.start();
                   prepared.wait();
               });
    check_late({std::nullopt, {"in operation 1, split", late}},
               [](ClusterMember& me, Persistent& /*prepared*/) { static_cast<void>(me.split(0, 0)); });
    for (const FailingCall& call : failing_calls) {
        for (const int failing : {3, 2, 0}) {
            check_abort(call, failing, true);
            check_abort(call, failing, false);
        }
    }
    const std::vector<Caught> all = caught(20s, [&](ClusterMember& me, MPI_Comm /*part*/) {
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
        const std::vector<Caught> all = caught(20s, [&](ClusterMember& me, MPI_Comm /*part*/) {
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
