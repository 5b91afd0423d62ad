// The order in which operands are combined: the same bits, whatever is chosen.

#include "../associated.hpp"
#include "../execute/rows.hpp"

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

using namespace tutti;
using detail::Association;

namespace {

using Vector = std::vector<double>;

/// Of very different sizes, so that any other order gives other bits in some element.
double uneven(std::size_t rank, std::size_t element) {
    const std::uint64_t random = test::mixed(rank, element);
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random)),
                      static_cast<int>(random % 12) - 63);
}

/// The reductions of all lengths by default, and by every algorithm that associates so.
std::string examined(int members, std::size_t elements, Association association) {
    const Order order = association == Association::left ? Order::serial : Order::canonical;
    std::vector<test::Job> jobs;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!detail::traits_of(row.collective).reduces() || !takes(row, members)) {
            continue;
        }
        for (const bool in_place : {false, true}) {
            for (const std::size_t length :
                 {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{37}, elements}) {
                test::Job job = test::by_default(row.collective, members, length, in_place);
                job.association = association;
                job.order = order;
                if (row.name == "direct") {
                    jobs.push_back(job);
                }
                if (length == elements && has_brackets(row, association, members)) {
                    job.algorithm = row.name;
                    jobs.push_back(job);
                }
            }
        }
    }
    return test::Exam(members, elements, uneven, sum).run(*test::blocking(members), jobs);
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
    for (const std::size_t members : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 64U, 127U, 128U, 129U, 255U, 256U}) {
        CAPTURE(members);
        std::vector<Vector> vectors(members, Vector(100));
        Vector expected(100);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto element = [&](std::size_t rank) { return vectors[rank][i] = uneven(rank, i); };
            expected[i] = test::in_tree(members, element, std::plus<>());
        }
        single_caller::allreduce(vectors, sum);
        CHECK(vectors.back() == expected);
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
    Vector left(elements);
    for (const Vector& operand : operands) {
        std::ranges::transform(left, operand, left.begin(), std::plus<>());
    }
    const double from_the_left = error(left);
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
