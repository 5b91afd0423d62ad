#include "rows.hpp"

namespace {

using namespace tutti;
using test::Exam;
using test::Job;
using test::jobs_of;

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

template <class T, class Op>
void examine(int members, const TeamOptions& options, const std::vector<Job>& jobs, const Op& op) {
    std::size_t most = 1;
    for (const Job& job : jobs) {
        most = std::max(most, job.shape.count *
                                  (job.shape.traits().is_divided() ? static_cast<std::size_t>(members) : 1));
    }
    CHECK(Exam(members, most, test::ordinary<T>, op).run(*test::blocking(members, options), jobs) == "");
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
        examine<std::int32_t>(members, {.placement = "none"}, jobs_of(members, sizes(members)), sum);
    }
}

TEST_CASE("every algorithm, every size: floating-point sums have the same bits on every member") {
    for (const int members : member_counts()) {
        examine<double>(members, {.placement = "compact"},
                        jobs_of(members, sizes_of_floating_point(members), {.exact = false}), sum);
    }
}

TEST_CASE("every algorithm: large vectors") {
    for (const int members : {1, 2, 3, 5, 8, 16}) {
        examine<std::uint32_t>(members, {.placement = "none"}, jobs_of(members, large_sizes(members)), sum);
    }
}

TEST_CASE("vectors that exceed the caches are stored past them") {
    const std::vector<std::size_t> elements{test::reduced ? 100'003 : (std::size_t{1} << 23U) + 5};
    const auto is_direct = [](const auto& row) {
        return row.name == "direct" && row.collective != Collective::barrier;
    };
    examine<std::uint16_t>(3, {.placement = "none"},
                           jobs_of(3, elements, {.defaults = false, .rows = is_direct}), bxor);
}

TEST_CASE("an operator that does not commute is applied in rank order") {
    for (const int members : {1, 2, 3, 4, 5, 7, 8, 13, 16, 22}) {
        const std::vector<std::size_t> sizes{1, 2, static_cast<std::size_t>(3 * members + 1), 257};
        Exam exam(members, 257, matrix, non_commutative(Product()));
        CHECK(exam.run(*test::blocking(members),
                       jobs_of(members, sizes, {.exact = false, .commutative = false})) == "");
    }
}

TEST_CASE("repeated runs give the same bits") {
    for (const int members : {2, 3, 5, 8, 13}) {
        const std::vector<Job> jobs =
            jobs_of(members, std::vector<std::size_t>{1, 4, 1009}, {.exact = false});
        Exam exam(members, 1009, test::ordinary<float>, sum);
        const auto ranks = test::blocking(members);
        REQUIRE(exam.run(*ranks, jobs) == "");
        const auto first = exam.digests();
        for (int repetition = 0; repetition < 5; ++repetition) {
            REQUIRE(exam.run(*ranks, jobs) == "");
            CHECK(exam.digests() == first);
        }
        REQUIRE(exam.run(*test::blocking(members, {.placement = "compact"}), jobs) == "");
        CHECK(exam.digests() == first);
    }
}

TEST_CASE("canonical algorithms agree with one another, whatever the size") {
    // 0.1 summed in one association differs from any other for some of these counts.
    const auto tenths = [](std::size_t rank, std::size_t) { return 0.1 * static_cast<double>(rank + 1); };
    for (const int members : {3, 7, 16}) {
        const std::vector<std::size_t> sizes{1, 2, 4, 5, 64, 1000};
        Exam exam(members, 1000, +tenths, sum);
        CHECK(exam.run(*test::blocking(members),
                       jobs_of(members, sizes, {.exact = false, .commutative = false})) == "");
    }
}
