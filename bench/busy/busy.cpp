#include "busy/busy.hpp"

#include "immovable.hpp"
#include "machine/machine.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "measure/gate.hpp"
#include "measure/statistics.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/text.hpp"

#include <tutti/group.hpp>

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::bench {

namespace {

[[noreturn]] void loop_until_killed(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { // it has ended meanwhile
        _exit(0);
    }
    for (volatile unsigned long turns = 0;;) {
        turns = turns + 1;
    }
}

/// Processes that each want a CPU all the time, until this object ends, or the thread that has made it.
class BusyLoops : Immovable {
public:
    /// Throws EnvironmentUnfit if there cannot be so many.
    explicit BusyLoops(int loops) {
        const pid_t parent = getpid();
        for (int loop = 0; loop < loops; ++loop) {
            const pid_t child = fork();
            if (child == 0) {
                loop_until_killed(parent);
            }
            if (child < 0) {
                end();
                throw EnvironmentUnfit(
                    fmt::format("--busy: cannot start {} processes: {}", loops, strerror(errno)));
            }
            children_.push_back(child);
        }
        if (loops > 0) {
            constexpr std::chrono::milliseconds until_spread{200}; // by the kernel, over the CPUs
            std::this_thread::sleep_for(until_spread);
        }
    }
    ~BusyLoops() { end(); }

private:
    void end() noexcept {
        for (const pid_t child : children_) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }

    std::vector<pid_t> children_;
};

/// The measured times of members.
struct WaitTimes {
    double us_per_call = 0;
    /// CPU time of one member.
    double cpu_us_per_call = 0;
};

/// A way in which threads wait for each other: those of a group, and two that programs have without one.
struct WayToWait {
    std::string_view name;
    /// Allreduce of 8 bytes again and again for so many seconds, each time after `work` turns of a loop. One
    /// thread for each of `cpus`, on that CPU unless it is machine::unpinned.
    WaitTimes (*measure)(std::span<const int> cpus, double seconds, long work);
};

constexpr double ns_per_second = 1e9;
constexpr double ns_per_us = 1e3;

/// The program's own work.
void work(long turns) {
    double value = 1;
    for (long turn = 0; turn < turns; ++turn) {
        value = value * 1.0000001 + 0.5;
    }
    asm volatile("" : : "g"(&value) : "memory");
}

/// How many turns of the loop take so long on a CPU that nobody else wants.
long turns_for(double us) {
    constexpr long sample = 20'000;
    constexpr int tries = 20;
    double fastest_us = std::numeric_limits<double>::max();
    for (int i = 0; i < tries; ++i) {
        const std::int64_t begin = now_ns();
        work(sample);
        fastest_us = std::min(fastest_us, static_cast<double>(now_ns() - begin) / ns_per_us);
    }
    return static_cast<long>(us * sample / fastest_us);
}

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / ns_per_second;
}

/// An allreduce with sum, by member `rank`, in its `call`-th call.
using Allreduce = std::function<double(int rank, long call, double value)>;

/// Runs until member 0 finds that the time is up, which all learn from the same sum.
WaitTimes measured(std::span<const int> cpus, double seconds, long turns,
                   const std::function<Allreduce(int rank)>& allreduce_of) {
    long calls = 0;
    const auto be = [&](int rank) {
        if (const int cpu = cpus[static_cast<std::size_t>(rank)]; cpu != machine::unpinned) {
            machine::pin_this_thread(cpu);
        }
        const Allreduce allreduce = allreduce_of(rank);
        const std::int64_t end = now_ns() + static_cast<std::int64_t>(seconds * ns_per_second);
        for (long call = 1;; ++call) {
            work(turns);
            if (allreduce(rank, call, rank == 0 && now_ns() > end ? 1 : 0) > 0) {
                if (rank == 0) {
                    calls = call;
                }
                return;
            }
        }
    };
    const double cpu_before = cpu_seconds();
    const std::int64_t begin = now_ns();
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < cpus.size(); ++rank) {
        threads.emplace_back(be, static_cast<int>(rank));
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    constexpr double us_per_second = 1e6;
    const double us = us_per_second / static_cast<double>(calls);
    return {static_cast<double>(now_ns() - begin) / ns_per_second * us,
            (cpu_seconds() - cpu_before) * us / static_cast<double>(cpus.size())};
}

template <Wait wait>
WaitTimes in_a_group(std::span<const int> cpus, double seconds, long turns) {
    Group group(static_cast<int>(cpus.size()), {.wait = wait});
    return measured(cpus, seconds, turns, [&](int rank) -> Allreduce {
        return [me = std::make_shared<Member>(group.join(rank))](int, long, double value) {
            return me->allreduce(value, sum);
        };
    });
}

/// Each writes its value, waits for all, and adds all values. The next call has other places for them.
template <class AwaitAll>
WaitTimes by_hand(std::span<const int> cpus, double seconds, long turns, AwaitAll await_all) {
    struct alignas(64) Value {
        double value = 0;
    };
    std::array<std::vector<Value>, 2> values{std::vector<Value>(cpus.size()),
                                             std::vector<Value>(cpus.size())};
    return measured(cpus, seconds, turns, [&](int) -> Allreduce {
        return [&](int rank, long call, double value) {
            std::vector<Value>& shown = values[static_cast<std::size_t>(call % 2)];
            shown[static_cast<std::size_t>(rank)].value = value;
            await_all();
            double result = 0;
            for (const Value& each : shown) {
                result += each.value;
            }
            return result;
        };
    });
}

WaitTimes with_std_barrier(std::span<const int> cpus, double seconds, long turns) {
    std::barrier barrier(static_cast<std::ptrdiff_t>(cpus.size()));
    return by_hand(cpus, seconds, turns, [&] { barrier.arrive_and_wait(); });
}

/// A barrier as many programs have it: a count, a phase, and sched_yield().
WaitTimes with_a_yielding_barrier(std::span<const int> cpus, double seconds, long turns) {
    std::atomic<std::size_t> arrived{0};
    std::atomic<unsigned> phase{0};
    return by_hand(cpus, seconds, turns, [&, members = cpus.size()] {
        const unsigned before = phase.load(std::memory_order_acquire);        // pairs with the release below
        if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == members) { // pairs with the others'
            arrived.store(0, std::memory_order_relaxed);
            phase.store(before + 1, std::memory_order_release); // release: pairs with both loads
            return;
        }
        while (phase.load(std::memory_order_acquire) == before) { // pairs with the release above
            sched_yield();
        }
    });
}

constexpr std::array ways{
    WayToWait{"automatic", in_a_group<Wait::automatic>}, WayToWait{"spin", in_a_group<Wait::spin>},
    WayToWait{"yield", in_a_group<Wait::yield>},         WayToWait{"sleep", in_a_group<Wait::sleep>},
    WayToWait{"std::barrier", with_std_barrier},         WayToWait{"hand-written", with_a_yielding_barrier}};

constexpr double work_us = 3;

/// The samples of the rounds of one wait policy.
struct Samples {
    std::vector<double> us;
    std::vector<double> cpu_us;
};

std::vector<std::string> cells(int members, int loops, const char* what, const std::vector<Samples>& all,
                               std::vector<double> Samples::*times) {
    std::vector<std::string> row{std::to_string(members), std::to_string(loops), what};
    for (const Samples& samples : all) {
        row.push_back(format_us(summarise(samples.*times).median));
    }
    return row;
}

void measure(const BenchOptions& options, int members, int loops, long turns, Table& table) {
    const std::vector<int> cpus =
        machine::place(machine::detect(), members, machine::parse_placement(options.placement));
    const BusyLoops busy(loops);
    std::vector<Samples> all(ways.size());
    for (int round = 0; round < options.given.rounds; ++round) {
        for (std::size_t way = 0; way < all.size(); ++way) {
            const WaitTimes times = ways[way].measure(cpus, options.method.limits.seconds, turns);
            all[way].us.push_back(times.us_per_call);
            all[way].cpu_us.push_back(times.cpu_us_per_call);
        }
    }
    table.add(cells(members, loops, "time", all, &Samples::us));
    table.add(cells(members, loops, "CPU time", all, &Samples::cpu_us));
}

} // namespace

int run_busy(const BenchOptions& options) {
    const long turns = turns_for(work_us);
    std::vector<Table::Column> columns{{.heading = "members"}, {.heading = "loops"}, {.heading = ""}};
    for (const WayToWait& way : ways) {
        columns.push_back({.heading = std::string(way.name)});
    }
    Table table(std::move(columns));
    for (const int members : options.members) {
        for (const int loops : options.given.busy) {
            measure(options, members, loops, turns, table);
        }
    }
    if (!options.given.points.quiet) {
        fmt::print(
            "allreduce of 8 B beside busy loops of other processes, {:.0f} us of work before each call, "
            "placement {}; time and CPU time of a member per call, medians of {} rounds of {:.2g} s\n\n",
            work_us, options.placement, options.given.rounds, options.method.limits.seconds);
    }
    fmt::print("{}", table.text(width_of(stdout)));
    return exit_fine;
}

} // namespace tutti::bench
