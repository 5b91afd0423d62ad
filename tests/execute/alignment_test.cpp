#include "../aligned.hpp"
#include "exam.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>

namespace {

using namespace tutti;
using test::added;
using test::Aligned;
using test::Job;
using test::lies_well;

template <class T>
T element(std::size_t rank, std::size_t index) {
    return test::element_of<T>(test::mixed, rank, index);
}

std::vector<Job> all_rows(int members) {
    std::vector<Job> jobs;
    for (const auto& row : algorithm::registry()) {
        for (const std::size_t size : {1U, 2U, 3U, 7U, 33U, 90U}) {
            for (const bool in_place : {false, true}) {
                if (!test::is_sampled()) {
                    continue;
                }
                if (takes(row, members) && row.order != algorithm::Order::any) {
                    jobs.push_back({&row, true, size, in_place, test::Expect::rank_order});
                }
                if (row.name == "direct") {
                    jobs.push_back({&row, false, size, in_place, test::Expect::rank_order});
                }
            }
        }
    }
    return jobs;
}

template <std::size_t Bytes>
void examine(int members) {
    using Element = Aligned<Bytes>;
    CAPTURE(Bytes);
    CAPTURE(members);
    Team team(members, {.placement = "none"});
    std::atomic<int> misplaced{0};
    const auto sum = [&misplaced](const Element& a, const Element& b) {
        misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
        return added(a, b);
    };
    test::Exam<Element> exam(members, 90, element<Element>, added<Element>);
    CHECK(exam.run(team, all_rows(members), sum) == "");
    CHECK(misplaced.load() == 0);
}

} // namespace

TEST_CASE("operators see elements only where their alignment allows") {
    for (const int members : {1, 2, 3, 5, 8}) {
        examine<8>(members); // three and four of them travel in a slot
        examine<32>(members);
        examine<128>(members);
        examine<1024>(members); // some travel over a stage
    }
}

TEST_CASE("elements of one size and two alignments may follow one another") {
    struct Loose {
        std::uint64_t values[16];
    };
    Team team(3, {.placement = "none"});
    std::atomic<int> misplaced{0};
    const auto sum = [&misplaced](const auto& a, const auto& b) {
        misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
        return added(a, b);
    };
    team.run([&](Member& me) {
        std::vector<Loose> loose(1000, element<Loose>(0, 0));
        std::vector<Aligned<128>> strict(1000, element<Aligned<128>>(0, 0));
        for (const auto* algorithm : {"butterfly-overlapping", "circulant"}) {
            me.allreduce(loose, sum, {.algorithm = algorithm});
            me.allreduce(strict, sum, {.algorithm = algorithm});
            me.alltoall(std::span(loose).first(999));
            me.alltoall(std::span(strict).first(999));
        }
    });
    CHECK(misplaced.load() == 0);
}
