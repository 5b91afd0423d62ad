#include "tests/test.hpp"
#include "verify/terms.hpp"

using tutti::schedule::Symmetry;
using tutti::verify::Term;
using tutti::verify::Terms;

TEST_CASE("equal trees are equal terms whatever way they came about") {
    Terms terms(Symmetry::rotation, 5, 1);
    const auto x = [&](int member) { return terms.input(member, 0); };
    const Term left = terms.combine(x(1), x(2));
    CHECK(terms.shifted(left, 3) == terms.combine(x(4), x(0)));
    CHECK(terms.combine(left, x(3)) != terms.combine(x(1), terms.combine(x(2), x(3))));
    CHECK(terms.combine(x(2), x(1)) != left);
    CHECK_FALSE(terms.combine(left, Term{}).defined());
}

TEST_CASE("on a torus terms are renamed coordinate by coordinate") {
    const std::vector<int> mesh{2, 3};
    Terms terms(Symmetry::torus(mesh), 6, 1);
    const auto x = [&](int member) { return terms.input(member, 0); };
    const Term row = terms.combine(terms.combine(x(0), x(1)), x(2));
    // One column on, and one row and two columns on.
    CHECK(terms.shifted(row, 1) == terms.combine(terms.combine(x(1), x(2)), x(0)));
    CHECK(terms.shifted(row, 5) == terms.combine(terms.combine(x(5), x(3)), x(4)));
    CHECK(terms.shifted(terms.shifted(row, 5), 4) == row);
    CHECK(terms.missing(terms.shifted(row, 3)) == 0);
    CHECK_FALSE(Terms::same_tree(terms.shifted(row, 1), row));
    CHECK(terms.shifted(terms.rank_order(0), 4) == terms.rank_order(0));
}

TEST_CASE("a term knows its block, which is renamed like the members where there are as many") {
    Terms as_many(Symmetry::rotation, 4, 4);
    CHECK(as_many.shifted(as_many.input(1, 2), 3) == as_many.input(0, 1));
    Terms fewer(Symmetry::rotation, 4, 3);
    CHECK(fewer.shifted(fewer.input(1, 2), 3) == fewer.input(0, 2));
    CHECK_FALSE(as_many.combine(as_many.input(0, 1), as_many.input(1, 2)).defined());
    const Term one = as_many.combine(as_many.input(0, 1), as_many.input(1, 1));
    const Term other = as_many.combine(as_many.input(0, 2), as_many.input(1, 2));
    CHECK(one != other);
    CHECK(Terms::same_tree(one, other));
}

TEST_CASE("missing and repeated members are found, also beyond one word") {
    constexpr int ranks = 150;
    Terms terms(Symmetry::rotation, ranks, 1);
    const auto x = [&](int member) { return terms.input(member, 0); };
    Term sum = x(149);
    for (int member = 0; member < 149; ++member) {
        if (member != 70) {
            sum = terms.combine(sum, x(member));
        }
    }
    CHECK(terms.missing(sum) == 70);
    CHECK(terms.missing(terms.shifted(sum, 100)) == 20);
    CHECK_FALSE(terms.repeated(sum));
    const Term full = terms.combine(sum, x(70));
    CHECK_FALSE(terms.missing(full));
    CHECK_FALSE(terms.repeated(full));
    const Term twice = terms.combine(full, terms.combine(x(140), x(141)));
    CHECK(terms.repeated(twice));
    CHECK(terms.repeated(terms.combine(x(3), x(3))) == 3);
    CHECK(terms.repeated(terms.combine(x(9), terms.combine(x(3), x(3)))) == 3);
}

TEST_CASE("missing and repeated members are found on a torus beyond one word") {
    const std::vector<int> mesh{10, 15};
    Terms terms(Symmetry::torus(mesh), 150, 1);
    Term sum = terms.input(0, 0);
    for (int member = 1; member < 150; ++member) {
        if (member != 70) {
            sum = terms.combine(sum, terms.input(member, 0));
        }
    }
    // Row 4, column 10: six rows and eight columns on that is row 0, column 3.
    CHECK(terms.missing(sum) == 70);
    CHECK(terms.missing(terms.shifted(sum, 6 * 15 + 8)) == 3);
    CHECK_FALSE(terms.repeated(sum));
    CHECK(terms.repeated(terms.combine(sum, terms.shifted(sum, 1))));
    CHECK_FALSE(terms.missing(terms.combine(sum, terms.input(70, 0))));
}

TEST_CASE("rank order is a property of the leaves, not of the brackets") {
    Terms terms(Symmetry::rotation, 4, 1);
    const auto x = [&](int member) { return terms.input(member, 0); };
    const Term balanced = terms.combine(terms.combine(x(0), x(1)), terms.combine(x(2), x(3)));
    CHECK(terms.in_rank_order(balanced, 4));
    CHECK_FALSE(terms.in_rank_order(balanced, 3));
    CHECK_FALSE(terms.from_the_left(balanced));
    CHECK(terms.text(balanced) == "x0 + x1 + (x2 + x3)");
    CHECK_FALSE(terms.in_rank_order(terms.shifted(balanced, 1), 4));
    CHECK(terms.in_rank_order(terms.combine(x(0), x(1)), 2));
    CHECK_FALSE(terms.in_rank_order(terms.combine(x(0), x(1)), 4));
    CHECK_FALSE(terms.in_rank_order(terms.combine(x(1), x(2)), 2));
    const Term serial = terms.rank_order(0);
    CHECK(terms.in_rank_order(serial, 4));
    CHECK_FALSE(terms.in_rank_order(serial, 3));
    CHECK(terms.from_the_left(serial));
    CHECK(terms.from_the_left(terms.combine(terms.combine(x(0), x(1)), x(2))));
    CHECK_FALSE(terms.from_the_left(terms.combine(x(0), terms.combine(x(1), x(2)))));
    CHECK(terms.shifted(serial, 2) == serial);
    CHECK(terms.text(serial) == "x0 + x1 + x2 + x3");
    CHECK_FALSE(terms.in_rank_order(terms.combine(x(0), serial), 5));
    CHECK_FALSE(terms.missing(serial));
}
