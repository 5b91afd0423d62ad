#pragma once

#include "graph/level_tree.hpp"
#include "schedule/schedule.hpp"
#include "schedule/synchronise.hpp"

#include <tutti/detail/association.hpp>
#include <tutti/detail/export.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tutti::algorithm {

/// The order and the association in which an algorithm combines operands, and so its requirement on the
/// operator.
///
/// - none: nothing is combined
/// - any: members combine in different orders; the operator must give the same bits in any order (integers;
///   min and max; not floating-point sums)
/// - same: in some order, the same one for every member; the operator must be commutative
/// - rank: in rank order, with the same association for every element and member (what Rabenseifner & Träff
///   2004 call canonical); any associative operator. Among a power of two of members it is the next one
/// - canonical: in rank order, associated as the tree of tutti/detail/association.hpp: the same bits from
///   every algorithm that does so
/// - serial: in rank order, associated from the left, as a loop over the ranks does it: the same of these
/// - asked: one of these two, as the call requires; each result is made by one combination of all its
///   operands
enum class Order : std::uint8_t { none, any, same, rank, canonical, serial, asked };

std::string_view to_string(Order order);

/// The requirement of an order on the operator: "commutative, exact", "commutative", "associative" or "none".
std::string_view needs(Order order);

/// Whether operands are combined in the order of the ranks, if at all.
bool keeps_rank_order(Order order);

/// The numbers of ranks that an algorithm is for.
enum class Ranks : std::uint8_t { any, powers_of_two };

/// Communication rounds, and the blocks (of the schedule's own block size) that a member receives and
/// combines: those of the member with the most.
struct CostTerms {
    long rounds = 0;
    long blocks = 0;
    long reductions = 0;

    friend bool operator==(const CostTerms&, const CostTerms&) = default;
};

/// Which of the closed forms are upper bounds: none; the reductions; blocks and reductions; these and the
/// rounds.
enum class Bound : std::uint8_t { exact, reductions, volume, all };

/// Which parts of each other's vectors members reach.
///
/// - peers: they read from members that are named, and store to their own: messages could carry that
/// - everybody: they combine the operands of all, or store to others: this needs memory that all share
enum class Reach : std::uint8_t { peers, everybody };

/// The protocols by which members may exchange data; see schedule::Protocol.
struct Protocols {
    /// Small messages may travel inside the mailbox (Protocol::eager).
    bool eager = false;
    /// Messages may be pulled from and stored to the members' vectors (Protocol::zero_copy).
    bool pulled = false;
    /// The same when input and output are the same memory (Protocol::in_place): nobody overwrites in a round
    /// what others read in it. If this is false, an input is copied first.
    bool in_place = false;
    /// Every receiver copies each of its blocks from the input of its sender, so that only these two need to
    /// know how long it is and where it lies (plan::for_irregular_exchange).
    bool one_hop = false;
    /// Results are only ever stored, to all members at once, so that they may be one vector which all share.
    bool shared = false;
};

/// One row of the registry: an algorithm for one collective and everything known about it. `root` below is
/// the root of a rooted collective, the distance of a shift, and else of no meaning.
struct Algorithm {
    std::string_view name;
    Collective collective;
    Order order = Order::none;
    Ranks ranks = Ranks::any;
    Protocols protocols;
    schedule::Schedule (*make)(int ranks, int root);
    /// Closed forms, as the source proves them.
    CostTerms (*cost)(int ranks, int root);
    Bound bound = Bound::exact;
    /// Scratch of the member with the most, in blocks: at most this.
    long (*scratch)(int ranks, int root) = [](int /*ranks*/, int /*root*/) { return 0L; };
    std::string_view source;
    Reach reach = Reach::peers;
    /// No member reads another's input: its owner stores it.
    bool leaves_unread = false;
    /// For a schedule that depends on a tree of ranks: makes it for any tree. The fields above hold for all
    /// trees except cost and scratch, which are, like the result of `make`, those of one group of all.
    schedule::Schedule (*make_on)(const graph::LevelTree& tree, int root) = nullptr;
};

/// The row's schedule for a group whose members make up this tree, if that matters to it.
schedule::Schedule make(const Algorithm& algorithm, const graph::LevelTree& tree, int root);

/// Whether the row's schedules have no more than one round, whatever the tree.
bool has_one_round(const Algorithm& algorithm, int ranks);

/// Whether the row's schedules can be executed by this protocol.
bool takes(const Algorithm& algorithm, schedule::Protocol protocol);

/// Whether the row supports so many ranks.
TUTTI_COMPONENT_API bool takes(const Algorithm& algorithm, int ranks);

/// Whether the row, which supports so many ranks, combines operands in rank order, if at all, and associates
/// them in this way when required.
bool has_brackets(const Algorithm& algorithm, detail::Association association, int ranks);

/// Whether the row, which supports so many ranks, makes each result by one combination of inputs and never
/// combines a partial result, if it combines at all.
bool combines_in_one_pass(const Algorithm& algorithm, int ranks);

/// Whether it also makes results of one operand so, instead of copying them, as long as no messages travel
/// inside the mailbox.
bool combines_single_operands(const Algorithm& algorithm);

/// Whether the row's schedule depends on a root or a distance.
bool has_root(const Algorithm& algorithm);

/// More rows than there ever are.
inline constexpr std::size_t most_rows = 1024;

/// All rows, in the order in which they are listed to users.
TUTTI_COMPONENT_API std::span<const Algorithm> registry();

/// The row called `name` for a collective, or nothing.
TUTTI_COMPONENT_API const Algorithm* find(Collective collective, std::string_view name);

/// Which row of the registry that is.
TUTTI_COMPONENT_API std::size_t index_of(const Algorithm& row);

/// The names of those rows of a collective that the function accepts, separated by ", ".
std::string names(Collective collective, const std::function<bool(const Algorithm&)>& is_listed);

} // namespace tutti::algorithm
