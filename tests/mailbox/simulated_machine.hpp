#pragma once

#include "../std.hpp"
#include "played_system.hpp"

#include <ucontext.h>

namespace tutti::test {

/// A machine with a scheduler in simulated time, which passes alike in every run: threads of one process,
/// whose functions are the test's, and busy loops of other processes. Each stays on its CPU. On a CPU the one
/// that has had it least runs, for a slice at most if others are ready; one that wakes up comes soon. Linux
/// does the same in essence.
class SimulatedMachine final : public PlayedSystem {
public:
    ~SimulatedMachine() override { first_unused_cpu_ += static_cast<int>(cpus_.size()); }

    /// Adds a thread whose function must not return, or without a function a busy loop.
    void add(int cpu, std::function<void()> function = {}) {
        if (cpus_.size() <= static_cast<std::size_t>(cpu)) {
            cpus_.resize(static_cast<std::size_t>(cpu) + 1);
        }
        Task& task = tasks_.emplace_back();
        task.number = tasks_.size() - 1;
        task.cpu = cpu;
        task.function = std::move(function);
        task.stack.resize(std::size_t{256} * 1024);
        getcontext(&task.context);
        task.context.uc_stack.ss_sp = task.stack.data();
        task.context.uc_stack.ss_size = task.stack.size();
        makecontext(
            &task.context, [] { (*entered_)(); }, 0);
    }
    /// Goes on with everything for so long.
    void run(long ns) {
        const long end = std::ranges::max_element(cpus_, {}, &Cpu::now_ns)->now_ns + ns;
        const auto next = [&](const Cpu& cpu) { return next_ns(cpu); };
        for (;;) {
            Cpu& cpu = *std::ranges::min_element(cpus_, {}, next);
            if (next(cpu) >= end) {
                return;
            }
            step(cpu);
        }
    }

    // For the functions of threads.

    /// Uses the CPU for so long.
    void use(long ns) {
        own_cpu().now_ns += ns;
        running_->had_ns += ns;
        used_ns_ += ns;
        if (own_cpu().now_ns >= until_ns_) {
            back_to_main();
        }
    }
    /// Sleeps until it is woken, but no longer than that.
    void sleep(long ns) {
        running_->is_asleep = true;
        running_->ready_at_ns = own_cpu().now_ns + ns;
        back_to_main();
    }
    /// Wakes a thread, by its number in the order in which they were added.
    void wake(std::size_t thread) {
        constexpr long wake_latency_ns = 4'000;
        Task& woken = tasks_[thread];
        if (woken.is_asleep) {
            woken.ready_at_ns = std::min(woken.ready_at_ns, own_cpu().now_ns + wake_latency_ns);
            until_ns_ = std::min(until_ns_, woken.ready_at_ns);
        }
    }
    std::size_t this_thread() const { return running_->number; }

    void yield() override {
        constexpr long system_call_ns = 300;
        use(system_call_ns);
        Task* const before = running_;
        give_to_another(own_cpu(), before);
        if (own_cpu().current != before) {
            // Linux 6.18 takes a slice from one that yields before it has had its share.
            before->had_ns += before->had_ns <= own_cpu().current->had_ns ? slice_ns : 0;
            back_to_main();
        }
    }
    int cpu() override { return first_cpu_ + running_->cpu; }
    long now_ns() override {
        use(25);
        return own_cpu().now_ns;
    }
    long used_ns() override { return used_ns_; }

private:
    struct Task {
        std::size_t number = 0;
        int cpu = 0;
        std::function<void()> function; // empty: a busy loop
        /// By which the scheduler compares.
        long had_ns = 0;
        long ready_at_ns = 0;
        bool is_asleep = false;
        bool has_woken = false;
        std::vector<std::byte> stack;
        ucontext_t context{};
    };
    struct Cpu {
        long now_ns = later_ns();
        long least_had_ns = 0;
        Task* current = nullptr;
        long since_ns = 0;
    };

    static constexpr long slice_ns = 3'000'000;

    Cpu& own_cpu() { return cpus_[static_cast<std::size_t>(running_->cpu)]; }
    bool is_on(const Task& task, const Cpu& cpu) const { return task.cpu == &cpu - cpus_.data(); }

    /// When something can run on the CPU.
    long next_ns(const Cpu& cpu) const {
        long next = std::numeric_limits<long>::max();
        for (const Task& task : tasks_) {
            next = is_on(task, cpu) ? std::min(next, task.ready_at_ns) : next;
        }
        return std::max(next, cpu.now_ns);
    }

    /// Lets those go on that have slept long enough.
    void end_sleeps(const Cpu& cpu) {
        constexpr long credit_ns = 3'000'000; // how much less than the others one may have had that wakes up
        for (Task& task : tasks_) {
            if (is_on(task, cpu) && task.is_asleep && task.ready_at_ns <= cpu.now_ns) {
                task.is_asleep = false;
                task.has_woken = true;
                task.had_ns = std::max(task.had_ns, cpu.least_had_ns - credit_ns);
            }
        }
    }

    void choose(Cpu& cpu) {
        constexpr long granularity_ns = 500'000; // what makes one that has woken up the next
        if (cpu.current == nullptr || cpu.current->is_asleep) {
            give_to_another(cpu, nullptr);
            return;
        }
        const bool is_preempted = std::ranges::any_of(tasks_, [&](const Task& task) {
            return is_on(task, cpu) && task.has_woken && task.had_ns + granularity_ns < cpu.current->had_ns;
        });
        if (is_preempted || cpu.now_ns - cpu.since_ns >= slice_ns) {
            cpu.since_ns = cpu.now_ns; // if there is no other one
            give_to_another(cpu, cpu.current);
        }
    }

    /// Gives the CPU to the one that has had it least, except `other`; not if there is none.
    void give_to_another(Cpu& cpu, const Task* other) {
        constexpr long switch_ns = 1'500;
        Task* best = nullptr;
        for (Task& task : tasks_) {
            const bool may_run =
                is_on(task, cpu) && &task != other && !task.is_asleep && task.ready_at_ns <= cpu.now_ns;
            best = may_run && (best == nullptr || task.had_ns < best->had_ns) ? &task : best;
        }
        if (best != nullptr) {
            best->has_woken = false;
            cpu.current = best;
            cpu.now_ns += switch_ns;
            cpu.since_ns = cpu.now_ns;
            cpu.least_had_ns = std::max(cpu.least_had_ns, best->had_ns);
        }
    }

    void step(Cpu& cpu) {
        constexpr long loop_ns = 2'000;
        cpu.now_ns = next_ns(cpu);
        end_sleeps(cpu);
        choose(cpu);
        if (cpu.current->function) {
            running_ = cpu.current;
            until_ns_ = turn_end_ns(cpu);
            entered_ = &running_->function;
            swapcontext(&main_, &running_->context);
        } else {
            cpu.now_ns += loop_ns;
            cpu.current->had_ns += loop_ns;
        }
    }

    /// Until when the thread that has the CPU need not look whether something else comes next.
    long turn_end_ns(const Cpu& cpu) const {
        constexpr long apart_ns = 500; // how far the clock of one CPU may be ahead of another's
        long end = cpu.since_ns + slice_ns;
        for (const Task& task : tasks_) {
            end = is_on(task, cpu) && task.is_asleep ? std::min(end, task.ready_at_ns) : end;
        }
        for (const Cpu& other : cpus_) {
            end = &other != &cpu ? std::min(end, next_ns(other) + apart_ns) : end;
        }
        return end;
    }

    /// The thread that runs comes back from this when it is its turn again.
    void back_to_main() { swapcontext(&running_->context, &main_); }

    /// The library's experience with a CPU in one simulation must not affect another one.
    static inline int first_unused_cpu_ = 0;
    static inline std::function<void()>* entered_ = nullptr;

    const int first_cpu_ = first_unused_cpu_;
    std::deque<Task> tasks_; // which stay where they are, as contexts must
    std::vector<Cpu> cpus_;
    ucontext_t main_{};
    Task* running_ = nullptr;
    long used_ns_ = 0;
    long until_ns_ = 0;
};

} // namespace tutti::test
