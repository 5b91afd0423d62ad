#include "verify/terms.hpp"

#include <tutti/detail/association.hpp>

#include <algorithm>
#include <bit>

namespace tutti::verify {

namespace {

constexpr int word_bits = 64;

/// `count` <= 64 bits of `words` from bit `first` on.
std::uint64_t bits_at(const std::uint64_t* words, int first, int count) {
    const auto word = static_cast<std::size_t>(first / word_bits);
    const int offset = first % word_bits;
    std::uint64_t bits = words[word] >> offset;
    if (offset + count > word_bits) {
        bits |= words[word + 1] << (word_bits - offset);
    }
    return count == word_bits ? bits : bits & ((std::uint64_t{1} << count) - 1);
}

} // namespace

std::size_t Terms::Hash::operator()(const Key& key) const {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15U;
    std::uint64_t hash = 0;
    for (const int part : {key.left.node, key.left.shift, key.right.node, key.right.shift}) {
        hash = (std::rotl(hash, 23) ^ static_cast<std::uint32_t>(part)) * multiplier;
    }
    return hash;
}

Terms::Terms(const schedule::Symmetry& symmetry, int ranks, int blocks)
    : symmetry_(symmetry.translates() ? symmetry : schedule::Symmetry::rotation), ranks_(ranks),
      blocks_follow_(blocks == ranks), words_(static_cast<std::size_t>((ranks + word_bits - 1) / word_bits)) {
    add_node({});
    leaves_[0] = 1;
    Node all;
    all.fixed = true;
    all.consecutive = 0; // in whichever way it is renamed
    add_asked(all, ranks);
}

int Terms::add_asked(Node node, int count) {
    node.is_asked = true;
    node.leaves = count;
    const int added = add_node(node);
    for (int member = 0; member < count; ++member) {
        leaves_[static_cast<std::size_t>(added) * words_ + static_cast<std::size_t>(member / word_bits)] |=
            std::uint64_t{1} << (member % word_bits);
    }
    return added;
}

Term Terms::first_in_rank_order(int count, int block) {
    if (count == 1) {
        return input(0, block);
    }
    const auto [found, is_new] = first_leaves_.try_emplace(count);
    if (is_new) {
        Node node;
        node.consecutive = count;
        node.complete = count == ranks_;
        found->second = add_asked(node, count);
    }
    return {found->second, 0, block};
}

Term Terms::rank_order(int block) const {
    return ranks_ == 1 ? input(0, block) : Term{rank_order_node, 0, block};
}

/// `term` with its members, but not its block, translated.
Term Terms::moved(Term term, int by) const {
    if (!node(term).fixed) {
        term.shift = translated(term.shift, by);
    }
    return term;
}

Term Terms::moved_with_block(Term term, int by) const {
    Term renamed = moved(term, by);
    renamed.block = blocks_follow_ ? translated(term.block, by) : term.block;
    return renamed;
}

/// Without regard to the blocks, of which the operands and the result have the same.
Term Terms::combine_trees(Term left, Term right) {
    const int base = node(left).fixed ? right.shift : left.shift;
    const int back = symmetry_.inverse(base, ranks_);
    Key key{moved(left, back), moved(right, back)};
    key.left.block = key.right.block = 0;
    const Node& on_left = node(key.left);
    if (on_left.latest < 0 || on_left.latest_right != key.right) {
        const int made = node_of(key);
        nodes_[static_cast<std::size_t>(key.left.node)].latest = made;
        nodes_[static_cast<std::size_t>(key.left.node)].latest_right = key.right;
    }
    return {node(key.left).latest, base, 0};
}

int Terms::node_of(const Key& key) {
    const auto [found, is_new] = known_.try_emplace(key, static_cast<int>(nodes_.size()));
    const int index = found->second;
    if (is_new) {
        Node made;
        made.left = key.left;
        made.right = key.right;
        made.fixed = node(key.left).fixed && node(key.right).fixed;
        add_order(made);
        for (const Term& side : {key.left, key.right}) {
            if (node(side).repeated >= 0) {
                made.repeated = translated(node(side).repeated, side.shift);
            }
        }
        add_node(made);
        add_leaves(index, key.left);
        add_leaves(index, key.right);
        nodes_.back().complete = !first_absent(index);
    }
    return index;
}

void Terms::add_order(Node& made) const {
    const Node& left = node(made.left);
    const Node& right = node(made.right);
    const int next = translated(left.first, made.left.shift) + left.consecutive;
    const bool continues = left.consecutive > 0 && right.consecutive > 0 &&
                           translated(right.first, made.right.shift) == schedule::wrap(next, ranks_);
    made.first = translated(left.first, made.left.shift);
    made.consecutive = continues ? left.consecutive + right.consecutive : 0;
    made.leaves = left.leaves + right.leaves;
    made.from_the_left = left.from_the_left && made.right.node == leaf_node;
    made.in_tree = left.in_tree && right.in_tree && left.leaves == detail::left_part(made.leaves);
    made.in_one_pass = made.left.node == leaf_node && made.right.node == leaf_node;
}

int Terms::add_node(const Node& node) {
    nodes_.push_back(node);
    leaves_.resize(leaves_.size() + words_, 0);
    return static_cast<int>(nodes_.size()) - 1;
}

void Terms::add_word(int to, std::size_t word, std::uint64_t bits) {
    std::uint64_t& target = leaves_[static_cast<std::size_t>(to) * words_ + word];
    if ((target & bits) != 0) {
        nodes_[static_cast<std::size_t>(to)].repeated =
            static_cast<int>(word) * word_bits + std::countr_zero(target & bits);
    }
    target |= bits;
}

/// Adds the members of `from`, renamed by its shift. Under rotation members 0..p-shift-1 land at shift.., the
/// rest at 0...
void Terms::add_leaves(int to, Term from) {
    if (symmetry_ != schedule::Symmetry::rotation) {
        for (int member = 0; member < ranks_; ++member) {
            if (has_leaf(from.node, member)) {
                const int at = translated(member, from.shift);
                add_word(to, static_cast<std::size_t>(at / word_bits), std::uint64_t{1} << (at % word_bits));
            }
        }
        return;
    }
    const std::uint64_t* source = &leaves_[static_cast<std::size_t>(from.node) * words_];
    const auto add_run = [&](int source_first, int target_first, int length) {
        while (length > 0) {
            const int offset = target_first % word_bits;
            const int count = std::min(length, word_bits - offset);
            add_word(to, static_cast<std::size_t>(target_first / word_bits),
                     bits_at(source, source_first, count) << offset);
            source_first += count;
            target_first += count;
            length -= count;
        }
    };
    add_run(0, from.shift, ranks_ - from.shift);
    add_run(ranks_ - from.shift, 0, from.shift);
}

bool Terms::has_leaf(int node, int member) const {
    const std::size_t word =
        static_cast<std::size_t>(node) * words_ + static_cast<std::size_t>(member / word_bits);
    return (leaves_[word] >> (member % word_bits) & 1U) != 0;
}

std::optional<int> Terms::missing(Term term) const {
    const auto absent = node(term).complete ? std::nullopt : first_absent(term.node);
    return absent ? std::optional(translated(*absent, term.shift)) : std::nullopt;
}

std::optional<int> Terms::first_absent(int node) const {
    const std::uint64_t* leaves = &leaves_[static_cast<std::size_t>(node) * words_];
    for (int first = 0; first < ranks_; first += word_bits) {
        const int count = std::min(word_bits, ranks_ - first);
        const std::uint64_t absent = ~bits_at(leaves, first, count);
        const int member = first + std::countr_zero(absent);
        if (absent != 0 && member < ranks_) {
            return member;
        }
    }
    return std::nullopt;
}

std::optional<int> Terms::repeated(Term term) const {
    const int member = node(term).repeated;
    return member < 0 ? std::nullopt : std::optional(translated(member, term.shift));
}

bool Terms::in_rank_order(Term term, int count) const {
    if (term.node == rank_order_node) {
        return count == ranks_;
    }
    if (symmetry_ != schedule::Symmetry::rotation) {
        return is_walked_in_rank_order(term, count);
    }
    return count <= ranks_ && node(term).consecutive == count &&
           translated(node(term).first, term.shift) == 0;
}

bool Terms::is_walked_in_rank_order(Term term, int count) const {
    std::vector<Term> ahead{term};
    int next = 0;
    while (!ahead.empty()) {
        const Term top = ahead.back();
        ahead.pop_back();
        if (top.node == leaf_node) {
            if (top.shift != next) {
                return false;
            }
            ++next;
            continue;
        }
        if (node(top).is_asked) {
            return false;
        }
        ahead.push_back(moved(node(top).right, top.shift));
        ahead.push_back(moved(node(top).left, top.shift));
    }
    return next == count;
}

bool Terms::from_the_left(Term term) const {
    return node(term).from_the_left;
}

bool Terms::in_tree(Term term) const {
    return node(term).in_tree;
}

bool Terms::in_one_pass(Term term) const {
    return node(term).in_one_pass;
}

std::string Terms::text(Term term) const {
    struct Item {
        Term term;
        const char* literal = nullptr;
    };
    std::string text;
    std::vector<Item> ahead{{term}};
    while (!ahead.empty()) {
        const Item top = ahead.back();
        ahead.pop_back();
        if (top.literal != nullptr) {
            text += top.literal;
        } else if (!top.term.defined()) {
            text += "?";
        } else if (top.term.node == leaf_node) {
            text += 'x';
            text += std::to_string(top.term.shift);
        } else if (node(top.term).is_asked) {
            for (int leaf = 0; leaf < node(top.term).leaves; ++leaf) {
                text += leaf == 0 ? "x" : " + x";
                text += std::to_string(translated(leaf, top.term.shift));
            }
        } else {
            const Term right = moved(node(top.term).right, top.term.shift);
            const bool association = right.node != leaf_node;
            ahead.push_back({{}, association ? ")" : ""});
            ahead.push_back({right});
            ahead.push_back({{}, association ? " + (" : " + "});
            ahead.push_back({moved(node(top.term).left, top.term.shift)});
        }
    }
    return text;
}

} // namespace tutti::verify
