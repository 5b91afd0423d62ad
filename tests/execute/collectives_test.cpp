#include "exam.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>

namespace {

using namespace tutti;
using test::Exam;
using test::Expect;
using test::Job;

std::vector<int> member_counts() {
    if (test::reduced) {
        return {1, 2, 3, 4, 5, 7, 8, 16};
    }
    return {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 22, 27, 33, 64};
}

/// Sizes around the number of members and of cache lines, primes, and powers of two plus and minus one. What
/// has to do with the size alone is tried with few members: many take long to switch between.
std::set<std::size_t> sizes(int members) {
    const auto p = static_cast<std::size_t>(members);
    std::set<std::size_t> list{0, 1, p - 1, p, p + 1, 3 * p + 1, 33, 257, 1009};
    if (members <= 16) {
        list.insert({2 * p, 2, 4, 7, 31, 97, 255, 256, 1023, 4095, 4096, 4097, 16 * p * p});
    }
    return list;
}

/// How operands are associated depends on the number of blocks and on whether a message is one slot, a few,
/// or none.
std::set<std::size_t> sizes_of_floating_point(int members) {
    const auto p = static_cast<std::size_t>(members);
    std::set<std::size_t> list{1, p - 1, p + 1, 33, 257, 1009};
    if (members <= 16) {
        list.insert(4097);
    }
    return list;
}

std::vector<std::size_t> large_sizes(int members) {
    constexpr std::size_t mebi = std::size_t{1} << 20U;
    if (test::reduced) {
        return members == 3 ? std::vector<std::size_t>{65537, mebi / 4 + 1} : std::vector<std::size_t>{};
    }
    switch (members) {
    case 2:
        return {65535, 65536, 65537, 104729, mebi - 1, mebi, mebi + 1};
    case 1:
    case 3:
    case 8:
        return {65536, 104729, mebi + 1};
    case 5:
    case 16:
        return {65537, 131071};
    default:
        return {};
    }
}

/// Every row by name, and the default choice, in both ways, where the row serves. Rooted calls and shifts
/// take turns in their roots and distances.
void add_jobs(std::vector<Job>& jobs, int members, std::size_t elements, bool commutative, bool exact) {
    int turn = static_cast<int>(elements % static_cast<std::size_t>(members));
    for (const auto& row : algorithm::registry()) {
        const bool keeps_order = keeps_rank_order(row.order);
        if (!takes(row, members) || (row.order == algorithm::Order::any && !exact) ||
            (!keeps_order && !commutative)) {
            continue;
        }
        for (const bool in_place : {false, true}) {
            if (!test::is_sampled()) {
                continue;
            }
            const int root = has_root(row) ? turn++ % members : 0;
            jobs.push_back({&row, true, elements, in_place, test::expectation(row, members, exact), root});
            if (row.name == "direct") {
                jobs.push_back({&row, false, elements, in_place, Expect::rank_order, root});
            }
        }
    }
}

template <class T, class Op>
void examine(Team& team, const std::vector<Job>& jobs, const Op& op) {
    std::size_t most = 1;
    for (const Job& job : jobs) {
        most = std::max(most, job.elements);
    }
    Exam<T> exam(team.size(), most, test::ordinary<T>, op);
    CHECK(exam.run(team, jobs, op) == "");
}

/// Associative, but it does not commute.
struct Matrix {
    std::array<std::uint32_t, 4> at;
};

struct Product {
    Matrix operator()(const Matrix& a, const Matrix& b) const {
        return {{a.at[0] * b.at[0] + a.at[1] * b.at[2], a.at[0] * b.at[1] + a.at[1] * b.at[3],
                 a.at[2] * b.at[0] + a.at[3] * b.at[2], a.at[2] * b.at[1] + a.at[3] * b.at[3]}};
    }
};

Matrix matrix(std::size_t rank, std::size_t element) {
    const std::uint64_t a = test::mixed(rank, 2 * element);
    const std::uint64_t b = test::mixed(rank, 2 * element + 1);
    return {{static_cast<std::uint32_t>(a) | 1U, static_cast<std::uint32_t>(a >> 32U) & ~1U,
             static_cast<std::uint32_t>(b) & ~1U, static_cast<std::uint32_t>(b >> 32U) | 1U}};
}

} // namespace

TEST_CASE("every algorithm, every size: integers are exact") {
    for (const int members : member_counts()) {
        Team team(members, {.placement = "none"});
        std::vector<Job> jobs;
        for (const std::size_t size : sizes(members)) {
            add_jobs(jobs, members, size, true, true);
        }
        examine<std::int32_t>(team, jobs, sum);
    }
}

TEST_CASE("every algorithm, every size: floating-point sums have the same bits on every member") {
    for (const int members : member_counts()) {
        Team team(members, {.placement = "compact"});
        std::vector<Job> jobs;
        for (const std::size_t size : sizes_of_floating_point(members)) {
            add_jobs(jobs, members, size, true, false);
        }
        examine<double>(team, jobs, sum);
    }
}

TEST_CASE("every algorithm: large vectors") {
    for (const int members : {1, 2, 3, 5, 8, 16}) {
        Team team(members, {.placement = "none"});
        std::vector<Job> jobs;
        for (const std::size_t size : large_sizes(members)) {
            add_jobs(jobs, members, size, true, true);
        }
        examine<std::uint32_t>(team, jobs, sum);
    }
}

TEST_CASE("vectors that exceed the caches are stored past them") {
    constexpr std::size_t elements = test::reduced ? 100'003 : (std::size_t{1} << 23U) + 5;
    Team team(3, {.placement = "none"});
    std::vector<Job> jobs;
    for (const auto& row : algorithm::registry()) {
        if (row.name == "direct" && row.collective != Collective::barrier) {
            jobs.push_back({&row, true, elements, false, Expect::rank_order});
            jobs.push_back({&row, true, elements, true, Expect::rank_order});
        }
    }
    examine<std::uint16_t>(team, jobs, bxor);
}

TEST_CASE("an operator that does not commute is applied in rank order") {
    for (const int members : {1, 2, 3, 4, 5, 7, 8, 13, 16, 22}) {
        Team team(members, {.placement = "none"});
        std::vector<Job> jobs;
        for (const std::size_t size :
             {std::size_t{1}, std::size_t{2}, static_cast<std::size_t>(3 * members + 1), std::size_t{257}}) {
            add_jobs(jobs, members, size, false, false);
        }
        Exam<Matrix> exam(members, 257, matrix, Product());
        CHECK(exam.run(team, jobs, Product()) == "");
    }
}

TEST_CASE("the reference tells rank order from other orders") {
    Team team(3, {.placement = "none"});
    const auto backwards = [](const Matrix& a, const Matrix& b) { return Product()(b, a); };
    const std::vector<Job> jobs{{algorithm::find(Collective::allreduce, "direct"), true, 1}};
    Exam<Matrix> exam(3, 1, matrix, Product());
    CHECK(exam.run(team, jobs, backwards) != "");
}

TEST_CASE("repeated runs give the same bits") {
    for (const int members : {2, 3, 5, 8, 13}) {
        std::vector<Job> jobs;
        for (const std::size_t size : {std::size_t{1}, std::size_t{4}, std::size_t{1009}}) {
            add_jobs(jobs, members, size, true, false);
        }
        Exam<float> exam(members, 1009, test::ordinary<float>, sum);
        Team team(members, {.placement = "none"});
        REQUIRE(exam.run(team, jobs, sum) == "");
        const auto first = exam.digests();
        for (int repetition = 0; repetition < 5; ++repetition) {
            REQUIRE(exam.run(team, jobs, sum) == "");
            CHECK(exam.digests() == first);
        }
        Team other(members, {.placement = "compact"});
        REQUIRE(exam.run(other, jobs, sum) == "");
        CHECK(exam.digests() == first);
    }
}

TEST_CASE("canonical algorithms agree with one another, whatever the size") {
    // 0.1 summed in one bracketing differs from any other for some of these counts.
    for (const int members : {3, 7, 16}) {
        Team team(members, {.placement = "none"});
        std::vector<Job> jobs;
        for (const std::size_t size : {1U, 2U, 4U, 5U, 64U, 1000U}) {
            add_jobs(jobs, members, size, false, false);
        }
        const auto tenths = [](std::size_t rank, std::size_t) { return 0.1 * static_cast<double>(rank + 1); };
        Exam<double> exam(members, 1000, tenths, sum);
        CHECK(exam.run(team, jobs, sum) == "");
    }
}
