// How members wait: the stages of each way, which depend on the CPUs that they have.

#include "../fast_clock.hpp"
#include "choose/group_config.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "group/group_state.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "support.hpp"

#include <ctime>

namespace {

double cpu_seconds_of_this_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Whether the threads of a test can have two CPUs.
bool has_two_cpus() {
    if (machine::allowed_pus() < 2) {
        MESSAGE("one CPU only");
    }
    return machine::allowed_pus() >= 2;
}

int first_cpu() {
    return machine::process_cpus().front();
}

bool spins(const library::GroupConfig& config) {
    return config.wait_policy.spin_ns > 0;
}
bool spins(const detail::GroupState& group) {
    return group.wait_policy().spin_ns > 0;
}

void join_from(detail::GroupState& group, int rank, int cpu) {
    std::thread([&] {
        machine::pin_this_thread(cpu);
        group.note_binding(rank);
    }).join();
}

} // namespace

TEST_CASE("each way of waiting goes through the stages that it is to go through") {
    const auto wait_policy = [](Wait wait, int members) {
        return library::config_for(members, {.wait = wait}).wait_policy;
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

TEST_CASE("the threads of a team spin between runs if all have a CPU, also the caller that is no member") {
    library::GroupConfig two_cpus;
    two_cpus.cpus = two_cpus.process_cpus = 2;
    CHECK(library::wait_policy_between_runs(two_cpus, 2, true).spin_ns > 0);
    CHECK(library::wait_policy_between_runs(two_cpus, 2, false).spin_ns == 0);
    CHECK(library::wait_policy_between_runs(two_cpus, 3, true).spin_ns == 0);
}

TEST_CASE("members are held to have the CPUs that they have") {
    const std::vector<int> process = machine::process_cpus();
    const int first = process.front();
    CHECK_FALSE(spins(library::config_for({}, std::array{first, first})));
    CHECK(spins(library::config_for({}, std::array{first})));
    if (!has_two_cpus()) {
        return;
    }
    const library::GroupConfig config =
        library::config_for({}, std::array{first, process.back(), first, machine::unpinned});
    CHECK(config.cpus == std::min(3, machine::allowed_pus()));
    CHECK_FALSE(spins(config));
    CHECK(spins(library::config_for_members(config, {0, 1})));
    CHECK_FALSE(spins(library::config_for_members(config, {2, 0})));
    CHECK(spins(library::config_for_members(config, {3, 0})));
}

TEST_CASE("threads that join from one CPU do not spin there") {
    if (!has_two_cpus()) {
        return;
    }
    detail::GroupState group(2, library::config_for(2, {}), library::diagnosis_of);
    CHECK(spins(group));
    join_from(group, 0, first_cpu());
    CHECK(spins(group));
    join_from(group, 1, first_cpu());
    CHECK_FALSE(spins(group));
    CHECK_FALSE(spins(*group.of_mates({1, 0})));
    CHECK(spins(*group.of_mates({1})));
    join_from(group, 1, machine::process_cpus().back()); // another thread
    CHECK(spins(group));
    join_from(group, 0, machine::unpinned);
    CHECK(spins(group));
}

TEST_CASE("threads that bind themselves to other CPUs than the maker of their group do not share its CPU") {
    if (!has_two_cpus()) {
        return;
    }
    library::GroupConfig config = library::config_for(2, {});
    config.cpus_of_process = {first_cpu()}; // the maker was bound there, the only thread at the time
    config.cpus = 1;
    detail::GroupState group(2, config, library::diagnosis_of);
    join_from(group, 0, first_cpu());
    join_from(group, 1, machine::process_cpus().back());
    CHECK(spins(group));
}

TEST_CASE("a group learns in a wait that takes long that its threads have been bound to one CPU") {
    if (!has_two_cpus()) {
        return;
    }
    const FastClock clock(4);
    Group group(2);
    CHECK(
        group.waits().starts_with("spin for 100 us, yield for 100 us, then sleep, because 2 members have "));
    run_threads(group, 2, [](Member& me) {
        me.barrier();
        machine::pin_this_thread(first_cpu());
        for (int late = 0; late < 2; ++late) { // each waits once for the other
            if (late == me.rank()) {
                test::sleep_for(150ms);
            }
            me.barrier();
        }
    });
    const std::string waits = "yield for 200 us, then sleep, because 2 members share 1 CPU";
    CHECK(group.waits().starts_with(waits)); // and which CPUs other processes want
    CHECK(mentions(group.roll_call(), "\n  waits: " + waits));
    CHECK(mentions(group.roll_call(RollCallFormat::json), "\"waits\": \"" + waits));
}

TEST_CASE("members make the same calls although their threads are bound at different times") {
    // A group's choice for a call would depend on how many of its members can run at the same time.
    Group group(2);
    on_threads(2, [&](int rank) {
        machine::pin_this_thread(first_cpu());
        if (rank == 0) { // the other one has joined and waits
            std::this_thread::sleep_for(20ms);
        }
        const Thrown thrown = thrown_by([&] {
            Member me = group.join(rank);
            for (std::size_t elements = 8; elements <= 4096; elements *= 2) {
                std::vector<double> vector(elements, 1.0);
                me.broadcast(vector, 0);
                me.allreduce(vector, sum);
                me.scan(vector, sum);
            }
        });
        CHECK(thrown.text == "");
    });
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
        Team team(2, {.group = {.wait = wait}});
        const std::vector<double> seconds = team.run([](Member& me) {
            me.barrier();
            if (me.rank() == 0) {
                std::this_thread::sleep_for(100ms);
            }
            const double before = cpu_seconds_of_this_thread();
            me.barrier();
            return cpu_seconds_of_this_thread() - before;
        });
        MESSAGE("CPU seconds: ", seconds[1]);
        CHECK(seconds[1] < 0.01);
    }
}
