#pragma once

#include "../std.hpp"

#include <tutti/collective.hpp>

namespace tutti::test {

/// The elements of the block from one member to another. For all collectives except the all-to-all, a
/// member's block is the one from the member to itself.
using Lengths = std::function<std::size_t(std::size_t from, std::size_t to)>;

/// A collective call as all its members make it: all but data, operator, and way of calling.
struct Shape {
    Collective collective = Collective::barrier;
    /// Elements of the vector, or of each block if the collective divides its vector.
    std::size_t count = 0;
    bool in_place = false;
    /// The root, or the distance of a shift.
    int root = 0;
    /// If blocks are irregular.
    Lengths lengths = {};
    /// If blocks have displacements, the seed of these: each member has its own.
    std::optional<std::uint32_t> displaced = {};
    /// Only the root knows the counts.
    bool counts_at_root = false;

    const detail::CollectiveTraits& traits() const { return detail::traits_of(collective); }
    bool is_irregular() const { return lengths != nullptr; }
    bool is_root(std::size_t rank) const { return static_cast<int>(rank) == root; }

    std::size_t length(std::size_t from, std::size_t to) const {
        return is_irregular() ? lengths(from, to) : count;
    }
    /// The elements of block number `block` in the whole vector of a member, which sends or receives it.
    std::size_t sent_length(std::size_t rank, std::size_t block) const {
        return collective == Collective::alltoall ? length(rank, block) : length(block, block);
    }
    std::size_t received_length(std::size_t rank, std::size_t block) const {
        return collective == Collective::alltoall ? length(block, rank) : length(block, block);
    }

    std::string describe() const {
        return std::string(traits().name) + (in_place ? " in place" : "") + ", root " + std::to_string(root) +
               (is_irregular() ? ", irregular" : ", " + std::to_string(count) + " elements") +
               (displaced ? " with displacements" : "") + (counts_at_root ? ", counts at the root" : "");
    }
};

/// The places of a vector's blocks: back to back, or in any order with gaps. Empty blocks lie anywhere then.
struct Layout {
    std::vector<std::size_t> counts;
    std::vector<std::size_t> starts;
    std::size_t elements = 0;

    Layout() = default;
    explicit Layout(std::vector<std::size_t> lengths) : counts(std::move(lengths)), starts(counts.size()) {
        for (std::size_t block = 0; block < counts.size(); ++block) {
            starts[block] = elements;
            elements += counts[block];
        }
    }
    Layout(std::vector<std::size_t> lengths, std::uint32_t seed)
        : counts(std::move(lengths)), starts(counts.size()) {
        std::mt19937 random(seed);
        std::vector<std::size_t> order(counts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t block : order) {
            elements += random() % 3;
            starts[block] = counts[block] != 0 ? elements : random();
            elements += counts[block];
        }
        elements += random() % 3;
    }
};

/// For every collective a call with separate vectors and one in place, if there are such, for each of the
/// roots and distances.
inline std::vector<Shape> regular_shapes(std::size_t count, const std::vector<int>& roots,
                                         const std::vector<int>& distances) {
    std::vector<Shape> shapes;
    for (const Collective collective : detail::all_collectives) {
        const detail::CollectiveTraits& traits = detail::traits_of(collective);
        for (const bool in_place : {false, true}) {
            if (traits.in_place == (in_place ? detail::OneVector::never : detail::OneVector::always)) {
                continue;
            }
            for (const int number : traits.is_rooted()      ? roots
                                    : traits.takes_number() ? distances
                                                            : std::vector{0}) {
                shapes.push_back(
                    {.collective = collective, .count = count, .in_place = in_place, .root = number});
            }
        }
    }
    return shapes;
}

/// The same of every collective whose blocks may be irregular, or have displacements if there is a seed for
/// these, with counts that all members know, or the root alone.
inline std::vector<Shape> irregular_shapes(const Lengths& lengths, const std::vector<int>& roots,
                                           std::optional<std::uint32_t> displaced = {}) {
    std::vector<Shape> shapes;
    for (Shape shape : regular_shapes(0, roots, {})) {
        if (shape.traits().irregular <
            (displaced ? detail::Irregular::displacements : detail::Irregular::counts)) {
            continue;
        }
        shape.lengths = lengths;
        shape.displaced = displaced;
        if (shape.collective == Collective::alltoall && shape.in_place) { // each gets as much as it gives
            shape.lengths = [lengths](std::size_t from, std::size_t to) {
                return lengths(std::min(from, to), std::max(from, to));
            };
        }
        shapes.push_back(shape);
        if (shape.traits().is_rooted()) {
            shape.counts_at_root = true;
            shapes.push_back(shape);
        }
    }
    return shapes;
}

} // namespace tutti::test
