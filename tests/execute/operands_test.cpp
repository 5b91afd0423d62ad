// Elements, operands and operators of all kinds, and blocks of any lengths.

#include "../affine.hpp"
#include "../aligned.hpp"
#include "rows.hpp"

namespace {

Affine affine(std::size_t rank, std::size_t element) {
    const std::uint64_t value = test::mixed(rank, element);
    return {static_cast<std::uint8_t>(value | 1U), static_cast<std::uint8_t>(value >> 8U), 1};
}

template <class T>
T aligned(std::size_t rank, std::size_t index) {
    return element_of<T>(test::mixed, rank, index);
}

/// An operator that counts the elements which lie where their type does not allow it.
auto counting(std::atomic<int>& misplaced) {
    return [&misplaced](const auto& a, const auto& b) {
        misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
        return added(a, b);
    };
}

template <std::size_t Bytes>
void examine_alignment(int members) {
    using Element = Aligned<Bytes>;
    INFO(Bytes, " bytes, ", members, " members");
    Team team(members, {.placement = Placement::none});
    std::atomic<int> misplaced{0};
    const Reference<Element> reference(members, aligned<Element>, added<Element>);
    const auto jobs = jobs_of(members, std::vector<std::size_t>{1, 2, 3, 7, 33, 90}, {.exact = false});
    CHECK(wrong_calls(team, reference, jobs, commutative(counting(misplaced))) == 0);
    CHECK(misplaced.load() == 0);
}

using Blocks = std::vector<std::size_t>;

Blocks blocks_of_kind(int members, unsigned kind) {
    Blocks counts(static_cast<std::size_t>(members), 0);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        switch (kind) {
        case 0: // all empty
            break;
        case 1: // everything at one member, in messages and without any
        case 2:
            counts[i] = i == counts.size() / 2 ? (kind == 1 ? 7 : 50'000) : 0;
            break;
        case 3: // every other one empty
            counts[i] = i % 2 == 0 ? i + 1 : 0;
            break;
        default:
            counts[i] = test::mixed(i, kind) % 300;
        }
    }
    return counts;
}

test::Shape scattering(const Blocks& blocks, bool in_place = false) {
    return {.collective = Collective::reduce_scatter,
            .in_place = in_place,
            .lengths = [blocks](std::size_t from, std::size_t) { return blocks[from]; }};
}

void examine_scattering(int members, const std::vector<Job>& jobs) {
    CHECK(Exam(members, 0, ordinary<std::uint32_t>, sum).run(*blocking(members), jobs) == "");
}

} // namespace

TEST_CASE("operators see elements only where their alignment allows") {
    for (const int members : {1, 2, 3, 5, 8}) {
        examine_alignment<8>(members); // three and four of them travel in a slot
        examine_alignment<32>(members);
        examine_alignment<128>(members);
        examine_alignment<1024>(members); // some travel over a stage
    }
}

TEST_CASE("elements of one size and two alignments may follow one another") {
    struct Loose {
        std::uint64_t values[16];
    };
    std::atomic<int> misplaced{0};
    run_members(3, [&](Member& me) {
        std::vector<Loose> loose(1000, aligned<Loose>(0, 0));
        std::vector<Aligned<128>> strict(1000, aligned<Aligned<128>>(0, 0));
        for (const auto* algorithm : {"butterfly-overlapping", "circulant"}) {
            me.allreduce(loose, commutative(counting(misplaced)), {.algorithm = algorithm});
            me.allreduce(strict, commutative(counting(misplaced)), {.algorithm = algorithm});
            me.alltoall(std::span(loose).first(999));
            me.alltoall(std::span(strict).first(999));
        }
    });
    CHECK(misplaced.load() == 0);
}

TEST_CASE("elements of three bytes under a function and under a lambda") {
    for (const int members : {1, 2, 3, 4, 5, 7, 8, 13, 16, 22}) {
        Team team(members, {.placement = Placement::none});
        const Reference<Affine> reference(members, affine, compose);
        const auto jobs = jobs_of(members, std::vector<std::size_t>{0, 1, 2, 10, 11, 257, 1000},
                                  {.exact = false, .commutative = false, .rows = [](const auto& row) {
                                       return detail::traits_of(row.collective).reduces();
                                   }});
        Affine (*const function)(const Affine&, const Affine&) = compose;
        CHECK(wrong_calls(team, reference, jobs, function) == 0);
        CHECK(wrong_calls(team, reference, jobs, compose) == 0);
    }
}

TEST_CASE("reduce_scatter with irregular blocks, empty ones included") {
    for (const int members : {1, 2, 3, 5, 8, 13, 22}) {
        std::vector<Job> jobs;
        for (unsigned kind = 0; kind < 6; ++kind) {
            for (const bool in_place : {false, true}) {
                const test::Shape shape = scattering(blocks_of_kind(members, kind), in_place);
                jobs.push_back({shape});
                for (const auto& row : algorithm::registry()) {
                    if (row.collective == Collective::reduce_scatter && takes(row, members)) {
                        jobs.push_back({shape, row.name});
                    }
                }
            }
        }
        examine_scattering(members, jobs);
    }
}

TEST_CASE("irregular and equal blocks of the same sizes may follow one another") {
    std::vector<Job> jobs;
    for (int i = 0; i < 300; ++i) {
        jobs.push_back({scattering({2, 1, 3})});
        jobs.push_back({{.collective = Collective::reduce_scatter, .count = 2}});
    }
    examine_scattering(3, jobs);
}

TEST_CASE("a reduce_scatter may leave its block in front, as MPI does in place") {
    for (const int members : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
        const Reference<std::uint32_t> reference(members, ordinary<std::uint32_t>, std::plus<>());
        std::atomic<int> wrong{0};
        run_members(members, [&](Member& me) {
            const auto check = [&](const Blocks& blocks, std::string_view name, bool equal) {
                const auto own = index_of(me);
                const auto call = reference.vectors(own, scattering(blocks));
                std::vector<std::uint32_t> inout = call.in;
                std::vector<std::uint32_t> expected = call.in;
                std::ranges::copy(call.expected, expected.begin());
                const auto front = std::span(inout).first(blocks[own]);
                equal ? me.reduce_scatter(inout, front, sum, {.algorithm = name})
                      : me.reduce_scatter(inout, front, Counts(blocks), sum, {.algorithm = name});
                wrong += inout == expected ? 0 : 1;
            };
            for (const std::size_t count : {0U, 1U, 2U, 100U, 800U, 12'800U}) {
                const Blocks blocks(static_cast<std::size_t>(members), count);
                check(blocks, "", true);
                check(blocks, "", true);
                for (const auto& row : algorithm::registry()) {
                    if (row.collective == Collective::reduce_scatter && takes(row, members) && count < 1000) {
                        check(blocks, row.name, true);
                    }
                }
            }
            for (unsigned kind = 0; kind < 8; ++kind) {
                check(blocks_of_kind(members, kind), "", false);
            }
        });
        INFO(members, " members");
        CHECK(wrong == 0);
    }
}

TEST_CASE("an operator with a state is used as it is on every member") {
    Team team(4, {.placement = Placement::none});
    const auto results = team.run([&](Member& me) {
        const int modulus = me.size() + 3;
        return me.allreduce(me.rank() + 3, [modulus](int a, int b) { return (a + b) % modulus; });
    });
    CHECK(results == std::vector<int>(4, (3 + 4 + 5 + 6) % 7));
}

TEST_CASE("scalars, arrays and spans are operands; one object goes by value, and the caller's own is kept") {
    struct TooWide { // to be copied where a call only reads it
        std::array<long, 100> values;
    };
    for (const int members : {1, 2, 3, 8}) {
        check_members(members, [&](Member& me) {
            const int rank = me.rank();
            const int last = members - 1;
            const double mine = rank + 1.0;
            const auto sum_to = [](int end) { return end * (end + 1) / 2; };
            double all = 0;
            me.allreduce(mine, all, sum);
            bool right = all == sum_to(members) && me.allreduce(mine, sum) == all;
            right = right && me.reduce(mine, sum, last) ==
                                 (rank == last ? std::optional(sum_to(members)) : std::nullopt);
            right = right && me.scan(mine, sum) == sum_to(rank + 1);
            right = right && me.exscan(mine, sum) == sum_to(rank);
            right = right && me.broadcast(mine, last) == members;
            right = right && me.shift(mine, 1) == (rank == 0 ? members : rank);
            right = right && mine == rank + 1.0;

            std::array<int, 3> three{rank + 1, 1, 0};
            me.allreduce(std::span(three), sum);
            int raw[2] = {rank, -rank};
            me.allreduce(std::span(raw), max);
            right =
                right && three == std::array{sum_to(members), members, 0} && raw[0] == last && raw[1] == 0;
            std::vector<int> ranks(static_cast<std::size_t>(members));
            me.allgather(rank, ranks);
            int block = 0;
            me.reduce_scatter(ranks, block, sum);
            right = right && ranks.back() == last && block == members * rank;

            TooWide wide{};
            wide.values[99] = rank;
            std::vector<TooWide> wides(static_cast<std::size_t>(members));
            me.allgather(wide, wides);
            return right && wides.back().values[99] == last && me.broadcast(wide, last).values[99] == last;
        });
    }
}

TEST_CASE("a vector that is its own output is recognised") {
    check_members(3, [&](Member& me) {
        std::vector<int> values(100, me.rank() + 1);
        me.allreduce(values, values, sum);
        std::vector<int> both(99, me.rank());
        const auto part = std::span(both).subspan(33 * index_of(me), 33);
        me.allgather(part, both);
        const bool gathered = both[0] == 0 && both[33] == 1 && both[98] == 2;
        me.reduce_scatter(both, part, sum);
        return values == std::vector<int>(100, 6) && gathered && part[0] == 3 * me.rank();
    });
}

TEST_CASE("empty vectors without an address") {
    for (const int members : {1, 2, 3, 8}) {
        CHECK_NOTHROW(run_members(members, [](Member& me) {
            const std::span<double> nothing;
            me.allreduce(nothing, nothing, sum);
            me.allreduce(nothing, sum);
            me.allgather(nothing, nothing);
            me.reduce_scatter(nothing, nothing, sum);
            me.reduce_scatter(nothing, nothing, Counts(Blocks(static_cast<std::size_t>(me.size()))), sum);
        }));
    }
}
