// Numbers of 16 bits: however a reduction is called, its operands are combined in float and rounded once.

#include "../reference/calls.hpp"
#include "../texts.hpp"
#include "rows.hpp"

#include <tutti/tasks.hpp>

namespace {

using namespace tutti;

std::vector<const algorithm::Algorithm*> reducing_rows(int members) {
    std::vector<const algorithm::Algorithm*> rows;
    for (const auto& row : algorithm::registry()) {
        const bool needs_exact = row.order == algorithm::Order::any; // which floating-point numbers are not
        if (detail::traits_of(row.collective).reduces() && takes(row, members) && !needs_exact) {
            rows.push_back(&row);
        }
    }
    return rows;
}

/// Ones of all members, where each has one element for each member.
template <class T>
bool counts_members(Member& me, const algorithm::Algorithm& row, std::size_t elements) {
    const auto members = static_cast<std::size_t>(me.size());
    const bool scatters = row.collective == Collective::reduce_scatter;
    const std::vector<T> ones(scatters ? elements * members : elements, T(1));
    std::vector<T> out(elements, T(-1));
    const int root = me.size() / 2;
    call_by_collective(me, row.collective, sum, root, Options{.algorithm = row.name}, std::span(ones),
                       std::span(out));
    const int expected = row.collective == Collective::scan                          ? me.rank() + 1
                         : row.collective == Collective::exscan                      ? me.rank()
                         : row.collective == Collective::reduce && me.rank() != root ? -1
                                                                                     : me.size();
    const T rounded(expected == 0 ? -1.F : static_cast<float>(expected));
    return std::ranges::all_of(out, [&](T each) { return each == rounded; });
}

constexpr std::array<std::size_t, 8> sizes{1, 3, 4, 12, 13, 300, 2000, test::reduced ? 5000 : 40000};

template <class T, class Op>
void check_all_ways(const Op& op, Operator dynamic) {
    for (const int members : test::reduced ? std::vector{3} : std::vector{1, 2, 3, 4, 5, 8, 16}) {
        test::Exam exam(members, sizes.back(), test::ordinary<T>, op, DynamicOp(dynamic));
        for (const test::Way& way : test::all_ways()) {
            const auto in_one_pass = [&](const auto& row) {
                return detail::traits_of(row.collective).reduces() && combines_in_one_pass(row, members);
            };
            const auto jobs =
                test::jobs_of(members, sizes,
                              {.exact = false, .names = way.abilities.names_algorithms, .rows = in_one_pass});
            INFO(way.name, ", members ", members);
            CHECK(exam.run(*way.make({.members = members}), jobs, way.abilities.has_requests ? 3 : 1) == "");
        }
    }
}

} // namespace

TEST_CASE("300 buffers of ones sum to 300 with every algorithm that can be selected, not to 256") {
    constexpr int members = 300;
    Team team(members, {.placement = "none"});
    for (const auto* const row : reducing_rows(members)) {
        if (!combines_in_one_pass(*row, members) || (test::reduced && row->name != "direct")) {
            continue;
        }
        INFO(std::string(to_string(row->collective)), " ", std::string(row->name));
        std::vector<char> right(members);
        team.run([&](Member& me) {
            right[static_cast<std::size_t>(me.rank())] =
                counts_members<bfloat16>(me, *row, 1) && counts_members<bfloat16>(me, *row, 50) &&
                (test::reduced || counts_members<bfloat16>(me, *row, 5000));
        });
        CHECK(std::ranges::all_of(right, [](char each) { return each != 0; }));
    }
}

TEST_CASE("300 buffers of ones sum to 300 in an async group and for a single caller") {
    constexpr std::size_t members = 300;
    for (const std::size_t elements : {1U, 4U, 100U, 100'000U}) {
        std::vector<std::vector<bfloat16>> buffers(members, std::vector<bfloat16>(elements, bfloat16(1)));
        single_caller::allreduce(buffers, sum);
        for (const auto& buffer : buffers) {
            REQUIRE(std::ranges::all_of(buffer, [](bfloat16 each) { return each == 300; }));
        }
    }
    AsyncGroup group(static_cast<int>(members));
    std::vector<bfloat16> values(members, bfloat16(1));
    std::vector<AsyncRequest> requests;
    for (std::size_t rank = 0; rank < members; ++rank) {
        requests.push_back(group.at(static_cast<int>(rank)).allreduce(std::span(&values[rank], 1), sum));
    }
    for (AsyncRequest& request : requests) {
        request.wait();
    }
    CHECK(std::ranges::all_of(values, [](bfloat16 each) { return each == 300; }));
}

TEST_CASE("sums of bfloat16 are rounded once, however they are called") {
    check_all_ways<bfloat16>(std::plus<float>(), Operator::sum);
}

TEST_CASE("products of float16 are rounded once, however they are called") {
    check_all_ways<float16>(std::multiplies<float>(), Operator::prod);
}

TEST_CASE("algorithms that combine partial results serve the minimum of 16-bit numbers, but not their sum") {
    constexpr int members = 5;
    Team team(members, {.placement = "none"});
    for (const auto* const row : reducing_rows(members)) {
        INFO(std::string(to_string(row->collective)), " ", std::string(row->name));
        std::vector<std::string> texts(members);
        std::vector<char> right(members);
        team.run([&](Member& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            const std::vector<bfloat16> in(10, bfloat16(static_cast<float>(10 - me.rank())));
            std::vector<bfloat16> out(row->collective == Collective::reduce_scatter ? 2 : 10);
            const Options options{.algorithm = row->name};
            call_by_collective(me, row->collective, tutti::min, 0, options, std::span(in), std::span(out));
            const int last = row->collective == Collective::scan     ? me.rank()
                             : row->collective == Collective::exscan ? me.rank() - 1
                                                                     : members - 1;
            const bool has_result = last >= 0 && (row->collective != Collective::reduce || me.rank() == 0);
            right[rank] = !has_result || out.back() == static_cast<float>(10 - last);
            try {
                call_by_collective(me, row->collective, sum, 0, options, std::span(in), std::span(out));
            } catch (const ArgumentError& error) {
                texts[rank] = error.what();
            }
        });
        CHECK(std::ranges::all_of(right, [](char each) { return each != 0; }));
        for (const std::string& text : texts) {
            if (combines_in_one_pass(*row, members)) {
                CHECK(text == "");
            } else {
                CHECK(test::mentions(text, "in one pass"));
                CHECK(test::mentions(text, "these would work: direct"));
            }
        }
    }
}

TEST_CASE("an exscan by value starts with the identity, and with an initial value rounds twice") {
    Team team(4, {.placement = "none"});
    std::vector<bfloat16> results(4);
    team.run([&](Member& me) {
        results[static_cast<std::size_t>(me.rank())] = me.exscan(bfloat16(100), sum);
        CHECK(me.allreduce(bfloat16(100.5F), sum) == 402); // 100.5 needs all bits: 402 has no halves
    });
    CHECK(results[0] == 0);
    CHECK(results[3] == 300);
}
