// Vectors and operators that are known at run time, held against those that are known before.

#include "elements.hpp"
#include "support.hpp"
#include "ways.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <span>

using namespace tutti;
using test::Affine;
using test::compose;
using test::mentions;
using test::Outcomes;
using test::Thrown;
using test::thrown_by;

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
std::vector<T> operand(std::size_t rank, std::size_t count) {
    std::vector<T> made;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<unsigned>((rank * 31 + i) % 100);
        if constexpr (std::is_same_v<T, Affine>) {
            made.push_back({static_cast<std::uint8_t>(2 * value + 1), static_cast<std::uint8_t>(value), 1});
        } else if constexpr (detail::is_complex<T>) {
            made.push_back({static_cast<typename T::value_type>(value), 1});
        } else {
            made.push_back(static_cast<T>(value));
        }
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

/// What all calls of a member leave, one after the other.
template <class T, class Me, class As, class Op>
std::vector<std::vector<T>> results_of(Me& me, std::size_t n, const As& as, const Op& op) {
    const auto members = static_cast<std::size_t>(me.size());
    const auto rank = static_cast<std::size_t>(me.rank());
    const int root = me.size() / 2;
    std::vector<std::vector<T>> results;
    const auto two = [&](std::size_t in_count, std::size_t out_count, const auto& call) {
        std::vector<T> in = operand<T>(rank, in_count);
        std::vector<T> out(out_count);
        call(as(in), as(out));
        results.push_back(in);
        results.push_back(out);
    };
    const auto one = [&](std::size_t count, const auto& call) {
        std::vector<T> inout = operand<T>(rank, count);
        call(as(inout));
        results.push_back(inout);
    };
    const std::size_t whole = n * members;
    std::vector<std::size_t> counts(members, n);
    counts[0] += 2;
    std::vector<std::size_t> places(members);
    for (std::size_t i = 0; i < members; ++i) {
        places[i] = (members - 1 - i) * (n + 2);
    }
    me.barrier();
    one(n, [&](auto inout) { me.broadcast(inout, root); });
    two(n, n, [&](auto in, auto out) { me.reduce(in, out, op, root); });
    one(n, [&](auto inout) { me.reduce(inout, op, root); });
    two(n, n, [&](auto in, auto out) { me.allreduce(in, out, op); });
    one(n, [&](auto inout) { me.allreduce(inout, op); });
    two(whole, n, [&](auto in, auto block) { me.reduce_scatter(in, block, op); });
    one(whole + 2, [&](auto inout) { me.reduce_scatter(inout, Counts(counts), op); });
    two(n, whole, [&](auto block, auto out) { me.allgather(block, out); });
    two(counts[rank], whole + 2 * members,
        [&](auto block, auto out) { me.allgather(block, out, Counts(counts, places)); });
    two(n, whole, [&](auto block, auto out) { me.gather(block, out, root); });
    one(counts[rank] + (me.rank() == root ? whole + 2 - counts[rank] : 0), [&](auto inout) {
        me.gather(inout, me.rank() == root ? CountsAtRoot(counts) : counts_at_root, root);
    });
    two(whole, n, [&](auto in, auto block) { me.scatter(in, block, root); });
    two(whole, whole, [&](auto in, auto out) { me.alltoall(in, out); });
    one(whole, [&](auto inout) { me.alltoall(inout, Counts(std::vector<std::size_t>(members, n))); });
    two(n, n, [&](auto in, auto out) { me.scan(in, out, op); });
    one(n, [&](auto inout) { me.exscan(inout, op); });
    two(n, n, [&](auto in, auto out) { me.shift(in, out, 1); });
    two(n, n, [&](auto in, auto out) { reduce_local(in, out, op); });
    return results;
}

/// Members all pass vectors of one kind, or odd ranks of one and the others of the other.
template <class T, class Op>
void check(const Op& op, const DynamicOp& dynamic) {
    for (const int members :
         test::reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
        Team team({.members = members, .placement = "none"});
        Rendezvous meeting(members);
        std::vector<int> wrong(static_cast<std::size_t>(members));
        team.run([&](Member& me) {
            int& mine = wrong[static_cast<std::size_t>(me.rank())];
            for (const std::size_t n : {0U, 1U, 3U, 200U, 6'000U}) {
                const auto as_usual = [](auto& vector) { return as_is(vector); };
                const auto at_run_time = [](auto& vector) { return as_dynamic(vector); };
                const auto expected = results_of<T>(me, n, as_usual, op);
                test::in_every_way(me, meeting, [&](auto& caller) {
                    mine += results_of<T>(caller, n, at_run_time, dynamic) == expected ? 0 : 1;
                    if constexpr (detail::has_builtin_kernels<T, Op>) {
                        const auto mixed = me.rank() % 2 != 0
                                               ? results_of<T>(caller, n, as_usual, op)
                                               : results_of<T>(caller, n, at_run_time, dynamic);
                        mine += mixed == expected ? 0 : 1;
                    }
                });
            }
        });
        INFO(members, " members");
        CHECK(wrong == std::vector<int>(wrong.size()));
    }
}

/// The kinds of call differ little between types, so that the sanitizers are content with one.
template <bool reduced>
void check_types() {
    check<double>(sum, DynamicOp(Operator::sum));
    if constexpr (!reduced) {
        check<std::int32_t>(max, DynamicOp(Operator::max));
        check<std::uint8_t>(bxor, DynamicOp(Operator::bxor));
        check<std::complex<float>>(sum, DynamicOp(Operator::sum));
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

TEST_CASE(
    "types and operators of the library give the same at run time, also where only some members use it") {
    check_types<test::reduced>();
}

TEST_CASE("elements and operators of the caller's are combined in rank order at run time") {
    // Each thread has a place of its own.
    thread_local std::size_t combined = 0;
    static const auto count_here = [](const void* in, void* inout, std::size_t count, void*) {
        compose_all(in, inout, count, &combined);
    };
    check<Affine>(non_commutative(compose), DynamicOp(+count_here, nullptr, sizeof(Affine), false));
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
    Team team({.members = 3, .placement = "none"});
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
    check_refused([&] { DynamicVector(Type::other, x.data(), 4); }, "no size of their own");
    check_refused([&] { DynamicInput(std::size_t{0}, x.data(), 4); }, "elements of 0 bytes");
    check_refused([&] { DynamicVector(Type::f64, reinterpret_cast<char*>(x.data()) + 1, 3); },
                  "not aligned for elements of type f64");
    check_refused([&] { me.allreduce(of_int, of_double, add); },
                  "elements of type i32, 4 bytes, and f64, 8 bytes: they must be the same");
    check_refused([&] { reduce_local(of_double, of_int, of_double, add); }, "they must be the same");
    check_refused([&] { me.allreduce(of_three, add); },
                  "allreduce: `op`: operator sum has no compiled kernel for elements of type other");
    check_refused([&] { me.start.scan(of_double, DynamicOp(Operator::band)).wait(); },
                  "scan: `op`: operator band has no compiled kernel for elements of type f64");
    check_refused([&] { reduce_local(of_double, of_double, DynamicOp(Operator::band)); },
                  "reduce_local: `op`: operator band");
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
        Team team({.members = 3, .placement = "none"});
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
