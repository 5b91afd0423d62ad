#include "../affine.hpp"
#include "../reference/calls.hpp"
#include "rows.hpp"

#include <tutti/extremes.hpp>
#include <tutti/tutti.hpp>

namespace {

using namespace tutti;
using test::Affine;
using test::compose;

enum class Height : std::uint16_t { low, middle, high };

Affine affine(std::size_t rank, std::size_t element) {
    const std::uint64_t value = test::mixed(rank, element);
    return {static_cast<std::uint8_t>(value | 1U), static_cast<std::uint8_t>(value >> 8U), 1};
}

std::vector<std::size_t> random_counts(int members, unsigned kind) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(members), 0);
    switch (kind) {
    case 0: // all empty
        break;
    case 1: // everything at one member
        counts[counts.size() / 2] = 1001;
        break;
    case 2: // every other one empty
        for (std::size_t i = 0; i < counts.size(); i += 2) {
            counts[i] = i + 1;
        }
        break;
    default:
        for (std::size_t i = 0; i < counts.size(); ++i) {
            counts[i] = test::mixed(i, kind) % 300;
        }
    }
    return counts;
}

/// Every member's sum of block `rank`, computed plainly.
std::uint32_t plain_sum(int members, std::size_t element) {
    std::uint32_t total = 0;
    for (int rank = 0; rank < members; ++rank) {
        total += test::ordinary<std::uint32_t>(static_cast<std::size_t>(rank), element);
    }
    return total;
}

/// Counts the wrong elements of one irregular reduce-scatter, those of the input that had to be kept
/// included.
std::size_t wrong_irregular(Member& me, const std::vector<std::size_t>& counts, std::string_view algorithm,
                            bool in_place) {
    const auto own = static_cast<std::size_t>(me.rank());
    const std::size_t first = std::accumulate(counts.begin(), counts.begin() + me.rank(), std::size_t{0});
    std::vector<std::uint32_t> in(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = test::ordinary<std::uint32_t>(own, i);
    }
    std::vector<std::uint32_t> block(counts[own]);
    const Options options{.algorithm = algorithm};
    if (in_place) {
        me.reduce_scatter(in, Counts(counts), sum, options);
        std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(first), block.size(), block.begin());
    } else {
        me.reduce_scatter(in, block, Counts(counts), sum, options);
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const bool mine = i >= first && i < first + block.size();
        wrong += mine && block[i - first] != plain_sum(me.size(), i) ? 1U : 0U;
        wrong += !(mine && in_place) && in[i] != test::ordinary<std::uint32_t>(own, i) ? 1U : 0U;
    }
    return wrong;
}

} // namespace

TEST_CASE("reduce_scatter with irregular blocks, empty ones included") {
    for (const int members : {1, 2, 3, 5, 8, 13, 22}) {
        Team team(members, {.placement = "none"});
        std::vector<std::size_t> wrong(static_cast<std::size_t>(members), 0);
        team.run([&](Member& me) {
            for (const auto& row : algorithm::registry()) {
                for (unsigned kind = 0; kind < 5; ++kind) {
                    for (const bool in_place : {false, true}) {
                        if (row.collective == Collective::reduce_scatter && takes(row, members)) {
                            wrong[static_cast<std::size_t>(me.rank())] +=
                                wrong_irregular(me, random_counts(members, kind), row.name, in_place);
                        }
                    }
                }
                wrong[static_cast<std::size_t>(me.rank())] +=
                    wrong_irregular(me, random_counts(members, 7), "", false);
            }
        });
        CHECK(wrong == std::vector<std::size_t>(static_cast<std::size_t>(members), 0));
    }
}

TEST_CASE("a reduce_scatter that leaves everything with one member") {
    for (const int members : {1, 2, 3, 8}) {
        Team team(members, {.placement = "none"});
        std::vector<std::size_t> wrong(static_cast<std::size_t>(members), 0);
        team.run([&](Member& me) {
            for (const std::size_t count : {1U, 7U, 1000U, 50'000U}) {
                for (std::size_t receiver = 0; receiver < wrong.size(); ++receiver) {
                    std::vector<std::size_t> counts(wrong.size(), 0);
                    counts[receiver] = count;
                    for (const bool in_place : {false, true}) {
                        wrong[static_cast<std::size_t>(me.rank())] +=
                            wrong_irregular(me, counts, "", in_place) +
                            wrong_irregular(me, counts, "direct", in_place);
                    }
                }
            }
        });
        CHECK(wrong == std::vector<std::size_t>(static_cast<std::size_t>(members), 0));
    }
}

TEST_CASE("irregular and equal blocks of the same sizes may follow one another") {
    Team team(3, {.placement = "none"});
    std::vector<int> results(6, -1);
    team.run([&](Member& me) {
        const std::vector<int> in{1, 2, 3, 4, 5, 6};
        const std::vector<std::size_t> counts{2, 1, 3};
        const auto own = static_cast<std::size_t>(me.rank());
        for (int i = 0; i < 300; ++i) {
            std::vector<int> irregular(counts[own]);
            me.reduce_scatter(in, irregular, Counts(counts), sum);
            std::vector<int> equal(2);
            me.reduce_scatter(in, equal, sum);
            std::copy_n(equal.begin(), 2, results.begin() + 2 * me.rank());
        }
    });
    CHECK(results == std::vector<int>{3, 6, 9, 12, 15, 18});
}

TEST_CASE("elements of three bytes under a function and under a lambda") {
    for (const int members : {1, 2, 4, 7}) {
        Team team(members, {.placement = "none"});
        const test::Reference<Affine> reference(members, affine, compose);
        const auto jobs = test::jobs_of(members, std::vector<std::size_t>{0, 1, 10, 11, 1000},
                                        {.exact = false, .commutative = false, .rows = [](const auto& row) {
                                             return detail::traits_of(row.collective).reduces();
                                         }});
        std::atomic<int> wrong{0};
        const auto examine = [&](const auto& op) {
            team.run([&](Member& me) {
                for (const test::Job& job : jobs) {
                    auto call = reference.vectors(static_cast<std::size_t>(me.rank()), job.shape);
                    make_call(me, job.shape, call, std::span<const Affine>(call.in), std::span(call.out), op,
                              {.algorithm = job.algorithm});
                    wrong += call.out == call.expected ? 0 : 1;
                }
            });
        };
        Affine (*const function)(const Affine&, const Affine&) = compose;
        examine(non_commutative(function));
        examine(non_commutative(compose));
        CHECK(wrong == 0);
    }
}

TEST_CASE("an operator with a state is used as it is on every member") {
    Team team(4, {.placement = "none"});
    std::vector<int> results(4);
    team.run([&](Member& me) {
        const int modulus = me.size() + 3;
        const auto sum_modulo = [modulus](int a, int b) { return (a + b) % modulus; };
        me.allreduce(me.rank() + 3, results[static_cast<std::size_t>(me.rank())], sum_modulo);
    });
    CHECK(results == std::vector<int>(4, (3 + 4 + 5 + 6) % 7));
}

TEST_CASE("scalars, arrays, spans and vectors are operands") {
    for (const int members : {1, 2, 3, 8}) {
        Team team(members, {.placement = "none"});
        const int total = members * (members + 1) / 2;
        std::vector<int> good(static_cast<std::size_t>(members), 0);
        team.run([&](Member& me) {
            const auto own = static_cast<std::size_t>(me.rank());
            const double mine = me.rank() + 1.0;
            double all = 0;
            me.allreduce(mine, all, sum);
            const long by_value = me.allreduce(long{me.rank()} + 1, sum);
            std::array<int, 3> three{me.rank() + 1, 1, 0};
            me.allreduce(three, sum);
            int raw[2] = {me.rank(), -me.rank()};
            me.allreduce(std::span(raw), max);
            std::vector<int> ranks(static_cast<std::size_t>(members));
            me.allgather(me.rank(), ranks);
            int block = 0;
            me.reduce_scatter(ranks, block, sum);
            std::vector<int> expected(ranks.size());
            std::iota(expected.begin(), expected.end(), 0);
            good[own] = all == total && by_value == total && three == std::array{total, members, 0} &&
                        raw[0] == members - 1 && raw[1] == 0 && ranks == expected &&
                        block == members * me.rank();
        });
        CHECK(good == std::vector<int>(good.size(), 1));
    }
}

TEST_CASE("one object goes by value, and the caller's own is kept") {
    struct Wide { // too long to be copied where a call only reads it
        std::array<long, 100> values;
    };
    for (const int members : {1, 2, 3, 8}) {
        Team team(members, {.placement = "none"});
        std::vector<int> good(static_cast<std::size_t>(members), 0);
        team.run([&](Member& me) {
            const int rank = me.rank();
            const int last = members - 1;
            const double mine = rank + 1.0;
            const auto sum_to = [](int end) { return end * (end + 1) / 2; };
            bool right = me.allreduce(mine, sum) == sum_to(members);
            right = right && me.reduce(mine, sum, last) == (rank == last ? sum_to(members) : mine);
            right = right && me.scan(mine, sum) == sum_to(rank + 1);
            right = right && me.exscan(mine, sum) == sum_to(rank);
            right = right && me.broadcast(mine, last) == members;
            right = right && me.shift(mine, 1) == (rank == 0 ? members : rank);
            right = right && mine == rank + 1.0;

            const auto least = me.allreduce(ValueAt<int>{-rank, rank}, minloc, {.order = Order::serial});
            right = right && least == ValueAt<int>{-last, last};
            const std::complex<float> complex(1, static_cast<float>(rank));
            right = right && me.allreduce(complex, sum).imag() == static_cast<float>(sum_to(last));
            int (*const larger)(int, int) = [](int a, int b) { return a < b ? b : a; };
            right = right && me.allreduce(rank, larger) == last;

            Wide wide{};
            wide.values[99] = rank;
            std::vector<Wide> all(static_cast<std::size_t>(members));
            me.allgather(wide, all);
            right = right && all.back().values[99] == last && me.broadcast(wide, last).values[99] == last;
            good[static_cast<std::size_t>(rank)] = right ? 1 : 0;
        });
        CHECK(std::count(good.begin(), good.end(), 1) == members);
    }
}

TEST_CASE("enumerations and bool are gathered and reduced by a callable") {
    Team team(3, {.placement = "none"});
    std::vector<Height> highest(3);
    std::array<std::array<bool, 3>, 3> flags{};
    team.run([&](Member& me) {
        const auto own = static_cast<std::size_t>(me.rank());
        const Height mine = me.rank() == 1 ? Height::high : Height::low;
        me.allreduce(mine, highest[own], [](Height a, Height b) { return std::max(a, b); });
        me.allgather(me.rank() == 2, flags[own]);
    });
    CHECK(highest == std::vector<Height>(3, Height::high));
    CHECK(flags[0] == std::array{false, false, true});
    CHECK(flags[1] == flags[0]);
    CHECK(flags[2] == flags[0]);
}

TEST_CASE("a vector that is its own output is recognised") {
    for (const auto& row : algorithm::registry()) {
        Team team(3, {.placement = "none"});
        std::vector<int> good(3, 0);
        if (row.collective != Collective::allreduce || !takes(row, 3)) {
            continue;
        }
        team.run([&](Member& me) {
            std::vector<int> values(100, me.rank() + 1);
            me.allreduce(values, values, sum, {.algorithm = row.name});
            std::vector<int> both(99, me.rank());
            const auto part = std::span(both).subspan(33 * static_cast<std::size_t>(me.rank()), 33);
            me.allgather(part, both);
            const bool gathered = both[0] == 0 && both[33] == 1 && both[98] == 2;
            me.reduce_scatter(both, part, sum);
            good[static_cast<std::size_t>(me.rank())] =
                values == std::vector<int>(100, 6) && gathered && part[0] == 3 * me.rank();
        });
        CHECK(good == std::vector<int>(3, 1));
    }
}

TEST_CASE("a reduce_scatter may leave its block in front, as MPI does in place") {
    for (const int members : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
        Team team(members, {.placement = "none"});
        std::vector<int> wrong(static_cast<std::size_t>(members));
        team.run([&](Member& me) {
            const auto own = static_cast<std::size_t>(me.rank());
            const auto check = [&](std::span<const std::size_t> counts, std::string_view name, bool equal) {
                const auto before =
                    std::accumulate(counts.begin(), counts.begin() + me.rank(), std::size_t{0});
                std::vector<std::uint32_t> expected;
                for (std::size_t i = 0; i < std::accumulate(counts.begin(), counts.end(), std::size_t{0});
                     ++i) {
                    expected.push_back(test::ordinary<std::uint32_t>(own, i));
                }
                std::vector<std::uint32_t> inout = expected;
                for (std::size_t i = 0; i < counts[own]; ++i) {
                    expected[i] = plain_sum(members, before + i);
                }
                const auto front = std::span(inout).first(counts[own]);
                equal ? me.reduce_scatter(inout, front, sum, {.algorithm = name})
                      : me.reduce_scatter(inout, front, Counts(counts), sum, {.algorithm = name});
                wrong[own] += inout == expected ? 0 : 1;
            };
            for (const std::size_t count : {0U, 1U, 2U, 100U, 800U, 12'800U}) {
                const std::vector<std::size_t> counts(wrong.size(), count);
                check(counts, "", true);
                check(counts, "", true);
                for (const auto& row : algorithm::registry()) {
                    if (row.collective == Collective::reduce_scatter && takes(row, members) && count < 1000) {
                        check(counts, row.name, true);
                    }
                }
            }
            for (unsigned kind = 0; kind < 8; ++kind) {
                check(random_counts(members, kind), "", false);
            }
        });
        INFO(members, " members");
        CHECK(wrong == std::vector<int>(wrong.size()));
    }
}
