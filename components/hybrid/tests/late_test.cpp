// Processes and members that come late or never: who waits is told by the timeout, whatever the call.

#include "support.hpp"
#include "tests/reference/each.hpp"

#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace tutti::test {

namespace {

/// A collective in which process 0 waits for process 1.
void call(ClusterMember& me, Collective collective) {
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

/// The two processes of a case.
struct Two {
    MPI_Comm part;
    bool is_second;
    pid_t other; ///< the other one's number in the system
};

void on_two_that_wait(const std::function<void(const Two&)>& body) {
    on_two([&](MPI_Comm part, bool is_second) {
        may_go = false;
        std::signal(SIGUSR2, let_go);
        const int own = getpid();
        std::array<int, 2> all{};
        MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, part);
        body({part, is_second, all[is_second ? 0 : 1]});
        MPI_Barrier(part);
        std::signal(SIGUSR2, SIG_DFL);
    });
}

/// Calls `call` on process 0, and on process 1 when that has been told by it.
void in_time_or_late(ClusterMember& me, const Two& two, const std::function<void()>& call) {
    std::optional<LedClock> clock; // so that the leader is the first that has waited for too long
    if (two.is_second) {
        wait_to_go();
    } else if (me.local().rank() == 0) {
        clock.emplace(100us);
    }
    try {
        call();
    } catch (...) {
        if (!two.is_second && me.local().rank() == 0) {
            kill(two.other, SIGUSR2);
            kill(two.other, SIGCONT);
        }
        throw;
    }
    if (two.is_second) {
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
        on_two_that_wait([&](const Two& two) {
            const Texts texts = thrown_by<TimeoutError>(two.part, {.timeout = 600ms}, [&](ClusterMember& me) {
                if (!two.is_second && me.local().rank() == 0) {
                    kill(two.other, SIGSTOP);
                }
                in_time_or_late(me, two, [&] { call(me, collective); });
            });
            check_all(texts, "process 0 has waited 600 ms in operation 1, ");
            check_all(texts, "no answer from process 1: it has ended, hangs, or is late");
            check_all(texts, two.is_second ? "released because process 0 failed: " : "");
        });
    }
}

TEST_CASE("a process that takes no messages is named") {
    on_two_that_wait([&](const Two& two) {
        const Texts texts = thrown_by<TimeoutError>(two.part, {.timeout = 300ms}, [&](ClusterMember& me) {
            std::vector<double> x(1 << 20); // in order serial, process 0 begins with several messages
            in_time_or_late(me, two, [&] { me.allreduce(x, sum, {.order = Order::serial}); });
        });
        check_all(texts, "; no message taken by process 1: it has ended, hangs, or is late");
    });
    CHECK_THROWS_AS(Cluster(Group(1), MPI_COMM_SELF, {.timeout = -1ms}), ArgumentError);
    CHECK_THROWS_AS(Cluster(Group(1), MPI_COMM_SELF, {.timeout = 0ms}), ArgumentError);
}

TEST_CASE("a cluster tells who is where in a process, and for which process it waits") {
    on_two_that_wait([](const Two& two) {
        Cluster cluster(Group(members_here()), two.part);
        std::string text;
        std::jthread asks([&] {
            while (!two.is_second && !mentions(text, "in operation 2 waiting for process 1")) {
                text = cluster.roll_call();
            }
            if (!two.is_second) {
                text = cluster.roll_call(); // that was not all of one moment
                kill(two.other, SIGUSR2);
            }
        });
        on_ranks(members_here(), [&](int rank) {
            ClusterMember me = cluster.join(rank);
            double x = me.allreduce(1.0, sum);
            if (two.is_second) {
                wait_to_go();
            }
            x = me.allreduce(x, max);
            CHECK(mentions(cluster.roll_call(), ": thread " + std::to_string(gettid())));
        });
        asks.join();
        if (!two.is_second) {
            check_all({text}, "roll call of process 0 of 2, with " + std::to_string(members_here()) + " of " +
                                  std::to_string(2 * members_here()) + " members:\n");
            check_all({text}, "operation 2, allreduce (algorithm butterfly) of 8 bytes of f64 with max, at "
                              "late_test.cpp:");
            check_all({text}, "  in operation 2 waiting for process 1 for ");
            CHECK(mentions(cluster.roll_call(RollCallFormat::json), "\"rank\": 0, "));
        }
    });
}

namespace {

// A member that returns from a failed call has its vectors back: nobody of its process touches them any more.

constexpr int several = 3;
constexpr std::size_t elements = 500'000;

/// A vector that traps whoever touches it after its end, or what lies behind it.
class Guarded {
public:
    explicit Guarded(std::size_t count = elements)
        : bytes_((count * sizeof(int) + page - 1) / page * page), count_(count),
          memory_(static_cast<std::byte*>(
              mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        REQUIRE(memory_ != MAP_FAILED);
        mprotect(memory_ + bytes_, page, PROT_NONE);
    }
    ~Guarded() { mprotect(memory_, bytes_, PROT_NONE); } // the place stays taken
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    Guarded(Guarded&&) = delete;
    Guarded& operator=(Guarded&&) = delete;

    std::span<int> span() const {
        return {reinterpret_cast<int*>(memory_ + bytes_) - count_, count_}; // its end is the guard
    }

private:
    static constexpr std::size_t page = 4096;
    std::size_t bytes_;
    std::size_t count_;
    std::byte* memory_;
};

/// One call, on vectors that are gone when it has thrown. The operator of member `thrower` throws, later than
/// the others have begun, and theirs take their time: a vector is still being read when a member fails.
void call(ClusterMember& me, int thrower, std::atomic<int>& calls) {
    const Guarded in, out;
    const auto op = [&, rank = me.local().rank()](int a, int b) {
        const int before = calls++;
        if (rank == thrower && before > 10) {
            throw std::runtime_error("the operator broke");
        }
        if (before % 20'000 < 5) {
            std::this_thread::sleep_for(5ms);
        }
        return a + b;
    };
    const std::string text = message_of<std::runtime_error>([&] { me.allreduce(in.span(), out.span(), op); });
    CHECK(!text.empty()); // all that is thrown here is one
    const int at_return = calls;
    std::this_thread::sleep_for(20ms);
    CHECK_MESSAGE(calls == at_return, "an operator still ran when member ", me.rank(), " had returned");
}

} // namespace

TEST_CASE("vectors are left alone when a call has thrown, and nothing beyond their ends is touched") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    for (const int thrower :
         {0, -1}) { // the leader, which may combine by itself; none, and process 1 is away
        INFO("member ", thrower);
        on_two([&](MPI_Comm part, bool is_second) {
            std::atomic<int> calls{0};
            ClusterOptions options;
            if (thrower < 0) {
                options.timeout = 20ms; // after which a leader gives up
            }
            on_members(part, several, options, [&](ClusterMember& me) {
                thrower < 0 && is_second ? void() : call(me, thrower, calls);
            });
        });
    }
    on_processes(2, [&](MPI_Comm part) { // members of one process with vectors of different lengths
        on_members(part, several, [&](ClusterMember& me) {
            const std::size_t count = me.local().rank() == 1 ? elements : elements / 4;
            const Guarded in(count), out(count);
            const std::string text = message_of<Error>([&] {
                me.allreduce(in.span(), out.span(), tutti::sum);
                me.barrier();
            });
            // Of a cluster, or of a group.
            CHECK_MESSAGE((mentions(text, "different calls") || mentions(text, "make the same call")), text);
        });
    });
}

} // namespace tutti::test
