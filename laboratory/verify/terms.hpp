#pragma once

#include "schedule/blocks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::verify {

/// The content of one block: a tree of reductions whose leaves are the members' inputs for one block. `node`
/// names the tree up to renaming of the members, every member in it is translated by `shift`, and `block` is
/// the block of the inputs. Equal terms are equal trees, so results can be compared without walking them.
struct Term {
    int node = -1;
    int shift = 0;
    int block = 0;

    bool defined() const { return node >= 0; }
    friend bool operator==(const Term&, const Term&) = default;
};

/// All terms of one symbolic run, each tree stored once. With the members' names taken out, the p partial
/// sums that the p members of a symmetric schedule hold are one node.
class Terms {
public:
    /// Members are renamed by the translations of `symmetry` (by rotation where it has none), and blocks like
    /// them when there are as many.
    Terms(const schedule::Symmetry& symmetry, int ranks, int blocks);

    /// The input of `member` for `block`.
    Term input(int member, int block) const { return {leaf_node, member, block}; }

    /// left op right; undefined when one of them is or when they are of different blocks. Amortised
    /// O(ranks / 64) under rotation, else O(ranks).
    Term combine(Term left, Term right) {
        if (!left.defined() || !right.defined() || left.block != right.block) {
            return {};
        }
        // Blocks that move together make the same trees.
        if (!same_tree(left, latest_left_) || !same_tree(right, latest_right_)) {
            latest_ = combine_trees(left, right);
            latest_left_ = left;
            latest_right_ = right;
        }
        return {latest_.node, latest_.shift, left.block};
    }

    /// x_0 op x_1 op ... op x_{p-1} for `block`, associated as the call requires. Renaming the members leaves
    /// it as it is, because every member combines in the order of the ranks and not from itself onwards.
    Term rank_order(int block) const;

    /// x_0 op x_1 op ... op x_{count-1}, count >= 1, associated as the call requires, if members are not
    /// renamed.
    Term first_in_rank_order(int count, int block);

    /// `term` with every member in it, and its block, translated by `by`.
    Term shifted(Term term, int by) const {
        return by == 0 || !term.defined() ? term : moved_with_block(term, by);
    }

    /// The first member whose input is not in `term`, or is in it more than once.
    std::optional<int> missing(Term term) const;
    std::optional<int> repeated(Term term) const;

    /// Whether the leaves from left to right are 0, 1, ..., count - 1. O(1), on a torus of several dimensions
    /// O(count).
    bool in_rank_order(Term term, int count) const;

    /// Whether no right operand is a reduction: associated from the left.
    bool from_the_left(Term term) const;

    /// Whether it is associated as the tree of so many operands is (tutti/detail/association.hpp).
    bool in_tree(Term term) const;

    /// Whether it is made in one combination of inputs: no operand is a partial result.
    bool in_one_pass(Term term) const;

    /// "x21 + x10 + (x15 + x4)": chains from the left without brackets, right operands of several terms with.
    std::string text(Term term) const;

    /// Whether two terms are the same except for their block.
    static bool same_tree(Term a, Term b) { return a.node == b.node && a.shift == b.shift; }

private:
    struct Node {
        Term left;
        Term right;
        /// Renaming does not change it; its shift is kept at 0.
        bool fixed = false;
        int repeated = -1;
        /// Whether every member is in it.
        bool complete = false;
        /// The leftmost leaf and, where from left to right each leaf is the next rank, how many there are.
        int first = 0;
        int consecutive = 1;
        int leaves = 1;
        bool from_the_left = true;
        bool in_tree = true;
        bool in_one_pass = true;
        /// Stands for its leaves, which are combined as the call requires.
        bool is_asked = false;
        /// The operand that was combined last with this on the left, and the node of the result: members that
        /// do alike make the same trees.
        Term latest_right;
        int latest = -1;
    };
    struct Key {
        Term left;
        Term right;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    static constexpr int leaf_node = 0;
    static constexpr int rank_order_node = 1;

    Term combine_trees(Term left, Term right);
    const Node& node(Term term) const { return nodes_[static_cast<std::size_t>(term.node)]; }
    bool has_leaf(int node, int member) const;
    bool is_walked_in_rank_order(Term term, int count) const;
    void add_order(Node& made) const;
    int add_node(const Node& node);
    int add_asked(Node node, int count);
    int node_of(const Key& key);
    void add_leaves(int to, Term from);
    std::optional<int> first_absent(int node) const;
    void add_word(int to, std::size_t word, std::uint64_t bits);

    int translated(int member, int by) const { return symmetry_.translated(member, by, ranks_); }
    Term moved(Term term, int by) const;
    Term moved_with_block(Term term, int by) const;

    schedule::Symmetry symmetry_;
    int ranks_;
    bool blocks_follow_;
    std::size_t words_;
    std::vector<Node> nodes_;
    /// For each node (at shift 0) one bit for each member in it.
    std::vector<std::uint64_t> leaves_;
    std::unordered_map<Key, int, Hash> known_;
    /// By their number, the nodes that stand for the first leaves.
    std::unordered_map<int, int> first_leaves_;
    /// The trees that were combined last, and what they made.
    Term latest_left_;
    Term latest_right_;
    Term latest_;
};

} // namespace tutti::verify
