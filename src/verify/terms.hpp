#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::verify {

/// What one block holds: a tree of reductions whose leaves are the members' inputs for that block. `node`
/// names the tree up to renaming of the members, `shift` is added (mod ranks) to every member in it. Equal
/// terms are equal trees, so results can be compared without walking them.
struct Term {
    int node = -1;
    int shift = 0;

    bool defined() const { return node >= 0; }
    friend bool operator==(const Term&, const Term&) = default;
};

/// All terms of one symbolic run, each tree stored once. With the members' names taken out, the p partial
/// sums that the p members of a symmetric schedule hold are one node.
class Terms {
public:
    explicit Terms(int ranks);

    /// The input of `member`.
    Term input(int member) const;

    /// left op right. Amortised O(ranks / 64).
    Term combine(Term left, Term right);

    /// x_0 op x_1 op ... op x_{p-1}, bracketed from the left. Renaming the members leaves it as it is,
    /// because every member combines in the order of the ranks and not from itself onwards.
    Term rank_order() const;

    /// `term` with `by` added to every member in it.
    Term shifted(Term term, int by) const;

    /// The first member whose input is not in `term`, or is in it more than once.
    std::optional<int> missing(Term term) const;
    std::optional<int> repeated(Term term) const;

    /// Whether the leaves from left to right are 0, 1, ..., ranks - 1.
    bool in_rank_order(Term term) const;

    /// "x21 + x10 + (x15 + x4)": chains from the left without brackets, right operands of several terms with.
    std::string text(Term term) const;

private:
    struct Node {
        Term left;
        Term right;
        /// Renaming does not change it; its shift is kept at 0.
        bool fixed = false;
        int repeated = -1;
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

    const Node& node(Term term) const { return nodes_[static_cast<std::size_t>(term.node)]; }
    int add_node(const Node& node);
    void add_leaves(int to, Term from);
    void add_word(int to, std::size_t word, std::uint64_t bits);

    int ranks_;
    std::size_t words_;
    std::vector<Node> nodes_;
    /// For each node (at shift 0) one bit for each member in it.
    std::vector<std::uint64_t> leaves_;
    std::unordered_map<Key, int, Hash> known_;
};

} // namespace tutti::verify
