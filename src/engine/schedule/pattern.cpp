#include "schedule/pattern.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace tutti::schedule {

Symmetry Symmetry::torus(std::span<const int> dimensions) {
    Symmetry symmetry(0);
    for (const int members : dimensions) {
        if (members <= 1) {
            continue;
        }
        if (symmetry.count_ == most_dimensions) {
            throw std::invalid_argument("torus: more than 16 dimensions");
        }
        symmetry.dimensions_[symmetry.count_++] = static_cast<std::uint16_t>(members);
    }
    return symmetry.count_ <= 1 ? rotation : symmetry;
}

int Symmetry::translated_on_torus(int rank, int by) const {
    int result = 0;
    int stride = 1;
    for (std::size_t i = count_; i-- > 0;) {
        const int members = dimensions_[i];
        const int sum = rank % members + by % members;
        result += (sum < members ? sum : sum - members) * stride;
        stride *= members;
        rank /= members;
        by /= members;
    }
    return result;
}

int Symmetry::inverse_on_torus(int by) const {
    int result = 0;
    int stride = 1;
    for (std::size_t i = count_; i-- > 0;) {
        const int members = dimensions_[i];
        result += (members - by % members) % members * stride;
        stride *= members;
        by /= members;
    }
    return result;
}

int Symmetry::unit_on_torus(int first, int count) const {
    int unit = 1;
    for (std::size_t i = count_; i-- > 0;) {
        const int next = unit * dimensions_[i];
        if (first % next != 0 || count % next != 0) {
            break;
        }
        unit = next;
    }
    return unit;
}

bool Symmetry::keeps_on_torus(int first, int count) const {
    int below_slowest = 1;
    for (std::size_t i = 1; i < count_; ++i) {
        below_slowest *= dimensions_[i];
    }
    const int unit = this->unit(first, count);
    return count == unit || unit >= below_slowest;
}

std::vector<int> Symmetry::generators() const {
    std::vector<int> steps;
    int stride = 1;
    for (std::size_t i = count_; i-- > 0;) {
        steps.push_back(stride);
        stride *= dimensions_[i];
    }
    return steps;
}

namespace {

using Lists = std::vector<std::vector<Transfer>>;

/// Same edges, reversed, with the last round first.
Pattern reversed(const Pattern& pattern, bool combines) {
    const bool symmetric = pattern.symmetry().translates();
    Lists lists(pattern.received().size());
    const TransfersByRound rounds(pattern.received(), pattern.rounds());
    for (int round = pattern.rounds() - 1; round >= 0; --round) {
        for (const auto& [stored, transfer] : rounds.in(round)) {
            const int receiver = static_cast<int>(stored);
            Transfer back{pattern.rounds() - 1 - round, receiver, transfer.blocks, Action::copy};
            int owner = transfer.from;
            if (combines) {
                const bool from_lower = !symmetric && receiver < transfer.from;
                back.action = from_lower ? Action::combine_before : Action::combine;
            }
            if (symmetric) {
                // Rename so that the new receiver, transfer.from, is member 0.
                const Translation rename{pattern.symmetry(), pattern.ranks(), pattern.blocks(),
                                         pattern.symmetry().inverse(transfer.from, pattern.ranks())};
                back.from = rename.member(receiver);
                back.blocks = rename.range(transfer.blocks);
                owner = 0;
            }
            lists[static_cast<std::size_t>(owner)].push_back(back);
        }
    }
    return {pattern.ranks(), pattern.blocks(), pattern.rounds(), pattern.symmetry(), std::move(lists)};
}

/// Splits the part of `range` for which `needed` holds into maximal cyclic ranges: `parts`.
void find_needed(Blocks range, const std::vector<char>& needed, std::vector<Blocks>& parts) {
    parts.clear();
    bool follows = false;
    for_each_block(range, static_cast<int>(needed.size()), [&](int block) {
        const bool is_needed = needed[static_cast<std::size_t>(block)] != 0;
        if (is_needed && follows) {
            ++parts.back().count;
        } else if (is_needed) {
            parts.push_back({block, 1});
        }
        follows = is_needed;
    });
}

void mark(std::vector<char>& needed, Blocks range, char value) {
    const int blocks = static_cast<int>(needed.size());
    for_each_part(range, blocks, 0, blocks,
                  [&](int from, int to) { std::fill(needed.begin() + from, needed.begin() + to, value); });
}

void require_copies(const char* what, const Pattern& pattern) {
    for (const auto& list : pattern.received()) {
        if (std::ranges::any_of(list, [](const Transfer& t) { return t.action != Action::copy; })) {
            throw std::invalid_argument(std::string(what) + ": the pattern combines");
        }
    }
}

void require_root(const char* what, const Pattern& pattern, int root) {
    if (root < 0 || root >= pattern.ranks()) {
        throw std::invalid_argument(std::string(what) + ": root is " + std::to_string(root) +
                                    ", must be in 0.." + std::to_string(pattern.ranks() - 1));
    }
}

void check_list(const Pattern& pattern, const std::vector<Transfer>& list) {
    const auto fail = [](const std::string& what) { throw std::invalid_argument("pattern: " + what); };
    int round = 0;
    for (const Transfer& transfer : list) {
        if (transfer.round < round || transfer.round >= pattern.rounds()) {
            fail("round " + std::to_string(transfer.round) + " is out of order or out of range");
        }
        round = transfer.round;
        if (transfer.from < 0 || transfer.from >= pattern.ranks()) {
            fail("member " + std::to_string(transfer.from) + " is not one of " +
                 std::to_string(pattern.ranks()) + " ranks");
        }
        const Blocks range = transfer.blocks;
        if (range.first < 0 || range.first >= pattern.blocks() || range.count < 0 ||
            range.count > pattern.blocks()) {
            fail("blocks " + std::to_string(range.first) + "+" + std::to_string(range.count) +
                 " are not among " + std::to_string(pattern.blocks()));
        }
        if (pattern.blocks() == pattern.ranks() && !pattern.symmetry().keeps(range.first, range.count)) {
            fail("blocks " + std::to_string(range.first) + "+" + std::to_string(range.count) +
                 " do not stay together under the symmetry");
        }
    }
}

} // namespace

Pattern::Pattern(int ranks, int blocks, int rounds, Symmetry symmetry, Lists received)
    : ranks_(ranks), blocks_(blocks), rounds_(rounds), symmetry_(symmetry), received_(std::move(received)) {
    const int lists = symmetry.translates() ? 1 : ranks;
    if (ranks < 1 || blocks < 1 || rounds < 0 || received_.size() != static_cast<std::size_t>(lists)) {
        throw std::invalid_argument("pattern: needs ranks and blocks of at least 1 and one list of transfers "
                                    "for each stored member");
    }
    for (const auto& list : received_) {
        check_list(*this, list);
    }
}

Transfer Pattern::renamed(Transfer transfer, int rank) const {
    const Translation rename{symmetry_, ranks_, blocks_, rank};
    transfer.from = rename.member(transfer.from);
    transfer.blocks = rename.range(transfer.blocks);
    return transfer;
}

std::vector<Transfer> Pattern::received_by(int rank) const {
    if (!symmetry_.translates()) {
        return received_.at(static_cast<std::size_t>(rank));
    }
    std::vector<Transfer> list = received_.front();
    for (Transfer& transfer : list) {
        transfer = renamed(transfer, rank);
    }
    return list;
}

Pattern dual(const Pattern& pattern) {
    return reversed(pattern, true);
}

Pattern reverse(const Pattern& pattern) {
    require_copies("reverse", pattern);
    return reversed(pattern, false);
}

TransfersByRound::TransfersByRound(const Lists& lists, int rounds)
    : entries_(static_cast<std::size_t>(rounds), [&](auto visit) {
          for (std::size_t list = 0; list < lists.size(); ++list) {
              for (const Transfer& transfer : lists[list]) {
                  visit(static_cast<std::size_t>(transfer.round), Entry{list, transfer});
              }
          }
      }) {}

Pattern restrict_to_root(const Pattern& pattern, int root) {
    require_root("restrict_to_root", pattern, root);
    const auto ranks = static_cast<std::size_t>(pattern.ranks());
    const auto blocks = static_cast<std::size_t>(pattern.blocks());
    std::vector<std::vector<char>> needed(ranks, std::vector<char>(blocks, 0));
    needed[static_cast<std::size_t>(root)].assign(blocks, 1);
    Lists kept(ranks);
    std::vector<Blocks> parts;
    std::vector<std::pair<int, Blocks>> overwritten;
    std::vector<std::pair<int, Blocks>> reads;
    const auto keep_needed = [&](int rank, const Transfer& transfer) {
        find_needed(transfer.blocks, needed[static_cast<std::size_t>(rank)], parts);
        // The lists are turned round in the end.
        std::ranges::reverse(parts);
        for (const Blocks part : parts) {
            kept[static_cast<std::size_t>(rank)].push_back(
                {transfer.round, transfer.from, part, transfer.action});
            reads.emplace_back(transfer.from, part);
            if (transfer.action == Action::copy) {
                overwritten.emplace_back(rank, part);
            }
        }
    };
    // Backwards: a transfer is kept for the blocks whose value after its round is still needed. All transfers
    // of a round read what was there before it, so needs are updated only when the whole round has been
    // looked at.
    const bool symmetric = pattern.symmetry().translates();
    const TransfersByRound rounds(pattern.received(), pattern.rounds());
    for (int round = pattern.rounds() - 1; round >= 0; --round) {
        overwritten.clear();
        reads.clear();
        for (const auto& [stored, transfer] : rounds.in(round)) {
            const int first = symmetric ? 0 : static_cast<int>(stored);
            const int last = symmetric ? pattern.ranks() - 1 : first;
            for (int rank = first; rank <= last; ++rank) {
                keep_needed(rank, pattern.renamed(transfer, rank));
            }
        }
        for (const auto& [rank, part] : overwritten) {
            mark(needed[static_cast<std::size_t>(rank)], part, 0);
        }
        for (const auto& [from, part] : reads) {
            mark(needed[static_cast<std::size_t>(from)], part, 1);
        }
    }
    for (auto& list : kept) {
        std::ranges::reverse(list);
    }
    return {pattern.ranks(), pattern.blocks(), pattern.rounds(), Symmetry::none, std::move(kept)};
}

Pattern restrict_to_block(const Pattern& pattern, int block) {
    if (block < 0 || block >= pattern.blocks()) {
        throw std::invalid_argument("restrict_to_block: block is " + std::to_string(block) +
                                    ", must be in 0.." + std::to_string(pattern.blocks() - 1));
    }
    Lists kept(static_cast<std::size_t>(pattern.ranks()));
    for (int rank = 0; rank < pattern.ranks(); ++rank) {
        for (const Transfer& transfer : pattern.received_by(rank)) {
            if (wrap(block - transfer.blocks.first, pattern.blocks()) < transfer.blocks.count) {
                kept[static_cast<std::size_t>(rank)].push_back(
                    {transfer.round, transfer.from, {0, 1}, transfer.action});
            }
        }
    }
    return {pattern.ranks(), 1, pattern.rounds(), Symmetry::none, std::move(kept)};
}

Pattern without_repeats(const Pattern& pattern, int root) {
    require_copies("without_repeats", pattern);
    require_root("without_repeats", pattern, root);
    Lists kept(static_cast<std::size_t>(pattern.ranks()));
    std::vector<Blocks> parts;
    for (int rank = 0; rank < pattern.ranks(); ++rank) {
        std::vector<char> missing(static_cast<std::size_t>(pattern.blocks()), rank == root ? 0 : 1);
        for (const Transfer& transfer : pattern.received_by(rank)) {
            find_needed(transfer.blocks, missing, parts);
            for (const Blocks part : parts) {
                kept[static_cast<std::size_t>(rank)].push_back(
                    {transfer.round, transfer.from, part, Action::copy});
                mark(missing, part, 0);
            }
        }
    }
    return {pattern.ranks(), pattern.blocks(), pattern.rounds(), Symmetry::none, std::move(kept)};
}

Pattern then(const Pattern& first, const Pattern& second) {
    if (first.ranks() != second.ranks() || first.blocks() != second.blocks()) {
        throw std::invalid_argument("then: the two patterns must have the same ranks and blocks");
    }
    const bool symmetric = first.symmetry().translates() && first.symmetry() == second.symmetry();
    Lists lists(symmetric ? 1 : static_cast<std::size_t>(first.ranks()));
    for (std::size_t stored = 0; stored < lists.size(); ++stored) {
        lists[stored] = first.received_by(static_cast<int>(stored));
        for (Transfer transfer : second.received_by(static_cast<int>(stored))) {
            transfer.round += first.rounds();
            lists[stored].push_back(transfer);
        }
    }
    return {first.ranks(), first.blocks(), first.rounds() + second.rounds(),
            symmetric ? first.symmetry() : Symmetry::none, std::move(lists)};
}

} // namespace tutti::schedule
