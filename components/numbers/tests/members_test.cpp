#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// The norm as one accumulator of doubles gives it: squares of floats are exact there.
float norm_of_all(const std::vector<float>& x) {
    Reproducible<double> squares;
    for (const float element : x) {
        squares += static_cast<double>(element) * static_cast<double>(element);
    }
    return static_cast<float>(std::sqrt(squares.value()));
}

template <class T>
T norm_of(const std::vector<T>& x) {
    T found = 0;
    team_of(2).run([&](Member& me) {
        const T norm = reproducible_norm2(me, me.rank() == 0 ? std::span(x) : std::span<const T>());
        if (me.rank() == 1) {
            found = norm;
        }
    });
    return found;
}

template <class T>
void check_bits_with_nan() {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    std::mt19937 engine(6);
    std::vector<T> x = {nan, std::copysign(nan, T(-1)), 1, 2, std::numeric_limits<T>::infinity()};
    for (const int members : all_team_sizes) {
        CAPTURE(members);
        Team team = team_of(members);
        for (int i = 0; i < 10; ++i) {
            std::shuffle(x.begin(), x.end(), engine);
            const auto borders = random_borders(members, x.size(), engine);
            CHECK(on_all(team, [&](Member& me) {
                const T norm = reproducible_norm2(me, part(x, borders, me.rank()));
                return same_bits(norm, nan);
            }));
        }
    }
}

} // namespace

TEST_CASE(
    "sums, products and norms have the same bits for every number of members, partition and algorithm") {
    std::mt19937 engine(1);
    for (const int members : all_team_sizes) {
        CAPTURE(members);
        Team team = team_of(members);
        std::mt19937 terms_engine(2); // the same terms for each team
        const Options options{
            .algorithm = std::array{"", "direct", "circulant", "ring"}[static_cast<unsigned>(members) % 4]};
        for (const Terms kind : all_kinds) {
            for (const std::size_t count : {1U, 10U, 1000U}) {
                const auto x = make_terms<double>(kind, count, terms_engine);
                const auto f = make_terms<float>(kind, count, terms_engine);
                const auto borders = random_borders(members, count, engine);
                Reproducible<double> squares;
                squares.add_products(x, x);
                Reproducible<float> float_squares;
                float_squares.add_products(f, f);
                const float float_norm = norm_of_all(f);
                const double norm = norm_of(x);
                const auto fold2 = Reproducible<double, 2>().add(x);
                CHECK(on_all(team, [&](Member& me) {
                    const auto mine = part(x, borders, me.rank());
                    const auto floats = part(f, borders, me.rank());
                    bool right =
                        same_bits(reproducible_sum(me, mine, options), Reproducible<double>().add(x).value());
                    right &= me.allreduce(Reproducible<double, 2>().add(mine), sum) == fold2;
                    const auto all_to_here = std::span(x).first(borders[index_of(me) + 1]);
                    right &= me.scan(Reproducible<double>().add(mine), sum) ==
                             Reproducible<double>().add(all_to_here);
                    right &= same_bits(reproducible_sum(me, floats), Reproducible<float>().add(f).value());
                    right &= same_bits(reproducible_dot(me, mine, mine), squares.value());
                    right &= same_bits(reproducible_dot(me, floats, floats), float_squares.value());
                    right &= same_bits(reproducible_norm2(me, floats), float_norm);
                    right &= same_bits(reproducible_norm2(me, mine), norm);
                    return right;
                }));
            }
        }
    }
}

TEST_CASE("norms neither overflow nor underflow on the way") {
    using Limits = std::numeric_limits<double>;
    CHECK(norm_of<double>({}) == 0.0);
    CHECK(norm_of<double>({0.0, -0.0}) == 0.0);
    CHECK(norm_of<double>({3.0, -4.0}) == 5.0);
    CHECK(norm_of<double>({3e-320, 4e-320}) == 5e-320);
    CHECK(norm_of<double>({0x3p600, 0x4p600}) == 0x5p600);
    CHECK(norm_of<double>({Limits::max(), Limits::max()}) == Limits::infinity());
    CHECK(norm_of<double>({1.0, -Limits::infinity()}) == Limits::infinity());
    CHECK(std::isnan(norm_of<double>({Limits::infinity(), Limits::quiet_NaN()})));
    CHECK(norm_of<float>({}) == 0.0F);
    CHECK(norm_of<float>({0x3p100F, -0x4p100F}) == 0x5p100F);
    CHECK(norm_of<float>({0x3p-140F, 0x4p-140F}) == 0x5p-140F);
    CHECK(norm_of<float>({-std::numeric_limits<float>::infinity()}) ==
          std::numeric_limits<float>::infinity());
}

TEST_CASE("norms with NaN of both signs have the same bits for every number of members and order") {
    check_bits_with_nan<double>();
    check_bits_with_nan<float>();
}

TEST_CASE("the all-buffers form has the sums, products and norms of the members") {
    std::mt19937 engine(8);
    for (const Terms kind : {Terms::wide, Terms::huge_range, Terms::subnormal}) {
        const auto x = make_terms<double>(kind, 500, engine);
        const auto f = make_terms<float>(kind, 500, engine);
        const auto borders = random_borders(5, x.size(), engine);
        std::vector<std::span<const double>> parts;
        std::vector<std::span<const float>> floats;
        for (int rank = 0; rank < 5; ++rank) {
            parts.push_back(part(x, borders, rank));
            floats.push_back(part(f, borders, rank));
        }
        Reproducible<double> squares;
        squares.add_products(x, x);
        CHECK(same_bits(all_buffers::reproducible_sum(parts), Reproducible<double>().add(x).value()));
        CHECK(same_bits(all_buffers::reproducible_sum(floats), Reproducible<float>().add(f).value()));
        CHECK(same_bits(all_buffers::reproducible_dot(parts, parts), squares.value()));
        CHECK(same_bits(all_buffers::reproducible_norm2(parts), norm_of(x)));
        CHECK(same_bits(all_buffers::reproducible_norm2(floats), norm_of_all(f)));
    }
    const std::vector<std::vector<double>> two = {{1, 2}, {3}};
    const std::vector<std::vector<double>> one = {{1, 2}};
    CHECK(all_buffers::reproducible_dot(two, two) == 14.0);
    CHECK_THROWS_AS(static_cast<void>(all_buffers::reproducible_dot(two, one)), ArgumentError);
    CHECK(all_buffers::reproducible_sum(std::vector<std::vector<float>>()) == 0.0F);
}

TEST_CASE("products of different lengths are rejected before the call") {
    const std::vector<double> x(3);
    team_of(2).run([&](Member& me) {
        CHECK_THROWS_WITH_AS(
            static_cast<void>(reproducible_dot(me, x, std::span(x).first(2))),
            "reproducible_dot: `a` has 3 elements and `b` has 2: they must have the same number",
            ArgumentError);
        CHECK(reproducible_dot(me, x, x) == 0.0);
    });
}
