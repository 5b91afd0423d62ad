// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/standard.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::v0_1 {

/// The collectives.
enum class Collective : std::uint8_t {
    barrier,
    broadcast,
    reduce,
    allreduce,
    reduce_scatter,
    allgather,
    gather,
    scatter,
    alltoall,
    scan,
    exscan,
    shift
};

namespace detail {

/// The number that a call takes as an argument.
enum class Number : std::uint8_t { none, root, distance };

/// How much of the whole buffer a member's input or output is: nothing, the member's own block, or all of it.
enum class Part : std::uint8_t { none, block, whole };

/// The parts of the root and of the other members. Without a root, both are equal.
struct Parts {
    Part root = Part::none;
    Part others = Part::none;

    constexpr Part of(bool is_root) const { return is_root ? root : others; }
};

/// The contents of a block of a result.
///
/// - nothing: there are no buffers
/// - of_root: the root's block of the same number
/// - of_owner: the block of the member with the block's number
/// - of_pair: the block for the receiver from the member with the block's number
/// - of_neighbour: the block of the member that is `distance` ranks before
/// - of_all: the blocks of all members, combined in rank order
/// - of_up_to_here, of_before: as of_all, for members 0 .. rank and 0 .. rank - 1
enum class Result : std::uint8_t {
    nothing,
    of_root,
    of_owner,
    of_pair,
    of_neighbour,
    of_all,
    of_up_to_here,
    of_before
};

/// The source of a block of a result: the blocks with number `block` of `count` members from `first` on,
/// combined in rank order. If `count` is 1, the result is a copy.
struct Origin {
    int first;
    int count;
    int block;
};

/// Whether a call may have blocks of unequal lengths: no, in rank order and back to back, or anywhere.
enum class Irregular : std::uint8_t { no, counts, displacements };

/// Whether a call may have one buffer that is both input and output.
enum class OneVector : std::uint8_t { never, by_choice, always };

/// The properties of a collective. This table is their only source.
struct CollectiveTraits {
    Collective collective;
    std::string_view name;
    Number number;
    Parts input;
    Parts output;
    Result result;
    /// Every member's result depends on every member's input, so no member can return before all members have
    /// entered.
    bool needs_all;
    OneVector in_place;
    Irregular irregular;

    constexpr bool takes_number() const { return number != Number::none; }
    constexpr std::string_view number_name() const {
        return number == Number::root ? "root" : number == Number::distance ? "distance" : "";
    }
    constexpr bool is_rooted() const { return number == Number::root; }
    /// The number of an example among `members`: root 0, or a distance at which data moves.
    constexpr int example_number(int members) const {
        return number == Number::distance && members > 1 ? 1 : 0;
    }
    constexpr bool reduces() const { return result >= Result::of_all; }
    /// The result differs between members: it combines the members up to this one, or before it.
    constexpr bool is_prefix() const { return result > Result::of_all; }
    /// A member's input (gathers) or output (scatters) is its own block, if the member has an input or
    /// output.
    constexpr bool gathers() const { return input.others == Part::block; }
    constexpr bool scatters() const { return output.others == Part::block; }
    /// The names of the buffers in the public functions, unless the call is in place.
    constexpr const char* input_name() const {
        return in_place == OneVector::always ? "inout" : gathers() ? "block" : "in";
    }
    constexpr const char* output_name() const {
        return in_place == OneVector::always ? "inout" : scatters() ? "block" : "out";
    }
    /// A result has blocks of other members in the places of the own blocks, so that in place no member can
    /// write its result before others have read.
    constexpr bool permutes() const { return result == Result::of_pair || result == Result::of_neighbour; }
    /// The results of all members are equal.
    constexpr bool is_same_for_all() const {
        return output.others == Part::whole &&
               (result == Result::of_root || result == Result::of_owner || result == Result::of_all);
    }
    /// The results may be one buffer that the members share.
    constexpr bool may_share() const { return is_same_for_all() && in_place == OneVector::by_choice; }
    /// The whole buffer has one block per member.
    constexpr bool is_divided() const { return gathers() || scatters() || result == Result::of_pair; }
    /// The number of equal blocks of the whole buffer.
    constexpr std::size_t blocks(std::size_t members) const { return is_divided() ? members : 1; }

    /// The source of `block` of the result of member `rank`; `number` is the root or the distance, from 0 to
    /// members - 1.
    constexpr Origin origin(int rank, int block, int members, int of_number) const {
        switch (result) {
        case Result::of_root:
            return {of_number, 1, block};
        case Result::of_owner:
            return {block, 1, block};
        case Result::of_pair:
            return {block, 1, rank};
        case Result::of_neighbour:
            return {(rank + members - of_number) % members, 1, block};
        case Result::of_up_to_here:
            return {0, rank + 1, block};
        case Result::of_before:
            return {0, rank, block};
        case Result::of_all:
        case Result::nothing:
            break;
        }
        return {0, members, block};
    }
};

inline constexpr auto collective_table = [] {
    using Row = CollectiveTraits;
    using enum Collective;
    using enum Result;
    using enum OneVector;
    constexpr auto none = Number::none;
    constexpr auto root = Number::root;
    constexpr auto distance = Number::distance;
    constexpr Parts nil{};
    constexpr Parts block{Part::block, Part::block};
    constexpr Parts whole{Part::whole, Part::whole};
    constexpr Parts at_root{Part::whole, Part::none};
    constexpr auto equal = Irregular::no;
    constexpr auto counts = Irregular::counts;
    constexpr auto displaced = Irregular::displacements;
    // clang-format off
    return std::array{
        //                                                                             needs  in
        //  collective, name                  number    input    output   result         all    place      irregular
        Row{barrier, "barrier",               none,     nil,     nil,     nothing,       true,  never,     equal},
        Row{broadcast, "broadcast",           root,     at_root, whole,   of_root,       false, always,    equal},
        Row{reduce, "reduce",                 root,     whole,   at_root, of_all,        false, by_choice, equal},
        Row{allreduce, "allreduce",           none,     whole,   whole,   of_all,        true,  by_choice, equal},
        Row{reduce_scatter, "reduce_scatter", none,     whole,   block,   of_all,        true,  by_choice, counts},
        Row{allgather, "allgather",           none,     block,   whole,   of_owner,      true,  by_choice, displaced},
        Row{gather, "gather",                 root,     block,   at_root, of_owner,      false, by_choice, displaced},
        Row{scatter, "scatter",               root,     at_root, block,   of_root,       false, by_choice, displaced},
        Row{alltoall, "alltoall",             none,     whole,   whole,   of_pair,       true,  by_choice, displaced},
        Row{scan, "scan",                     none,     whole,   whole,   of_up_to_here, false, by_choice, equal},
        Row{exscan, "exscan",                 none,     whole,   whole,   of_before,     false, by_choice, equal},
        Row{shift, "shift",                   distance, whole,   whole,   of_neighbour,  false, by_choice, equal}};
    // clang-format on
}();

inline constexpr std::size_t collective_count = collective_table.size();

constexpr const CollectiveTraits& traits_of(Collective collective) {
    return collective_table[static_cast<std::size_t>(collective)];
}

/// All collectives, in the order of their enumerators.
inline constexpr auto all_collectives = [] {
    std::array<Collective, collective_count> all{};
    for (std::size_t row = 0; row < collective_count; ++row) {
        all[row] = collective_table[row].collective;
    }
    return all;
}();
static_assert(
    [] {
        for (const Collective collective : all_collectives) {
            if (traits_of(collective).collective != collective) {
                return false;
            }
        }
        return true;
    }(),
    "the rows of the table are in the order of the enumerators");

} // namespace detail

/// Short lower-case name, e.g. "reduce_scatter".
constexpr std::string_view to_string(Collective collective) {
    return detail::traits_of(collective).name;
}

} // namespace tutti::v0_1
