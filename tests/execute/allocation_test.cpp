#include "../replaced_new.hpp"
#include "../test.hpp"
#include "algorithm/registry.hpp"

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

} // namespace

bool tutti::test::admits_allocation(Manner /*manner*/) noexcept {
    if (counting.load(std::memory_order_relaxed)) {
        allocations.fetch_add(1, std::memory_order_relaxed);
    }
    return true;
}

namespace {

using namespace tutti;

/// One member's vectors, made before anything is counted.
struct Vectors {
    std::vector<double> in, out, block;
    std::vector<long> integers;
    std::vector<std::size_t> counts;

    Vectors(int members, std::size_t elements)
        : in(elements * static_cast<std::size_t>(members), 1.0), out(in.size()), block(elements),
          integers(in.size(), 1), counts(static_cast<std::size_t>(members), elements) {}
};

void call(Member& me, Vectors& mine, Collective collective, std::string_view algorithm) {
    const Options options{.algorithm = algorithm};
    switch (collective) {
    case Collective::barrier:
        return me.barrier(options);
    case Collective::allreduce:
        me.allreduce(mine.integers, bxor, options);
        if (algorithm != "census") {
            me.allreduce(mine.in, mine.out, sum, options);
            me.allreduce(
                mine.in, mine.out, [](double a, double b) { return a < b ? a : b; }, options);
        }
        return;
    case Collective::reduce_scatter:
        me.reduce_scatter(mine.in, mine.block, sum, options);
        me.reduce_scatter(mine.in, mine.block, Counts(mine.counts), sum, options);
        return me.reduce_scatter(mine.integers, band, options);
    case Collective::allgather:
        me.allgather(mine.block, mine.out, options);
        return me.allgather(mine.out, options);
    case Collective::alltoall:
        me.alltoall(mine.in, mine.out, options);
        return me.alltoall(mine.in, Counts(mine.counts), mine.out, Counts(mine.counts), options);
    default:
        return;
    }
}

/// Whether the row pulls in place, as some of the calls above do when their messages do not fit into a slot,
/// or takes irregular blocks, as the all-to-alls do.
bool serves_all(const algorithm::Algorithm& row) {
    return row.collective == Collective::barrier || row.protocols.one_hop ||
           takes(row, schedule::Protocol::in_place);
}

/// Allocations by all members during three warm calls, after those in which the group chooses an algorithm if
/// none is named, and between the looks at what it has chosen.
long warm_allocations(Team& team, std::size_t elements, Collective collective, std::string_view name) {
    team.run([&](Member& me) {
        Vectors mine(me.size(), elements);
        const int before = name.empty() ? 60 : 1;
        for (int i = 1; i < before + 4; ++i) {
            call(me, mine, collective, name);
            me.barrier();
            if (i == before && me.rank() == 0) {
                allocations.store(0);
                counting.store(true);
            }
            me.barrier();
        }
        if (me.rank() == 0) {
            counting.store(false);
        }
        me.barrier();
    });
    return allocations.load();
}

} // namespace

TEST_CASE("the counter counts") {
    allocations.store(0);
    counting.store(true);
    const std::vector<int> some(100);
    counting.store(false);
    CHECK(allocations.load() == 1);
    CHECK(some.size() == 100);
}

TEST_CASE("a warm call allocates nothing on any thread") {
    for (const int members : {1, 2, 3, 8}) {
        Team team(members, {.placement = "none"});
        for (const std::size_t elements : {std::size_t{1}, std::size_t{1000}, std::size_t{5'000}}) {
            for (const Collective collective : detail::all_collectives) {
                INFO(std::string(to_string(collective)), ", ", members, " members, ", elements, " elements");
                CHECK(warm_allocations(team, elements, collective, "") == 0);
            }
            for (const auto& row : algorithm::registry()) {
                if (serves_all(row) && takes(row, members)) {
                    INFO(std::string(to_string(row.collective)), " ", std::string(row.name), ", ", members,
                         " members, ", elements, " elements");
                    CHECK(warm_allocations(team, elements, row.collective, row.name) == 0);
                }
            }
        }
    }
}

TEST_CASE("calls by fewer members, and groups of equal distances, allocate nothing after the first time") {
    Team team(6, {.placement = "none"});
    team.run([](Member& me) {
        const auto use = [&] {
            long total = 0;
            for (int n = me.rank() + 1; n <= me.size(); ++n) {
                total += me.among(n).allreduce(1L, sum);
            }
            total += me.among(3, me.rank() / 3 * 3).allreduce(1L, sum);
            return total + me.among(2, me.rank() % 3, 3).allreduce(1L, sum);
        };
        use();
        me.barrier();
        allocations.store(0);
        counting.store(true);
        me.barrier();
        for (int i = 0; i < 10; ++i) {
            use();
        }
        me.barrier();
        counting.store(false);
    });
    CHECK(allocations.exchange(0) == 0);
}

TEST_CASE("a function that a request calls is allocated once, and not at all if it is small") {
    int a = 0, b = 0, c = 0;
    Team team(1, {.placement = "none"});
    team.run([&](Member& me) {
        Persistent step = me.prepare.barrier();
        const auto allocated_by = [&](auto function) {
            step.start();
            allocations.store(0);
            counting.store(true);
            step.then(std::move(function));
            step.wait();
            counting.store(false);
            return allocations.load();
        };
        allocated_by([](const auto& /*failure*/) {});
        CHECK(allocated_by([&](const auto& /*failure*/) { a = ++b + ++c; }) == 0);
        CHECK(allocated_by([own = std::make_unique<int>(7), &a](const auto& /*failure*/) { a = *own; }) == 1);
    });
    CHECK(a == 7);
}

TEST_CASE("a run allocates nothing for the function that it is given, however large") {
    Team team(2, {.placement = "none"});
    Group group(1);
    std::array<long, 32> found{};
    auto large = [found](Member& me) mutable { found[static_cast<std::size_t>(me.rank())] = me.size(); };
    team.run(large);
    group.run(0, large);
    allocations.store(0);
    counting.store(true);
    team.run(large);
    group.run(0, large);
    counting.store(false);
    CHECK(allocations.load() == 0);
}

TEST_CASE("a warm call of a carried algorithm allocates nothing") {
    for (const int members : {2, 3, 8}) {
        Team team(members, {.placement = "none"});
        for (const std::string_view name : {"flat", "census", "direct"}) {
            long found = -1;
            team.run([&](Member& me) {
                long value = me.rank();
                for (int i = 0; i < 4; ++i) {
                    value = me.allreduce(value, sum, {.algorithm = name});
                    me.barrier();
                    if (i == 0 && me.rank() == 0) {
                        allocations.store(0);
                        counting.store(true);
                    }
                    me.barrier();
                }
                if (me.rank() == 0) {
                    counting.store(false);
                    found = allocations.load();
                }
                me.barrier();
            });
            CHECK(found == 0);
        }
    }
}

TEST_CASE("starting an operation like one that is complete allocates nothing, nor does waiting for it") {
    for (const int members : {1, 2, 5}) {
        Team team(members, {.placement = "none"});
        team.run([](Member& me) {
            constexpr std::size_t in_flight = 100;
            constexpr int rounds = 4;
            std::vector<Vectors> mine;
            for (std::size_t i = 0; i < in_flight; ++i) {
                mine.emplace_back(me.size(), i % 16 * i % 16);
            }
            std::vector<Request> requests(2 * in_flight);
            Persistent step = me.prepare.allreduce(mine[7].in, mine[7].out, sum);
            for (int round = 0; round < rounds; ++round) {
                if (round == rounds - 1) {
                    me.barrier();
                    counting.store(true, std::memory_order_relaxed);
                }
                for (std::size_t i = 0; i < in_flight; ++i) {
                    requests[2 * i] = me.start.allreduce(mine[i].integers, bxor);
                    requests[2 * i + 1] = me.start.broadcast(mine[i].block, 0);
                }
                step.start();
                wait_all(requests);
                step.wait();
            }
            me.barrier();
            counting.store(false, std::memory_order_relaxed);
        });
        CAPTURE(members);
        CHECK(allocations.exchange(0) == 0);
    }
}

TEST_CASE("ranks that arrive with calls that they have made before allocate nothing") {
    constexpr std::size_t ranks = 8;
    AsyncGroup meeting(static_cast<int>(ranks));
    std::vector<Vectors> mine;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        mine.emplace_back(static_cast<int>(ranks), 3);
    }
    std::array<AsyncRequest, ranks> requests;
    const auto all_arrive = [&](const auto& arrive) {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            requests[rank] = arrive(meeting.at(static_cast<int>(rank)), mine[rank]);
        }
        for (AsyncRequest& request : requests) {
            request.wait();
        }
    };
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) {
        counting.store(round == rounds - 1, std::memory_order_relaxed);
        all_arrive([](AsyncRank me, Vectors& own) { return me.allreduce(own.in, own.out, sum); });
        all_arrive([](AsyncRank me, Vectors& own) { return me.broadcast(own.block, 2); });
        all_arrive([](AsyncRank me, Vectors& own) { return me.allreduce(own.integers, bxor); });
        all_arrive([](AsyncRank me, Vectors& own) { return me.scan(own.in, own.out, sum); });
    }
    counting.store(false, std::memory_order_relaxed);
    CHECK(allocations.exchange(0) == 0);
    CHECK(mine[1].out[0] == 2.0);
}
