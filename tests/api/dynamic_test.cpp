// Vectors and operators that are known at run time, held against those that are known before.

#include "../affine.hpp"
#include "../reference/calls.hpp"
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

template <class T>
T any_element(std::size_t rank, std::size_t i) {
    const auto value = static_cast<unsigned>((rank * 31 + i) % 100);
    if constexpr (std::is_same_v<T, Affine>) {
        return {static_cast<std::uint8_t>(2 * value + 1), static_cast<std::uint8_t>(value + rank * rank), 1};
    } else if constexpr (detail::is_complex<T>) {
        return {static_cast<typename T::value_type>(value), 1};
    } else {
        return static_cast<T>(value);
    }
}

template <class T>
std::vector<T> operand(std::size_t rank, std::size_t count) {
    std::vector<T> made;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back(any_element<T>(rank, i));
    }
    return made;
}

template <class T>
auto as_dynamic(std::vector<T>& vector) {
    if constexpr (type_of<T>() == Type::other) {
        return DynamicVector(sizeof(T), vector.data(), vector.size());
    } else {
        return DynamicVector(type_of<T>(), vector.data(), vector.size());
    }
}

/// Calls of all kinds, with vectors or blocks of about `n` elements.
std::vector<Shape> shapes_of(int members, std::size_t n) {
    const std::vector<int> roots{members / 2};
    const auto lengths = [n](std::size_t from, std::size_t to) { return n + (from + 2 * to) % 3; };
    std::vector<Shape> shapes = test::regular_shapes(n, roots, {1});
    for (const std::optional<std::uint32_t> displaced : {std::optional<std::uint32_t>(), {7U}}) {
        for (const Shape& shape : test::irregular_shapes(lengths, roots, displaced)) {
            shapes.push_back(shape);
        }
    }
    return shapes;
}

/// The number of wrong results of a member that passes its vectors by `as`.
template <class T, class As, class Op>
int wrong_calls_of(Member& me, const std::vector<Shape>& shapes, const Reference<T>& reference, const As& as,
                   const Op& op) {
    int wrong = 0;
    for (const Shape& shape : shapes) {
        Vectors<T> call = reference.vectors(static_cast<std::size_t>(me.rank()), shape);
        const std::vector<T> in = call.in;
        make_call(me, shape, call, as(call.in), as(call.out), op);
        wrong += call.out == call.expected && call.in == in ? 0 : 1;
    }
    return wrong;
}

/// Odd ranks pass vectors whose type the compiler knows, or all do.
template <class T, class Op>
void check_same(const std::vector<int>& member_counts, const Op& op, const DynamicOp& dynamic) {
    const auto as_usual = [](auto& vector) { return std::span(vector); };
    const auto at_run_time = [](auto& vector) { return as_dynamic(vector); };
    for (const int members : member_counts) {
        INFO(members, " members");
        const Reference<T> reference(members, any_element<T>, op);
        check_members(members, [&](Member& me) {
            int wrong = 0;
            for (const std::size_t n : {0U, 1U, 3U, 200U, 6'000U}) {
                const std::vector<Shape> shapes = shapes_of(members, n);
                wrong += wrong_calls_of(me, shapes, reference, as_usual, op);
                wrong += me.rank() % 2 != 0 ? wrong_calls_of(me, shapes, reference, as_usual, op)
                                            : wrong_calls_of(me, shapes, reference, at_run_time, dynamic);
            }
            std::vector<T> left = operand<T>(1, 200), right = operand<T>(2, 200), expected = right;
            reduce_local(left, expected, op);
            reduce_local(as_dynamic(left), as_dynamic(right), dynamic);
            return wrong == 0 && right == expected;
        });
    }
}

} // namespace

TEST_CASE("calls whose types are known at run time and to the compiler are the same calls") {
    check_same<double>({1, 2, 3, 5, 8}, sum, DynamicOp(Operator::sum));
    check_same<std::complex<float>>({3}, sum, DynamicOp(Operator::sum));
}

TEST_CASE("an operator of the caller's is given every element once, with what it passes as user") {
    std::size_t elements = 0;
    std::vector<Affine> left = operand<Affine>(1, 100);
    std::vector<Affine> right = operand<Affine>(2, 100);
    const Affine expected = compose(left[99], right[99]);
    reduce_local(as_dynamic(left), as_dynamic(right),
                 DynamicOp(&compose_all, &elements, sizeof(Affine), false));
    CHECK(right[99] == expected);
    CHECK(elements == 100);
}

TEST_CASE("elements may be longer than a piece of a vector") {
    using Long = std::array<int, 2000>;
    const DynamicOp add(
        [](const void* in, void* inout, std::size_t count, void*) {
            for (std::size_t i = 0; i < count * std::tuple_size_v<Long>; ++i) {
                static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
            }
        },
        nullptr, sizeof(Long), true);
    check_members(3, [&](Member& me) {
        Long value{}, expected{};
        value.fill(me.rank() + 1);
        expected.fill(6 * (me.rank() + 1));
        std::vector<Long> values(5, value);
        me.allreduce(as_dynamic(values), add);
        me.scan(as_dynamic(values), add);
        return values == std::vector<Long>(5, expected);
    });
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

namespace {

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
        {"allreduce: `in` has elements of type i32, 4 bytes, and `out` has elements of type f64, 8 bytes",
         [&](Member& me) { me.allreduce(of_int, of_double, add); }},
        {"allreduce: `op`: operator sum has no compiled kernel for elements of type other: pass one that "
         "such elements have, or a function that combines two of them (tutti_op_create() in C)",
         [&](Member& me) { me.allreduce(of_three, add); }},
        {"scan: `op`: operator band has no compiled kernel for elements of type f64",
         [&](Member& me) { me.start.scan(of_double, conjunction).wait(); }},
        {"allreduce: `op`: operator band has no compiled kernel for elements of type f64",
         [&](Member& me) { me.allreduce(x, Operator::band); }},
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
