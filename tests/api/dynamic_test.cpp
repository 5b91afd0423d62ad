// Vectors and operators that are known at run time, held against those that are known before.

#include "../affine.hpp"
#include "../reference/calls.hpp"
#include "../ways/exam.hpp"
#include "support.hpp"

namespace {

/// As bindings of other languages have it; counts its elements in a place of the caller's.
void compose_all(const void* in, void* inout, std::size_t count, void* user) {
    const auto* const left = static_cast<const Affine*>(in);
    auto* const right = static_cast<Affine*>(inout);
    for (std::size_t i = 0; i < count; ++i) {
        right[i] = compose(left[i], right[i]);
    }
    *static_cast<std::size_t*>(user) += count;
}

/// Odd ranks pass vectors whose type the compiler knows, and the others vectors whose type run time shows.
template <class T>
void check_same(const std::vector<int>& member_counts) {
    constexpr Type type = type_of<T>();
    const auto lengths = [](std::size_t from, std::size_t to) { return 3 + (from + 2 * to) % 3; };
    for (const int members : member_counts) {
        INFO(members, " members");
        const std::vector<int> roots{members / 2};
        std::vector<Shape> shapes = irregular_shapes(lengths, roots, 7U);
        for (const std::size_t n : {0U, 1U, 200U, 6'000U}) {
            std::ranges::copy(regular_shapes(n, roots, {1}), std::back_inserter(shapes));
        }
        const Reference<T> reference(members, ordinary<T>, sum);
        check_members(members, [&](Member& me) {
            int wrong = 0;
            for (const Shape& shape : shapes) {
                Vectors<T> call = reference.vectors(index_of(me), shape);
                const std::span in(std::as_const(call.in));
                const std::span out(call.out);
                me.rank() % 2 != 0
                    ? make_call(me, shape, call, in, out, sum)
                    : make_call(me, shape, call, DynamicInput(type, in.data(), in.size()),
                                DynamicVector(type, out.data(), out.size()), DynamicOp(Operator::sum));
                wrong += call.out == call.expected ? 0 : 1;
            }
            return wrong == 0;
        });
    }
}

/// Combines blocks of `width` bytes as a whole, and notes what it is given.
struct Blocks {
    std::size_t width;
    std::atomic<int> calls{0};
    std::atomic<int> unaligned{0};

    static void add(const void* in, void* inout, std::size_t count, void* user) {
        Blocks& own = *static_cast<Blocks*>(user);
        ++own.calls;
        own.unaligned += reinterpret_cast<std::uintptr_t>(inout) % 8 != 0 ? 1 : 0;
        for (std::size_t i = 0; i < count; ++i) {
            // The first byte of a block says how far to go, so that a part of one would be read as another.
            const auto* const from = static_cast<const std::uint8_t*>(in) + i * own.width;
            auto* const to = static_cast<std::uint8_t*>(inout) + i * own.width;
            for (std::size_t byte = 1; byte < own.width; ++byte) {
                to[byte] = static_cast<std::uint8_t>(to[byte] + from[byte] * (from[0] == 0xAB ? 1 : 77));
            }
        }
    }
};

} // namespace

TEST_CASE("calls whose types are known at run time and to the compiler are the same calls") {
    check_same<double>({1, 2, 3, 5, 8});
    check_same<std::complex<float>>({3});
}

TEST_CASE("an operator of the caller's is given every element once, with what it passes as user") {
    std::size_t elements = 0;
    const std::vector<Affine> left(100, {3, 4, 1});
    std::vector<Affine> right(100, {5, 6, 1});
    reduce_local(DynamicInput(3, left.data(), 100), DynamicVector(3, right.data(), 100),
                 DynamicOp(&compose_all, &elements, sizeof(Affine), false));
    CHECK(right == std::vector<Affine>(100, compose(left[0], {5, 6, 1})));
    CHECK(elements == 100);
}

TEST_CASE("typed vectors take an operator that is known at run time") {
    const std::tuple<Operator, std::vector<int>> cases[] = {
        {Operator::sum, {6, 15, -3}}, {Operator::max, {3, 5, 0}}, {Operator::bxor, {0, 5, -1 ^ -2}}};
    check_members(3, [&](Member& me) {
        bool right = true;
        for (const auto& [op, expected] : cases) {
            for (int round = 0; round < 3; ++round) { // prepared, and repeated
                std::vector<int> x{me.rank() + 1, 5, -me.rank()};
                std::vector<int> y = x;
                // The same call as that with the operator's own type.
                me.rank() != 1 || op != Operator::sum ? me.allreduce(x, op) : me.allreduce(x, sum);
                me.start.allreduce(y, op).wait();
                right = right && x == expected && y == x;
                me.scan(DynamicVector(Type::i32, y.data(), y.size()), op);
            }
        }
        std::vector<double> left{1, 2};
        const std::vector<double> other{3, 1};
        reduce_local(other, left, Operator::min);
        return right && me.allreduce(2.5, Operator::prod) == 2.5 * 2.5 * 2.5 &&
               me.exscan(2, Operator::sum, 40) == 40 + 2 * me.rank() && left == std::vector<double>{1, 1};
    });
}

TEST_CASE("no element is split, and elements need no alignment") {
    for (const std::size_t width : {3U, 24U, 4096U, 100'001U}) {
        Blocks blocks{.width = width};
        const DynamicOp op(&Blocks::add, &blocks, width, true);
        check_members(3, [&](Member& me) {
            bool right = true;
            const std::size_t count = width < 100 ? 999 : 6, own = count / 3;
            // One byte further on than memory is aligned.
            std::vector<std::uint8_t> memory(1 + count * width, static_cast<std::uint8_t>(me.rank() + 1));
            std::vector<std::uint8_t> block(1 + own * width);
            for (std::size_t i = 0; i < count; ++i) {
                memory[1 + i * width] = 0xAB;
            }
            for (const std::string_view algorithm : {"", "direct", "ring", "flat"}) {
                if (algorithm != "flat") {
                    me.reduce_scatter(DynamicInput(width, memory.data() + 1, count),
                                      DynamicVector(width, block.data() + 1, own), op,
                                      {.algorithm = algorithm});
                    right = right && block[2] == 6 && block.back() == 6;
                }
                std::vector<std::uint8_t> all(memory.size());
                me.allgather(DynamicInput(width, block.data() + 1, own),
                             DynamicVector(width, all.data() + 1, count), {.algorithm = algorithm});
                right = right && all[2] == 6 && all.back() == 6 && all[1] == block[1];
            }
            me.scan(DynamicVector(width, block.data() + 1, own), op);
            right = right && block[2] == 6 * (me.rank() + 1) && block.back() == block[2];
            me.allreduce(DynamicVector(width, memory.data() + 1, count), op);
            return right && memory[2] == 6 && memory.back() == 6;
        });
        CHECK(blocks.calls > 0);
        CHECK(blocks.unaligned > 0);
    }
}

TEST_CASE("what cannot be right at run time is rejected before anybody is told") {
    std::vector<double> x(4), y(4);
    const DynamicVector of_double(Type::f64, x.data(), 4);
    const DynamicVector of_int(Type::i32, y.data(), 4);
    const DynamicVector of_three(3, y.data(), 4);
    const DynamicOp add(Operator::sum), conjunction(Operator::band);
    const std::pair<const char*, std::function<void()>> made[] = {
        {"has no element size", [&] { DynamicVector(Type::other, x.data(), 4); }},
        {"elements of 0 bytes", [&] { DynamicInput(std::size_t{0}, x.data(), 4); }},
        {"not aligned for elements of type f64",
         [&] { DynamicVector(Type::f64, reinterpret_cast<char*>(x.data()) + 1, 3); }},
        {"reduce_local: `in` has elements of type i32", [&] { reduce_local(of_int, of_double, add); }},
        {"reduce_local: `op`: operator band", [&] { reduce_local(of_double, of_double, conjunction); }},
        {"callable needs a function", [] { static_cast<void>(DynamicOp{Operator::callable}); }},
        {"the function is a null pointer", [] { DynamicOp(nullptr, nullptr, 8, true); }},
    };
    for (const auto& [says, call] : made) {
        check_rejected(says, call);
    }
    const std::pair<const char*, Part> calls[] = {
        {"allreduce: `op`: operator sum has no compiled kernel for elements of type other: pass one that "
         "such elements have, or a function that combines two of them (tutti_op_create() in C)",
         [&](Member& me) { me.allreduce(of_three, add); }},
        {"scan: `op`: operator band has no compiled kernel for elements of type f64",
         [&](Member& me) { me.start.scan(of_double, conjunction).wait(); }},
        {"allreduce: `op`: operator callable has no compiled kernel",
         [&](Member& me) { me.allreduce(x, static_cast<Operator>(77)); }},
        {"scan: `op`: operator sum has no compiled kernel for elements of type other",
         [&](Member& me) { me.start.scan(of_three, Operator::sum).wait(); }},
        {"scan: `op`: its function is for elements of 3 bytes, and these have 8",
         [&](Member& me) { me.scan(of_double, DynamicOp(&compose_all, nullptr, 3, false)); }},
        {"`in` has 4 elements and `out` has 3 elements",
         [&](Member& me) { me.allreduce(of_double, DynamicVector(Type::f64, y.data(), 3), add); }},
        {"is a null pointer", [](Member& me) { me.broadcast(DynamicVector(Type::f64, nullptr, 3), 0); }},
    };
    for (const auto& [says, call] : calls) {
        check_rejected(2, says, call);
    }
}
