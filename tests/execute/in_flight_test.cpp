// Every collective started and prepared instead of called, with several in flight that are waited for in any
// order, against the plain reference.

#include "exam.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tutti;
using test::Calling;
using test::Exam;
using test::Job;

namespace {

/// Every collective by default, and every row by name, of these sizes.
std::vector<Job> jobs_of(int members, const std::vector<std::size_t>& sizes, bool by_name) {
    std::vector<Job> jobs;
    int turn = 0;
    for (const std::size_t elements : sizes) {
        for (const auto& row : algorithm::registry()) {
            if (!takes(row, members) || (!by_name && row.name != "direct")) {
                continue;
            }
            for (const bool in_place : {false, true}) {
                const int root = has_root(row) ? turn++ % members : 0;
                jobs.push_back(
                    {&row, by_name, elements, in_place, test::expectation(row, members, true), root});
            }
        }
    }
    return jobs;
}

void examine(const std::vector<int>& member_counts, const std::vector<std::size_t>& sizes, bool by_name,
             const std::vector<std::size_t>& in_flight) {
    for (const int members : member_counts) {
        Team team(members, {.placement = "none"});
        Exam<std::int32_t> exam(members, sizes.back(), test::ordinary<std::int32_t>, sum);
        const std::vector<Job> jobs = jobs_of(members, sizes, by_name);
        for (const Calling::Way way : {Calling::Way::started, Calling::Way::persistent}) {
            for (const std::size_t count : in_flight) {
                CHECK(exam.run(team, jobs, sum, {way, count}) == "");
            }
        }
    }
}

} // namespace

TEST_CASE("every collective is right when it is started, with 1 to 100 in flight") {
    if (test::reduced) {
        examine({1, 2, 3, 8}, {0, 2, 1000, 3000}, false, {1, 100});
    } else {
        examine({1, 2, 3, 4, 5, 6, 7, 8, 9, 16}, {0, 1, 2, 7, 64, 1000, 40000}, false, {1, 8, 100});
    }
}

TEST_CASE("every algorithm is right when it is started, with 8 in flight") {
    if (test::reduced) {
        examine({3, 8}, {1, 4097}, true, {8});
    } else {
        examine({1, 2, 3, 4, 5, 8, 9, 16}, {1, 33, 4097}, true, {8});
    }
}
