// Every collective in its forms, of elements and operators of several kinds, which is only compiled: with
// HEADER, <tutti/tutti.hpp> or another that has the class MEMBER.

#include HEADER

#include <tutti/async_group.hpp>
#include <tutti/extremes.hpp>
#include <tutti/member.hpp>

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace {

struct Point {
    float x, y;
};

constexpr auto lower = [](const Point& a, const Point& b) { return b.x < a.x ? b : a; };

using Sizes = std::array<std::size_t, 2>;

/// The calls that every way of calling has.
template <class Caller, class T, class Op>
void reductions(Caller& caller, std::vector<T>& in, std::vector<T>& out, const tutti::Counts& counts,
                const Op& op) {
    static_cast<void>(caller.reduce(in, out, op, 0));
    static_cast<void>(caller.reduce(out, op, 0));
    static_cast<void>(caller.allreduce(in, out, op));
    static_cast<void>(caller.allreduce(out, op, {.order = tutti::Order::serial}));
    static_cast<void>(caller.reduce_scatter(in, out, op));
    static_cast<void>(caller.reduce_scatter(out, op));
    static_cast<void>(caller.reduce_scatter(in, out, counts, op));
    static_cast<void>(caller.scan(in, out, op));
    static_cast<void>(caller.scan(out, op));
    static_cast<void>(caller.exscan(in, out, op));
    static_cast<void>(caller.exscan(out, op));
}

template <class Caller, class T>
void movements(Caller& caller, std::vector<T>& in, std::vector<T>& out, const Sizes& sizes) {
    const tutti::Counts counts(sizes);
    static_cast<void>(caller.broadcast(out, 0));
    static_cast<void>(caller.allgather(in, out));
    static_cast<void>(caller.allgather(out));
    static_cast<void>(caller.allgather(in, out, counts));
    static_cast<void>(caller.gather(in, out, 0));
    static_cast<void>(caller.gather(out, 0));
    static_cast<void>(caller.gather(in, out, tutti::CountsOnAll(sizes), 0));
    static_cast<void>(caller.scatter(in, out, 0));
    static_cast<void>(caller.scatter(out, 0));
    static_cast<void>(caller.scatter(in, out, tutti::CountsOnAll(sizes), 0));
    static_cast<void>(caller.alltoall(in, out));
    static_cast<void>(caller.alltoall(out));
}

/// The further calls of members of one process.
template <class Caller, class T>
void own_movements(Caller& caller, std::vector<T>& in, std::vector<T>& out, const Sizes& sizes) {
    const tutti::Counts counts(sizes);
    static_cast<void>(caller.allgather(out, counts));
    static_cast<void>(caller.allgather(in, tutti::shared(out)));
    static_cast<void>(caller.allgather(in, tutti::shared(out), counts));
    static_cast<void>(caller.gather(out, tutti::CountsOnAll(sizes), 0));
    static_cast<void>(caller.gather(in, out, counts, 0));
    static_cast<void>(caller.gather(out, counts, 0));
    static_cast<void>(caller.scatter(out, tutti::CountsOnAll(sizes), 0));
    static_cast<void>(caller.scatter(in, out, counts, 0));
    static_cast<void>(caller.scatter(out, counts, 0));
    static_cast<void>(caller.alltoall(in, counts, out, counts));
    static_cast<void>(caller.alltoall(out, counts));
    const tutti::Neighbors neighbors(nullptr);
    static_cast<void>(caller.neighbor_alltoall(neighbors, in, out));
    static_cast<void>(caller.neighbor_alltoall(neighbors, in, counts, out, counts));
    static_cast<void>(caller.shift(in, out, 1));
    static_cast<void>(caller.shift(out, -1));
}

/// Calls on one object, which only blocking calls return.
template <class Member, class T, class Op>
void scalars(Member& me, T& value, const Op& op) {
    value = me.reduce(value, op, 0).value_or(value);
    value = me.allreduce(value, op);
    value = me.scan(value, op);
    value = me.exscan(value, op, T{});
    if constexpr (tutti::HasIdentity<Op, T>) {
        value = me.exscan(value, op);
    }
}

template <class T, class Caller, class... Ops>
void vectors(Caller& caller, const Ops&... ops) {
    std::vector<T> in(100);
    std::vector<T> out(100);
    const Sizes sizes{50, 50};
    const tutti::Counts counts(sizes);
    movements(caller, in, out, sizes);
    (reductions(caller, in, out, counts, ops), ...);
    own_movements(caller, in, out, sizes);
    if constexpr (!std::same_as<Caller, MEMBER> || std::same_as<MEMBER, tutti::Member>) {
        (static_cast<void>(caller.allreduce(in, tutti::shared(out), ops)), ...);
    }
}

template <class T, class... Ops>
void all(MEMBER& me, const Ops&... ops) {
    vectors<T>(me, ops...);
    T value{};
    value = me.broadcast(value, 0);
    (scalars(me, value, ops), ...);
    if constexpr (std::same_as<MEMBER, tutti::Member>) {
        value = me.shift(value, 1);
    }
}

template <class Caller>
void in_flight(Caller& caller) {
    static_cast<void>(caller.barrier());
    vectors<double>(caller, tutti::sum);
    vectors<Point>(caller, lower);
}

template <class Member>
void in_every_way(Member& me) {
    if constexpr (std::same_as<Member, tutti::Member>) {
        tutti::AsyncGroup meeting(2);
        tutti::AsyncRank arriving = meeting.at(0);
        in_flight(arriving);
        in_flight(me.start);
        in_flight(me.prepare);
    }
}

} // namespace

void collectives(MEMBER& me);

void collectives(MEMBER& me) {
    me.barrier();
    all<signed char>(me, tutti::sum, tutti::max, tutti::bxor, std::plus<>());
    all<unsigned short>(me, tutti::prod, tutti::land, std::bit_and<>());
    all<double>(me, tutti::sum, tutti::min, tutti::max, [](double a, double b) { return a > b ? a : b; });
    all<std::complex<float>>(me, tutti::sum, tutti::prod);
    all<tutti::ValueAt<float>>(me, tutti::minloc, tutti::maxloc);
    all<std::pair<double, int>>(me, tutti::max);
    all<std::byte>(me, tutti::bor);
    all<Point>(me, lower, tutti::commutative([](const Point& a, const Point& b) {
                   return Point{a.x + b.x, a.y * b.y};
               }));
    in_every_way(me);
}
