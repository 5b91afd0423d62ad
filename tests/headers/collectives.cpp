// Every collective in its forms, of elements and operators of several kinds, which is only compiled: with
// HEADER, <tutti/tutti.hpp> or another that has the class MEMBER.

#include HEADER

#include <tutti/member.hpp>

#include <array>
#include <complex>
#include <concepts>
#include <vector>

namespace {

struct Point {
    float x, y;
};

template <class Member, class T, class Op>
void reductions(Member& me, std::vector<T>& in, std::vector<T>& out, tutti::Counts counts, const Op& op) {
    me.reduce(in, out, op, 0);
    me.reduce(out, op, 0);
    in[0] = me.reduce(in[0], op, 0);
    me.allreduce(in, out, op);
    me.allreduce(out, op, {.order = tutti::Order::serial});
    in[0] = me.allreduce(in[0], op);
    me.reduce_scatter(in, out, op);
    me.reduce_scatter(out, op);
    me.reduce_scatter(in, out, counts, op);
    me.scan(in, out, op);
    me.scan(out, op);
    in[0] = me.scan(in[0], op);
    me.exscan(in, out, op);
    me.exscan(out, op);
    in[0] = me.exscan(in[0], op);
    if constexpr (std::same_as<Member, tutti::Member>) {
        me.allreduce(in, tutti::shared(out), op);
    }
}

template <class Member, class T>
void movements(Member& me, std::vector<T>& in, std::vector<T>& out, tutti::Counts counts) {
    me.broadcast(out, 0);
    in[0] = me.broadcast(in[0], 0);
    me.allgather(in, out);
    me.allgather(out);
    me.allgather(in, out, counts);
    me.gather(in, out, 0);
    me.gather(out, 0);
    me.gather(in, out, counts, 0);
    me.scatter(in, out, 0);
    me.scatter(out, 0);
    me.scatter(in, out, counts, 0);
    me.alltoall(in, out);
    me.alltoall(out);
    if constexpr (std::same_as<Member, tutti::Member>) {
        me.alltoall(in, counts, out, counts);
        me.allgather(in, tutti::shared(out));
        me.shift(in, out, 1);
        me.shift(out, -1);
        in[0] = me.shift(in[0], 1);
    }
}

template <class Member, class T, class... Ops>
void all(Member& me, const Ops&... ops) {
    std::vector<T> in(100);
    std::vector<T> out(100);
    const std::array<std::size_t, 2> sizes{50, 50};
    movements(me, in, out, tutti::Counts(sizes));
    (reductions(me, in, out, tutti::Counts(sizes), ops), ...);
}

} // namespace

void collectives(MEMBER& me);

void collectives(MEMBER& me) {
    me.barrier();
    all<MEMBER, signed char>(me, tutti::sum, tutti::max, tutti::bxor);
    all<MEMBER, unsigned short>(me, tutti::prod, tutti::land);
    all<MEMBER, double>(me, tutti::sum, tutti::min, [](double a, double b) { return a > b ? a : b; });
    all<MEMBER, std::complex<float>>(me, tutti::sum, tutti::prod);
    all<MEMBER, tutti::ValueAt<float>>(me, tutti::minloc, tutti::maxloc);
    all<MEMBER, Point>(me, tutti::first, tutti::non_commutative([](const Point& a, const Point& b) {
                           return Point{a.x + b.x, a.y * b.y};
                       }));
}
