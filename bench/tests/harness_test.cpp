#include "measure/buffer.hpp"
#include "measure/harness.hpp"
#include "tests/test.hpp"

using namespace tutti::bench;

namespace {

constexpr std::size_t room = 64;

/// Runs `body` on `members` threads with a harness each.
template <class Body>
void with_members(int members, bool crowded, Body body) {
    const Buffer memory(HarnessMemory::bytes(members, room));
    HarnessMemory::create(memory.data(), members, crowded);
    const HarnessMemory shared(memory.data(), members, room);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < members; ++rank) {
        threads.emplace_back([&, rank] {
            Harness harness(shared, rank);
            body(harness, shared);
        });
    }
}

} // namespace

TEST_CASE("nobody passes the gate before everybody has come") {
    for (const bool crowded : {false, true}) {
        std::atomic<int> arrivals{0};
        std::atomic<int> early{0};
        with_members(4, crowded, [&](Harness& harness, const HarnessMemory& memory) {
            for (int turn = 1; turn <= 200; ++turn) {
                ++arrivals;
                harness.meet();
                early += arrivals < 4 * turn ? 1 : 0;
                const std::int64_t entry_ns = memory.gate().start();
                early += now_ns() < entry_ns ? 1 : 0;
            }
        });
        CHECK(arrivals == 4 * 200);
        CHECK(early == 0);
    }
}

TEST_CASE("members agree on the leader's value and on the total") {
    std::atomic<int> right{0};
    with_members(3, true, [&](Harness& harness, const HarnessMemory&) {
        const auto rank = static_cast<std::uint64_t>(harness.rank());
        for (std::uint64_t turn = 0; turn < 50; ++turn) {
            const bool agreed = harness.agree(100 * rank + turn) == turn;
            const bool summed = harness.total(rank + turn) == 3 + 3 * turn;
            right += agreed && summed ? 1 : 0;
        }
    });
    CHECK(right == 3 * 50);
}

TEST_CASE("every member takes part in every repetition of everything that is timed, in turns") {
    std::atomic<int> prepared{0};
    std::atomic<int> first_calls{0};
    std::atomic<int> second_calls{0};
    std::vector<std::vector<double>> lengths_us;
    with_members(3, true, [&](Harness& harness, const HarnessMemory&) {
        const std::vector<Timed> timed{
            {.run = [&](std::size_t calls) { first_calls += static_cast<int>(calls); },
             .prepare = [&](std::uint64_t) { ++prepared; }},
            {.run = [&](std::size_t calls) { second_calls += static_cast<int>(calls); }, .calls = 5}};
        auto measured = harness.measure(timed, {.least = 2, .most = 10, .seconds = 1000});
        if (harness.leads()) {
            lengths_us = std::move(measured);
        } else if (!measured[0].empty() || !measured[1].empty()) {
            first_calls = -1000;
        }
    });
    // Each time, something is called once before it is timed, and is prepared for both.
    CHECK(prepared == 3 * 10 * (1 + 1));
    CHECK(first_calls == 3 * 10 * (1 + 1));
    CHECK(second_calls == 3 * 10 * (1 + 5));
    REQUIRE(lengths_us.size() == 2);
    CHECK(lengths_us[0].size() == 10);
    CHECK(lengths_us[1].size() == 10);
}

TEST_CASE("a measurement goes on for its least repetitions when time is up, and not beyond its memory") {
    std::atomic<int> calls{0};
    const auto count = [&](const Limits& limits) {
        calls = 0;
        with_members(2, true, [&](Harness& harness, const HarnessMemory&) {
            const std::vector<Timed> timed{{.run = [&](std::size_t) { ++calls; }}};
            harness.measure(timed, limits);
        });
        return calls.load();
    };
    CHECK(count({.least = 7, .most = 1000, .seconds = 0}) == 2 * 7);
    CHECK(count({.least = 7, .most = 1000, .seconds = 1000}) == 2 * static_cast<int>(room));
}

TEST_CASE("a run lasts from the first entry to the last exit") {
    // The run of each member ends only when the other's has begun.
    std::atomic<int> inside{0};
    double length_us = 0;
    with_members(2, true, [&](Harness& harness, const HarnessMemory&) {
        const std::vector<Timed> timed{{.run = [&](std::size_t) {
            const std::int64_t until_ns = now_ns() + (harness.leads() ? 3'000'000 : 0);
            ++inside;
            while (now_ns() < until_ns || inside < 2) {
                std::this_thread::yield();
            }
        }}};
        const auto measured = harness.measure(timed, {.least = 1, .most = 1, .seconds = 0});
        if (harness.leads()) {
            length_us = measured[0][0];
        }
    });
    CHECK(length_us >= 3000);
}

TEST_CASE("where the leader runs alone, the others wait, and the run is as long as its own") {
    std::atomic<int> runs{0};
    std::atomic<int> leader_done{0};
    std::atomic<int> early{0};
    double least_us = 0;
    with_members(3, true, [&](Harness& harness, const HarnessMemory&) {
        const std::vector<Timed> timed{{.run =
                                            [&](std::size_t) {
                                                ++runs;
                                                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                                ++leader_done;
                                            },
                                        .leader_alone = true},
                                       {.run = [&](std::size_t) { early += leader_done == 0 ? 1 : 0; }}};
        const auto measured = harness.measure(timed, {.least = 5, .most = 5, .seconds = 0});
        if (harness.leads()) {
            least_us = std::ranges::min(measured[0]);
        }
    });
    CHECK(runs == 5 * (1 + 1));
    CHECK(early == 0);
    CHECK(least_us >= 2000);
}

TEST_CASE("a member that fails releases those that wait for it") {
    std::atomic<int> released{0};
    with_members(3, false, [&](Harness& harness, const HarnessMemory& memory) {
        if (harness.leads()) {
            memory.gate().fail();
            return;
        }
        try {
            harness.meet();
        } catch (const GateClosed&) {
            ++released;
        }
    });
    CHECK(released == 2);
}
