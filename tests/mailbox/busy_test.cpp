// Members that wait for each other beside busy loops, on a machine whose scheduler is simulated.
#include "../test.hpp"
#include "mailbox/wait.hpp"
#include "simulated_machine.hpp"

using namespace tutti::mailbox;
using tutti::test::SimulatedMachine;

namespace {

constexpr long look_ns = 100;
constexpr long microsecond_ns = 1'000;
constexpr long millisecond_ns = 1'000'000;

/// A futex of the simulated machine.
class SimulatedCounter {
public:
    static inline SimulatedMachine* machine = nullptr;
    /// The time from waking up to the look: the CPU may have to wake up as well.
    static inline long waking_ns = 0;

    std::uint32_t seen() const noexcept { return count_; }
    void notify() noexcept {
        constexpr long wake_call_ns = 1'500;
        ++count_;
        machine->use(wake_call_ns);
        for (const std::size_t thread : sleepers_) {
            machine->wake(thread);
        }
    }
    void sleep(std::uint32_t seen, std::int64_t bound_ns) noexcept {
        constexpr long sleep_call_ns = 1'000;
        machine->use(sleep_call_ns);
        if (count_ == seen) {
            const std::size_t thread = machine->this_thread();
            sleepers_.insert(thread);
            machine->sleep(bound_ns);
            machine->use(waking_ns);
            sleepers_.erase(thread);
        }
    }

private:
    std::uint32_t count_ = 0;
    std::set<std::size_t> sleepers_;
};

/// Members that work, and then wait for each other as a group's members do.
class Members {
public:
    Members(SimulatedMachine& machine, const WaitPolicy& wait_policy, int members)
        : machine_(machine), wait_policy_(wait_policy), members_(static_cast<std::size_t>(members)),
          cpus_(members) {
        SimulatedCounter::machine = &machine;
    }

    [[noreturn]] void be(int rank, long work_ns) {
        Shown& own = members_[static_cast<std::size_t>(rank)];
        WaitHistory history;
        for (;;) {
            machine_.use(work_ns);
            ++own.calls;
            own.event.notify_if_needed();
            for (int peer = 0; peer < static_cast<int>(members_.size()); ++peer) {
                await(rank, peer, own.calls, history);
            }
        }
    }

    /// Each waits for the one before. The first works long in its first `long_calls` calls.
    [[noreturn]] void be_in_a_ring(int rank, long long_calls) {
        const auto size = static_cast<int>(members_.size());
        Shown& own = members_[static_cast<std::size_t>(rank)];
        WaitHistory history;
        for (long call = 1;; ++call) {
            if (rank == 0) {
                machine_.use(call <= long_calls ? 5 * millisecond_ns : 3 * microsecond_ns);
            } else {
                await(rank, rank - 1, call, history);
            }
            ++own.calls;
            own.event.notify_if_needed();
            if (rank == 0) {
                await(rank, size - 1, call, history);
            }
        }
    }

    /// Complete ones.
    long calls() const { return std::ranges::min_element(members_, {}, &Shown::calls)->calls; }

private:
    struct Shown {
        long calls = 0;
        BasicEventCount<StdWaiters, SimulatedCounter> event;
    };

    void await(int rank, int peer, long call, WaitHistory& history) {
        Shown& awaited = members_[static_cast<std::size_t>(peer)];
        const auto is_ready = [&] {
            machine_.use(look_ns);
            return awaited.calls >= call;
        };
        for (int looks = eager_looks(wait_policy_, history); looks > 0; --looks) {
            if (is_ready()) {
                return;
            }
        }
        progress_until(is_ready, [](bool) {}, awaited.event, wait_policy_, {history, cpus_.of(rank, peer)});
    }

    SimulatedMachine& machine_;
    WaitPolicy wait_policy_;
    std::deque<Shown> members_;
    LastCpus cpus_;
};

struct Situation {
    std::string text;
    std::vector<int> members; // the CPU of each
    std::vector<int> loops;
    bool is_crowded;
};

double us_per_call(const Situation& situation, const WaitPolicy& wait_policy, long simulated_ns) {
    constexpr long work_ns = 3 * microsecond_ns;
    SimulatedMachine machine;
    Members members(machine, wait_policy, static_cast<int>(situation.members.size()));
    for (int rank = 0; const int cpu : situation.members) {
        machine.add(cpu, [&members, rank] { members.be(rank, work_ns + rank * 100L); });
        ++rank;
    }
    for (const int cpu : situation.loops) {
        machine.add(cpu);
    }
    machine.run(simulated_ns);
    return static_cast<double>(simulated_ns) / static_cast<double>(members.calls()) / microsecond_ns;
}

constexpr WaitPolicy spins{.spin_ns = WaitPolicy::for_good_ns, .yield_ns = 0};
constexpr WaitPolicy yields{.spin_ns = 0, .yield_ns = WaitPolicy::for_good_ns};
constexpr WaitPolicy sleeps{};
constexpr WaitPolicy adapts{.spin_ns = 100 * microsecond_ns, .yield_ns = 100 * microsecond_ns};
constexpr WaitPolicy adapts_to_a_crowd{.spin_ns = 0, .yield_ns = 200 * microsecond_ns};

} // namespace

TEST_CASE("a wait that adapts takes at most 1.3 times as long as the best fixed way to wait") {
    const std::vector<Situation> situations{
        {"two members, each with a CPU", {0, 1}, {}, false},
        {"two members on one CPU", {0, 0}, {}, false},
        {"two members on one CPU, and a loop on another", {0, 0}, {1}, false},
        {"two members on one CPU with a loop", {0, 0}, {0}, false},
        {"two members, one beside a loop", {0, 1}, {1}, false},
        {"two members, each beside a loop", {0, 1}, {0, 1}, false},
        {"two members, each beside two loops", {0, 1}, {0, 0, 1, 1}, false},
        {"four members on two CPUs", {0, 0, 1, 1}, {}, true},
        {"four members on two CPUs, one with a loop", {0, 0, 1, 1}, {1}, true},
        {"four members on two CPUs, each with a loop", {0, 0, 1, 1}, {0, 1}, true},
        {"four members on two CPUs, each with two loops", {0, 0, 1, 1}, {0, 0, 1, 1}, true},
        {"four members on four CPUs, two with a loop", {0, 1, 2, 3}, {1, 2}, false}};
    // The cost of the first slices of a wait that adapts is part of the longer run.
    constexpr long fixed_ns = 100 * millisecond_ns;
    constexpr long adapting_ns = 500 * millisecond_ns;
    SimulatedCounter::waking_ns = 5 * microsecond_ns; // as in virtual machines
    for (const Situation& situation : situations) {
        const double adapting =
            us_per_call(situation, situation.is_crowded ? adapts_to_a_crowd : adapts, adapting_ns);
        const double spinning = us_per_call(situation, spins, fixed_ns);
        const double yielding = us_per_call(situation, yields, fixed_ns);
        const double sleeping = us_per_call(situation, sleeps, fixed_ns);
        MESSAGE(situation.text, ": ", adapting, " us; spinning ", spinning, ", yielding ", yielding,
                ", sleeping ", sleeping);
        CHECK(adapting <= 1.3 * std::min({spinning, yielding, sleeping}));
    }
    SimulatedCounter::waking_ns = 0;
}

TEST_CASE("a member that always waits long spends hardly more CPU time than one that sleeps at once") {
    // The other one works for so much longer.
    const auto used = [&](const WaitPolicy& wait_policy) {
        constexpr long simulated_ns = 500 * millisecond_ns;
        SimulatedMachine machine;
        Members members(machine, wait_policy, 2);
        machine.add(0, [&] { members.be(0, 10 * microsecond_ns); });
        machine.add(1, [&] { members.be(1, 5 * millisecond_ns); });
        machine.run(simulated_ns);
        return static_cast<double>(machine.used_ns()) / simulated_ns;
    };
    const double adapting = used(adapts);
    const double sleeping = used(sleeps);
    MESSAGE("CPUs used: ", adapting, ", sleeping ", sleeping);
    CHECK(adapting <= 1.03 * sleeping);
}

TEST_CASE("members of a ring that have all slept in long waits do not go on sleeping because all do") {
    // A round of wake-ups is a long wait.
    constexpr int size = 6;
    constexpr long simulated_ns = 300 * millisecond_ns;
    SimulatedCounter::waking_ns = 300 * microsecond_ns;
    const auto calls_in_ring = [](long long_calls) {
        SimulatedMachine machine;
        Members members(machine, adapts, size);
        for (int rank = 0; rank < size; ++rank) {
            machine.add(rank, [&members, rank, long_calls] { members.be_in_a_ring(rank, long_calls); });
        }
        machine.run(simulated_ns);
        return members.calls();
    };
    const long from_the_start = calls_in_ring(0);
    const long after_long_waits = calls_in_ring(5);
    SimulatedCounter::waking_ns = 0;
    MESSAGE("calls: ", from_the_start, ", after long waits ", after_long_waits);
    CHECK(8 * after_long_waits > from_the_start);
}
