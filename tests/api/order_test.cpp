// The order in which operands are combined: the same bits, whatever is chosen.

#include "../associated.hpp"
#include "../reduced.hpp"
#include "algorithm/registry.hpp"

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

using namespace tutti;
using detail::Association;

namespace {

using Vector = std::vector<double>;

/// Operands of very different sizes, so that any other order gives other bits in some element.
std::vector<Vector> random_operands(int members, std::size_t elements) {
    std::mt19937_64 random(static_cast<std::uint64_t>(members) * 1000 + elements);
    std::uniform_real_distribution<double> fraction(-1, 1);
    std::vector<Vector> operands(static_cast<std::size_t>(members), Vector(elements));
    for (Vector& operand : operands) {
        for (double& value : operand) {
            value = std::ldexp(fraction(random), static_cast<int>(random() % 12));
        }
    }
    return operands;
}

/// [r]: the operands of the members up to r, combined.
std::vector<Vector> prefixes_of(const std::vector<Vector>& operands, Association association) {
    std::vector<Vector> prefixes = operands;
    for (std::size_t rank = 0; rank < operands.size(); ++rank) {
        for (std::size_t i = 0; i < operands[rank].size(); ++i) {
            prefixes[rank][i] = test::bracketed(
                association, rank + 1, [&](std::size_t k) { return operands[k][i]; }, std::plus<>());
        }
    }
    return prefixes;
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// The fault that a member finds in the reductions of its operands, or nothing. They are cut into calls of
/// `length` elements.
class Examiner {
public:
    Examiner(Member& me, const std::vector<Vector>& operands, const std::vector<Vector>& prefixes,
             std::size_t length)
        : me_(me), rank_(static_cast<std::size_t>(me.rank())), in_(operands[rank_]), prefixes_(prefixes),
          length_(length) {}

    std::string allreduce(const Options& options, Vector* shared_result) {
        Vector out(in_.size());
        Vector in_place = in_;
        for_each_part([&](std::size_t first, std::size_t count) {
            me_.allreduce(part(in_, first, count), part(out, first, count), sum, options);
            me_.allreduce(part(in_place, first, count), sum, options);
        });
        std::string wrong = check(out, prefixes_.back(), "allreduce") +
                            check(in_place, prefixes_.back(), "allreduce in place");
        if (shared_result != nullptr) {
            for_each_part([&](std::size_t first, std::size_t count) {
                me_.allreduce(part(in_, first, count), shared(part(*shared_result, first, count)), sum,
                              options);
            });
            wrong += check(*shared_result, prefixes_.back(), "allreduce into a shared vector");
            me_.barrier();
        }
        return wrong;
    }

    std::string others() {
        Vector out(in_.size());
        Vector block(in_.size() / prefixes_.size());
        std::string wrong;
        me_.reduce(in_, out, sum, 0);
        wrong += rank_ == 0 ? check(out, prefixes_.back(), "reduce") : "";
        me_.scan(in_, out, sum);
        wrong += check(out, prefixes_[rank_], "scan");
        me_.exscan(in_, out, sum);
        wrong += rank_ > 0 ? check(out, prefixes_[rank_ - 1], "exscan") : "";
        const std::size_t whole = block.size() * prefixes_.size();
        me_.reduce_scatter(part(in_, 0, whole), block, sum);
        wrong += check(block, std::span(prefixes_.back()).subspan(rank_ * block.size(), block.size()),
                       "reduce_scatter");
        return wrong;
    }

private:
    template <class Call>
    void for_each_part(Call call) const {
        for (std::size_t first = 0; first < in_.size(); first += length_) {
            call(first, std::min(length_, in_.size() - first));
        }
    }
    template <class Of>
    static std::span<std::conditional_t<std::is_const_v<Of>, const double, double>>
    part(Of& vector, std::size_t first, std::size_t count) {
        return std::span(vector).subspan(first, count);
    }
    static std::string check(std::span<const double> found, std::span<const double> right,
                             const std::string& what) {
        return same_bits(found, right) ? "" : what + " has other bits; ";
    }

    Member& me_;
    std::size_t rank_;
    const Vector& in_;
    const std::vector<Vector>& prefixes_;
    std::size_t length_;
};

std::string examined(int members, std::size_t elements, Association association) {
    const std::vector<Vector> operands = random_operands(members, elements);
    const std::vector<Vector> prefixes = prefixes_of(operands, association);
    const Order order = association == Association::left ? Order::serial : Order::canonical;
    Team team(members, {.placement = "none"});
    Vector result(elements);
    std::vector<std::string> wrong(operands.size());
    team.run([&](Member& me) {
        std::string& mine = wrong[static_cast<std::size_t>(me.rank())];
        for (const std::size_t length : {std::size_t{1}, std::size_t{3}, std::size_t{37}, elements}) {
            if (length == 1 && members > 9) {
                continue; // many calls, each of which takes turns on the CPUs
            }
            mine += Examiner(me, operands, prefixes, length).allreduce({.order = order}, &result);
        }
        for (const algorithm::Algorithm& row : algorithm::registry()) {
            if (row.collective == Collective::allreduce && takes(row, members) &&
                has_brackets(row, association, members)) {
                const std::string found = Examiner(me, operands, prefixes, elements)
                                              .allreduce({.algorithm = row.name, .order = order}, nullptr);
                mine += found.empty() ? "" : std::string(row.name) + ": " + found;
            }
        }
        if (association == Association::tree) {
            mine += Examiner(me, operands, prefixes, elements).others();
        }
    });
    return std::accumulate(wrong.begin(), wrong.end(), std::string());
}

std::vector<int> numbers_of_members() {
    if (test::reduced) {
        return {1, 2, 3, 4, 5, 6, 8};
    }
    std::vector<int> all(64);
    std::iota(all.begin(), all.end(), 1);
    return all;
}

} // namespace

TEST_CASE("reductions have the bits of the butterfly's order, whichever algorithm, size or cut is chosen") {
    for (const int members : numbers_of_members()) {
        CAPTURE(members);
        CHECK(examined(members, 1000, Association::tree) == "");
    }
    CHECK(examined(4, 100'000, Association::tree) == "");
}

TEST_CASE("reductions in order serial have the bits of a loop") {
    for (const int members : {1, 2, 3, 4, 5, 8, 9}) {
        CAPTURE(members);
        CHECK(examined(members, 1000, Association::left) == "");
    }
}

TEST_CASE("vectors that one caller combines have the same bits as those of members") {
    for (const int members : {1, 2, 3, 4, 5, 7, 8, 64, 127, 128, 129, 255, 256}) {
        CAPTURE(members);
        const std::vector<Vector> operands = random_operands(members, 100);
        std::vector<Vector> out = operands;
        single_caller::allreduce(operands, out, sum);
        CHECK(same_bits(out.back(), prefixes_of(operands, Association::tree).back()));
    }
}

TEST_CASE("the error of a sum grows with the logarithm of the members, and from the left with their number") {
    constexpr int members = 256;
    constexpr std::size_t elements = 2000;
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> fraction(0, 1);
    std::vector<Vector> operands(members, Vector(elements));
    for (Vector& operand : operands) {
        std::ranges::generate(operand, [&] { return fraction(random); });
    }
    const auto error = [&](const Vector& found) { // in units of the last place of the sum, on average
        long double total = 0;
        for (std::size_t i = 0; i < elements; ++i) {
            long double exact = 0;
            for (const Vector& operand : operands) {
                exact += operand[i];
            }
            const double unit = std::numeric_limits<double>::epsilon() * static_cast<double>(exact);
            total += std::fabs(static_cast<long double>(found[i]) - exact) / unit;
        }
        return static_cast<double>(total / elements);
    };
    std::vector<Vector> out = operands;
    single_caller::allreduce(operands, out, sum);
    const double in_tree = error(out.front());
    const double from_the_left = error(prefixes_of(operands, Association::left).back());
    MESSAGE("256 members: " << in_tree << " units in the last place, from the left " << from_the_left);
    CHECK(in_tree < from_the_left / 2);
}

TEST_CASE("function objects of the standard library are the operators of the library") {
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
        // As the same call on both members: the kernels are the same.
        const auto both = [&](auto value, const auto& own, const auto& standard) {
            return me.rank() == 0 ? me.allreduce(value, own) : me.allreduce(value, standard);
        };
        CHECK(both(2.5, sum, std::plus<>()) == 5);
        CHECK(both(2.5, sum, std::plus<double>()) == 5);
        CHECK(both(3, prod, std::multiplies<>()) == 9);
        CHECK(both(std::int8_t{127}, sum, std::plus<>()) == -2);
        CHECK(both(me.rank() + 1, band, std::bit_and<>()) == 0);
        CHECK(both(me.rank() + 1, bor, std::bit_or<>()) == 3);
        CHECK(both(me.rank() + 1, bxor, std::bit_xor<>()) == 3);
        CHECK(both(me.rank() + 1, land, std::logical_and<>()) == 1);
        CHECK(both(me.rank(), lor, std::logical_or<>()) == 1);
        // Types that the operators of the library do not combine, or with other results.
        CHECK(me.allreduce(0.5, std::logical_and<>()) == 1);
        CHECK(me.allreduce(me.rank() == 1, std::logical_or<>()));
        const double infinity = std::numeric_limits<double>::infinity();
        const std::complex<double> far(infinity, std::numeric_limits<double>::quiet_NaN());
        CHECK(std::isinf(me.allreduce(far, std::multiplies<>()).real()));
    });
}
