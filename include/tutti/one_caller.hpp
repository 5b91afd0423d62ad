#pragma once

#include <tutti/collectives.hpp>
#include <tutti/counts.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/executor.hpp>
#include <tutti/start.hpp>

#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>

// Collectives over p vectors that one thread has: it calls once for all of them, with a range of inputs and
// one of outputs, such as a std::vector<std::vector<double>> or an array of spans. They do what the same
// calls of p members do (tutti/collectives.hpp), each on its vectors; where a collective has a root, there is
// one vector of the root's instead of a range. Operands are combined in the order of the vectors, from the
// left.
//
// The calling thread does the work, or hands slices of a large one to an executor; the call returns when all
// is done. Nothing is touched where it throws ArgumentError or MismatchError, which names the vectors by the
// ranks that they stand for.

namespace tutti {

namespace detail {

/// The calls of all ranks, in their order.
class TUTTI_API AllCalls {
public:
    /// Throws ArgumentError where there are none.
    explicit AllCalls(std::size_t ranks);
    ~AllCalls();
    AllCalls(const AllCalls&) = delete;
    AllCalls& operator=(const AllCalls&) = delete;
    AllCalls(AllCalls&&) = delete;
    AllCalls& operator=(AllCalls&&) = delete;

    int ranks() const;
    /// That of the next rank. Throws ArgumentError where an argument is wrong.
    void add(const Call& call);
    void carry_out(const Executor& executor);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// How all ranks call.
class Listing : public Collectives<Listing, Starts> {
public:
    explicit Listing(std::size_t ranks) : calls_(ranks) {}

    int size() const { return calls_.ranks(); }
    void carry_out(const Executor& executor) { calls_.carry_out(executor); }

private:
    friend class Collectives<Listing, Starts>;
    void run(const Call& call, const Options& /*in the call*/) { calls_.add(call); }

    AllCalls calls_;
};

/// A range of vectors that live for as long as the range does.
template <class V>
concept VectorRange = std::ranges::forward_range<V> && std::ranges::sized_range<V> &&
    Vector<std::ranges::range_reference_t<V>> &&
    (std::is_lvalue_reference_v<std::ranges::range_reference_t<V>> ||
     std::ranges::borrowed_range<std::ranges::range_reference_t<V>>);

template <class In, class Out>
concept VectorRanges = VectorRange<In> && VectorRange<Out> &&
    Vectors<std::ranges::range_reference_t<In>, std::ranges::range_reference_t<Out>>;

/// The number of ranks that two ranges stand for. Throws ArgumentError where they differ.
TUTTI_API std::size_t ranks_of(const char* collective, std::size_t inputs, std::size_t outputs);

template <class In, class Out, class Call>
void for_all(const char* collective, In& inputs, Out& outputs, const Executor& executor, Call call) {
    Listing ranks(ranks_of(collective, std::ranges::size(inputs), std::ranges::size(outputs)));
    auto output = std::ranges::begin(outputs);
    for (auto&& input : inputs) {
        auto&& own = *output;
        call(ranks, view(input), view(own));
        ++output;
    }
    ranks.carry_out(executor);
}

template <class InOut, class Call>
void for_all_in_place(InOut& inouts, const Executor& executor, Call call) {
    Listing ranks(std::ranges::size(inouts));
    for (auto&& inout : inouts) {
        call(ranks, view(inout));
    }
    ranks.carry_out(executor);
}

/// What the ranks but the root pass where only the root has a vector.
template <class T>
std::span<T> at_root(std::span<T> vector, std::size_t rank) {
    return rank == 0 ? vector : std::span<T>();
}

} // namespace detail

/// Copies the `root`-th vector to all others.
template <detail::VectorRange InOut>
void broadcast(InOut&& inouts, int root, const Executor& executor = {}) {
    detail::for_all_in_place(inouts, executor, [&](auto& me, auto inout) { me.broadcast(inout, root); });
}

/// `out` becomes the reduction of all inputs.
template <detail::VectorRange In, detail::Vector Out, class Op>
void reduce(In&& inputs, Out&& out, const Op& op, const Executor& executor = {}) {
    detail::Listing ranks(std::ranges::size(inputs));
    std::size_t rank = 0;
    for (auto&& input : inputs) {
        auto result = detail::at_root(detail::view(out), rank++);
        ranks.reduce(detail::view(input), result, op, 0);
    }
    ranks.carry_out(executor);
}

/// Every output becomes the reduction of all inputs.
template <class In, class Out, class Op>
requires detail::VectorRanges<In, Out>
void allreduce(In&& inputs, Out&& outputs, const Op& op, const Executor& executor = {}) {
    detail::for_all("allreduce", inputs, outputs, executor,
                    [&](auto& me, auto in, auto out) { me.allreduce(in, out, op); });
}

template <detail::VectorRange InOut, class Op>
void allreduce(InOut&& inouts, const Op& op, const Executor& executor = {}) {
    detail::for_all_in_place(inouts, executor, [&](auto& me, auto inout) { me.allreduce(inout, op); });
}

/// The r-th block becomes the r-th part of the reduction of all inputs, which are p times as long.
template <class In, class Out, class Op>
requires detail::VectorRanges<In, Out>
void reduce_scatter(In&& inputs, Out&& blocks, const Op& op, const Executor& executor = {}) {
    detail::for_all("reduce_scatter", inputs, blocks, executor,
                    [&](auto& me, auto in, auto block) { me.reduce_scatter(in, block, op); });
}

template <detail::VectorRange InOut, class Op>
void reduce_scatter(InOut&& inouts, const Op& op, const Executor& executor = {}) {
    detail::for_all_in_place(inouts, executor, [&](auto& me, auto inout) { me.reduce_scatter(inout, op); });
}

template <class In, class Out, class Op>
requires detail::VectorRanges<In, Out>
void reduce_scatter(In&& inputs, Out&& blocks, Counts counts, const Op& op, const Executor& executor = {}) {
    detail::for_all("reduce_scatter", inputs, blocks, executor,
                    [&](auto& me, auto in, auto block) { me.reduce_scatter(in, block, counts, op); });
}

/// Every output becomes all blocks in order.
template <class In, class Out>
requires detail::VectorRanges<In, Out>
void allgather(In&& blocks, Out&& outputs, const Executor& executor = {}) {
    detail::for_all("allgather", blocks, outputs, executor,
                    [&](auto& me, auto block, auto out) { me.allgather(block, out); });
}

template <detail::VectorRange InOut>
void allgather(InOut&& inouts, const Executor& executor = {}) {
    detail::for_all_in_place(inouts, executor, [&](auto& me, auto inout) { me.allgather(inout); });
}

template <class In, class Out>
requires detail::VectorRanges<In, Out>
void allgather(In&& blocks, Out&& outputs, Counts counts, const Executor& executor = {}) {
    detail::for_all("allgather", blocks, outputs, executor,
                    [&](auto& me, auto block, auto out) { me.allgather(block, out, counts); });
}

/// `out` becomes all blocks in order.
template <detail::VectorRange In, detail::Vector Out>
void gather(In&& blocks, Out&& out, const Executor& executor = {}) {
    detail::Listing ranks(std::ranges::size(blocks));
    std::size_t rank = 0;
    for (auto&& block : blocks) {
        auto result = detail::at_root(detail::view(out), rank++);
        ranks.gather(detail::view(block), result, 0);
    }
    ranks.carry_out(executor);
}

/// The r-th block becomes the r-th part of `in`.
template <detail::Vector In, detail::VectorRange Out>
void scatter(In&& in, Out&& blocks, const Executor& executor = {}) {
    detail::Listing ranks(std::ranges::size(blocks));
    std::size_t rank = 0;
    for (auto&& block : blocks) {
        auto own = detail::view(block);
        ranks.scatter(detail::at_root(detail::view(in), rank++), own, 0);
    }
    ranks.carry_out(executor);
}

/// Block j of input i becomes block i of output j.
template <class In, class Out>
requires detail::VectorRanges<In, Out>
void alltoall(In&& inputs, Out&& outputs, const Executor& executor = {}) {
    detail::for_all("alltoall", inputs, outputs, executor,
                    [&](auto& me, auto in, auto out) { me.alltoall(in, out); });
}

/// The same of irregular blocks: the numbers of elements of those that rank r sends and receives are in the
/// r-th of either ranges.
template <class In, class Sent, class Out, class Received>
requires detail::VectorRanges<In, Out> && detail::VectorRanges<Sent, Received>
void alltoall(In&& inputs, Sent&& send_counts, Out&& outputs, Received&& recv_counts,
              const Executor& executor = {}) {
    detail::ranks_of("alltoall", std::ranges::size(send_counts), std::ranges::size(recv_counts));
    detail::ranks_of("alltoall", std::ranges::size(inputs), std::ranges::size(send_counts));
    auto sent = std::ranges::begin(send_counts);
    auto received = std::ranges::begin(recv_counts);
    detail::for_all("alltoall", inputs, outputs, executor, [&](auto& me, auto in, auto out) {
        me.alltoall(in, Counts(*sent++), out, Counts(*received++));
    });
}

template <detail::VectorRange InOut>
void alltoall(InOut&& inouts, const Executor& executor = {}) {
    detail::for_all_in_place(inouts, executor, [&](auto& me, auto inout) { me.alltoall(inout); });
}

/// Output r becomes the reduction of inputs 0 .. r.
template <class In, class Out, class Op>
requires detail::VectorRanges<In, Out>
void scan(In&& inputs, Out&& outputs, const Op& op, const Executor& executor = {}) {
    detail::for_all("scan", inputs, outputs, executor,
                    [&](auto& me, auto in, auto out) { me.scan(in, out, op); });
}

template <detail::VectorRange InOut, class Op>
void scan(InOut&& inouts, const Op& op, const Executor& executor = {}) {
    detail::for_all_in_place(inouts, executor, [&](auto& me, auto inout) { me.scan(inout, op); });
}

/// Output r becomes the reduction of inputs 0 .. r - 1; that of rank 0 is kept.
template <class In, class Out, class Op>
requires detail::VectorRanges<In, Out>
void exscan(In&& inputs, Out&& outputs, const Op& op, const Executor& executor = {}) {
    detail::for_all("exscan", inputs, outputs, executor,
                    [&](auto& me, auto in, auto out) { me.exscan(in, out, op); });
}

template <detail::VectorRange InOut, class Op>
void exscan(InOut&& inouts, const Op& op, const Executor& executor = {}) {
    detail::for_all_in_place(inouts, executor, [&](auto& me, auto inout) { me.exscan(inout, op); });
}

/// Output r + distance (mod p) becomes input r.
template <class In, class Out>
requires detail::VectorRanges<In, Out>
void shift(In&& inputs, Out&& outputs, int distance, const Executor& executor = {}) {
    detail::for_all("shift", inputs, outputs, executor,
                    [&](auto& me, auto in, auto out) { me.shift(in, out, distance); });
}

template <detail::VectorRange InOut>
void shift(InOut&& inouts, int distance, const Executor& executor = {}) {
    detail::for_all_in_place(inouts, executor, [&](auto& me, auto inout) { me.shift(inout, distance); });
}

} // namespace tutti
