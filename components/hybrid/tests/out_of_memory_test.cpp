// Allocations of a cluster and of its calls fail in turn: alone, and with all that come after in that
// process.

#include "support.hpp"
#include "tests/famine.hpp"

namespace tutti::test {

namespace {

/// Whether this thread is in what is examined: what the tests do and MPI's own threads do is not.
thread_local bool starves = false;

/// How the allocations of a process fail.
struct Plan {
    int process;
    long admitted;
    bool lasts;
};

void start_famine(const Plan& plan) {
    famine.begin(plan.admitted, plan.lasts);
    famine.armed = plan.process == process_of_world();
}

} // namespace

bool admits_allocation(Manner manner) noexcept {
    return !starves || famine.admits(manner);
}

namespace {

constexpr int members = 2;
using Outcomes = std::array<Outcome, members>;

/// What a function throws that is examined.
template <class Function>
Outcome outcome_in_famine(Function function) {
    starves = true;
    const Outcome outcome = outcome_of(function);
    starves = false;
    return outcome;
}

/// One member's vectors, made while there is memory.
struct Own {
    std::vector<double> in, out, block;
    std::vector<std::size_t> counts;

    Own(std::size_t elements, std::size_t size)
        : in(elements * size, 1.0), out(in.size()), block(elements), counts(size, elements) {}
};

struct Scenario {
    const char* name;
    std::size_t elements;
    void (*part)(ClusterMember&, Own&);
};

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<Scenario> scenarios = {
    {"barrier", 1, [](ClusterMember& me, Own&) { me.barrier(); }},
    {"broadcast", 1000, [](ClusterMember& me, Own& my) { me.broadcast(my.in, 1); }},
    {"allreduce", 1, [](ClusterMember& me, Own& my) { me.allreduce(my.block, sum); }},
    {"allreduce by a user's operator", 1000,
     [](ClusterMember& me, Own& my) { me.allreduce(my.in, my.out, Least{}); }},
    {"serial allreduce", 1000,
     [](ClusterMember& me, Own& my) { me.allreduce(my.in, my.out, sum, {.order = Order::serial}); }},
    {"long allreduce", 100'000, [](ClusterMember& me, Own& my) { me.allreduce(my.block, sum); }},
    {"irregular reduce_scatter", 100,
     [](ClusterMember& me, Own& my) {
         me.reduce_scatter(my.in, my.block, Counts(std::span(my.counts)), sum);
     }},
    {"alltoall", 100, [](ClusterMember& me, Own& my) { me.alltoall(my.in, my.out); }},
    {"scan", 100, [](ClusterMember& me, Own& my) { me.scan(my.in, my.out, sum); }},
};

/// Runs the scenario in a new cluster and lets allocations fail. A member that runs out of memory leaves.
Outcomes run(const Scenario& scenario, const Plan& plan) {
    Group group(members);
    Cluster cluster(group, MPI_COMM_WORLD);
    Outcomes outcomes{};
    std::barrier meet(members);
    on_ranks(members, [&](int rank) {
        Own mine(scenario.elements, static_cast<std::size_t>(cluster.size()));
        static_cast<void>(group.join(rank)); // what a thread's first join asks for it can do without
        meet.arrive_and_wait();
        if (rank == 0) {
            start_famine(plan);
        }
        meet.arrive_and_wait();
        outcomes[static_cast<std::size_t>(rank)] = outcome_in_famine([&] {
            ClusterMember me = cluster.join(rank);
            scenario.part(me, mine);
            me.barrier();
            me.barrier(); // in which the other process learns of what it need not have waited for
        });
        meet.arrive_and_wait();
        famine.armed = false;
    });
    return outcomes;
}

bool in_any_process(bool here) {
    bool anywhere = false;
    MPI_Allreduce(&here, &anywhere, 1, MPI_CXX_BOOL, MPI_LOR, MPI_COMM_WORLD);
    return anywhere;
}

auto count(const Outcomes& outcomes, Outcome wanted) {
    return std::ranges::count(outcomes, wanted);
}

} // namespace

TEST_CASE("a member of a cluster that runs out of memory in a call releases all others") {
    for (const Scenario& scenario : scenarios) {
        for (const bool lasts : {false, true}) {
            const int process = lasts ? 0 : 1;
            long admitted = 0; // the first ones all, of the others a sample
            for (bool refused = true, suffers = false; refused; admitted += 1 + admitted / 4) {
                INFO(std::string(scenario.name), ", admitted ", admitted,
                     std::string(lasts ? ", then none" : ""));
                Outcomes outcomes{};
                for (int tries = 0; tries == 0 || (refused && !suffers && tries < 10); ++tries) {
                    outcomes = run(scenario, {process, admitted, lasts});
                    refused = in_any_process(famine.refused > 0);
                    suffers = in_any_process(count(outcomes, Outcome::good) != members);
                }
                CHECK(refused == suffers); // a long wait may do without memory, but not ten times
                if (suffers && process == process_of_world()) {
                    const auto lack = count(outcomes, Outcome::out_of_memory);
                    CHECK(lack >= 1);
                    CHECK(lack <= (lasts ? members : 1));
                    CHECK(lack + count(outcomes, Outcome::aborted) == members);
                } else if (suffers) {
                    CHECK(count(outcomes, Outcome::aborted) == members);
                }
            }
        }
    }
}

namespace {

Outcomes irregular_call_repeated_in_famine() {
    Group group(members);
    Cluster cluster(group, MPI_COMM_WORLD);
    Outcomes outcomes{};
    std::barrier meet(members);
    on_ranks(members, [&](int rank) {
        Own my(100, static_cast<std::size_t>(cluster.size()));
        ClusterMember me = cluster.join(rank);
        const auto call_twice = [&] { // one for each staging buffer
            me.reduce_scatter(my.in, my.block, Counts(std::span(my.counts)), sum);
            me.reduce_scatter(my.in, my.block, Counts(std::span(my.counts)), sum);
        };
        call_twice();
        meet.arrive_and_wait();
        if (rank == 0) {
            start_famine({process_of_world(), 0, true});
        }
        meet.arrive_and_wait();
        outcomes[static_cast<std::size_t>(rank)] = outcome_in_famine(call_twice);
        meet.arrive_and_wait();
        famine.armed = false;
    });
    return outcomes;
}

} // namespace

TEST_CASE("an irregular call that is repeated is prepared once: without an allocation from then on") {
    CHECK(count(irregular_call_repeated_in_famine(), Outcome::good) == members);
}

TEST_CASE("a cluster for which one process has no memory is made by none, and leaves nothing behind") {
    const auto make = [](const Group& group) {
        return outcome_in_famine([&] { const Cluster cluster(group, MPI_COMM_WORLD); });
    };
    const Group group(members);
    CHECK(make(group) == Outcome::good);
    for (const bool lasts : {false, true}) {
        const int process = lasts ? 0 : 1;
        long admitted = 0;
        for (bool refused = true; refused; ++admitted) {
            INFO("admitted ", admitted, std::string(lasts ? ", then none" : ""));
            const long before = live_blocks;
            start_famine({process, admitted, lasts});
            const Outcome outcome = make(group);
            famine.armed = false;
            CHECK(live_blocks == before);
            refused = in_any_process(famine.refused > 0);
            CHECK(outcome == (!refused                        ? Outcome::good
                              : process == process_of_world() ? Outcome::out_of_memory
                                                              : Outcome::aborted));
        }
    }
}

} // namespace tutti::test
