#pragma once

// The fixed tree over the indices of terms (README.md of this component): which nodes each member can
// evaluate alone, and how these make the value of the whole. Lengths and places are in elements.

#include <tutti/detail/kernels.hpp>

#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tutti::library {

struct TermRange {
    std::size_t first = 0;
    std::size_t count = 0;

    std::size_t end() const { return first + count; }
};

/// How a tree depends on its elements and operator.
struct TreeShape {
    /// Elements in a row.
    std::size_t lanes = 1;

    static constexpr unsigned chunk_level = std::countr_zero(detail::fold_chunk_rows);
    /// Whether a node of 2^level rows is a whole row instead of one element.
    bool is_row(unsigned level) const { return lanes > 1 && level < chunk_level; }
    std::size_t elements_of(unsigned level) const { return is_row(level) ? lanes : 1; }
};

/// A part of the result that only one member has: a node, or some terms of a row that it does not have
/// completely.
struct Piece {
    std::size_t first;
    /// A node has 2^level rows.
    unsigned level;
    /// The number of terms, 0 for a node.
    std::size_t terms;
    /// Its place among the elements that the member passes on.
    std::size_t at;
};

struct Pieces {
    std::vector<Piece> pieces;
    std::size_t elements = 0;
};

/// The largest nodes in the range, and the terms beside them, in order.
Pieces pieces_of(const TermRange& range, const TreeShape& shape);

/// Elements `from` are copied to `to`, or combined with those, which are on the left.
struct Step {
    bool combines;
    std::size_t to;
    std::size_t from;
    std::size_t count;
};

/// The steps from pieces to the value of the tree.
class Assembly {
public:
    /// Pieces are in front of the place `free`, from which on there is room.
    Assembly(const TreeShape& shape, std::size_t free) : shape_(shape), free_(free) {}

    /// Adds the next piece, which is at `place`.
    void add(const Piece& piece, std::size_t place);
    /// After the last piece.
    void finish();

    std::span<const Step> steps() const { return steps_; }
    /// The place of the value.
    std::size_t result() const { return result_; }
    /// The end of the room that is used.
    std::size_t elements() const { return free_; }

private:
    struct Node {
        std::size_t index; ///< among the nodes of its level
        unsigned level;
        std::size_t place;
    };

    void combine(std::size_t left, std::size_t right, std::size_t count) {
        steps_.push_back({true, left, right, count});
    }
    void combine_lanes(std::size_t place);
    void push(Node node);
    /// Combines a node on the left with `value`, if there is one, and returns its place.
    std::size_t joined(const Node& node, std::optional<std::size_t> value);

    TreeShape shape_;
    std::size_t free_;
    std::vector<Step> steps_;
    std::vector<Node> nodes_;
    std::size_t row_ = 0; ///< where the terms of the row that is not complete are
    std::size_t in_row_ = 0;
    std::size_t result_ = 0;
};

/// Whether an allreduce, whose tree has one operand per member, is the top of the tree over these ranges: all
/// but the last have the same power of two of rows, and a single value.
bool is_top_of_tree(std::span<const TermRange> ranges, const TreeShape& shape);

} // namespace tutti::library
