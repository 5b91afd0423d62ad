#pragma once

#include "support.hpp"
#include "tests/affine.hpp"
#include "tests/ways/c.hpp"
#include "tests/ways/exam.hpp"

#include <tutti/numbers.hpp>

// Calls of clusters, held against loops over the ranks.

namespace tutti::test {

using detail::Association;

inline std::int64_t value(std::size_t rank, std::size_t i) {
    return static_cast<std::int64_t>(rank + 1) * 7 + static_cast<std::int64_t>(i % 101 * (rank % 3 + 1));
}

inline Affine map(std::size_t rank, std::size_t i) {
    return {static_cast<std::uint8_t>(2 * rank + 3), static_cast<std::uint8_t>(value(rank, i)), 1};
}
inline const auto composed = compose;

/// All calls of vectors or blocks of `count` elements that clusters have.
inline std::vector<Shape> cluster_shapes(int members, std::size_t count) {
    const auto blocks = [count](std::size_t rank, std::size_t) { return rank % 3 == 1 ? 0 : count + rank; };
    std::vector<Shape> shapes = regular_shapes(count, {0, members - 1, members / 2}, {0, 1, -2, members});
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

template <class Filter>
std::vector<Shape> only(std::vector<Shape> shapes, Filter filter) {
    std::erase_if(shapes, [&](const Shape& shape) { return !filter(shape); });
    return shapes;
}

enum class Manner { blocking, nonblocking, persistent };
inline constexpr std::array manners{Manner::blocking, Manner::nonblocking, Manner::persistent};

/// Completes the call that make(way) makes in that manner of calling.
template <class Make>
void complete(ClusterMember& me, Manner manner, Make make) {
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

std::unique_ptr<WayCaller> caller_of(ClusterMember& me, Manner manner);
/// A member of a cluster, whose thread runs.
std::unique_ptr<Ranks> alone(ClusterMember& me, Manner manner);
std::unique_ptr<Ranks> alone(tutti_member me, KindC manner);

/// Makes the calls, and checks what they leave. If the manner has requests, so many are outstanding.
template <class T, class Op>
void examine(Ranks& me, const std::vector<Shape>& shapes, T (*make)(std::size_t, std::size_t), const Op& op,
             Job job = {}, std::size_t outstanding = 3) {
    std::vector<Job> jobs;
    for (const Shape& shape : shapes) {
        job.shape = shape;
        jobs.push_back(job);
    }
    Exam exam(me.size(), 0, make, op);
    CHECK(exam.run(me, jobs, outstanding) == "");
}

/// All calls, each of them twice, unless that takes long, so that the second one is recognised; also with an
/// operator that keeps the order of the ranks.
inline void examine(Ranks& me, std::size_t count) {
    std::vector<Shape> shapes;
    for (const Shape& shape : cluster_shapes(me.size(), count)) {
        shapes.insert(shapes.end(), count > 10'000 ? 1 : 2, shape);
    }
    examine(me, shapes, value, tutti::sum);
    examine(me, only(shapes, combines), map, composed);
}
inline void examine(ClusterMember& me, std::size_t count, Manner manner = Manner::nonblocking) {
    examine(*alone(me, manner), count);
}

inline const Job serial{.shape = {}, .association = Association::left, .order = Order::serial};

} // namespace tutti::test
