#include "choose/group_config.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "group/group_state.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "support.hpp"

#include <sched.h>

#include <ctime>

using namespace tutti;

namespace {

double cpu_seconds_of_this_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The CPU time that member 1 of 2 takes to wait for member 0, which is late by 100 ms.
double cpu_seconds_waiting(Wait wait) {
    Team team(2, {.group = {.wait = wait}});
    double seconds = 0;
    team.run([&](Member& me) {
        me.barrier();
        if (me.rank() == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        const double before = cpu_seconds_of_this_thread();
        me.barrier();
        if (me.rank() == 1) {
            seconds = cpu_seconds_of_this_thread() - before;
        }
    });
    return seconds;
}

} // namespace

TEST_CASE("groups work in whatever way their members wait") {
    for (const Wait wait : {Wait::automatic, Wait::spin, Wait::yield, Wait::sleep}) {
        Team team(3, {.group = {.wait = wait}});
        std::vector<long> sums(3);
        std::vector<long> halves(3);
        team.run([&](Member& me) {
            const auto own = static_cast<std::size_t>(me.rank());
            std::vector<long> values(1000, me.rank());
            for (int i = 0; i < (test::reduced ? 3 : 30); ++i) {
                me.allreduce(values, max);
                me.allreduce(long{me.rank()}, sums[own], sum);
            }
            Member mates = me.split(me.rank() % 2, 0).value();
            mates.allreduce(long{me.rank()}, halves[own], sum);
        });
        CHECK(sums == std::vector<long>{3, 3, 3});
        CHECK(halves == std::vector<long>{2, 1, 2});
    }
}

TEST_CASE("each way of waiting goes through the stages that it is to go through") {
    const auto wait_policy = [](Wait wait, int members) {
        return engine::config_for(members, {.wait = wait}).wait_policy;
    };
    const int cpus = machine::allowed_pus();
    constexpr std::int64_t year_ns = std::int64_t{365} * 86400 * 1'000'000'000;
    CHECK(wait_policy(Wait::spin, cpus + 1).spin_ns > year_ns);
    CHECK(wait_policy(Wait::yield, 1).spin_ns == 0);
    CHECK(wait_policy(Wait::yield, 1).yield_ns > year_ns);
    CHECK(wait_policy(Wait::sleep, 1).spin_ns == 0);
    CHECK(wait_policy(Wait::sleep, 1).yield_ns == 0);
    CHECK(wait_policy(Wait::automatic, cpus).spin_ns > 0);
    CHECK(wait_policy(Wait::automatic, cpus).spin_ns < 1'000'000);
    CHECK(wait_policy(Wait::automatic, cpus + 1).spin_ns == 0);
    CHECK(wait_policy(Wait::automatic, cpus + 1).yield_ns < 1'000'000);
}

TEST_CASE("members are held to have the CPUs that they have") {
    const auto spins = [](const engine::GroupConfig& config) { return config.wait_policy.spin_ns > 0; };
    const std::vector<int> process = machine::process_cpus();
    const int first = process.front();
    CHECK_FALSE(spins(engine::config_for({}, std::array{first, first})));
    CHECK(spins(engine::config_for({}, std::array{first})));
    if (machine::allowed_pus() < 2) {
        MESSAGE("one CPU only");
        return;
    }
    const engine::GroupConfig config =
        engine::config_for({}, std::array{first, process.back(), first, machine::unpinned});
    CHECK(config.cpus == std::min(3, machine::allowed_pus()));
    CHECK_FALSE(spins(config));
    CHECK(spins(engine::config_for_members(config, {0, 1})));
    CHECK_FALSE(spins(engine::config_for_members(config, {2, 0})));
    CHECK(spins(engine::config_for_members(config, {3, 0})));
}

TEST_CASE("threads that join from one CPU do not spin there") {
    if (machine::allowed_pus() < 2) {
        MESSAGE("one CPU only");
        return;
    }
    detail::GroupState group(2, engine::config_for(2, {}), engine::diagnosis_of);
    const auto join = [&](int rank, int cpu) {
        std::thread([&] {
            machine::pin_this_thread(cpu);
            group.note_binding(rank);
        }).join();
    };
    const std::vector<int> process = machine::process_cpus();
    CHECK(group.wait_policy().spin_ns > 0);
    join(0, process.front());
    CHECK(group.wait_policy().spin_ns > 0);
    join(1, process.front());
    CHECK(group.wait_policy().spin_ns == 0);
    CHECK(group.of_mates({1, 0})->wait_policy().spin_ns == 0);
    CHECK(group.of_mates({1})->wait_policy().spin_ns > 0);
    join(1, process.back()); // another thread
    CHECK(group.wait_policy().spin_ns > 0);
    join(0, machine::unpinned);
    CHECK(group.wait_policy().spin_ns > 0);
}

TEST_CASE("threads that bind themselves to other CPUs than the maker of their group do not share its CPU") {
    const std::vector<int> process = machine::process_cpus();
    if (machine::allowed_pus() < 2) {
        MESSAGE("one CPU only");
        return;
    }
    engine::GroupConfig config = engine::config_for(2, {});
    config.cpus_of_process = {process.front()}; // the maker was bound there, the only thread at the time
    config.cpus = 1;
    detail::GroupState group(2, config, engine::diagnosis_of);
    for (const int rank : {0, 1}) {
        std::thread([&] {
            machine::pin_this_thread(rank == 0 ? process.front() : process.back());
            group.note_binding(rank);
        }).join();
    }
    CHECK(group.wait_policy().spin_ns > 0);
}

TEST_CASE("a group learns in a wait that takes long that its threads have been bound to one CPU") {
    if (machine::allowed_pus() < 2) {
        MESSAGE("one CPU only");
        return;
    }
    Group group(2);
    CHECK(
        group.waits().starts_with("spin for 100 us, yield for 100 us, then sleep, because 2 members have "));
    const auto be = [&](int rank) {
        Member me = group.join(rank);
        me.barrier();
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(machine::process_cpus().front()), &one);
        sched_setaffinity(0, sizeof one, &one);
        for (int late = 0; late < 2; ++late) { // each waits once for the other
            if (late == rank) {
                std::this_thread::sleep_for(std::chrono::milliseconds(150));
            }
            me.barrier();
        }
    };
    std::thread other(be, 1);
    std::thread(be, 0).join();
    other.join();
    const std::string waits = "yield for 200 us, then sleep, because 2 members share 1 CPU";
    CHECK(group.waits().starts_with(waits)); // and which CPUs other processes want
    CHECK(test::mentions(group.roll_call(), "\n  waits: " + waits));
    CHECK(test::mentions(group.roll_call(RollCallFormat::json), "\"waits\": \"" + waits));
}

TEST_CASE("members make the same calls although their threads are bound at different times") {
    // A group's choice for a call would depend on how many of its members can run at the same time.
    Group group(2);
    std::array<test::Thrown, 2> thrown;
    const auto be = [&](int rank) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(machine::process_cpus().front()), &one);
        sched_setaffinity(0, sizeof one, &one);
        if (rank == 0) { // the other one has joined and waits
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        thrown[static_cast<std::size_t>(rank)] = test::thrown_by([&] {
            Member me = group.join(rank);
            for (std::size_t elements = 8; elements <= 4096; elements *= 2) {
                std::vector<double> vector(elements, 1.0);
                me.broadcast(vector, 0);
                me.allreduce(vector, sum);
                me.scan(vector, sum);
            }
        });
    };
    std::thread other(be, 1);
    std::thread(be, 0).join();
    other.join();
    for (const test::Thrown& each : thrown) {
        CHECK(each.text == "");
    }
}

TEST_CASE("TUTTI_WAIT says how members wait if the options do not") {
    setenv("TUTTI_WAIT", "sleep", 1);
    const Group asleep(2);
    const Group spinning(2, {.wait = Wait::spin});
    setenv("TUTTI_WAIT", "slowly", 1);
    const Group adapting(2); // which ignores it
    const AsyncGroup async_group(2);
    unsetenv("TUTTI_WAIT");
    CHECK(asleep.waits() == "sleep, as set by TUTTI_WAIT");
    CHECK(spinning.waits() == "spin, as set by GroupOptions::wait");
    CHECK(adapting.waits() == Group(2).waits());
}

TEST_CASE("waiting for a member that is 100 ms late takes next to no CPU time") {
    for (const Wait wait : {Wait::automatic, Wait::sleep}) {
        const double seconds = cpu_seconds_waiting(wait);
        MESSAGE("CPU seconds: ", seconds);
        CHECK(seconds < 0.01);
    }
}
