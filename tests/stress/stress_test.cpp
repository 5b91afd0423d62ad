#include "../execute/rows.hpp"

namespace {

constexpr int scale(int iterations) {
    return test::reduced ? iterations / 2 : iterations;
}

/// Nothing, some turns of an empty loop, a yield, or a short sleep.
void pause_at_random(std::mt19937& random) {
    const auto kind = random() % 16;
    if (kind == 0) {
        std::this_thread::sleep_for(1us * (random() % 200));
    } else if (kind < 3) {
        std::this_thread::yield();
    } else if (kind < 6) {
        for (std::size_t turn = random() % 2000; turn > 0; --turn) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
    }
}

/// Adds, and takes its time now and then: a delay inside a call.
struct SlowSum {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        if (((a ^ b) & 0x3ffU) == 0) {
            std::this_thread::yield();
        }
        if (((a ^ b) & 0xffffU) == 0) {
            std::this_thread::sleep_for(50us);
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
    stress(2, scale(400), 3000, commutative(SlowSum()), seed);
    stress(5, scale(400), 3000, commutative(SlowSum()), seed + 1);
    stress(16, scale(100), 3000, commutative(SlowSum()), seed + 2);
}

TEST_CASE("the others sleep until a late member comes, and until it fails") {
    for (const int members : {2, 8}) {
        Team team(members, {.placement = Placement::none});
        const Ended ended = run(team, [&](Member& me) {
            const auto be_late = [&] {
                if (me.rank() == 0) {
                    std::this_thread::sleep_for(50ms);
                }
            };
            be_late();
            CHECK(me.allreduce(1, sum) == members);
            std::vector<int> large(500, 1);
            be_late();
            me.allreduce(large, sum, {.algorithm = "circulant"});
            CHECK(large[499] == members);
            be_late();
            if (me.rank() == 0) {
                throw std::domain_error("late and wrong");
            }
            me.barrier();
        });
        CHECK(ended.run.text == "late and wrong");
        CHECK(ended.each.count(Kind::aborted) == members - 1);
    }
}

TEST_CASE("random delays between the calls of threads that are members of two groups at once") {
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
        for (int i = 0; i < scale(600); ++i) {
            pause_at_random(own);
            std::vector<int> values(static_cast<std::size_t>(1 + i % 50), id + i);
            in_row.allreduce(values, sum, {.algorithm = i % 2 == 0 ? "" : "circulant"});
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
        Team team(members, {.placement = Placement::none});
        for (int i = 0; i < scale(100); ++i) {
            const int thrower = static_cast<int>(random() % static_cast<unsigned>(members));
            const std::size_t elements = random() % 2 == 0 ? 1 : 200;
            const std::size_t after = random() % (10 * elements);
            const Thrown thrown = thrown_by([&] {
                team.run([&](Member& me) {
                    std::size_t applied = 0;
                    const auto op = commutative([&](int a, int b) {
                        if (me.rank() == thrower && applied++ == after) {
                            throw std::domain_error("at a random moment");
                        }
                        return a + b;
                    });
                    for (int call = 0;; ++call) {
                        std::vector<int> in(elements, 1);
                        std::vector<int> out(elements, 0);
                        me.allreduce(in, out, op, {.algorithm = call % 2 == 0 ? "" : "circulant"});
                        if (out.back() != me.size()) {
                            throw std::logic_error("wrong sum");
                        }
                    }
                });
            });
            INFO("members ", members, ", seed ", seed, ", run ", i);
            CHECK(thrown.text == "at a random moment");
        }
    }
}
