// Vectors and operators that are known at run time, held against those that are known before.

#include "../reference/calls.hpp"
#include "elements.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

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
T element(std::size_t rank, std::size_t i) {
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
        made.push_back(element<T>(rank, i));
    }
    return made;
}

/// A vector as one member passes it.
template <class T>
auto as_is(std::vector<T>& vector) {
    return std::span(vector);
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
int wrong_results(Member& me, const std::vector<Shape>& shapes, const Reference<T>& reference, const As& as,
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
void check(const std::vector<int>& member_counts, const Op& op, const DynamicOp& dynamic) {
    const auto as_usual = [](auto& vector) { return as_is(vector); };
    const auto at_run_time = [](auto& vector) { return as_dynamic(vector); };
    for (const int members : member_counts) {
        Team team(members, {.placement = "none"});
        const Reference<T> reference(members, element<T>, op);
        std::vector<int> wrong(static_cast<std::size_t>(members));
        team.run([&](Member& me) {
            int& mine = wrong[static_cast<std::size_t>(me.rank())];
            for (const std::size_t n : {0U, 1U, 3U, 200U, 6'000U}) {
                const std::vector<Shape> shapes = shapes_of(members, n);
                mine += wrong_results(me, shapes, reference, as_usual, op);
                if constexpr (detail::has_builtin_kernels<T, Op>) {
                    mine += me.rank() % 2 != 0 ? wrong_results(me, shapes, reference, as_usual, op)
                                               : wrong_results(me, shapes, reference, at_run_time, dynamic);
                }
            }
            std::vector<T> left = operand<T>(1, 200);
            std::vector<T> right = operand<T>(2, 200);
            std::vector<T> expected = right;
            reduce_local(left, expected, op);
            reduce_local(as_dynamic(left), as_dynamic(right), dynamic);
            mine += right == expected ? 0 : 1;
        });
        INFO(members, " members");
        CHECK(wrong == std::vector<int>(wrong.size()));
    }
}

template <class Make>
void check_refused(Make make, const char* says) {
    const Thrown thrown = thrown_by([&] { make(); });
    INFO(thrown.text);
    CHECK(thrown.kind == Thrown::Kind::argument);
    CHECK(mentions(thrown.text, says));
}

} // namespace

TEST_CASE("calls whose types are known at run time and to the compiler are the same calls") {
    check<double>({1, 2, 3, 5, 8}, sum, DynamicOp(Operator::sum));
    check<std::complex<float>>({3}, sum, DynamicOp(Operator::sum));
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
    Team team(3, {.placement = "none"});
    std::vector<int> wrong(3);
    const DynamicOp add(
        [](const void* in, void* inout, std::size_t count, void*) {
            for (std::size_t i = 0; i < count * std::tuple_size_v<Long>; ++i) {
                static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
            }
        },
        nullptr, sizeof(Long), true);
    team.run([&](Member& me) {
        std::vector<Long> values(5);
        for (Long& value : values) {
            value.fill(me.rank() + 1);
        }
        me.allreduce(as_dynamic(values), add);
        me.scan(as_dynamic(values), add);
        Long expected{};
        expected.fill(6 * (me.rank() + 1));
        wrong[static_cast<std::size_t>(me.rank())] = values == std::vector<Long>(5, expected) ? 0 : 1;
    });
    CHECK(wrong == std::vector<int>(3));
}

TEST_CASE("typed vectors take an operator that is known at run time") {
    Team team(3, {.placement = "none"});
    std::vector<int> wrong(3);
    team.run([&](Member& me) {
        int& mine = wrong[static_cast<std::size_t>(me.rank())];
        for (const Operator op : {Operator::sum, Operator::max, Operator::bxor}) {
            for (int round = 0; round < 3; ++round) { // prepared, and repeated
                std::vector<int> x{me.rank() + 1, 5, -me.rank()};
                std::vector<int> y = x;
                // The same call as that with the operator's own type.
                me.rank() != 1 || op != Operator::sum ? me.allreduce(x, op) : me.allreduce(x, sum);
                mine += x == (op == Operator::sum   ? std::vector{6, 15, -3}
                              : op == Operator::max ? std::vector{3, 5, 0}
                                                    : std::vector{0, 5, -1 ^ -2})
                            ? 0
                            : 1;
                me.start.allreduce(y, op).wait();
                mine += y == x ? 0 : 1;
                DynamicVector dynamic(Type::i32, y.data(), y.size());
                me.scan(dynamic, op);
            }
        }
        mine += me.allreduce(2.5, Operator::prod) == 2.5 * 2.5 * 2.5 ? 0 : 1;
        mine += me.exscan(2, Operator::sum, 40) == 40 + 2 * me.rank() ? 0 : 1;
        std::vector<double> left{1, 2};
        const std::vector<double> right{3, 1};
        reduce_local(right, left, Operator::min);
        mine += left == std::vector<double>{1, 1} ? 0 : 1;
    });
    CHECK(wrong == std::vector<int>(3));
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
    Team team(3, {.placement = "none"});
    for (const std::size_t width : {3U, 24U, 4096U, 100'001U}) {
        Blocks blocks{.width = width};
        const DynamicOp op(&Blocks::add, &blocks, width, true);
        std::vector<int> wrong(3);
        team.run([&](Member& me) {
            int& mine = wrong[static_cast<std::size_t>(me.rank())];
            const std::size_t members = 3;
            const std::size_t count = width < 100 ? 999 : 6;
            // One byte further on than memory is aligned.
            std::vector<std::uint8_t> memory(1 + count * width, static_cast<std::uint8_t>(me.rank() + 1));
            std::vector<std::uint8_t> block_memory(1 + count / members * width);
            for (std::size_t i = 0; i < count; ++i) {
                memory[1 + i * width] = 0xAB;
            }
            for (const char* algorithm : {"", "direct", "ring", "flat"}) {
                if (std::string_view(algorithm) != "flat") {
                    me.reduce_scatter(DynamicInput(width, memory.data() + 1, count),
                                      DynamicVector(width, block_memory.data() + 1, count / members), op,
                                      {.algorithm = algorithm});
                    mine += block_memory[2] == 6 && block_memory.back() == 6 ? 0 : 1;
                }
                std::vector<std::uint8_t> all(memory.size());
                me.allgather(DynamicInput(width, block_memory.data() + 1, count / members),
                             DynamicVector(width, all.data() + 1, count), {.algorithm = algorithm});
                mine += all[2] == 6 && all.back() == 6 && all[1] == block_memory[1] ? 0 : 1;
            }
            me.allreduce(DynamicVector(width, memory.data() + 1, count), op);
            mine += memory[2] == 6 && memory.back() == 6 ? 0 : 1;
        });
        CHECK(wrong == std::vector<int>(3));
        CHECK(blocks.calls > 0);
        CHECK(blocks.unaligned > 0);
    }
}

TEST_CASE("what cannot be right at run time is refused before anybody is told") {
    Group group(2);
    Member me = group.join(0);
    const Member other = group.join(1);
    std::vector<double> x(4);
    std::vector<double> y(4);
    const DynamicVector of_double(Type::f64, x.data(), 4);
    const DynamicVector of_int(Type::i32, y.data(), 4);
    const DynamicVector of_three(3, y.data(), 4);
    const DynamicOp add(Operator::sum);
    check_refused([&] { DynamicVector(Type::other, x.data(), 4); }, "has no element size");
    check_refused([&] { DynamicInput(std::size_t{0}, x.data(), 4); }, "elements of 0 bytes");
    check_refused([&] { DynamicVector(Type::f64, reinterpret_cast<char*>(x.data()) + 1, 3); },
                  "not aligned for elements of type f64");
    check_refused(
        [&] { me.allreduce(of_int, of_double, add); },
        "allreduce: `in` has elements of type i32, 4 bytes, and `out` has elements of type f64, 8 bytes");
    check_refused([&] { reduce_local(of_int, of_double, add); },
                  "reduce_local: `in` has elements of type i32");
    check_refused(
        [&] { me.allreduce(of_three, add); },
        "allreduce: `op`: operator sum has no compiled kernel for elements of type other: pass one that "
        "such elements have, or a function that combines two of them (tutti_op_create() in C)");
    check_refused([&] { me.start.scan(of_double, DynamicOp(Operator::band)).wait(); },
                  "scan: `op`: operator band has no compiled kernel for elements of type f64");
    check_refused([&] { reduce_local(of_double, of_double, DynamicOp(Operator::band)); },
                  "reduce_local: `op`: operator band");
    check_refused([&] { me.allreduce(x, Operator::band); },
                  "allreduce: `op`: operator band has no compiled kernel for elements of type f64");
    check_refused([&] { me.allreduce(x, static_cast<Operator>(77)); },
                  "allreduce: `op`: operator callable has no compiled kernel");
    check_refused([&] { me.start.scan(of_three, Operator::sum).wait(); },
                  "scan: `op`: operator sum has no compiled kernel for elements of type other");
    check_refused([&] { static_cast<void>(DynamicOp{Operator::callable}); }, "callable needs a function");
    check_refused([&] { DynamicOp(nullptr, nullptr, 8, true); }, "the function is a null pointer");
    check_refused([&] { me.scan(of_double, DynamicOp(&compose_all, nullptr, 3, false)); },
                  "scan: `op`: its function is for elements of 3 bytes, and these have 8");
    check_refused([&] { me.allreduce(of_double, DynamicVector(Type::f64, y.data(), 3), add); },
                  "`in` has 4 elements and `out` has 3 elements");
    check_refused([&] { me.broadcast(DynamicVector(Type::f64, nullptr, 3), 0); }, "is a null pointer");
}

TEST_CASE("members that differ in what they know at run time are told") {
    std::size_t elements = 0;
    const std::function<void(Member&, std::vector<double>&)> odd[] = {
        [](Member& me, auto& x) {
            me.allreduce(DynamicVector(Type::i64, x.data(), 4), DynamicOp(Operator::sum));
        },
        [](Member& me, auto& x) {
            me.allreduce(DynamicVector(Type::f64, x.data(), 4), DynamicOp(Operator::max));
        },
        [&](Member& me, auto& x) {
            me.allreduce(DynamicVector(8, x.data(), 4), DynamicOp(&compose_all, &elements, 8, true));
        }};
    for (const auto& call : odd) {
        Team team(3, {.placement = "none"});
        Outcomes outcomes(3);
        thrown_by([&] {
            team.run([&](Member& me) {
                std::vector<double> x(4);
                outcomes.note(me, [&] {
                    me.rank() == 1 ? call(me, x) : me.allreduce(as_dynamic(x), DynamicOp(Operator::sum));
                });
            });
        });
        CHECK(outcomes.count(Thrown::Kind::nothing) == 0);
        CHECK(mentions(outcomes.text(Thrown::Kind::mismatch), "all members must make the same call"));
        test::check_usable(team);
    }
}
