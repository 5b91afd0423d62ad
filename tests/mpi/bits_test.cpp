// The same bits on all members of all processes, whichever way they come; and from way to way where the
// algorithm among the processes brackets every element alike.

#include "../associated.hpp"
#include "support.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tutti::test {

namespace {

using Bits = std::vector<std::uint64_t>;

/// Sums of these depend on how they are associated.
std::vector<double> delicate(int rank, std::size_t elements) {
    std::vector<double> vector(elements);
    for (std::size_t i = 0; i < elements; ++i) {
        vector[i] =
            1.0 / (static_cast<double>(i % 97) + rank + 1) * (rank % 2 == 0 ? 1 : -1e8) / (rank % 3 + 1);
    }
    return vector;
}

Bits bits_of(const std::vector<double>& vector) {
    Bits bits(vector.size());
    std::ranges::transform(vector, bits.begin(), [](double x) { return std::bit_cast<std::uint64_t>(x); });
    return bits;
}

constexpr std::array<mpi::Options, 3> ways{{{}, {.way = "leader"}, {.way = "pipelined"}}};

Bits allreduced(mpi::Member& me, std::size_t elements, const mpi::Options& options) {
    std::vector<double> vector = delicate(me.rank(), elements);
    me.allreduce(vector, tutti::sum, options);
    return bits_of(vector);
}

/// The reduced vector on the root, on others nothing.
Bits reduced(mpi::Member& me, std::size_t elements, const mpi::Options& options) {
    const int root = me.size() / 2;
    std::vector<double> out(me.rank() == root ? elements : 0);
    me.reduce(delicate(me.rank(), elements), out, tutti::sum, root, options);
    return bits_of(out);
}

/// The whole: reduce_scatter gives every member its block of it, and allgather the others'.
Bits scattered(mpi::Member& me, std::size_t elements, const mpi::Options& options) {
    const auto size = static_cast<std::size_t>(me.size());
    std::vector<double> block(elements);
    std::vector<double> all(elements * size);
    me.reduce_scatter(delicate(me.rank(), elements * size), block, tutti::sum, options);
    me.allgather(block, all, {.way = options.way});
    return bits_of(all);
}

/// What member 0 has, on all members.
Bits of_first(mpi::Member& me, Bits bits) {
    me.broadcast(bits, 0);
    return bits;
}

/// The algorithms of one comparison. `canonical`: they bracket every element alike, in whatever part of a
/// vector it is carried.
struct Algorithms {
    std::string_view allreduce;
    std::string_view reduce;
    std::string_view reduce_scatter;
    bool canonical;
};

void compare_ways(mpi::Member& me, std::size_t elements, const Algorithms& algorithms) {
    const auto with = [](mpi::Options options, std::string_view algorithm) {
        options.algorithm = algorithm;
        return options;
    };
    const mpi::Options leader{.way = "leader"};
    const Bits all_by_leader = allreduced(me, elements, with(leader, algorithms.allreduce));
    const Bits root_by_leader = reduced(me, elements, with(leader, algorithms.reduce));
    const Bits blocks_by_leader = scattered(me, elements, with(leader, algorithms.reduce_scatter));
    for (const mpi::Options& way : ways) {
        CAPTURE(way.way);
        const Bits all = allreduced(me, elements, with(way, algorithms.allreduce));
        CHECK(all == of_first(me, all));
        const Bits blocks = scattered(me, elements, with(way, algorithms.reduce_scatter));
        CHECK(blocks == of_first(me, blocks));
        const Bits root = reduced(me, elements, with(way, algorithms.reduce));
        if (algorithms.canonical) {
            CHECK(all == all_by_leader);
            CHECK(blocks == blocks_by_leader);
            CHECK(root == root_by_leader);
        }
    }
}

int uneven_members() {
    return thread_level() == MPI_THREAD_SINGLE ? 1 : 1 + (process_of_world() + 1) % 3;
}

/// What a loop over the ranks first .. end - 1 gives.
std::vector<double> looped(int end, std::size_t elements) {
    std::vector<double> sum = delicate(0, elements);
    for (int rank = 1; rank < end; ++rank) {
        std::ranges::transform(sum, delicate(rank, elements), sum.begin(), std::plus<>());
    }
    return sum;
}

void check_serial(mpi::Member& me, std::size_t elements) {
    const mpi::Options serial{.order = Order::serial};
    const auto size = static_cast<std::size_t>(me.size());
    const auto own = static_cast<std::size_t>(me.rank());
    const std::vector<double> in = delicate(me.rank(), elements);
    const Bits all = bits_of(looped(me.size(), elements));
    CHECK(allreduced(me, elements, serial) == all);
    const Bits on_root = reduced(me, elements, serial);
    CHECK((on_root.empty() || on_root == all));
    const Bits of_blocks = bits_of(looped(me.size(), elements * size));
    std::vector<double> block(elements);
    me.reduce_scatter(delicate(me.rank(), elements * size), block, tutti::sum, serial);
    const Bits bits = bits_of(block);
    CHECK(std::equal(bits.begin(), bits.end(),
                     of_blocks.begin() + static_cast<std::ptrdiff_t>(own * elements)));
    std::vector<double> prefix(elements);
    me.scan(in, prefix, tutti::sum, serial);
    CHECK(bits_of(prefix) == bits_of(looped(me.rank() + 1, elements)));
    me.exscan(in, prefix, tutti::sum, serial);
    CHECK((me.rank() == 0 || bits_of(prefix) == bits_of(looped(me.rank(), elements))));
}

/// What one group of all members gives.
Bits of_one_group(int members, std::size_t elements) {
    std::vector<std::vector<double>> operands;
    for (int rank = 0; rank < members; ++rank) {
        operands.push_back(delicate(rank, elements));
    }
    std::vector<double> combined(elements);
    for (std::size_t i = 0; i < elements; ++i) {
        combined[i] = in_tree(
            operands.size(), [&](std::size_t rank) { return operands[rank][i]; }, std::plus<>());
    }
    return bits_of(combined);
}

} // namespace

TEST_CASE("powers of two of processes with as many members each have the bits of one group") {
    for (const int processes : {1, 2, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            for (const int members : {1, 2, 4}) {
                CAPTURE(processes);
                CAPTURE(members);
                on_members(part, thread_level() == MPI_THREAD_SINGLE ? 1 : members, [&](mpi::Member& me) {
                    for (const std::size_t elements : {1U, 1000U, 70001U}) {
                        CAPTURE(elements);
                        const Bits right = of_one_group(me.size(), elements);
                        const Bits right_blocks =
                            of_one_group(me.size(), elements * static_cast<std::size_t>(me.size()));
                        for (const mpi::Options& way : ways) {
                            CAPTURE(way.way);
                            CHECK(allreduced(me, elements, way) == right);
                            const Bits root = reduced(me, elements, way);
                            CHECK((root.empty() || root == right));
                            CHECK(scattered(me, elements, way) == right_blocks);
                        }
                    }
                });
            }
        });
    }
}

TEST_CASE("order serial has the bits of a loop over all ranks, however they are divided among processes") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            CAPTURE(processes);
            on_members(part, uneven_members(), [&](mpi::Member& me) {
                for (const std::size_t elements : {0U, 1U, 1000U, 70001U}) {
                    CAPTURE(elements);
                    check_serial(me, elements);
                }
                std::vector<double> x(2, 1);
                CHECK_THROWS_WITH_AS(
                    me.allreduce(x, tutti::sum, {.algorithm = "tree", .order = Order::serial}),
                    doctest::Contains("from the left"), ArgumentError);
            });
        });
    }
}

TEST_CASE("every way has the same bits on all members, canonical algorithms the same as every other way") {
    for (int processes = 2; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            CAPTURE(processes);
            on_members(part, uneven_members(), [&](mpi::Member& me) {
                for (const std::size_t elements : {1U, 1000U, 70001U}) {
                    CAPTURE(elements);
                    compare_ways(me, elements, {"", "", "", processes != 3}); // powers of two: one bracketing
                    compare_ways(me, elements, {"tree", "tree", "butterfly", true});
                    compare_ways(me, elements, {"butterfly-elimination-2-1", "butterfly", "butterfly", true});
                }
            });
        });
    }
}

} // namespace tutti::test
