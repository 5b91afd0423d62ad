#include "simulated_machine.hpp"

#include <ucontext.h>

namespace tutti::test {

namespace {

constexpr long never = std::numeric_limits<long>::max();
constexpr long slice_ns = 3'000'000;
constexpr long switch_ns = 1'500;
constexpr long system_call_ns = 300;
constexpr long wake_latency_ns = 4'000;
/// How much less than the others one may have had the CPU that wakes up, and what makes it the next.
constexpr long credit_ns = 3'000'000;
constexpr long granularity_ns = 500'000;
constexpr long loop_ns = 2'000;
/// How far the clock of one CPU may be ahead of another's.
constexpr long apart_ns = 500;
constexpr std::size_t stack_bytes = 256 * 1024;

std::function<void()>* entered = nullptr;

} // namespace

struct SimulatedMachine::Context {
    ucontext_t context{};
};

struct SimulatedMachine::Task {
    int number;
    int cpu;
    std::function<void()> function; // empty: a busy loop
    /// By which the scheduler compares.
    long had_ns = 0;
    long ready_at_ns = 0;
    bool is_asleep = false;
    bool has_woken = false;
    std::vector<std::byte> stack = {};
    ucontext_t context = {};
};

struct SimulatedMachine::Cpu {
    long now_ns = later_ns();
    long least_had_ns = 0;
    Task* current = nullptr;
    long since_ns = 0;
};

SimulatedMachine::SimulatedMachine() : first_cpu_(first_unused_cpu_), main_(std::make_unique<Context>()) {}

SimulatedMachine::~SimulatedMachine() {
    first_unused_cpu_ += static_cast<int>(cpus_.size());
}

void SimulatedMachine::add(int cpu, std::function<void()> function) {
    while (static_cast<int>(cpus_.size()) <= cpu) {
        cpus_.push_back(std::make_unique<Cpu>());
    }
    tasks_.push_back(std::make_unique<Task>(
        Task{.number = static_cast<int>(tasks_.size()), .cpu = cpu, .function = std::move(function)}));
}

void SimulatedMachine::add_thread(int cpu, std::function<void()> function) {
    add(cpu, std::move(function));
    Task& task = *tasks_.back();
    task.stack.resize(stack_bytes);
    getcontext(&task.context);
    task.context.uc_stack.ss_sp = task.stack.data();
    task.context.uc_stack.ss_size = task.stack.size();
    makecontext(
        &task.context, [] { (*entered)(); }, 0);
}

void SimulatedMachine::add_busy_loop(int cpu) {
    add(cpu, {});
}

void SimulatedMachine::run(long ns) {
    long now = 0;
    for (const auto& cpu : cpus_) {
        now = std::max(now, cpu->now_ns);
    }
    for (;;) {
        int next = 0;
        for (int cpu = 1; cpu < static_cast<int>(cpus_.size()); ++cpu) {
            next = next_ns(cpu) < next_ns(next) ? cpu : next;
        }
        if (next_ns(next) >= now + ns) {
            return;
        }
        step(next);
    }
}

long SimulatedMachine::next_ns(int cpu) const {
    long next = never;
    for (const auto& task : tasks_) {
        next = task->cpu == cpu ? std::min(next, task->ready_at_ns) : next;
    }
    return std::max(next, cpus_[static_cast<std::size_t>(cpu)]->now_ns);
}

void SimulatedMachine::end_sleeps(int number) {
    Cpu& cpu = *cpus_[static_cast<std::size_t>(number)];
    for (const auto& task : tasks_) {
        if (task->cpu == number && task->is_asleep && task->ready_at_ns <= cpu.now_ns) {
            task->is_asleep = false;
            task->has_woken = true;
            task->had_ns = std::max(task->had_ns, cpu.least_had_ns - credit_ns);
        }
    }
}

void SimulatedMachine::give_to_another(int number, const Task* other) {
    Cpu& cpu = *cpus_[static_cast<std::size_t>(number)];
    Task* best = nullptr;
    for (const auto& task : tasks_) {
        const bool may_run =
            task->cpu == number && task.get() != other && !task->is_asleep && task->ready_at_ns <= cpu.now_ns;
        best = may_run && (best == nullptr || task->had_ns < best->had_ns) ? task.get() : best;
    }
    if (best != nullptr) {
        best->has_woken = false;
        cpu.current = best;
        cpu.now_ns += switch_ns;
        cpu.since_ns = cpu.now_ns;
        cpu.least_had_ns = std::max(cpu.least_had_ns, best->had_ns);
    }
}

void SimulatedMachine::choose(int number) {
    Cpu& cpu = *cpus_[static_cast<std::size_t>(number)];
    if (cpu.current == nullptr || cpu.current->is_asleep) {
        give_to_another(number, nullptr);
        return;
    }
    const bool is_preempted = std::ranges::any_of(tasks_, [&](const auto& task) {
        return task->cpu == number && task->has_woken && task->had_ns + granularity_ns < cpu.current->had_ns;
    });
    if (is_preempted || cpu.now_ns - cpu.since_ns >= slice_ns) {
        cpu.since_ns = cpu.now_ns; // if there is no other one
        give_to_another(number, cpu.current);
    }
}

void SimulatedMachine::step(int number) {
    Cpu& cpu = *cpus_[static_cast<std::size_t>(number)];
    cpu.now_ns = next_ns(number);
    end_sleeps(number);
    choose(number);
    Task& current = *cpu.current;
    if (current.function) {
        running_ = current.number;
        until_ns_ = turn_end_ns(number);
        entered = &current.function;
        swapcontext(&main_->context, &current.context);
        running_ = -1;
    } else {
        cpu.now_ns += loop_ns;
        current.had_ns += loop_ns;
    }
}

long SimulatedMachine::turn_end_ns(int number) const {
    const Cpu& cpu = *cpus_[static_cast<std::size_t>(number)];
    long end = cpu.since_ns + slice_ns;
    for (const auto& task : tasks_) {
        end = task->cpu == number && task->is_asleep ? std::min(end, task->ready_at_ns) : end;
    }
    for (int other = 0; other < static_cast<int>(cpus_.size()); ++other) {
        end = other != number ? std::min(end, next_ns(other) + apart_ns) : end;
    }
    return end;
}

void SimulatedMachine::back_to_main() {
    swapcontext(&task().context, &main_->context);
}

SimulatedMachine::Cpu& SimulatedMachine::own_cpu() {
    return *cpus_[static_cast<std::size_t>(task().cpu)];
}

void SimulatedMachine::use(long ns) {
    own_cpu().now_ns += ns;
    task().had_ns += ns;
    used_ns_ += ns;
    if (own_cpu().now_ns >= until_ns_) {
        back_to_main();
    }
}

void SimulatedMachine::sleep(long ns) {
    task().is_asleep = true;
    task().ready_at_ns = own_cpu().now_ns + ns;
    back_to_main();
}

void SimulatedMachine::wake(int thread) {
    Task& woken = *tasks_[static_cast<std::size_t>(thread)];
    if (woken.is_asleep) {
        woken.ready_at_ns = std::min(woken.ready_at_ns, own_cpu().now_ns + wake_latency_ns);
        until_ns_ = std::min(until_ns_, woken.ready_at_ns);
    }
}

void SimulatedMachine::yield() {
    use(system_call_ns);
    Task* const before = own_cpu().current;
    give_to_another(before->cpu, before);
    if (own_cpu().current != before) {
        // Linux 6.18 takes a slice from one that yields before it has had its share.
        before->had_ns += before->had_ns <= own_cpu().current->had_ns ? slice_ns : 0;
        back_to_main();
    }
}

int SimulatedMachine::cpu() {
    return first_cpu_ + task().cpu;
}

long SimulatedMachine::now_ns() {
    use(25);
    return own_cpu().now_ns;
}

} // namespace tutti::test
