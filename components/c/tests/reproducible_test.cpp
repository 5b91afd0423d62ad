// Sums whose bits do not depend on the number of members.

#include "support.hpp"

#include <tutti/reproducible.hpp>

using namespace tutti;
using namespace tutti::test;

TEST_CASE("reproducible sums are those of one accumulator, for float and double") {
    std::vector<double> x;
    std::vector<float> f;
    for (int i = 0; i < 1000; ++i) {
        x.push_back(std::sin(i) * std::exp(20 * std::cos(0.1 * i)));
        f.push_back(static_cast<float>(x.back()));
    }
    Reproducible<double> squares;
    squares.add_products(x, x);
    const double expected = Reproducible<double>().add(x).value();
    for (const int members : {1, 2, 5}) {
        CHECK(run_team(members, [&](tutti_caller me) {
                  const auto begin =
                      x.size() * static_cast<std::size_t>(me.rank) / static_cast<std::size_t>(me.size);
                  const auto end =
                      x.size() * static_cast<std::size_t>(me.rank + 1) / static_cast<std::size_t>(me.size);
                  double sum = 0;
                  CHECK(tutti_reproducible_sum(me, &x[begin], end - begin, TUTTI_DOUBLE, &sum) == TUTTI_OK);
                  CHECK(sum == expected);
                  CHECK(tutti_reproducible_dot(me, &x[begin], &x[begin], end - begin, TUTTI_DOUBLE, &sum) ==
                        TUTTI_OK);
                  CHECK(sum == squares.value());
                  CHECK(tutti_reproducible_norm2(me, &x[begin], end - begin, TUTTI_DOUBLE, &sum) == TUTTI_OK);
                  CHECK(sum == std::sqrt(squares.value()));
                  float float_sum = 0;
                  CHECK(tutti_reproducible_sum(me, &f[begin], end - begin, TUTTI_FLOAT, &float_sum) ==
                        TUTTI_OK);
                  CHECK(float_sum == Reproducible<float>().add(f).value());
                  CHECK(tutti_reproducible_sum(me, nullptr, 0, TUTTI_FLOAT, &float_sum) == TUTTI_OK);
                  CHECK(float_sum == 0.0F);
                  return TUTTI_OK;
              }) == TUTTI_OK);
    }
}

TEST_CASE("wrong arguments of reproducible sums are named") {
    Joined alone;
    const double x = 1;
    double sum = 0;
    check_refused(tutti_reproducible_sum(alone.me, &x, 1, TUTTI_INT, &sum),
                  "reproducible_sum: `type` must be TUTTI_DOUBLE or TUTTI_FLOAT");
    check_refused(tutti_reproducible_sum(alone.me, &x, 1, TUTTI_DOUBLE, nullptr),
                  "reproducible_sum: `result` is a null pointer");
    check_refused(tutti_reproducible_sum(alone.me, nullptr, 1, TUTTI_DOUBLE, &sum),
                  "reproducible_sum: `terms` is a null pointer");
    check_refused(tutti_reproducible_dot(alone.me, &x, nullptr, 1, TUTTI_DOUBLE, &sum),
                  "reproducible_dot: `b` is a null pointer");
    check_refused(tutti_reproducible_norm2(alone.me, nullptr, 1, TUTTI_DOUBLE, &sum),
                  "reproducible_norm2: `x` is a null pointer");
    tutti_request request = none();
    check_refused(tutti_reproducible_sum(tutti_nonblocking(alone.me, &request), &x, 1, TUTTI_DOUBLE, &sum),
                  "reproducible_sum");
}
