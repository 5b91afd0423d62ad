// The machine the test runs on. Changes of this process's binding happen in a child or in a thread of its
// own. With a single allowed CPU the cases that need a second report so and check the rest.
#include "fixtures.hpp"
#include "machine/files.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "machine/process.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

using namespace tutti::machine;
using namespace tutti::machine::test;

namespace {

bool system_ignores_binding = false;
bool system_hides_binding = false;

} // namespace

// These two stand before the C library's, to play a system that says yes and does nothing, or says nothing.
extern "C" int sched_setaffinity(pid_t thread_id, std::size_t set_bytes, const cpu_set_t* set) noexcept {
    return system_ignores_binding
               ? 0
               : static_cast<int>(syscall(SYS_sched_setaffinity, thread_id, set_bytes, set));
}

extern "C" int sched_getaffinity(pid_t thread_id, std::size_t set_bytes, cpu_set_t* set) noexcept {
    if (system_hides_binding) {
        errno = EPERM;
        return -1;
    }
    std::memset(set, 0, set_bytes); // the system call writes no more than the machine's CPUs need
    return syscall(SYS_sched_getaffinity, thread_id, set_bytes, set) < 0 ? -1 : 0;
}

namespace {

Indices binding_of_this_thread() {
    cpu_set_t set;
    CPU_ZERO(&set);
    REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
    Indices cpus;
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) {
            cpus.push_back(static_cast<int>(cpu));
        }
    }
    return cpus;
}

/// As another runtime would: not through the code under test.
void bind_behind_our_back(std::span<const int> os_indices, pid_t thread_id = 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int os_index : os_indices) {
        CPU_SET(static_cast<std::size_t>(os_index), &set);
    }
    if (sched_setaffinity(thread_id, sizeof set, &set) != 0) {
        std::abort();
    }
}

/// As taskset or a batch system would: every thread, those that a sanitizer's run time keeps included.
void bind_process_behind_our_back(std::span<const int> os_indices) {
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        bind_behind_our_back(os_indices, std::stoi(task.path().filename().string()));
    }
}

/// The result of `report` in a child process, whose binding it may change.
std::string in_child(const std::function<std::string()>& report) {
    const Directory directory;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        directory.file("report", report());
        std::_Exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    return text_of_file(directory.path("report")).value();
}

std::string detected_cpus() {
    Indices cpus = detect().os_indices();
    std::ranges::sort(cpus);
    return format_cpu_list(cpus);
}

} // namespace

TEST_CASE("detect finds the CPUs this process is bound to, and changes no binding") {
    const Indices bound = binding_of_this_thread();
    const Machine machine = detect();
    CHECK(detected_cpus() == format_cpu_list(bound));
    CHECK(binding_of_this_thread() == bound);
    CHECK(process_cpus() == bound);
    const int cpus = static_cast<int>(bound.size());
    CHECK(allowed_pus() == std::min(cpus, quota_cpus().value_or(cpus)));
    CHECK(machine.pus_in_machine >= static_cast<int>(bound.size()));
    CHECK(machine.cores() >= 1);
    CHECK(machine.cores() <= static_cast<int>(bound.size()));
}

TEST_CASE("a pin holds when it is read back") {
    for (const int os_index : binding_of_this_thread()) {
        std::thread([&] {
            const PinResult result = pin_this_thread(os_index);
            CHECK_MESSAGE(result.pinned, result.reason);
            CHECK(result.os_index == os_index);
            CHECK(binding_of_this_thread() == Indices{os_index});
        }).join();
    }
}

TEST_CASE("a pin can be undone, also one on another, and by another thread") {
    const Indices bound = binding_of_this_thread();
    std::thread([&] {
        const int first = bound.front();
        const int last = bound.back();
        pin_this_thread(first);
        const Indices inner = cpus_of_this_thread();
        pin_this_thread(last);
        unpin_thread(gettid(), 60000, inner); // not the one that it has
        CHECK(binding_of_this_thread() == Indices{last});
        unpin_thread(gettid(), last, inner);
        CHECK(binding_of_this_thread() == Indices{first});
        CHECK(process_cpus() == bound);
        std::thread([&, thread = gettid()] { unpin_thread(thread, first, bound); }).join();
        CHECK(binding_of_this_thread() == bound);
        CHECK(process_cpus() == bound);
        unpin_thread(gettid(), first, Indices{last}); // there is no pin
        CHECK(binding_of_this_thread() == bound);
        pin_this_thread(bound.front());
        bind_behind_our_back(bound); // it stays there
        unpin_thread(gettid(), bound.front(), Indices{bound.back()});
        CHECK(binding_of_this_thread() == (bound.size() > 1 ? bound : Indices{bound.back()}));
    }).join();
}

TEST_CASE("a pin that cannot be had reports why and leaves the thread where it was") {
    const Indices bound = binding_of_this_thread();
    constexpr int absent = 60000;
    const PinResult result = pin_this_thread(absent);
    CHECK_FALSE(result.pinned);
    CHECK(result.os_index == absent);
    CHECK_MESSAGE(mentions(result.reason, "CPU 60000: no such CPU"), result.reason);
    CHECK_MESSAGE(mentions(result.reason, "may use " + format_cpu_list(bound)), result.reason);
    CHECK(pin_this_thread(unpinned).reason == "no CPU asked for");
    CHECK(binding_of_this_thread() == bound);
}

TEST_CASE("a system that accepts a pin and ignores it is found out") {
    const Indices bound = binding_of_this_thread();
    if (bound.size() == 1) {
        MESSAGE("one CPU only: whoever ignores the pin to it obeys it");
        return;
    }
    system_ignores_binding = true;
    const PinResult result = pin_this_thread(bound.front());
    system_ignores_binding = false;
    CHECK_FALSE(result.pinned);
    CHECK_MESSAGE(mentions(result.reason, "asked for CPU " + std::to_string(bound.front()) + ", but"),
                  result.reason);
    CHECK_MESSAGE(mentions(result.reason, format_cpu_list(bound)), result.reason);
}

TEST_CASE("where the system hides bindings, whatever the cpuset allows is taken, and pins are not believed") {
    const std::string report = in_child([] {
        system_hides_binding = true;
        const PinResult result = pin_this_thread(0);
        const Machine machine = detect();
        const bool whole = static_cast<int>(machine.pus.size()) == machine.pus_in_machine;
        return (result.pinned ? "pinned; " : result.reason + "; ") + (whole ? "whole; " : "part; ") +
               (allowed_pus() >= 1 ? "some; " : "none; ") + describe(machine);
    });
    CHECK_MESSAGE(mentions(report, "; some; "), report);
    CHECK_MESSAGE((mentions(report, "; whole; ") || mentions(report, "(cpuset)")), report);
    CHECK_MESSAGE(mentions(report, "does not tell what this process is bound to"), report);
    CHECK_FALSE_MESSAGE(report.starts_with("pinned"), report);
}

TEST_CASE("a thread that is moved keeps its binding") {
    const Indices bound = binding_of_this_thread();
    for (const int os_index : bound) {
        move_this_thread(os_index);
        CHECK(binding_of_this_thread() == bound);
    }
    std::thread([&] {
        bind_behind_our_back(std::array{bound.back()});
        for (const int elsewhere : {bound.front(), unpinned, 60000}) {
            move_this_thread(elsewhere);
            CHECK(binding_of_this_thread() == Indices{bound.back()});
            CHECK(sched_getcpu() == bound.back());
        }
    }).join();
}

TEST_CASE("the machine is read once, what the process is bound to each time") {
    const Indices bound = binding_of_this_thread();
    CHECK(describe(here()) == describe(detect()));
    const std::string report = in_child([&] {
        bind_process_behind_our_back(std::array{bound.back()});
        const Machine machine = detect();
        setenv("HWLOC_SYNTHETIC", "pack:2 core:64 pu:2", 1); // too late for here()
        return format_cpu_list(here().os_indices()) + "; " + std::to_string(allowed_pus()) + "; " +
               describe(machine) + describe(here());
    });
    CHECK_MESSAGE(report.starts_with(std::to_string(bound.back()) + "; 1; "), report);
    CHECK_FALSE_MESSAGE(mentions(report, "not this one"), report);
    CHECK_MESSAGE((bound.size() == 1 || mentions(report, " CPUs allowed (process binding)\n")), report);
}

TEST_CASE("our own pins do not narrow what the process is taken to be bound to") {
    const Indices bound = binding_of_this_thread();
    const std::string all = format_cpu_list(bound);
    CHECK(in_child([&] { // pinned twice, the first binding is what counts
              pin_this_thread(bound.back());
              pin_this_thread(bound.front());
              return detected_cpus();
          }) == all);
    CHECK(in_child([&] { // whoever rebinds the thread after us means it
              pin_this_thread(bound.back());
              bind_process_behind_our_back(std::array{bound.front()});
              return detected_cpus();
          }) == std::to_string(bound.front()));
    CHECK(in_child([&] { // a thread that ends takes its pin's memory along
              std::thread([&] { pin_this_thread(bound.back()); }).join();
              bind_process_behind_our_back(std::array{bound.front()});
              return detected_cpus();
          }) == std::to_string(bound.front()));
}

TEST_CASE("a CPU that has gone offline since a thread was pinned is not to be had any more") {
    const Indices bound = process_cpus();
    if (bound.size() < 2) {
        MESSAGE("skipped: this process may use one CPU only");
        return;
    }
    const Directory root;
    const std::string online = "sys/devices/system/cpu/online";
    root.file(online, std::to_string(bound.front()) + "\n");
    std::thread([&] {
        REQUIRE(pin_this_thread(bound.front()).pinned); // was bound to all before
        CHECK(process_cpus() == bound);
        CHECK(process_cpus(root.path()) == Indices{bound.front()});
        root.file(online, "nonsense\n");
        CHECK(process_cpus(root.path()) == bound);
    }).join();
}

TEST_CASE("a thread's own binding neither narrows nor hides the process's") {
    const Indices bound = binding_of_this_thread();
    std::string seen;
    std::thread([&] {
        bind_behind_our_back(std::array{bound.back()});
        seen = detected_cpus();
    }).join();
    CHECK(seen == format_cpu_list(bound));

    // As an OpenMP runtime with OMP_PROC_BIND does: the main thread in one place, its workers in others.
    CHECK(in_child([&] {
              bind_process_behind_our_back(std::array{bound.front()});
              std::latch worker_bound(1);
              std::latch detected(1);
              std::thread worker([&] {
                  bind_behind_our_back(std::array{bound.back()});
                  worker_bound.count_down();
                  detected.wait();
              });
              worker_bound.wait();
              std::string cpus = detected_cpus();
              detected.count_down();
              worker.join();
              return cpus;
          }) == format_cpu_list(bound.size() > 1 ? Indices{bound.front(), bound.back()} : bound));
}

TEST_CASE("a description that is not of this machine is used with a note, or not at all") {
    const Indices bound = binding_of_this_thread();
    const std::string other = in_child([&] {
        setenv("HWLOC_SYNTHETIC", "core:1 pu:1(indexes=60000)", 1);
        return describe(detect());
    });
    CHECK_MESSAGE(mentions(other, "allowed: " + format_cpu_list(bound) + "\n"), other);
    CHECK_MESSAGE(mentions(other, "HWLOC_SYNTHETIC"), other);

    const std::string stored = in_child([&] {
        setenv("HWLOC_SYNTHETIC", "pack:2 core:64 pu:2", 1);
        return describe(detect());
    });
    CHECK_MESSAGE(mentions(stored, " of 256 allowed: " + format_cpu_list(bound) + "\n"), stored);
    CHECK_MESSAGE(mentions(stored, "not this one"), stored);
}
