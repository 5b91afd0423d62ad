#include "numbers/src/ordered_tree.hpp"

#include <algorithm>

namespace tutti::library {

namespace {

constexpr unsigned highest_level = 30; // of a node that one call of Kernels::fold evaluates

} // namespace

Pieces pieces_of(const TermRange& range, const TreeShape& shape) {
    Pieces found;
    const auto add = [&](std::size_t first, unsigned level, std::size_t terms) {
        found.pieces.push_back({first, level, terms, found.elements});
        found.elements += terms != 0 ? terms : shape.elements_of(level);
    };
    const auto add_terms = [&](std::size_t first, std::size_t end) {
        if (first < end) {
            add(first, 0, end - first);
        }
    };
    std::size_t row = range.first / shape.lanes + (range.first % shape.lanes != 0 ? 1 : 0);
    const std::size_t end_row = range.end() / shape.lanes;
    if (row > end_row) { // inside of one row
        add_terms(range.first, range.end());
        return found;
    }
    add_terms(range.first, row * shape.lanes);
    while (row < end_row) {
        const unsigned fits = static_cast<unsigned>(std::bit_width(end_row - row)) - 1;
        const unsigned aligned = row == 0 ? fits : static_cast<unsigned>(std::countr_zero(row));
        const unsigned level = std::min({fits, aligned, highest_level});
        add(row * shape.lanes, level, 0);
        row += std::size_t{1} << level;
    }
    add_terms(end_row * shape.lanes, range.end());
    return found;
}

void Assembly::add(const Piece& piece, std::size_t place) {
    const std::size_t row = piece.first / shape_.lanes;
    if (piece.terms == 0) {
        return push({row >> piece.level, piece.level, place});
    }
    if (in_row_ == 0) {
        row_ = free_;
        free_ += shape_.lanes;
    }
    steps_.push_back({false, row_ + in_row_, place, piece.terms});
    in_row_ += piece.terms;
    if (in_row_ == shape_.lanes) {
        in_row_ = 0;
        push({row, 0, row_});
    }
}

/// Left half and right half, down to one element.
void Assembly::combine_lanes(std::size_t place) {
    for (std::size_t half = shape_.lanes / 2; half != 0; half /= 2) {
        combine(place, place + half, half);
    }
}

void Assembly::push(Node node) {
    // A left neighbour that is not here belongs to another member, whose value an allreduce combines.
    while (node.index % 2 != 0 && !nodes_.empty() && nodes_.back().level == node.level) {
        const Node left = nodes_.back();
        nodes_.pop_back();
        combine(left.place, node.place, shape_.elements_of(node.level));
        const bool was_row = shape_.is_row(node.level);
        node = {node.index / 2, node.level + 1, left.place};
        if (was_row && !shape_.is_row(node.level)) {
            combine_lanes(node.place);
        }
    }
    nodes_.push_back(node);
}

std::size_t Assembly::joined(const Node& node, std::optional<std::size_t> value) {
    if (value) {
        combine(node.place, *value, shape_.elements_of(node.level));
    }
    return node.place;
}

void Assembly::finish() {
    std::optional<std::size_t> value;
    for (; !nodes_.empty() && shape_.is_row(nodes_.back().level); nodes_.pop_back()) {
        value = joined(nodes_.back(), value);
    }
    if (value) {
        combine_lanes(*value);
    }
    for (std::size_t term = 0; term < in_row_; ++term) {
        if (value) {
            combine(*value, row_ + term, 1);
        }
        value = value.value_or(row_ + term);
    }
    for (; !nodes_.empty(); nodes_.pop_back()) {
        value = joined(nodes_.back(), value);
    }
    result_ = value.value_or(0);
}

bool is_top_of_tree(std::span<const TermRange> ranges, const TreeShape& shape) {
    const std::size_t length = ranges.front().count;
    const std::size_t rows = length / shape.lanes;
    if (ranges.size() > 1 && (length % shape.lanes != 0 || !std::has_single_bit(rows) ||
                              shape.is_row(static_cast<unsigned>(std::countr_zero(rows))))) {
        return false;
    }
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
        const bool is_last = rank == ranges.size() - 1;
        const std::size_t count = ranges[rank].count;
        if (ranges[rank].first != rank * length || count == 0 || count > length ||
            (!is_last && count != length)) {
            return false;
        }
    }
    return true;
}

} // namespace tutti::library
