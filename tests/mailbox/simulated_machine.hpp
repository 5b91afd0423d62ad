#pragma once

#include "../std.hpp"
#include "played_system.hpp"

namespace tutti::test {

/// A machine with a scheduler in simulated time, which passes alike in every run: threads of one process,
/// whose functions are the test's, and busy loops of other processes. Each stays on its CPU. On a CPU the one
/// that has had it least runs, for a slice at most if others are ready; one that wakes up comes soon. Linux
/// does the same in essence.
class SimulatedMachine final : public PlayedSystem {
public:
    SimulatedMachine();
    ~SimulatedMachine() override;

    /// The function must not return.
    void add_thread(int cpu, std::function<void()> function);
    void add_busy_loop(int cpu);
    /// Goes on with everything for so long.
    void run(long ns);

    // For the functions of threads.

    /// Uses the CPU for so long.
    void use(long ns);
    /// Sleeps until it is woken, but no longer than that.
    void sleep(long ns);
    /// Wakes a thread, by its number in the order in which they were added.
    void wake(int thread);
    int this_thread() const { return running_; }

    void yield() override;
    int cpu() override;
    long now_ns() override;
    long used_ns() override { return used_ns_; }

private:
    struct Task;
    struct Cpu;
    struct Context;

    Task& task() { return *tasks_[static_cast<std::size_t>(running_)]; }
    Cpu& own_cpu();
    void add(int cpu, std::function<void()> function);
    /// When something can run on the CPU.
    long next_ns(int cpu) const;
    /// Lets those go on that have slept long enough.
    void end_sleeps(int cpu);
    void choose(int cpu);
    /// Gives the CPU to the one that has had it least, except `other`; not if there is none.
    void give_to_another(int cpu, const Task* other);
    void step(int cpu);
    /// The thread that runs comes back from this when it is its turn again.
    void back_to_main();
    /// Until when the thread that has the CPU need not look whether something else comes next.
    long turn_end_ns(int cpu) const;

    /// The library's experience with a CPU in one simulation must not affect another one.
    static inline int first_unused_cpu_ = 0;

    const int first_cpu_;
    std::vector<std::unique_ptr<Task>> tasks_;
    std::vector<std::unique_ptr<Cpu>> cpus_;
    std::unique_ptr<Context> main_;
    int running_ = -1;
    long used_ns_ = 0;
    long until_ns_ = 0;
};

} // namespace tutti::test
