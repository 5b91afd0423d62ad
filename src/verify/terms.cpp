#include "verify/terms.hpp"

#include "schedule/blocks.hpp"

#include <algorithm>
#include <bit>

namespace tutti::verify {

using schedule::wrap;

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

Terms::Terms(int ranks)
    : ranks_(ranks), words_(static_cast<std::size_t>((ranks + word_bits - 1) / word_bits)) {
    add_node({});
    leaves_[0] = 1;
    Node all;
    all.fixed = true;
    const int added = add_node(all);
    for (int member = 0; member < ranks; ++member) {
        leaves_[static_cast<std::size_t>(added) * words_ + static_cast<std::size_t>(member / word_bits)] |=
            std::uint64_t{1} << (member % word_bits);
    }
}

Term Terms::input(int member) const {
    return {leaf_node, wrap(member, ranks_)};
}

Term Terms::rank_order() const {
    return ranks_ == 1 ? input(0) : Term{rank_order_node, 0};
}

Term Terms::shifted(Term term, int by) const {
    if (!term.defined() || node(term).fixed) {
        return term;
    }
    return {term.node, wrap(term.shift + by, ranks_)};
}

Term Terms::combine(Term left, Term right) {
    if (!left.defined() || !right.defined()) {
        return {};
    }
    const int base = node(left).fixed ? right.shift : left.shift;
    const Key key{shifted(left, -base), shifted(right, -base)};
    const auto [found, is_new] = known_.try_emplace(key, static_cast<int>(nodes_.size()));
    const int index = found->second;
    if (is_new) {
        Node made{key.left, key.right, node(left).fixed && node(right).fixed, -1};
        for (const Term& side : {key.left, key.right}) {
            if (node(side).repeated >= 0) {
                made.repeated = wrap(node(side).repeated + side.shift, ranks_);
            }
        }
        add_node(made);
        add_leaves(index, key.left);
        add_leaves(index, key.right);
    }
    return {index, base};
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

/// Adds the members of `from`, renamed by its shift: members 0..p-shift-1 land at shift.., the rest at 0...
void Terms::add_leaves(int to, Term from) {
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

std::optional<int> Terms::missing(Term term) const {
    const std::uint64_t* leaves = &leaves_[static_cast<std::size_t>(term.node) * words_];
    for (int first = 0; first < ranks_; first += word_bits) {
        const int count = std::min(word_bits, ranks_ - first);
        const std::uint64_t absent = ~bits_at(leaves, first, count);
        const int member = first + std::countr_zero(absent);
        if (absent != 0 && member < ranks_) {
            return wrap(member + term.shift, ranks_);
        }
    }
    return std::nullopt;
}

std::optional<int> Terms::repeated(Term term) const {
    const int member = node(term).repeated;
    return member < 0 ? std::nullopt : std::optional(wrap(member + term.shift, ranks_));
}

bool Terms::in_rank_order(Term term) const {
    if (term.node == rank_order_node) {
        return true;
    }
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
        if (top.node == rank_order_node) {
            return false;
        }
        ahead.push_back(shifted(node(top).right, top.shift));
        ahead.push_back(shifted(node(top).left, top.shift));
    }
    return next == ranks_;
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
        } else if (top.term.node == rank_order_node) {
            for (int member = 0; member < ranks_; ++member) {
                text += member == 0 ? "x" : " + x";
                text += std::to_string(member);
            }
        } else {
            const Term right = shifted(node(top.term).right, top.term.shift);
            const bool brackets = right.node != leaf_node;
            ahead.push_back({{}, brackets ? ")" : ""});
            ahead.push_back({right});
            ahead.push_back({{}, brackets ? " + (" : " + "});
            ahead.push_back({shifted(node(top.term).left, top.term.shift)});
        }
    }
    return text;
}

} // namespace tutti::verify
