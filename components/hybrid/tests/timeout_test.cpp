// Processes and members that come late or never: who waits is told by the timeout, whatever the call.

#include "support.hpp"
#include "tests/reference/each.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace tutti::test {

namespace {

using namespace std::chrono_literals;

/// What the timeout threw.
Texts told_by(MPI_Comm part, const std::function<void(mpi::Member&)>& body,
              const mpi::ClusterOptions& options) {
    return thrown_by<TimeoutError>(part, body, options);
}

/// A collective in which process 0 waits for process 1.
void call(mpi::Member& me, Collective collective) {
    const int last = me.size() - 1; // of process 1
    Operands<double> operands(me.size(), 10);
    test::call(me, collective, operands, sum, last, 0);
}

/// Of this process: another one sends it SIGUSR2.
std::atomic<bool> may_go{false};

void let_go(int /*signal*/) {
    may_go = true;
}

void wait_to_go() {
    while (!may_go) {
        std::this_thread::sleep_for(1ms);
    }
}

/// Calls body(part, is_second, other) on two processes, of which `other` is the other one's number in the
/// system.
void on_two(const std::function<void(MPI_Comm, bool is_second, pid_t other)>& body) {
    on_processes(2, [&](MPI_Comm part) {
        may_go = false;
        std::signal(SIGUSR2, let_go);
        const bool is_second = process_of_world() == 1;
        const int own = getpid();
        std::array<int, 2> all{};
        MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, part);
        body(part, is_second, all[is_second ? 0 : 1]);
        MPI_Barrier(part);
        std::signal(SIGUSR2, SIG_DFL);
    });
}

/// Calls `call` on process 0, and on process 1 when that has been told by it.
void in_time_or_late(mpi::Member& me, bool is_second, pid_t other, const std::function<void()>& call) {
    if (is_second) {
        wait_to_go();
    }
    try {
        call();
    } catch (...) {
        if (!is_second && me.local().rank() == 0) {
            kill(other, SIGUSR2);
            kill(other, SIGCONT);
        }
        throw;
    }
    if (is_second) {
        me.barrier(); // who needs nothing of process 0 learns of it here
    }
}

} // namespace

TEST_CASE("a process that has been stopped is named, in every collective, and told when it goes on") {
    for (const Collective collective : detail::all_collectives) {
        if (detail::traits_of(collective).is_prefix() || collective == Collective::shift) {
            continue; // in a scan nobody of process 0 waits, and there is no shift
        }
        CAPTURE(to_string(collective));
        on_two([&](MPI_Comm part, bool is_second, pid_t other) {
            const auto stopped_or_waits = [&](mpi::Member& me) {
                if (!is_second && me.local().rank() == 0) {
                    kill(other, SIGSTOP);
                }
                in_time_or_late(me, is_second, other, [&] { call(me, collective); });
            };
            const std::vector<std::string> texts = told_by(part, stopped_or_waits, {.timeout = 600ms});
            check_all(texts, "process 0 has waited 600 ms in operation 1, ");
            check_all(texts, "no answer from process 1: it has ended, hangs, or is late");
            check_all(texts, is_second ? "released because process 0 failed: " : "");
        });
    }
}

TEST_CASE("a process that takes no messages is named, and once") {
    on_two([](MPI_Comm part, bool is_second, pid_t other) {
        const std::vector<std::string> texts = told_by(
            part,
            [&](mpi::Member& me) {
                std::vector<double> x(1 << 20); // in order serial, process 0 begins with several messages
                in_time_or_late(me, is_second, other,
                                [&] { me.allreduce(x, sum, {.order = Order::serial}); });
            },
            {.timeout = 300ms});
        check_all(texts, "; no message taken by process 1: it has ended, hangs, or is late");
    });
}

TEST_CASE("a call may have a timeout of its own") {
    on_two([](MPI_Comm part, bool is_second, pid_t other) {
        const std::vector<std::string> texts =
            told_by(part,
                    [&](mpi::Member& me) {
                        me.barrier({.timeout = 60s});
                        me.barrier();
                        in_time_or_late(me, is_second, other, [&] { me.barrier({.timeout = 600ms}); });
                    },
                    {.timeout = 60s});
        check_all(texts, "process 0 has waited 600 ms in operation 3, barrier");
    });
}

TEST_CASE("a cluster has the timeout of its group where it has none") {
    on_two([](MPI_Comm part, bool is_second, pid_t other) {
        CHECK_THROWS_AS(mpi::Cluster(Group(1), part, {.timeout = -1ms}), ArgumentError);
        CHECK_THROWS_AS(mpi::Cluster(Group(1), part, {.timeout = 0ms}), ArgumentError);
        mpi::Cluster cluster(Group(1, {.timeout = 250ms}), part);
        std::string text;
        try {
            mpi::Member me = cluster.join(0);
            in_time_or_late(me, is_second, other, [&] { me.barrier(); });
        } catch (const TimeoutError& error) {
            text = error.what();
        }
        check_all({text}, "process 0 has waited 250 ms in operation 1, barrier");
    });
}

TEST_CASE("a cluster tells who is where in a process, and for which process it waits") {
    on_two([](MPI_Comm part, bool is_second, pid_t other) {
        const Group group(members_here());
        mpi::Cluster cluster(group, part);
        std::string text;
        std::thread asks([&] {
            while (!is_second && text.find("in operation 2 waiting for process 1") == std::string::npos) {
                text = cluster.roll_call();
            }
            if (!is_second) {
                text = cluster.roll_call(); // that was not all of one moment
                kill(other, SIGUSR2);
            }
        });
        const auto act = [&](int rank) {
            mpi::Member me = cluster.join(rank);
            double x = me.allreduce(1.0, sum);
            if (is_second) {
                wait_to_go();
            }
            x = me.allreduce(x, max);
            me.barrier();
        };
        std::vector<std::thread> threads;
        for (int rank = 1; rank < group.size(); ++rank) {
            threads.emplace_back(act, rank);
        }
        act(0);
        for (std::thread& thread : threads) {
            thread.join();
        }
        asks.join();
        if (!is_second) {
            check_all({text}, "roll call of process 0 of 2, with " + std::to_string(members_here()) + " of " +
                                  std::to_string(2 * members_here()) + " members:\n");
            check_all({text}, "operation 2, allreduce (algorithm butterfly) of 8 bytes of f64 with max, at "
                              "timeout_test.cpp:");
            check_all({text}, "  in operation 2 waiting for process 1 for ");
            CHECK(cluster.roll_call(RollCallFormat::json).find("\"rank\": 0, ") != std::string::npos);
        }
    });
}

} // namespace tutti::test
