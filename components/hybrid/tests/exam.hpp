#pragma once

#include "support.hpp"
#include "tests/affine.hpp"

#include <tutti/numbers.hpp>

// Calls of clusters, held against loops over the ranks.

namespace tutti::test {

using detail::Association;

inline std::int64_t value(std::size_t rank, std::size_t i) {
    return static_cast<std::int64_t>(rank + 1) * 7 + static_cast<std::int64_t>(i % 101 * (rank % 3 + 1));
}

/// Numbers with zeros of both signs.
inline double real(std::size_t rank, std::size_t i) {
    const auto number = static_cast<double>(value(rank, i) % 5);
    return rank % 2 == 0 ? number : -number;
}

inline Affine map(std::size_t rank, std::size_t i) {
    return {static_cast<std::uint8_t>(2 * rank + 3), static_cast<std::uint8_t>(value(rank, i)), 1};
}

/// All calls of vectors or blocks of `count` elements that clusters have.
inline std::vector<Shape> cluster_shapes(int members, std::size_t count) {
    const auto blocks = [count](std::size_t rank, std::size_t) { return rank % 3 == 1 ? 0 : count + rank; };
    std::vector<Shape> shapes = regular_shapes(count, {0, members - 1, members / 2}, {0, 1, members - 1});
    for (const std::optional<std::uint32_t> displaced : {std::optional<std::uint32_t>(), {7U}}) {
        std::ranges::copy(irregular_shapes(blocks, {members - 1}, displaced), std::back_inserter(shapes));
    }
    return shapes;
}

/// Of these the calls that combine; of cut vectors, which processes exchange in segments.
inline bool combines(const Shape& shape) {
    return shape.traits().reduces() && !shape.is_irregular();
}
inline bool is_cut(const Shape& shape) {
    return shape.traits().is_same_for_all() || (shape.traits().reduces() && !shape.traits().is_prefix());
}

/// One vector of each process, which its members share.
template <class T>
class PerProcess {
public:
    /// All members see the elements that the first one passes; the others pass as many.
    PerProcess(mpi::Member& me, std::vector<T> elements) : me_(me), own_(std::move(elements)) {
        const auto address = reinterpret_cast<std::uintptr_t>(own_.data());
        first_ = reinterpret_cast<T*>(me.local().broadcast(address, 0)); // NOLINT(performance-no-int-to-ptr)
    }
    PerProcess(const PerProcess&) = delete;
    PerProcess& operator=(const PerProcess&) = delete;
    ~PerProcess() { me_.local().barrier(); } // while the others look at it

    std::span<T> span() const { return {first_, own_.size()}; }

private:
    mpi::Member& me_;
    std::vector<T> own_;
    T* first_ = nullptr;
};

/// Completes the call that make(way) makes in that manner of calling.
enum class Manner { blocking, nonblocking, persistent };
inline constexpr std::array manners{Manner::blocking, Manner::nonblocking, Manner::persistent};
template <class Make>
void complete(mpi::Member& me, Manner manner, Make make) {
    if (manner == Manner::blocking) {
        make(me);
    } else if (manner == Manner::nonblocking) {
        make(me.start).wait();
    } else {
        Persistent operation = make(me.prepare);
        operation.start();
        operation.wait();
    }
}

/// Makes the call with one result per process, if there is one, and returns whether it leaves what it must.
template <class T, class Op>
bool is_right_shared(mpi::Member& me, Manner manner, const Shape& shape, const Vectors<T>& call,
                     const Options& options, const Op& op) {
    const bool broadcasts = shape.collective == Collective::broadcast;
    if (!shape.traits().is_same_for_all() || (shape.in_place && !broadcasts) || shape.displaced) {
        return true;
    }
    const PerProcess<T> result(me, std::vector<T>(call.out.size()));
    const std::span<const T> in(call.in);
    if (broadcasts && shape.is_root(static_cast<std::size_t>(me.rank()))) {
        std::ranges::copy(call.out, result.span().begin());
    }
    me.local().barrier();
    complete(me, manner, [&](auto& way) {
        return broadcasts ? way.broadcast(shared(result.span()), shape.root, options)
               : shape.collective == Collective::allreduce
                   ? way.allreduce(in, shared(result.span()), op, options)
               : shape.is_irregular()
                   ? way.allgather(in, shared(result.span()), Counts(call.received.counts), options)
                   : way.allgather(in, shared(result.span()), options);
    });
    return std::ranges::equal(result.span(), call.expected);
}

template <class Way, class T, class Op>
auto called(Way& way, const Shape& shape, Vectors<T>& call, const Op& op, const Options& options = {}) {
    return make_call(way, shape, call, std::span<const T>(call.in), std::span(call.out), op, options);
}

/// Makes the call, and returns whether it leaves what it must, also with one result per process.
template <class T, class Op>
bool is_right(mpi::Member& me, const Shape& shape, const Reference<T>& reference, const Options& options,
              const Op& op, Association association = Association::tree) {
    Vectors<T> call = reference.vectors(static_cast<std::size_t>(me.rank()), shape, association);
    const bool shares_well = is_right_shared(me, Manner::blocking, shape, call, options, op);
    called(me, shape, call, op, options);
    return shares_well && call.out == call.expected;
}

/// The same where the call is started beside others, and where it is prepared and started twice.
template <class T, class Op>
bool is_right_started(mpi::Member& me, const Shape& shape, const Reference<T>& reference, const Op& op) {
    const Vectors<T> asked = reference.vectors(static_cast<std::size_t>(me.rank()), shape, Association::tree);
    std::array<Vectors<T>, 3> calls{asked, asked, asked};
    Request first = called(me.start, shape, calls[0], op);
    Request second = called(me.start, shape, calls[1], op);
    Persistent prepared = called(me.prepare, shape, calls[2], op);
    prepared.start();
    prepared.wait();
    const bool right = calls[2].out == asked.expected;
    calls[2].out = asked.out;
    prepared.start();
    second.wait();
    prepared.wait();
    first.wait();
    return right && is_right_shared(me, Manner::nonblocking, shape, asked, {}, op) &&
           std::ranges::all_of(calls, [&](const auto& call) { return call.out == asked.expected; });
}

/// Makes the calls, and checks what they leave. `plain` is what `op` computes, in this order.
template <class Make, class Op, class Plain>
void examine(mpi::Member& me, const std::vector<Shape>& shapes, const Options& options, Make make,
             const Op& op, Plain plain, Association association = Association::tree) {
    using T = decltype(make(std::size_t{0}, std::size_t{0}));
    const Reference<T> reference(me.size(), make, plain);
    for (const Shape& shape : shapes) { // among these are calls that send blocks, which take no algorithm
        const bool sends_blocks = shape.collective == Collective::shift || shape.is_irregular();
        CHECK_MESSAGE(is_right(me, shape, reference, sends_blocks ? Options() : options, op, association),
                      shape.describe());
    }
}
template <class Make, class Op, class Plain>
void examine_started(mpi::Member& me, std::size_t count, Make make, const Op& op, Plain plain) {
    using T = decltype(make(std::size_t{0}, std::size_t{0}));
    const Reference<T> reference(me.size(), make, plain);
    for (const Shape& shape : cluster_shapes(me.size(), count)) {
        CHECK_MESSAGE(is_right_started(me, shape, reference, op), shape.describe());
    }
}
inline void examine_started(mpi::Member& me, std::size_t count) {
    examine_started(me, count, value, tutti::sum, std::plus<>());
}

template <class Filter>
std::vector<Shape> only(std::vector<Shape> shapes, Filter filter) {
    std::erase_if(shapes, [&](const Shape& shape) { return !filter(shape); });
    return shapes;
}

inline void examine_one_object(mpi::Member& me, const Options& options) {
    const int last = me.size() - 1;
    const long mine = me.rank() + 1;
    const auto sum_to = [](long end) { return end * (end + 1) / 2; };
    CHECK(me.allreduce(mine, tutti::sum, options) == sum_to(last + 1));
    CHECK(me.reduce(mine, tutti::sum, last, options) == (me.rank() == last ? sum_to(last + 1) : mine));
    CHECK(me.broadcast(mine, last, options) == last + 1);
    CHECK(me.exscan(mine, tutti::sum, 100, options) == 100 + sum_to(mine - 1));
    CHECK(me.scan(mine, tutti::sum, options) == sum_to(mine));
    CHECK(me.exscan(mine, tutti::sum, options) == sum_to(mine - 1));
}

/// The calls for operators of all kinds.
inline void examine(mpi::Member& me, const std::vector<Shape>& shapes, const Options& options) {
    examine(me, shapes, options, value, tutti::sum, std::plus<>());
    const std::vector<Shape> combining = only(shapes, combines);
    examine(me, combining, options, map, tutti::non_commutative(compose), compose);
    const auto largest = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };
    examine(me, combining, options, value, tutti::max, largest);
    examine(me, combining, options, real, tutti::minimum, tutti::minimum);
    const auto both = [](std::size_t rank, std::size_t i) { return MinMax<double>::of(real(rank, i)); };
    examine(me, combining, options, both, tutti::minmax, tutti::minmax);
}

inline void examine_part(mpi::Member& me, std::size_t most = 300) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}, most}) {
        examine(me, cluster_shapes(me.size(), count), {}, value, tutti::sum, std::plus<>());
    }
    examine(me, only(cluster_shapes(me.size(), 7), combines), {}, map, tutti::non_commutative(compose),
            compose);
    examine(me, only(cluster_shapes(me.size(), 7), combines), {.order = Order::serial}, real, tutti::sum,
            std::plus<>(), Association::left);
    examine_started(me, most);
    CHECK(me.local().allreduce(1, tutti::sum) == me.local().size());
}

} // namespace tutti::test
