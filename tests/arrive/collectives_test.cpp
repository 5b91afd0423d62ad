// Every collective among ranks that arrive, against the plain reference: separate, in place, irregular,
// shared.

#include "../associated.hpp"
#include "exam.hpp"
#include "support.hpp"

#include <tutti/rendezvous.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

using namespace tutti;
using test::Calling;
using test::Exam;
using test::Job;

namespace {

const std::vector<int> member_counts =
    test::reduced ? std::vector{1, 2, 3, 5, 8, 16} : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 16};

std::vector<Job> jobs_of(int members, const std::vector<std::size_t>& sizes) {
    std::vector<Job> jobs;
    int turn = 0;
    for (const std::size_t elements : sizes) {
        for (const auto& row : algorithm::registry()) {
            if (row.name != "direct" || !takes(row, members)) {
                continue;
            }
            for (const bool in_place : {false, true}) {
                const bool has_root = detail::traits_of(row.collective).takes_number();
                const int root = has_root ? turn++ % members : 0;
                jobs.push_back({&row, false, elements, in_place, test::Expect::rank_order, root});
            }
        }
    }
    return jobs;
}

template <class T, class Op>
void examine(const RendezvousOptions& options, const Op& op) {
    const std::vector<std::size_t> sizes{0, 1, 2, 7, 64, 1000, test::reduced ? 3000U : 40000U};
    for (const int members : member_counts) {
        Team team({.members = members, .placement = "none"});
        Rendezvous meeting(members, options);
        Exam<T> exam(members, sizes.back(), test::ordinary<T>, op);
        const std::vector<Job> jobs = jobs_of(members, sizes);
        for (const std::size_t in_flight : {1U, 8U, 100U}) {
            CHECK(exam.run(team, jobs, op, {Calling::Way::arriving, in_flight, &meeting}) == "");
        }
    }
}

/// Not associative: only one bracketing has the right result. Has no compiled kernel.
struct Fold {
    std::uint64_t factor;
    std::int64_t operator()(std::int64_t left, std::int64_t right) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) * factor +
                                         static_cast<std::uint64_t>(right));
    }
};

/// One of all ranks after the other, in random order.
template <class Arrive>
void arrive_in_any_order(int ranks, std::mt19937& random, Arrive arrive) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Request> requests;
    for (const int rank : order) {
        requests.push_back(arrive(rank));
    }
    wait_all(requests);
}

std::vector<std::size_t> counts_of(int ranks, std::mt19937& random) {
    std::vector<std::size_t> counts;
    for (int rank = 0; rank < ranks; ++rank) {
        counts.push_back(random() % 4 == 0 ? 0 : random() % 50);
    }
    return counts;
}

using Vector = std::vector<std::int64_t>;
using Vectors = std::vector<Vector>;

Vectors filled(const std::vector<std::size_t>& sizes) {
    Vectors vectors;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
        for (std::size_t i = 0; i < sizes[rank]; ++i) {
            vectors.resize(rank + 1);
            vectors[rank].push_back(test::ordinary<std::int64_t>(rank, i) % 1000000);
        }
    }
    vectors.resize(sizes.size());
    return vectors;
}

Vectors blank(const std::vector<std::size_t>& sizes) {
    Vectors vectors;
    for (const std::size_t size : sizes) {
        vectors.emplace_back(size, -1);
    }
    return vectors;
}

} // namespace

TEST_CASE("every collective is right among ranks that arrive") {
    examine<std::int32_t>({}, sum);
}

TEST_CASE("it is the same to the bit where rounding tells the order") {
    examine<double>({}, sum);
}

TEST_CASE("it is the same in slices that an executor runs at once") {
    examine<double>({.executor = test::backwards(), .slice_bytes = 200}, sum);
}

TEST_CASE("it is the same in slices that a pool runs later, and with an operator of the caller's") {
    test::Pool pool(2);
    examine<std::int64_t>({.executor = pool.executor(), .slice_bytes = 4096}, Fold{31});
}

TEST_CASE("irregular blocks") {
    std::mt19937 random(1);
    test::Pool pool(2);
    for (const bool sliced : {false, true}) {
        for (const int ranks : member_counts) {
            CAPTURE(ranks);
            Rendezvous meeting(ranks,
                               {.executor = sliced ? pool.executor() : Executor(), .slice_bytes = 300});
            const auto size = static_cast<std::size_t>(ranks);
            const std::vector<std::size_t> counts = counts_of(ranks, random);
            const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
            const int root = static_cast<int>(random() % size);
            const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
            Vector whole;
            const Vectors blocks = filled(counts);
            for (const Vector& block : blocks) {
                whole.insert(whole.end(), block.begin(), block.end());
            }
            SUBCASE("gathered") {
                Vectors outs = blank(std::vector(size, total));
                arrive_in_any_order(ranks, random, [&](int rank) {
                    return meeting.at(rank).allgather(blocks[at(rank)], outs[at(rank)], Counts(counts));
                });
                CHECK(outs == Vectors(size, whole));
                Vector out(total, -1);
                arrive_in_any_order(ranks, random, [&](int rank) {
                    const std::span own = rank == root ? std::span(out) : std::span<std::int64_t>();
                    return meeting.at(rank).gather(blocks[at(rank)], own, Counts(counts), root);
                });
                CHECK(out == whole);
                Vector all(total, -1);
                arrive_in_any_order(ranks, random, [&](int rank) {
                    return meeting.at(rank).allgather(blocks[at(rank)], shared(all), Counts(counts));
                });
                CHECK(all == whole);
            }
            SUBCASE("scattered") {
                Vectors outs = blank(counts);
                arrive_in_any_order(ranks, random, [&](int rank) {
                    const std::span in =
                        rank == root ? std::span<const std::int64_t>(whole) : std::span<const std::int64_t>();
                    return meeting.at(rank).scatter(in, outs[at(rank)], Counts(counts), root);
                });
                CHECK(outs == blocks);
            }
            SUBCASE("reduced") {
                const Vectors ins = filled(std::vector(size, total));
                Vector result;
                for (std::size_t i = 0; i < total; ++i) {
                    result.push_back(test::in_tree(
                        size, [&](std::size_t rank) { return ins[rank][i]; }, Fold{7}));
                }
                for (const bool in_place : {false, true}) {
                    Vectors outs = in_place ? ins : blank(counts);
                    arrive_in_any_order(ranks, random, [&](int rank) {
                        Arriving me = meeting.at(rank);
                        return in_place ? me.reduce_scatter(outs[at(rank)], Counts(counts), Fold{7})
                                        : me.reduce_scatter(ins[at(rank)], outs[at(rank)], Counts(counts),
                                                            Fold{7});
                    });
                    std::size_t start = 0;
                    for (std::size_t rank = 0; rank < size; ++rank) {
                        for (std::size_t i = 0; i < counts[rank]; ++i) {
                            CHECK(outs[rank][(in_place ? start : 0) + i] == result[start + i]);
                        }
                        start += counts[rank];
                    }
                }
            }
            SUBCASE("exchanged, with counts of each rank's own") {
                std::vector<std::vector<std::size_t>> sent(size);
                std::vector<std::vector<std::size_t>> received(size, std::vector<std::size_t>(size));
                std::vector<std::size_t> sizes;
                Vectors expected(size);
                for (std::size_t from = 0; from < size; ++from) {
                    sent[from] = counts_of(ranks, random);
                    sizes.push_back(std::accumulate(sent[from].begin(), sent[from].end(), std::size_t{0}));
                }
                const Vectors ins = filled(sizes);
                for (std::size_t from = 0; from < size; ++from) {
                    std::size_t start = 0;
                    for (std::size_t to = 0; to < size; ++to) {
                        received[to][from] = sent[from][to];
                        for (std::size_t i = 0; i < sent[from][to]; ++i) {
                            expected[to].push_back(ins[from][start++]);
                        }
                    }
                }
                Vectors outs;
                for (const Vector& each : expected) {
                    outs.emplace_back(each.size(), -1);
                }
                arrive_in_any_order(ranks, random, [&](int rank) {
                    return meeting.at(rank).alltoall(ins[at(rank)], Counts(sent[at(rank)]), outs[at(rank)],
                                                     Counts(received[at(rank)]));
                });
                CHECK(outs == expected);
            }
        }
    }
}

TEST_CASE("one result for all") {
    Rendezvous meeting(3);
    std::mt19937 random(2);
    const Vectors ins{{1, 2}, {3, 4}, {5, 6}};
    Vector out(2);
    arrive_in_any_order(3, random, [&](int rank) {
        return meeting.at(rank).allreduce(ins[static_cast<std::size_t>(rank)], shared(out), sum);
    });
    CHECK(out == Vector{9, 12});
}

TEST_CASE("some may pass one vector as both, which the others cannot know") {
    for (const int ranks : {1, 2, 3, 6}) {
        CAPTURE(ranks);
        Rendezvous meeting(ranks);
        std::mt19937 random(3);
        const auto size = static_cast<std::size_t>(ranks);
        const Vectors before = filled(std::vector(size, 4 * size));
        for (const bool shifts : {false, true}) {
            Vectors ins = before;
            Vectors outs = blank(std::vector(size, 4 * size));
            const auto result = [&](std::size_t rank) -> Vector& {
                return rank % 2 == 0 ? ins[rank] : outs[rank];
            };
            arrive_in_any_order(ranks, random, [&](int rank) {
                const auto own = static_cast<std::size_t>(rank);
                return shifts ? meeting.at(rank).shift(ins[own], result(own), -1)
                              : meeting.at(rank).alltoall(ins[own], result(own));
            });
            for (std::size_t rank = 0; rank < size; ++rank) {
                for (std::size_t i = 0; i < 4 * size; ++i) {
                    CHECK(result(rank)[i] ==
                          (shifts ? before[(rank + 1) % size][i] : before[i / 4][4 * rank + i % 4]));
                }
            }
        }
    }
}
