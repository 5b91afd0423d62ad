// Operators that combine vectors, held against the same operator for elements.

#include "../reference/calls.hpp"
#include "algorithm/registry.hpp"
#include "elements.hpp"
#include "support.hpp"
#include "ways.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr auto compose_all = [](std::span<const Affine> left, std::span<Affine> inout) {
    for (std::size_t i = 0; i < inout.size(); ++i) {
        inout[i] = compose(left[i], inout[i]);
    }
};

Affine element(std::size_t rank, std::size_t i) {
    return {static_cast<std::uint8_t>(2 * (rank + i) + 1), static_cast<std::uint8_t>(rank * 31 + i), 1};
}

/// Calls of `count` elements that combine, of all collectives or of one.
std::vector<Shape> combining(std::size_t count, int members, std::optional<Collective> only = {}) {
    std::vector<Shape> shapes = test::regular_shapes(count, {members / 2}, {});
    std::erase_if(shapes, [&](const Shape& shape) {
        return !shape.traits().reduces() || (only && shape.collective != *only);
    });
    return shapes;
}

/// The number of wrong results of one member.
template <class Me>
int wrong_results(Me& me, const std::vector<Shape>& shapes, std::string_view algorithm) {
    const test::Reference<Affine> reference(me.size(), element, compose);
    const Options options{.algorithm = test::has_algorithms<Me> ? algorithm : ""};
    int wrong = 0;
    for (const Shape& shape : shapes) {
        test::Vectors<Affine> call = reference.vectors(static_cast<std::size_t>(me.rank()), shape);
        test::make_at_once(me, [&](auto& way) {
            return make_call(way, shape, call, std::span<const Affine>(call.in), std::span(call.out),
                             vector_op(compose_all), options);
        });
        wrong += call.out == call.expected ? 0 : 1;
    }
    return wrong;
}

} // namespace

TEST_CASE(
    "an operator of vectors gives what the same one of elements does, by every algorithm that keeps order") {
    for (const int members :
         test::reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
        Team team(members, {.placement = "none"});
        std::vector<int> wrong(static_cast<std::size_t>(members));
        team.run([&](Member& me) {
            for (const algorithm::Algorithm& row : algorithm::registry()) {
                if ((row.order == algorithm::Order::none || !keeps_rank_order(row.order)) ||
                    !takes(row, members)) {
                    continue;
                }
                for (const std::size_t count :
                     {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{500}}) {
                    const std::vector<Shape> shapes = combining(count, members, row.collective);
                    wrong[static_cast<std::size_t>(me.rank())] +=
                        wrong_results(me, shapes, row.name) + wrong_results(me, shapes, "");
                }
            }
        });
        INFO(members, " members");
        CHECK(wrong == std::vector<int>(wrong.size()));
    }
}

TEST_CASE("an operator of vectors is carried out in every way of calling") {
    constexpr int members = 3;
    Team team(members, {.placement = "none"});
    AsyncGroup meeting(members);
    std::vector<int> wrong(members);
    team.run([&](Member& me) {
        test::in_every_way(me, meeting, [&](auto& caller) {
            wrong[static_cast<std::size_t>(me.rank())] += wrong_results(caller, combining(500, members), "");
        });
    });
    CHECK(wrong == std::vector<int>(members));
}

TEST_CASE("long vectors come in pieces, and short ones and single objects whole") {
    Team team(3, {.placement = "none"});
    std::vector<int> wrong(3);
    const auto add = vector_op([](std::span<const double> left, std::span<double> inout) {
        if (left.size() != inout.size() || left.empty()) {
            throw std::logic_error("pieces of different lengths, or of none");
        }
        for (std::size_t i = 0; i < left.size(); ++i) {
            inout[i] += left[i];
        }
    });
    team.run([&](Member& me) {
        int& mine = wrong[static_cast<std::size_t>(me.rank())];
        for (const std::size_t count : {0U, 1U, 511U, 512U, 513U, 12'800U, 100'000U}) {
            std::vector<double> values(count, me.rank() + 1);
            me.allreduce(values, add);
            mine += values == std::vector<double>(count, 6) ? 0 : 1;
        }
        mine += me.allreduce(1.0, add) == 3 ? 0 : 1;
        std::vector<double> left{1, 2};
        reduce_local(std::vector<double>{3, 4}, left, add);
        std::vector<double> right{1, 2};
        reduce_local(std::vector<double>{3, 4}, right, add);
        std::vector<double> both{2, 3};
        reduce_local(both, both, add);
        mine += left == std::vector<double>{4, 6} && right == left && both == left ? 0 : 1;
    });
    CHECK(wrong == std::vector<int>(3));
}

TEST_CASE("an operator of vectors is not taken to commute, and what it throws releases all") {
    static_assert(!is_commutative<decltype(vector_op(compose_all))>);
    static_assert(Applicable<decltype(vector_op(compose_all)), Affine>);
    static_assert(!Applicable<decltype(vector_op(compose_all)), int>);
    Team team(4, {.placement = "none"});
    Outcomes outcomes(4);
    thrown_by([&] {
        team.run([&](Member& me) {
            std::vector<int> values(1000, me.rank());
            outcomes.note(me, [&] {
                me.allreduce(values, vector_op([](std::span<const int>, std::span<int>) {
                                 throw std::domain_error("no more pieces");
                             }));
            });
        });
    });
    CHECK(outcomes.count(Thrown::Kind::nothing) == 0);
    CHECK(test::mentions(outcomes.text(Thrown::Kind::aborted) + outcomes.text(Thrown::Kind::other),
                         "no more pieces"));
    test::check_usable(team);
}
