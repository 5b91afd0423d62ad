// User callables and user element types.

#include "../affine.hpp"
#include "../test.hpp"

#include <tutti/detail/template_loops.hpp>

using tutti::detail::Kernels;
using tutti::test::Affine;
using tutti::test::compose;

namespace {

/// The kernels that reduce elements of type T with `op`, compiled or instantiated.
template <class T, class Op>
requires tutti::Applicable<Op, T>
const Kernels& kernels_for(const Op& /*op*/) {
    if constexpr (tutti::detail::has_builtin_kernels<T, Op>) {
        return tutti::detail::builtin<tutti::type_of<T>()>(tutti::operator_of<Op>());
    } else {
        return tutti::detail::TemplateLoops<T, Op>::kernels;
    }
}

Affine affine(std::size_t source, std::size_t i) {
    return {static_cast<std::uint8_t>(2 * (source + i) + 1), static_cast<std::uint8_t>(source * 31 + i), 1};
}

struct alignas(64) Wide {
    double value;
    friend bool operator==(const Wide&, const Wide&) = default;
};

/// Left-to-right reduction of inputs 0..ins_count-1 at i.
Affine expected(std::size_t ins_count, std::size_t i) {
    Affine result = affine(0, i);
    for (std::size_t source = 1; source < ins_count; ++source) {
        result = compose(result, affine(source, i));
    }
    return result;
}

} // namespace

TEST_CASE("a non-commutative callable on 3-byte structs, out of place and in place") {
    const Kernels& kernels = kernels_for<Affine>(compose);
    for (const std::size_t count : {0U, 1U, 2U, 101U, 1000U}) {
        for (std::size_t ins_count = 1; ins_count <= 17; ++ins_count) {
            for (const bool in_place : {false, true}) {
                std::vector<std::vector<Affine>> buffers(2 * ins_count,
                                                         std::vector<Affine>(count + 1, Affine{9, 9, 9}));
                std::vector<const void*> ins;
                std::vector<void*> outs;
                for (std::size_t k = 0; k < ins_count; ++k) {
                    for (std::size_t i = 0; i < count; ++i) {
                        buffers[k][i] = affine(k, i);
                    }
                    ins.push_back(buffers[k].data());
                    outs.push_back(buffers[in_place ? ins_count - 1 - k : ins_count + k].data());
                }
                const int arity = static_cast<int>(ins_count);
                kernels.reduce_many(&compose, outs.data(), arity, ins.data(), arity, count,
                                    tutti::detail::Association::tree, {.stream = true});
                for (std::size_t k = 0; k < ins_count; ++k) {
                    const auto& out = buffers[in_place ? k : ins_count + k];
                    for (std::size_t i = 0; i < count; ++i) {
                        REQUIRE(out[i] == expected(ins_count, i));
                    }
                    REQUIRE(out[count] == Affine{9, 9, 9});
                }
            }
        }
    }
}

TEST_CASE("reduce keeps the left operand on the left, whichever it overwrites") {
    const Kernels& kernels = kernels_for<Affine>(compose);
    for (int alias = 0; alias < 3; ++alias) {
        std::array<Affine, 3> operands[] = {
            {}, {affine(0, 0), affine(0, 1), affine(0, 2)}, {affine(1, 0), affine(1, 1), affine(1, 2)}};
        auto& out = operands[alias];
        kernels.reduce(&compose, out.data(), operands[1].data(), operands[2].data(), 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(out[i] == compose(affine(0, i), affine(1, i)));
        }
    }
}

TEST_CASE("the operator's own state is used") {
    struct Modulo {
        unsigned modulus;
        unsigned operator()(unsigned a, unsigned b) const { return (a + b) % modulus; }
    };
    const Modulo seven{7};
    const Modulo ten{10};
    const unsigned a = 5;
    const unsigned b = 6;
    unsigned out = 0;
    kernels_for<unsigned>(seven).reduce(&seven, &out, &a, &b, 1);
    CHECK(out == 4);
    kernels_for<unsigned>(ten).reduce(&ten, &out, &a, &b, 1);
    CHECK(out == 1);
}

TEST_CASE("function pointers, over-aligned elements, bool, and named operators on user types") {
    const auto larger = +[](Wide a, Wide b) { return a.value < b.value ? b : a; };
    const Wide small{1};
    const Wide large{2};
    Wide out{};
    kernels_for<Wide>(larger).reduce(&larger, &out, &small, &large, 1);
    CHECK(out == large);

    const bool yes = true;
    const bool no = false;
    bool both = true;
    kernels_for<bool>(tutti::land).reduce(&tutti::land, &both, &yes, &no, 1);
    CHECK(both == false);

    const long double x = 1.5L;
    const long double y = 2;
    long double product = 0;
    kernels_for<long double>(tutti::prod).reduce(&tutti::prod, &product, &x, &y, 1);
    CHECK(product == 3.0L);
}

TEST_CASE("named operators on known types use the compiled kernels") {
    CHECK(&kernels_for<long long>(tutti::sum) ==
          &tutti::detail::builtin<tutti::Type::i64>(tutti::Operator::sum));
    CHECK(&kernels_for<float>(tutti::max) == &tutti::detail::builtin<tutti::Type::f32>(tutti::Operator::max));
    const auto plus = std::plus<>{};
    CHECK(&kernels_for<float>(plus) != &tutti::detail::builtin<tutti::Type::f32>(tutti::Operator::sum));
}

TEST_CASE("a throwing operator's exception arrives, and what was done before it stays") {
    const auto refuses_13 = [](int a, int b) {
        if (b == 13) {
            throw std::runtime_error("thirteen");
        }
        return a + b;
    };
    const Kernels& kernels = kernels_for<int>(refuses_13);
    const std::vector<int> a{1, 2, 3};
    const std::vector<int> b{10, 13, 20};
    std::vector<int> out{-1, -1, -1};
    CHECK_THROWS_WITH_AS(kernels.reduce(&refuses_13, out.data(), a.data(), b.data(), 3), "thirteen",
                         std::runtime_error);
    CHECK(out == std::vector<int>{11, -1, -1});
    void* const outs[] = {out.data()};
    const void* const ins[] = {a.data(), a.data(), b.data()};
    CHECK_THROWS_AS(
        kernels.reduce_many(&refuses_13, outs, 1, ins, 3, 3, tutti::detail::Association::tree, {}),
        std::runtime_error);
    CHECK(out == std::vector<int>{12, -1, -1});
}
