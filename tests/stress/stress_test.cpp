#include "../execute/rows.hpp"
#include "../on_threads.hpp"

#include <tutti/tutti.hpp>

namespace {

using namespace tutti;
using namespace tutti::test;

constexpr int scale(int iterations) {
    return test::reduced ? iterations / 2 : iterations;
}

/// Nothing, some turns of an empty loop, a yield, or a short sleep.
void pause_at_random(std::mt19937& random) {
    switch (random() % 16) {
    case 0:
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        return;
    case 1:
    case 2:
        std::this_thread::yield();
        return;
    case 3:
    case 4:
    case 5:
        for (std::size_t turn = random() % 2000; turn > 0; --turn) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        return;
    default:
        return;
    }
}

/// Adds, and takes its time now and then: a delay inside a call.
struct SlowSum {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        if (((a ^ b) & 0x3ffU) == 0) {
            std::this_thread::yield();
        }
        if (((a ^ b) & 0xffffU) == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        return a + b;
    }
};

/// A sequence of calls that every member can derive from the seed.
std::vector<Job> random_jobs(std::mt19937& random, int members, int count, bool exact,
                             std::size_t most_elements) {
    std::vector<Job> jobs;
    while (static_cast<int>(jobs.size()) < count) {
        const auto& row = algorithm::registry()[random() % algorithm::registry().size()];
        const std::size_t elements = random() % 3 == 0 ? random() % 12 : random() % most_elements;
        const int root = has_root(row) ? static_cast<int>(random() % static_cast<unsigned>(members)) : 0;
        if (takes(row, members) && (exact || row.order != algorithm::Order::any)) {
            const bool in_place = random() % 2 == 0;
            jobs.push_back(random() % 4 != 0 || row.name != "direct"
                               ? by_name(row, members, elements, in_place, true, root)
                               : by_default(row.collective, members, elements, in_place, root));
        }
    }
    return jobs;
}

/// Makes random calls with random delays between and inside them, and holds them against the reference.
template <class Op>
void stress(int members, int calls, std::size_t most_elements, const Op& op, std::uint32_t seed) {
    INFO("members ", members, ", seed ", seed);
    std::mt19937 random(seed);
    const auto ranks = blocking(members);
    Exam exam(members, most_elements, test::ordinary<std::uint32_t>, op);
    const bool exact = std::is_same_v<Op, Sum>;
    for (int batch = 0; batch < 4; ++batch) {
        const auto jobs = random_jobs(random, members, calls / 4, exact, most_elements);
        CHECK(exam.run(*ranks, jobs) == "");
    }
}

std::uint32_t fresh_seed() {
    const std::uint32_t seed = std::random_device()();
    MESSAGE("seed ", seed);
    return seed;
}

} // namespace

TEST_CASE("random calls back to back, more members than processors included") {
    const std::uint32_t seed = fresh_seed();
    stress(2, scale(8000), 600, sum, seed);
    stress(3, scale(4000), 600, sum, seed + 1);
    stress(8, scale(2000), 600, sum, seed + 2);
    stress(16, scale(600), 600, sum, seed + 3);
    stress(64, scale(100), 600, sum, seed + 4);
}

TEST_CASE("random calls with an operator that is slow at random") {
    const std::uint32_t seed = fresh_seed();
    stress(2, scale(400), 3000, SlowSum(), seed);
    stress(5, scale(400), 3000, SlowSum(), seed + 1);
    stress(16, scale(100), 3000, SlowSum(), seed + 2);
}

TEST_CASE("random delays between calls") {
    const std::uint32_t seed = fresh_seed();
    for (const int members : {2, 4, 8}) {
        INFO("members ", members, ", seed ", seed);
        Team team(members, {.placement = "none"});
        std::atomic<int> wrong{0};
        team.run([&](Member& me) {
            std::mt19937 same(seed);
            std::mt19937 own(seed + static_cast<std::uint32_t>(me.rank()) + 1);
            std::vector<long> values;
            for (int i = 0; i < scale(1500); ++i) {
                pause_at_random(own);
                values.assign(1 + same() % 40 * (same() % 3), me.rank() + i);
                const std::string_view algorithm = same() % 2 == 0 ? "" : "circulant";
                me.allreduce(values, sum, {.algorithm = algorithm});
                const long expected =
                    static_cast<long>(members) * (members - 1) / 2 + static_cast<long>(i) * members;
                wrong += values.front() != expected || values.back() != expected ? 1 : 0;
            }
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("the others sleep until a late member comes") {
    for (const int members : {2, 3, 8}) {
        Team team(members, {.placement = "none"});
        std::atomic<int> good{0};
        team.run([&](Member& me) {
            for (int late = 0; late < members && late < 3; ++late) {
                if (me.rank() == late) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(50));
                }
                int small = 1;
                small = me.allreduce(small, sum);
                std::vector<int> large(500, 1);
                if (me.rank() == late) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(50));
                }
                me.allreduce(large, sum, {.algorithm = "circulant"});
                me.barrier();
                good += small == members && large[499] == members ? 1 : 0;
            }
        });
        CHECK(good == members * std::min(members, 3));
    }
}

TEST_CASE("sleepers wake up when a late member fails") {
    Team team(4, {.placement = "none"});
    std::atomic<int> released{0};
    const auto run = [&] {
        team.run([&](Member& me) {
            if (me.rank() == 3) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                throw std::domain_error("late and wrong");
            }
            try {
                me.barrier();
            } catch (const Aborted&) {
                ++released;
                throw;
            }
        });
    };
    CHECK_THROWS_AS(run(), std::domain_error);
    CHECK(released == 3);
}

TEST_CASE("threads that are members of two groups at once") {
    const std::uint32_t seed = fresh_seed();
    constexpr int rows = 3;
    constexpr int columns = 4;
    std::vector<Group> row_groups;
    std::vector<Group> column_groups;
    for (int i = 0; i < rows; ++i) {
        row_groups.emplace_back(columns);
    }
    for (int i = 0; i < columns; ++i) {
        column_groups.emplace_back(rows);
    }
    std::atomic<int> wrong{0};
    on_threads(rows * columns, [&](int id) {
        const int row = id / columns;
        const int column = id % columns;
        Member in_row = row_groups[static_cast<std::size_t>(row)].join(column);
        Member in_column = column_groups[static_cast<std::size_t>(column)].join(row);
        std::mt19937 own(seed + static_cast<std::uint32_t>(id));
        for (int i = 0; i < scale(300); ++i) {
            pause_at_random(own);
            std::vector<int> values(static_cast<std::size_t>(1 + i % 50), id + i);
            in_row.allreduce(values, sum);
            in_column.allreduce(values, sum);
            const int all = rows * columns;
            wrong += values.back() != all * (all - 1) / 2 + all * i ? 1 : 0;
        }
    });
    CHECK(wrong == 0);
}

TEST_CASE("several teams at work at the same time") {
    const std::uint32_t seed = fresh_seed();
    std::vector<std::string> problems(3);
    on_threads(3, [&](int owner) {
        const int members = 2 + 3 * owner;
        std::mt19937 random(seed + static_cast<std::uint32_t>(owner));
        const auto ranks = blocking(members);
        Exam exam(members, 400, test::ordinary<std::uint32_t>, sum);
        for (int batch = 0; batch < 3; ++batch) {
            const auto jobs = random_jobs(random, members, scale(200), true, 400);
            problems[static_cast<std::size_t>(owner)] += exam.run(*ranks, jobs);
        }
    });
    CHECK(problems == std::vector<std::string>(3));
}

TEST_CASE("failures at random moments") {
    const std::uint32_t seed = fresh_seed();
    for (const int members : {2, 4, 8}) {
        std::mt19937 random(seed);
        Team team(members, {.placement = "none"});
        for (int i = 0; i < scale(100); ++i) {
            const int thrower = static_cast<int>(random() % static_cast<unsigned>(members));
            const std::size_t elements = random() % 2 == 0 ? 1 : 200;
            const std::size_t after = random() % (10 * elements);
            std::string reached;
            try {
                team.run([&](Member& me) {
                    std::size_t applied = 0;
                    const auto op = [&](int a, int b) {
                        if (me.rank() == thrower && applied++ == after) {
                            throw std::domain_error("at a random moment");
                        }
                        return a + b;
                    };
                    for (int call = 0;; ++call) {
                        std::vector<int> in(elements, 1);
                        std::vector<int> out(elements, 0);
                        me.allreduce(in, out, op, {.algorithm = call % 2 == 0 ? "" : "circulant"});
                        if (out.back() != me.size()) {
                            throw std::logic_error("wrong sum");
                        }
                    }
                });
            } catch (const std::exception& exception) {
                reached = exception.what();
            }
            INFO("members ", members, ", seed ", seed, ", run ", i);
            CHECK(reached == "at a random moment");
        }
    }
}
