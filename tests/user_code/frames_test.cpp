// The library keeps no lock, reference or pointer that continuations, log functions and operators can
// invalidate: one case for each way in which that went wrong, or could.

#include "../api/trace_lines.hpp"
#include "two_members.hpp"

namespace {

/// The numbers before `unit` in a text.
std::vector<double> numbers_before(const std::string& text, std::string_view unit) {
    std::vector<double> found;
    for (std::size_t at = text.find(unit); at != std::string::npos; at = text.find(unit, at + 1)) {
        const std::size_t begin = text.find_last_not_of("0123456789.e+", at - 1) + 1;
        if (begin < at) {
            found.push_back(std::strtod(text.c_str() + begin, nullptr));
        }
    }
    return found;
}

void wait_in_vain(Beside& /*own*/) {
    progress_until([] { return false; });
}

const std::vector<double> twos(10, 2);

} // namespace

TEST_CASE("a wait inside a function keeps the cause of the failure, and reports its own to the outer wait") {
    for (const bool fails_inside : {false, true}) {
        Turn inside;
        const auto wait = [&](Beside& own, const std::exception_ptr& failure) {
            CHECK((failure != nullptr) == !fails_inside);
            std::vector<double> others(10);
            Request inner = own.other.start.allreduce(ones, others, sum);
            inside.pass();
            static_cast<void>(thrown_by([&] { inner.wait(); }));
        };
        const Thrown waited = run_beside(!fails_inside, wait, wait_in_vain, [&](Beside& own) {
            inside.await();
            fails_inside ? own.other.abort("deliberate")
                         : own.other.start.allreduce(ones, own.out, sum).wait();
        });
        CHECK(mentions(waited.text, "deliberate"));
    }
}

TEST_CASE(
    "a function destroys its member and throws: the wait throws that, and nothing of the member is used") {
    const Thrown waited = run_beside(
        false,
        [](Beside& own, const std::exception_ptr&) {
            own.side.reset();
            throw std::runtime_error("own");
        },
        [](Beside& own) {
            own.me.barrier(); // the other one has left the group of `side`
            own.request.wait();
        },
        [](Beside& own) { own.me.barrier(); });
    CHECK(waited.text == "own");
}

TEST_CASE("a request may be destroyed while it is waited for or tested, also with its member") {
    enum class By { wait, test, progress };
    for (const By by : {By::wait, By::test, By::progress}) {
        for (const bool fails : {false, true}) {
            bool is_called = false;
            const Thrown waited = run_beside(
                fails,
                [&](Beside& own, const std::exception_ptr& failure) {
                    CHECK((failure != nullptr) == fails);
                    is_called = true;
                    own.request = Request();
                    own.side.reset();
                },
                [&](Beside& own) {
                    while (by == By::test && !is_called) {
                        own.request.test();
                    }
                    by == By::progress ? progress_until([&] { return is_called && !fails; })
                                       : own.request.wait();
                });
            check_thrown(waited, fails ? Kind::aborted : Kind::nothing, {fails ? "deliberate" : ""});
        }
    }
}

TEST_CASE("a function that throws does not end the destruction of another request early") {
    run_beside(
        false, [](Beside&, const std::exception_ptr&) { throw std::runtime_error("own"); },
        [](Beside& own) {
            std::vector<double> late(10);
            { const Request waits = own.me.start.allreduce(ones, late, sum); }
            CHECK(late == twos);
        },
        [](Beside& own) {
            Turn::hesitate();
            own.me.start.allreduce(ones, own.out, sum).wait();
        });
}

TEST_CASE("a member that leaves completes what its functions start meanwhile") {
    std::vector<double> next(10);
    Request second;
    run_beside(
        false,
        [&](Beside& own, const std::exception_ptr&) { second = own.side->start.allreduce(ones, next, sum); },
        [&](Beside& own) {
            own.side.reset();
            CHECK(next == twos);
            CHECK_NOTHROW(second.wait());
            second = Request();
        },
        [](Beside& own) {
            Turn::hesitate();
            own.side->start.allreduce(ones, own.out, sum).wait();
        });
}

TEST_CASE("the end of a split is the end of all its calls: functions come after it") {
    bool is_called = false;
    const Thrown waited = run_beside(
        false,
        [&](Beside& own, const std::exception_ptr&) {
            is_called = true;
            own.me.barrier(); // would be taken for a call of the split
        },
        [&](Beside& own) {
            Member made = own.me.dup();
            progress_until([&] { return is_called; });
            made.barrier();
        },
        [](Beside& own) {
            Turn::hesitate();
            Member made = own.me.dup();
            own.me.barrier();
            made.barrier();
        });
    CHECK(waited.text == "");
    CHECK(is_called);
}

TEST_CASE("a trace shows a call as it was, whatever a function calls at its end") {
    Team team(2, {.placement = Placement::none, .group = {.timeout = 20s, .trace = Trace::operations}});
    const auto others = [](Member& me) {
        for (std::size_t n = 1000; n <= 8000; n += 1000) {
            std::vector<double> values(n);
            me.broadcast(values, 0);
            me.barrier();
        }
    };
    Turn turn;
    team.run([&](Member& me) {
        Member side = me.dup();
        std::vector<double> out(10);
        if (me.rank() == 1) {
            turn.await();
        }
        Request request = side.start.allreduce(ones, out, sum);
        if (me.rank() == 0) {
            bool is_called = false;
            request.then([&](const std::exception_ptr&) {
                others(me);
                is_called = true;
            });
            turn.pass();
            me.allreduce(ones, out, sum);
            progress_until([&] { return is_called; });
        } else {
            request.wait();
            Turn::hesitate();
            me.allreduce(ones, out, sum);
            others(me);
        }
    });
    int found = 0;
    for (const Line& line : lines_of(team.trace())) {
        if (line.name.starts_with("allreduce")) {
            CHECK(line.bytes == 80);
            ++found;
        }
    }
    CHECK(found == 2);
}

TEST_CASE("the time of user code is no part of a measurement of algorithms") {
    Team team(2, {.placement = Placement::none, .group = {.tuning = "on", .timeout = 20s}});
    constexpr auto slow = 30ms; // far more than a busy machine takes for the fastest of three calls
    std::array<Turn, 3> turns;  // those in which the second algorithm is compared
    team.run([&](Member& me) {
        std::vector<double> in(20000, 1);
        std::vector<double> out(20000);
        std::vector<double> beside(10);
        Member side = me.dup();
        constexpr std::size_t first = 8; // after a glance at two and three calls of the other
        for (std::size_t call = 0; call < 20; ++call) {
            Request request;
            if (call >= first && call < first + turns.size() && me.rank() == 0) {
                request = side.start.allreduce(ones, beside, sum);
                request.then([&](const std::exception_ptr&) { std::this_thread::sleep_for(slow); });
                turns[call - first].pass();
            } else if (call >= first && call < first + turns.size()) {
                turns[call - first].await();
                side.start.allreduce(ones, beside, sum).wait();
                Turn::hesitate();
            }
            me.reduce(in, out, sum, 0); // member 0, the root, waits
            me.barrier();
        }
    });
    const std::vector<double> times = numbers_before(team.roll_call(), " us;");
    CHECK(times.size() > 2);
    constexpr double slow_us = 29000;
    CHECK(std::ranges::all_of(times, [](double us) { return us < slow_us; }));
}

TEST_CASE("a log function may wait for a lock that another thread holds while it makes a group") {
    for (const char* const variable : {"TUTTI_TUNING_SAVE", "TUTTI_TUNING"}) {
        const Environment environment(variable, std::string("/nonexistent/") + variable);
        std::mutex lock; // GCC 12's thread sanitizer does not see the locks of a timed one
        std::atomic<bool> is_held{false};
        std::atomic<bool> logs{false};
        std::atomic<bool> deadlocks{false};
        set_log([&](Severity, std::string_view) {
            logs = true;
            std::unique_lock taken(lock, std::defer_lock);
            const auto end = std::chrono::steady_clock::now() + 5s;
            while (!taken.try_lock() && std::chrono::steady_clock::now() < end) {
                std::this_thread::yield();
            }
            deadlocks = deadlocks || !taken.owns_lock();
        });
        on_threads(2, [&](int thread) {
            if (thread == 0) {
                const std::scoped_lock taken(lock);
                is_held = true;
                is_held.notify_all();
                while (!logs) {
                    std::this_thread::yield();
                }
                const Group group(2);
            } else {
                is_held.wait(false);
                const Group group(2);
            }
        });
        CHECK(!deadlocks);
        set_log({});
    }
}

TEST_CASE("two log functions may run at the same time") {
    std::atomic<int> inside{0};
    std::atomic<bool> both{false};
    set_log([&](Severity, std::string_view) {
        ++inside;
        const auto end = std::chrono::steady_clock::now() + 5s;
        while (!both && std::chrono::steady_clock::now() < end) {
            both = both || inside == 2;
            std::this_thread::yield();
        }
    });
    on_threads(2, [](int thread) {
        const Group group(2, {.tuning = "/nonexistent/at_once" + std::to_string(thread)});
    });
    CHECK(both);
    set_log({});
}

TEST_CASE("an operator may wait for another group while operations of its own member are outstanding") {
    const Thrown thrown = run_both([](Beside& own) {
        std::vector<double> beside(10);
        bool has_waited = !own.is_first();
        const Adds waits{[&] {
            if (!std::exchange(has_waited, true)) {
                own.other.start.barrier().wait(); // looks at all operations of the thread
            }
        }};
        Request one = own.me.start.allreduce(ones, own.out, waits);
        Request two = own.me.start.allreduce(ones, beside, sum);
        if (!own.is_first()) {
            Turn::hesitate();
            own.other.start.barrier().wait();
        }
        one.wait();
        two.wait();
        CHECK(own.out == twos);
        CHECK(beside == twos);
    });
    CHECK(thrown.text == "");
}

TEST_CASE("an operator may destroy another member of its thread, whose operations the thread looks at next") {
    const Thrown thrown = run_both([](Beside& own) {
        std::array<std::optional<Member>, 3> others{own.me.dup(), own.me.dup(), own.me.dup()};
        std::array<Request, 3> requests;
        std::array<std::vector<double>, 3> results;
        results.fill(std::vector<double>(10));
        const Adds destroys{[&] {
            if (own.is_first()) {
                others[0].reset();
                others[2].reset();
            }
        }};
        const auto start_others = [&] {
            for (const std::size_t i : {0U, 2U}) {
                requests[i] = others[i]->start.allreduce(ones, results[i], sum);
            }
        };
        own.is_first() ? start_others() : Turn::hesitate();
        others[1]->start.allreduce(ones, results[1], destroys).wait();
        if (!own.is_first()) {
            start_others();
        }
        wait_all(requests);
        for (const std::vector<double>& each : results) {
            CHECK(each == twos);
        }
    });
    CHECK(thrown.text == "");
}

TEST_CASE("functions are called when no call is under way, not in a call that an operator makes") {
    const Thrown thrown = run_both([](Beside& own) {
        std::vector<double> beside(10);
        bool is_inside = false, is_called = false;
        const auto start = [&] { own.request = own.side->start.allreduce(ones, beside, sum); };
        if (own.is_first()) {
            start();
            own.request.then([&](const std::exception_ptr&) {
                CHECK(!is_inside);
                is_called = true;
            });
        }
        int calls = 0;
        own.me.allreduce(ones, own.out, Adds{[&] {
                             is_inside = true;
                             if (++calls == 1) {
                                 own.meet();
                                 if (!own.is_first()) {
                                     start();
                                 }
                                 own.request.wait(); // completes it, and calls no function
                                 own.meet();
                                 CHECK(!is_called);
                             }
                             is_inside = false;
                         }});
        own.me.barrier();
        own.request.wait();
        progress_until([&] { return is_called || !own.is_first(); });
    });
    CHECK(thrown.text == "");
}
