#include "verify/terms.hpp"

#include <doctest/doctest.h>

#include <optional>

using tutti::verify::Term;
using tutti::verify::Terms;

TEST_CASE("equal trees are equal terms whatever way they came about") {
    Terms terms(5);
    const Term left = terms.combine(terms.input(1), terms.input(2));
    CHECK(terms.shifted(left, 3) == terms.combine(terms.input(4), terms.input(0)));
    CHECK(terms.combine(left, terms.input(3)) !=
          terms.combine(terms.input(1), terms.combine(terms.input(2), terms.input(3))));
    CHECK(terms.combine(terms.input(2), terms.input(1)) != left);
    CHECK_FALSE(terms.combine(left, Term{}).defined());
}

TEST_CASE("missing and repeated members are found, also beyond one word") {
    constexpr int ranks = 150;
    Terms terms(ranks);
    Term sum = terms.input(149);
    for (int member = 0; member < 149; ++member) {
        if (member != 70) {
            sum = terms.combine(sum, terms.input(member));
        }
    }
    CHECK(terms.missing(sum) == 70);
    CHECK(terms.missing(terms.shifted(sum, 100)) == 20);
    CHECK_FALSE(terms.repeated(sum));
    const Term full = terms.combine(sum, terms.input(70));
    CHECK_FALSE(terms.missing(full));
    CHECK_FALSE(terms.repeated(full));
    const Term twice = terms.combine(full, terms.combine(terms.input(140), terms.input(141)));
    CHECK(terms.repeated(twice));
    CHECK(terms.repeated(terms.combine(terms.input(3), terms.input(3))) == 3);
    CHECK(terms.repeated(terms.combine(terms.input(9), terms.combine(terms.input(3), terms.input(3)))) == 3);
}

TEST_CASE("rank order is a property of the leaves, not of the brackets") {
    Terms terms(4);
    const auto x = [&](int member) { return terms.input(member); };
    const Term balanced = terms.combine(terms.combine(x(0), x(1)), terms.combine(x(2), x(3)));
    CHECK(terms.in_rank_order(balanced));
    CHECK(terms.text(balanced) == "x0 + x1 + (x2 + x3)");
    CHECK_FALSE(terms.in_rank_order(terms.shifted(balanced, 1)));
    CHECK_FALSE(terms.in_rank_order(terms.combine(x(0), x(1))));
    CHECK(terms.in_rank_order(terms.rank_order()));
    CHECK(terms.shifted(terms.rank_order(), 2) == terms.rank_order());
    CHECK(terms.text(terms.rank_order()) == "x0 + x1 + x2 + x3");
    CHECK_FALSE(terms.in_rank_order(terms.combine(x(0), terms.rank_order())));
    CHECK_FALSE(terms.missing(terms.rank_order()));
}

TEST_CASE("of one member everything is its input") {
    Terms terms(1);
    CHECK(terms.rank_order() == terms.input(0));
    CHECK(terms.in_rank_order(terms.input(0)));
}
