#pragma once

#include "schedule/blocks.hpp"

#include <tutti/collective.hpp>
#include <tutti/detail/export.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace tutti::schedule {

/// The vectors of a member. Every one is indexed by the blocks of the whole vector, whatever part of it
/// exists: the output of a reduce-scatter at member r is a vector that has block r only. In an all-to-all
/// block b of the input is for member b, and block b of the output is from member b. An operation in place is
/// one whose input and output are the same vector.
enum class Space : std::uint8_t { input, output, scratch0, scratch1, scratch2 };

inline constexpr int space_count = 5;

std::string_view to_string(Space space);

/// Stands for every member at once: a source combines the block of all members in rank order, a destination
/// stores to all members.
inline constexpr int every = -1;

/// Stands for members 0 .. count - 1 at once, count >= 1: a source combines their blocks in rank order.
constexpr int first_members(int count) {
    return every - count;
}

/// Whether `member` stands for several, and for how many.
constexpr bool is_several(int member) {
    return member <= every;
}
constexpr int count_of(int member, int ranks) {
    return member == every ? ranks : every - member;
}

/// Calls visit(member) for a member, or for all that it stands for.
template <class Visit>
void for_each_member(int member, int ranks, Visit visit) {
    const int first = is_several(member) ? 0 : member;
    const int last = is_several(member) ? count_of(member, ranks) - 1 : member;
    for (int each = first; each <= last; ++each) {
        visit(each);
    }
}

/// Blocks of one vector of one member (or of `every` member).
struct Place {
    int member = 0;
    Space space = Space::input;
    Blocks blocks;

    friend bool operator==(const Place&, const Place&) = default;
};

/// The result of a reduction over every member at member r: the whole of it (none), x_0 op ... op x_r
/// (inclusive) or x_0 op ... op x_{r-1} (exclusive, nothing at member 0).
enum class Prefix : std::uint8_t { none, inclusive, exclusive };

/// One data movement: to = left (a copy), to = left op right (a reduction, left operand first), or, if
/// left.member stands for several, to = x_0 op x_1 op ... over their blocks in rank order, associated as the
/// call requires, or the prefixes of that. All places cover equally many blocks.
///
/// A move that joins brings a further operand, `left`, to the reduction of the move before it, which has the
/// same `to`. The operands of these moves, in this order, are combined in one pass, associated as the tree of
/// so many operands is (tutti/detail/association.hpp), and stored once.
struct Move {
    Place to;
    Place left;
    Place right;
    bool reduces = false;
    Prefix prefix = Prefix::none;
    bool joins = false;

    bool has_right() const { return reduces && !joins && !is_several(left.member); }

    friend bool operator==(const Move&, const Move&) = default;
};

/// The moves of one round of a program.
using Round = std::span<const Move>;

/// How many moves of a round there are from this one on that are one pass: it, and those that join it.
inline std::size_t pass_at(Round round, std::size_t first) {
    std::size_t end = first + 1;
    while (end < round.size() && round[end].joins) {
        ++end;
    }
    return end - first;
}

/// Calls visit(moves) for each pass of a round.
template <class Visit>
void for_each_pass(Round round, Visit visit) {
    for (std::size_t first = 0; first < round.size(); first += pass_at(round, first)) {
        visit(round.subspan(first, pass_at(round, first)));
    }
}

/// Calls visit(place) for the operands of moves that are one pass, in their order.
template <class Visit>
void for_each_operand(Round pass, Visit visit) {
    for (const Move& move : pass) {
        visit(move.left);
        if (move.has_right()) {
            visit(move.right);
        }
    }
}

/// One member's program: its moves, round by round. Within a round a member's moves run in order; what it
/// reads from another member is what that member had after all earlier rounds and none of this one.
///
/// The moves of all rounds lie one after the other: of many members, most have a move or none in a round.
class Program {
public:
    Program() = default;
    /// So many rounds without moves.
    explicit Program(std::size_t rounds) { extend_to(rounds); }
    Program(std::initializer_list<std::vector<Move>> rounds);

    /// Appends rounds without moves until there are `rounds`.
    void extend_to(std::size_t rounds) {
        while (first_.size() < rounds) {
            first_.push_back(static_cast<std::uint32_t>(moves_.size()));
        }
    }
    /// Appends a move to the last round.
    void add(const Move& move) { moves_.push_back(move); }
    void reserve(std::size_t rounds, std::size_t moves);

    /// The number of rounds.
    std::size_t size() const { return first_.size(); }
    Round operator[](std::size_t round) const {
        const std::size_t end = round + 1 < first_.size() ? first_[round + 1] : moves_.size();
        return moves().subspan(first_[round], end - first_[round]);
    }
    /// The moves that many programs have for one round are far apart in memory: has the first of them fetched
    /// for a look at it soon.
    void prefetch(std::size_t round) const {
        if (const Round moves = (*this)[round]; !moves.empty()) {
            __builtin_prefetch(&moves.front());
            __builtin_prefetch(&moves.front().prefix);
        }
    }

    /// The moves of all rounds.
    Round moves() const { return moves_; }
    std::span<Move> moves() { return moves_; }

    friend bool operator==(const Program&, const Program&) = default;

private:
    /// The index of the first move of each round.
    std::vector<std::uint32_t> first_;
    std::vector<Move> moves_;
};

/// The origin of a block of a result in a graph: block `block` of the input of `member`, or nobody.
struct Source {
    static constexpr int nobody = -1;
    int member = nobody;
    int block = 0;

    friend bool operator==(const Source&, const Source&) = default;
};

/// A graph of members: for each of them, the sources of the blocks of its output.
using Graph = std::vector<std::vector<Source>>;

/// The moves of every member of a group for one collective: no threads, addresses, element types or byte
/// counts.
class Schedule {
public:
    /// `programs` holds one program for a symmetry that translates (that of member 0), else one for each
    /// rank, all with the same number of rounds. `root` is the root of a rooted collective and the distance
    /// of a shift. Throws std::invalid_argument when a place names a member or block that does not exist,
    /// when the places of a move differ in size, or when a program reads or writes `every` member in a way
    /// a run has no step for.
    Schedule(Collective collective, int ranks, int blocks, Symmetry symmetry, std::vector<Program> programs,
             int root = 0);
    /// An all-to-all among the neighbours in a graph.
    Schedule(Graph graph, int blocks, std::vector<Program> programs);

    Collective collective() const { return collective_; }
    int ranks() const { return ranks_; }
    int blocks() const { return blocks_; }
    int rounds() const { return static_cast<int>(programs_.front().size()); }
    int root() const { return root_; }
    const Symmetry& symmetry() const { return symmetry_; }
    /// The graph of an all-to-all among neighbours; empty for all other collectives.
    const Graph& graph() const { return graph_; }
    /// Whether the member has this block of its input before the call, of its output after the call.
    bool has_input_block(int rank, int block) const;
    bool has_output_block(int rank, int block) const;

    /// The stored programs: one for each representative.
    const std::vector<Program>& programs() const { return programs_; }

    /// The index in programs() of the program that `rank` follows, and the renaming that makes it its own.
    std::size_t representative(int rank) const {
        return symmetry_.translates() ? 0 : static_cast<std::size_t>(rank);
    }
    Translation translation(int rank) const {
        return {symmetry_, ranks_, blocks_, symmetry_.translates() ? rank : 0};
    }
    /// The renaming back: the name of `rank` becomes the representative.
    Translation to_representative(int rank) const {
        return {symmetry_, ranks_, blocks_, symmetry_.inverse(rank, ranks_)};
    }

    /// Whether every move takes blocks to places of the same number. Then what happens to some blocks can be
    /// followed without looking at the others.
    bool keeps_blocks_apart() const { return keeps_blocks_apart_; }

    /// How many scratch vectors there are: those up to the last one that anybody touches.
    int scratch_vectors() const { return scratch_vectors_; }
    /// The vectors of a member: input, output and these.
    std::size_t vectors() const {
        return static_cast<std::size_t>(static_cast<int>(Space::scratch0) + scratch_vectors_);
    }

    /// Whether anybody except the representative itself reads or writes this vector of it.
    bool is_shared(std::size_t stored, Space space) const {
        return shared_[stored * space_count + static_cast<std::size_t>(space)] != 0;
    }

    /// The moves of the stored programs, how many blocks they name, and how many they write. A move to or
    /// from `every` member counts for each.
    std::size_t moves() const { return moves_; }
    std::size_t blocks_named() const { return blocks_named_; }
    std::size_t blocks_moved() const { return blocks_moved_; }

    TUTTI_COMPONENT_API Program program(int rank) const;

private:
    void add(const Move& move, int actor);
    void touch(const Place& place, int actor);

    Collective collective_;
    int ranks_;
    int blocks_;
    int root_;
    Symmetry symmetry_;
    Graph graph_;
    std::vector<Program> programs_;
    bool keeps_blocks_apart_ = true;
    int scratch_vectors_ = 0;
    /// For each representative and space whether others touch it.
    std::vector<char> shared_;
    std::size_t moves_ = 0;
    std::size_t blocks_named_ = 0;
    std::size_t blocks_moved_ = 0;
};

/// `place` with its member and blocks renamed.
inline Place renamed(const Place& place, const Translation& translation) {
    const int member = is_several(place.member) ? place.member : translation.member(place.member);
    return {member, place.space, translation.range(place.blocks)};
}

/// `move` with all its places renamed.
Move renamed(Move move, const Translation& translation);

/// Whether `image` is `schedule` except for the names of the members (and of the blocks, if there are as
/// many): the member that `rename` makes of another does what that one does. Then what is proved of the one
/// schedule holds for the other, except that operands are combined in the order of the ranks. O(moves).
bool is_renamed(const Schedule& schedule, const Schedule& image, const Translation& rename);

/// The same schedule with every member's program written out.
Schedule expanded(const Schedule& schedule);

/// The schedule with one program for all, if the programs are written out but are rotations of member 0's.
/// Then one member's accesses stand for those of all; the collective's guarantees may still differ from
/// member to member, as in a scan. O(moves).
std::optional<Schedule> folded(const Schedule& schedule);

/// Whether a vector of which a member has `part` has this block at this member.
constexpr bool has_block(detail::Part part, int rank, int block, bool blocks_are_ranks) {
    return part == detail::Part::whole ||
           (part == detail::Part::block && (!blocks_are_ranks || block == rank));
}

/// Whether the collective's input, output has this block at this member (before, after the call). Members of
/// a barrier have tokens, as if it were an allreduce.
constexpr bool has_input(Collective collective, int root, int rank, int block, bool blocks_are_ranks) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    return traits.result == detail::Result::nothing ||
           has_block(traits.input.of(rank == root), rank, block, blocks_are_ranks);
}

constexpr bool has_output(Collective collective, int root, int rank, int block, bool blocks_are_ranks) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    return traits.result == detail::Result::nothing ||
           (has_block(traits.output.of(rank == root), rank, block, blocks_are_ranks) &&
            !(traits.result == detail::Result::of_before && rank == 0));
}

/// The blocks of a scratch vector that a representative's program writes.
class WrittenScratch {
public:
    /// The schedule must outlive it.
    WrittenScratch(const Schedule& schedule, std::size_t representative, Space space);

    /// The shortest cyclic range that covers them at `rank`, which follows that program. Empty (count 0) when
    /// there are none.
    Blocks range(int rank) const;

private:
    const Schedule& schedule_;
    std::vector<int> blocks_;
};

/// The shortest cyclic range that covers the blocks of `space` that are written at `rank`: what it has to
/// have of that scratch vector. Empty (count 0) when it is not used.
Blocks scratch_range(const Schedule& schedule, int rank, Space space);

} // namespace tutti::schedule
