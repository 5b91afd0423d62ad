#include "../../src/by_collective.hpp"
#include "../operands_of.hpp"
#include "../reduced.hpp"
#include "algorithm/registry.hpp"

#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

// Operators that lift elements to an accumulator, combine, and lower the result once.

namespace {

using namespace tutti;

/// Exact for these elements whatever the association, and wrong if an operand is lifted or lowered twice, or
/// not at all.
constexpr auto quadrupled_and_halved = scaled_sum(4.0, 0.5);

float element_of(int rank, std::size_t index) {
    return static_cast<float>(rank + 1) + static_cast<float>(index % 17) * 8;
}

/// Twice the sum of this element of members 0 to count - 1.
float expected(int count, std::size_t index) {
    float total = 0;
    for (int rank = 0; rank < count; ++rank) {
        total += element_of(rank, index);
    }
    return 2 * total;
}

bool is_right(std::span<const float> out, Collective collective, const Member& me, int root) {
    const int operands = test::operands_of(collective, me.rank(), me.size(), root);
    const std::size_t first =
        collective == Collective::reduce_scatter ? out.size() * static_cast<std::size_t>(me.rank()) : 0;
    for (std::size_t i = 0; operands != 0 && i < out.size(); ++i) {
        if (out[i] != expected(operands, first + i)) {
            return false;
        }
    }
    return true;
}

bool reduces(const algorithm::Algorithm& row) {
    return detail::traits_of(row.collective).reduces();
}

/// Calls with separate vectors and, where that is another plan, in place; blocking and started.
bool calls_right(Member& me, Collective collective, std::string_view algorithm, std::size_t elements) {
    const auto blocks =
        collective == Collective::reduce_scatter ? static_cast<std::size_t>(me.size()) : std::size_t{1};
    std::vector<float> in(elements * blocks);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = element_of(me.rank(), i);
    }
    const Options options{.algorithm = algorithm};
    const auto& op = quadrupled_and_halved;
    bool right = true;
    for (int root = 0; root < std::min(me.size(), 2); ++root) {
        std::vector<float> out(elements);
        call_by_collective(me, collective, op, root, options, std::span(in), std::span(out));
        right = right && is_right(out, collective, me, root);
        std::ranges::fill(out, 0.0F);
        call_by_collective(me.start, collective, op, root, options, std::span(in), std::span(out)).wait();
        right = right && is_right(out, collective, me, root);
        if (blocks == 1) {
            out = in;
            call_by_collective(me, collective, op, root, options, std::span(out));
            right = right && is_right(out, collective, me, root);
        }
    }
    return right;
}

std::vector<int> member_counts() {
    return test::reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 8, 13};
}

} // namespace

TEST_CASE(
    "every operand is lifted once, and every result lowered once, by every algorithm that is accepted") {
    for (const int members : member_counts()) {
        Team team(members, {.placement = "none"});
        int served = 0;
        for (const auto& row : algorithm::registry()) {
            if (!reduces(row) || !takes(row, members)) {
                continue;
            }
            for (const std::string_view name : {row.name, std::string_view()}) {
                std::vector<char> right(static_cast<std::size_t>(members));
                std::vector<std::string> refusals(static_cast<std::size_t>(members));
                team.run([&](Member& me) {
                    const auto rank = static_cast<std::size_t>(me.rank());
                    try {
                        right[rank] = 1;
                        // Nothing, a word, a slot, the staging buffer, and none of these.
                        for (const std::size_t elements : {0U, 1U, 3U, 100U, 9000U}) {
                            right[rank] = calls_right(me, row.collective, name, elements) && right[rank] != 0;
                        }
                    } catch (const ArgumentError& error) {
                        refusals[rank] = error.what();
                    }
                });
                INFO(std::string(to_string(row.collective)), " \"", std::string(name), "\", members ",
                     members, ": ", refusals.front());
                CHECK(std::ranges::all_of(right, [](char each) { return each != 0; }));
                CHECK((refusals.front().empty() || !name.empty()));
                served += refusals.front().empty() ? 1 : 0;
            }
        }
        CHECK(served >= 10);
    }
}

TEST_CASE("a scan takes nothing that a scan of 16-bit numbers, which copies its first operand, has chosen") {
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
        for (const std::size_t bytes : {17000U, 24000U, 70000U, 300000U}) {
            const std::vector<bfloat16> halves(bytes / sizeof(bfloat16), bfloat16(1));
            std::vector<bfloat16> prefixes(halves.size());
            const std::vector<float> in(bytes / sizeof(float), 1);
            std::vector<float> out(in.size());
            for (int time = 0; time < 3; ++time) {
                me.scan(halves, prefixes, sum);
            }
            me.scan(in, out, quadrupled_and_halved);
            CHECK(std::ranges::count(out, 2.0F * static_cast<float>(me.rank() + 1)) ==
                  static_cast<std::ptrdiff_t>(out.size()));
        }
    });
}

TEST_CASE("a sum in a wider type rounds once") {
    for (const int members : {2, 3, 4, 7}) {
        Team team(members, {.placement = "none"});
        team.run([&](Member& me) {
            for (const std::size_t elements : {std::size_t{1}, std::size_t{9}, std::size_t{3001}}) {
                // In float each 1 would be lost.
                const std::vector<float> in(elements, me.rank() == 0 ? 16777216.0F : 1.0F);
                std::vector<float> out(elements);
                const double exact = 16777216.0 + (me.size() - 1);
                me.allreduce(in, out, sum_in<double>);
                CHECK(std::ranges::count(out, static_cast<float>(exact)) ==
                      static_cast<std::ptrdiff_t>(elements));
                me.allreduce(in, out, mean_in<double>);
                CHECK(std::ranges::count(out, static_cast<float>(exact / me.size())) ==
                      static_cast<std::ptrdiff_t>(elements));
            }
            // Integers: the sum of 16-bit ones may leave their range on the way.
            const std::int16_t own = me.rank() % 2 == 0 ? std::int16_t{32000} : std::int16_t{-32000};
            CHECK(me.allreduce(own, sum_in<std::int64_t>) == (me.size() % 2 == 0 ? 0 : 32000));
        });
    }
}

TEST_CASE("means of real and complex numbers, of all members and of those up to here") {
    Team team(5, {.placement = "none"});
    team.run([](Member& me) {
        CHECK(me.allreduce(static_cast<double>(me.rank()), mean) == 2.0);
        const std::complex<double> own(me.rank(), 1);
        CHECK(me.allreduce(own, mean) == std::complex<double>(2, 1));
        CHECK(me.scan(static_cast<double>(me.rank()), mean) == me.rank() / 2.0);
        const std::vector<float> five(5, static_cast<float>(me.rank()));
        std::vector<float> block(1);
        me.reduce_scatter(five, block, mean);
        CHECK(block[0] == 2.0F);
        // Rounded in each step, the sum would stay 2048.
        const float16 half(static_cast<float>(me.rank() == 0 ? 2048 : 1));
        CHECK(static_cast<float>(me.allreduce(half, sum_in<float>)) == 2052.0F);
        CHECK(static_cast<float>(me.allreduce(half, mean)) == static_cast<float>(float16(2052.0F / 5)));
    });
}

TEST_CASE("the order from the left is kept in the accumulator") {
    Team team(4, {.placement = "none"});
    team.run([](Member& me) {
        const double terms[] = {1e300, 1.0, -1e300, 1.0};
        const double own = terms[me.rank()];
        CHECK(me.allreduce(own, sum_in<double>, {.order = Order::serial}) == 1.0);
        CHECK(me.allreduce(own, sum_in<double>) == 0.0);
    });
}

namespace {

/// An operator of the program: the spread of the operands, from an accumulator without default constructor.
struct Spread {
    struct Range {
        Range(float from, float to) : low(from), high(to) {}
        float low;
        float high;
    };
    Range lift(const float& x) const { return {x, x}; }
    Range operator()(const Range& a, const Range& b) const {
        return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    template <class T>
    T lower(const Range& range, int /*operands*/) const {
        return range.high - range.low;
    }
};
static_assert(Accumulates<Spread, float>);
static_assert(!Accumulates<Sum, float>);
static_assert(!Applicable<Mean, int> && !Applicable<MeanIn<double>, int>,
              "a mean of integers would be cut off");
static_assert(Applicable<MeanIn<double>, float> && Applicable<Mean, float16>);

} // namespace

TEST_CASE("programs have such operators of their own") {
    for (const int members : {1, 2, 6}) {
        Team team(members, {.placement = "none"});
        team.run([](Member& me) {
            std::vector<float> own(700, static_cast<float>(me.rank() * me.rank()));
            me.allreduce(own, Spread{});
            const auto last = static_cast<float>((me.size() - 1) * (me.size() - 1));
            CHECK(std::ranges::count(own, last) == 700);
        });
    }
}

TEST_CASE("buffers of a single caller and two local ones are lifted and lowered as well") {
    std::vector<double> left{1, 2};
    const std::vector<double> right{3, 6};
    reduce_local(right, left, mean);
    CHECK(left == std::vector<double>{2, 4});
    std::vector<std::vector<double>> buffers{{1, 2}, {3, 6}, {5, 10}};
    single_caller::allreduce(buffers, mean);
    for (const auto& buffer : buffers) {
        CHECK(buffer == std::vector<double>{3, 6});
    }
}

namespace {

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
    AsyncRank arriving = meeting.at(me.rank());
    make(arriving, std::span<const T>(in), {}).wait();
    right = right && (!algorithm.empty() || out == expected);
    std::ranges::fill(out, R(-1));
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
    AsyncRank again = meeting.at(me.rank());
    make(again, cleared(in), {}).wait();
    return right && in == std::vector<T>(in.size());
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

} // namespace

TEST_CASE("results of a wider type have the bits of the sum of the converted operands") {
    for (const int members : member_counts()) {
        Team team(members, {.placement = "none"});
        AsyncGroup meeting(members);
        for (const auto& row : algorithm::registry()) {
            const bool needs_exact = row.order == algorithm::Order::any; // which sums of these are not
            if (!reduces(row) || !takes(row, members) || needs_exact) {
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
