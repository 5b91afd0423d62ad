#include "../../src/by_collective.hpp"
#include "../reduced.hpp"
#include "../texts.hpp"
#include "algorithm/registry.hpp"

#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Results of a wider type than the operands.

namespace {

using namespace tutti;

/// Terms whose sum in float differs from their sum in double.
template <class T>
T term_of(int rank, std::size_t index) {
    return static_cast<T>(static_cast<float>((rank * 37 + static_cast<int>(index % 101)) % 89 - 40) / 7.0F);
}

/// A reduction, whose input may have elements of another type, unlike call_by_collective().
auto reduce_by_collective(auto& way, Collective collective, const auto& op, int root, const Options& options,
                          auto in, auto out) {
    switch (collective) {
    case Collective::reduce:
        return way.reduce(in, out, op, root, options);
    case Collective::reduce_scatter:
        return way.reduce_scatter(in, out, op, options);
    case Collective::scan:
        return way.scan(in, out, op, options);
    case Collective::exscan:
        return way.exscan(in, out, op, options);
    default:
        return way.allreduce(in, out, op, options);
    }
}

/// Calls with inputs of type T in all ways: they must leave the bits of the call with the converted inputs.
template <class T, class R>
bool has_bits_of_converted(Member& me, AsyncGroup& meeting, Collective collective, std::string_view algorithm,
                           std::size_t elements) {
    const auto blocks =
        collective == Collective::reduce_scatter ? static_cast<std::size_t>(me.size()) : std::size_t{1};
    std::vector<T> in(elements * blocks);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = term_of<T>(me.rank(), i);
    }
    const std::vector<T> before = in;
    const std::vector<R> converted(in.begin(), in.end());
    const Options options{.algorithm = algorithm};
    const int root = me.size() / 2;
    std::vector<R> expected(elements, R(-1));
    call_by_collective(me, collective, sum, root, options, std::span(converted), std::span(expected));
    std::vector<R> out(elements, R(-1));
    bool right = true;
    const auto check = [&] {
        right = right && out == expected;
        std::ranges::fill(out, R(-1));
    };
    const auto make = [&](auto& way, auto operand, const Options& with) {
        return reduce_by_collective(way, collective, sum_in<R>, root, with, operand, std::span(out));
    };
    make(me, std::span<const T>(in), options);
    check();
    make(me.start, std::span<const T>(in), options).wait();
    check();
    Persistent persistent = make(me.prepare, std::span<const T>(in), options);
    for (int time = 0; time < 2; ++time) {
        persistent.start();
        persistent.wait();
        check();
    }
    // A member that has converted its operands matches the others.
    if (me.rank() == 0) {
        call_by_collective(me, collective, sum, root, options, std::span(converted), std::span(out));
    } else {
        make(me, std::span<const T>(in), options);
    }
    check();
    right = right && in == before;
    make(me, cleared(in), options);
    check();
    right = right && in == std::vector<T>(in.size());
    in = before;
    AsyncRank arriving = meeting.at(me.rank());
    make(arriving, cleared(in), {}).wait();
    return right && in == std::vector<T>(in.size()) && (!algorithm.empty() || out == expected);
}

/// An operator that makes elements of the output of those of the input: how many there are, and their
/// extremes.
struct Extent {
    int count;
    float low;
    float high;
    friend bool operator==(const Extent&, const Extent&) = default;
};
struct MeasureExtent {
    float scale;
    Extent lift(const float& x) const { return {1, scale * x, scale * x}; }
    Extent operator()(const Extent& a, const Extent& b) const {
        return {a.count + b.count, std::min(a.low, b.low), std::max(a.high, b.high)};
    }
};

/// An int can be passed to lift() as well, but would be another one.
struct CountAbove {
    int lift(double x) const { return x > 0.5 ? 1 : 0; }
    int operator()(int a, int b) const { return a + b; }
    template <class T>
    T lower(int total, int /*operands*/) const {
        return static_cast<T>(total);
    }
};
static_assert(!detail::widens<CountAbove, double, int>);

/// A sum that takes no negative operand.
struct CheckedSum {
    double lift(std::same_as<float> auto x) const {
        return x < 0 ? throw std::runtime_error("a negative operand") : x;
    }
    double operator()(double a, double b) const { return a + b; }
};

} // namespace

TEST_CASE("results of a wider type have the bits of the sum of the converted operands") {
    for (const int members :
         test::reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 8}) {
        Team team(members, {.placement = "none"});
        AsyncGroup meeting(members);
        for (const auto& row : algorithm::registry()) {
            const bool needs_exact = row.order == algorithm::Order::any; // which sums of these are not
            if (!detail::traits_of(row.collective).reduces() || !takes(row, members) || needs_exact) {
                continue;
            }
            for (const std::string_view name : {row.name, std::string_view()}) {
                std::vector<char> right(static_cast<std::size_t>(members), 1);
                team.run([&](Member& me) {
                    char& own = right[static_cast<std::size_t>(me.rank())];
                    for (const std::size_t elements : {0U, 1U, 3U, 100U, 9000U}) {
                        own = has_bits_of_converted<float, double>(me, meeting, row.collective, name,
                                                                   elements) &&
                              own != 0;
                    }
                });
                INFO(std::string(to_string(row.collective)), " \"", std::string(name), "\", members ",
                     members);
                CHECK(std::ranges::count(right, 1) == members);
            }
        }
    }
}

TEST_CASE("half precision and integers have results of a wider type") {
    Team team(3);
    AsyncGroup meeting(3);
    std::array<char, 3> right{};
    team.run([&](Member& me) {
        char& own = right[static_cast<std::size_t>(me.rank())];
        own = 1;
        for (const Collective collective : {Collective::allreduce, Collective::reduce, Collective::scan}) {
            own = has_bits_of_converted<bfloat16, float>(me, meeting, collective, {}, 700) &&
                  has_bits_of_converted<float16, float>(me, meeting, collective, {}, 700) &&
                  has_bits_of_converted<std::int8_t, std::int64_t>(me, meeting, collective, {}, 700) &&
                  own != 0;
        }
        const std::vector<float> in(5, static_cast<float>(me.rank()) / 10);
        std::vector<double> out(5);
        me.allreduce(in, out, mean_in<double>);
        own = own != 0 && out[0] == (0.0 + double(0.1F) + double(0.2F)) / 3;
        std::vector<double> one(5);
        me.scan(in, one, scaled_sum(2.0));
        own = own != 0 && one[0] == (me.rank() == 0   ? 0.0
                                     : me.rank() == 1 ? 2.0 * 0.1F
                                                      : 2.0 * 0.1F + 2.0 * 0.2F);
    });
    CHECK(right == std::array<char, 3>{1, 1, 1});
}

TEST_CASE("an operator of the program has results of the type of its accumulator") {
    std::array<std::vector<float>, 3> ins{{{1, 5}, {-2, 4}, {3, 9}}};
    std::array<std::vector<Extent>, 3> outs;
    outs.fill(std::vector<Extent>(2));
    const std::vector<Extent> expected{{3, -4, 6}, {3, 8, 18}};
    Team team(3);
    std::vector<Extent> one(2);
    team.run([&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        me.allreduce(ins[rank], outs[rank], MeasureExtent{2});
        me.allreduce(ins[rank], shared(one), MeasureExtent{2});
        CHECK(outs[rank] == expected);
        outs[rank].assign(2, {});
        me.start.allreduce(ins[rank], outs[rank], MeasureExtent{2}).wait();
    });
    CHECK(one == expected);
    CHECK(outs == std::array{expected, expected, expected});
    outs.fill(std::vector<Extent>(2));
    single_caller::allreduce(ins, outs, MeasureExtent{2});
    CHECK(outs == std::array{expected, expected, expected});
}

TEST_CASE("operands of a narrower type must be apart from the results, and may touch them") {
    alignas(double) std::array<std::byte, 48> memory{};
    Team team(1);
    team.run([&](Member& me) {
        float* const floats = new (memory.data()) float[4]{1, 2, 3, 4};
        double* const doubles = new (memory.data() + 16) double[4]{};
        me.allreduce(std::span(floats, 4), std::span(doubles, 4), sum_in<double>);
        CHECK(doubles[3] == 4.0);
        CHECK_THROWS_WITH_AS(
            me.allreduce(std::span(floats + 1, 4), std::span(doubles, 4), sum_in<double>),
            doctest::Contains(
                "`in` and `out` overlap: an input that is cleared, or whose elements have another type"),
            ArgumentError);
    });
    // Of another rank as well.
    std::array<float, 4> other{5, 6, 7, 8};
    std::array<double, 4> others{};
    float* const floats = new (memory.data()) float[4]{1, 2, 3, 4};
    double* const doubles = new (memory.data() + 16) double[4]{};
    const std::array ins{std::span<float>(floats, 4), std::span<float>(other)};
    const std::array outs{std::span<double>(others), std::span<double>(doubles, 4)};
    single_caller::allreduce(ins, outs, sum_in<double>);
    CHECK(doubles[3] == 12.0);
}

TEST_CASE("an operand that cannot be converted ends the call on all members, in every way of calling") {
    for (const int way : {0, 1, 2}) {
        CAPTURE(way);
        std::array<std::string, 3> texts;
        Team team(3);
        CHECK_THROWS(team.run([&](Member& me) {
            const std::vector<float> in(5, me.rank() == 1 ? -1.0F : 1.0F);
            std::vector<double> out(5);
            try {
                if (way == 0) {
                    me.allreduce(in, out, CheckedSum());
                } else if (way == 1) {
                    me.start.allreduce(in, out, CheckedSum()).wait();
                } else {
                    Persistent step = me.prepare.allreduce(in, out, CheckedSum());
                    step.start();
                    step.wait();
                }
            } catch (const std::exception& error) {
                texts[static_cast<std::size_t>(me.rank())] = error.what();
                throw;
            }
        }));
        for (const std::string& text : texts) {
            CHECK(test::mentions(text, "a negative operand"));
        }
    }
}

TEST_CASE("a persistent operation with results of another type keeps its buffers") {
    Team team(2);
    team.run([&](Member& me) {
        std::vector<double> doubles(100, 1.25);
        std::vector<float> floats(100, 2.5F);
        std::vector<float> results(100);
        Persistent down = me.prepare.allreduce(cleared(doubles), results, sum_in<float>);
        CHECK_THROWS_WITH_AS(down.start(cleared(floats), results),
                             doctest::Contains("results of another type"), ArgumentError);
        down.start();
        down.wait();
        CHECK(results == std::vector<float>(100, 2.5F));
        CHECK(doubles == std::vector<double>(100));
        std::vector<double> sums(100);
        Persistent up = me.prepare.allreduce(floats, sums, sum_in<double>);
        CHECK_THROWS_WITH_AS(up.start(doubles, sums), doctest::Contains("results of another type"),
                             ArgumentError);
        up.start();
        up.wait();
        CHECK(sums == std::vector<double>(100, 5.0));
    });
}
