#pragma once

#include "schedule/schedule.hpp"

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::plan {

/// The kind of a step: step_traits has a row for each.
enum class Code : std::uint8_t {
    enter,
    open,
    open_every,
    await,
    await_every,
    publish,
    carry,
    receive,
    copy,
    copy_to_every,
    copy_received,
    reduce,
    reduce_received,
    reduce_every,
    reduce_every_to_every,
    reduce_every_received,
    reduce_first,
    reduce_first_received,
    reduce_listed,
    reduce_listed_to_listed,
    reduce_listed_received,
    scan_every,
    exscan_every,
    match,
    match_every,
    exchange,
};

/// The content that a step publishes in the slot of its point.
enum class Publishes : std::uint8_t { nothing, signal, addresses, message };

/// The members whose points a step awaits: its peer, every other member, the first members, or the members
/// whose operands the plan lists.
enum class Awaits : std::uint8_t { nobody, peer, every, first, listed };

/// The content that a step takes from the slots of the members that it awaits.
enum class Takes : std::uint8_t { nothing, addresses, counts, message };

/// The vectors that a step reads. "message" is the one that the step or the one before it has taken. The last
/// four combine the left vectors of several members; of members other than its own the step reads the
/// messages instead if it takes these.
enum class Reads : std::uint8_t {
    nothing,
    left,
    message,
    left_and_right,
    left_and_message,
    every,
    every_but_last,
    first,
    listed
};

/// The vectors to which a step stores.
enum class Stores : std::uint8_t { nothing, target, every, every_but_first, listed, message };

/// All that distinguishes a kind of step from the others.
struct StepTraits {
    Code code = Code::enter;
    /// The step's action in one word, for readers.
    std::string_view word;
    Publishes publishes = Publishes::nothing;
    Awaits awaits = Awaits::nobody;
    Takes takes = Takes::nothing;
    Reads reads = Reads::nothing;
    Stores stores = Stores::nothing;

    constexpr bool moves() const { return reads != Reads::nothing || stores != Stores::nothing; }
    /// Whether it awaits points before it takes the addresses of a member's vectors.
    constexpr bool opens() const { return takes == Takes::addresses || takes == Takes::counts; }
    /// Whether it combines a number of operands that the step has, and no single peer.
    constexpr bool has_operands() const { return reads == Reads::first || reads == Reads::listed; }
    /// Whether it reads vectors or messages of several members, or stores to vectors of several.
    constexpr bool names_several() const {
        return reads >= Reads::every || stores == Stores::every || stores == Stores::every_but_first;
    }
    constexpr bool has_point() const {
        return publishes != Publishes::nothing || (awaits != Awaits::nobody && !opens());
    }
};

/// The order is that of the codes.
// clang-format off
inline constexpr auto step_traits = std::to_array<StepTraits>({
    {Code::enter,                   "enter",   Publishes::addresses, Awaits::nobody, Takes::nothing,   Reads::nothing,          Stores::nothing},
    {Code::open,                    "open",    Publishes::nothing,   Awaits::peer,   Takes::addresses, Reads::nothing,          Stores::nothing},
    {Code::open_every,              "open",    Publishes::nothing,   Awaits::every,  Takes::addresses, Reads::nothing,          Stores::nothing},
    {Code::await,                   "await",   Publishes::nothing,   Awaits::peer,   Takes::nothing,   Reads::nothing,          Stores::nothing},
    {Code::await_every,             "await",   Publishes::nothing,   Awaits::every,  Takes::nothing,   Reads::nothing,          Stores::nothing},
    {Code::publish,                 "publish", Publishes::signal,    Awaits::nobody, Takes::nothing,   Reads::nothing,          Stores::nothing},
    {Code::carry,                   "send",    Publishes::message,   Awaits::nobody, Takes::nothing,   Reads::left,             Stores::message},
    {Code::receive,                 "receive", Publishes::nothing,   Awaits::peer,   Takes::message,   Reads::nothing,          Stores::nothing},
    // target = left, or the message
    {Code::copy,                    "copy",    Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::left,             Stores::target},
    {Code::copy_to_every,           "copy",    Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::left,             Stores::every},
    {Code::copy_received,           "copy",    Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::message,          Stores::target},
    // target = left op right, or left op the message
    {Code::reduce,                  "combine", Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::left_and_right,   Stores::target},
    {Code::reduce_received,         "combine", Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::left_and_message, Stores::target},
    // target = left of member 0 op left of member 1 op ...
    {Code::reduce_every,            "combine", Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::every,            Stores::target},
    {Code::reduce_every_to_every,   "combine", Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::every,            Stores::every},
    {Code::reduce_every_received,   "combine", Publishes::nothing,   Awaits::first,  Takes::message,   Reads::first,            Stores::target},
    // target = left of member 0 op ... op left of member operands() - 1
    {Code::reduce_first,            "combine", Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::first,            Stores::target},
    {Code::reduce_first_received,   "combine", Publishes::nothing,   Awaits::first,  Takes::message,   Reads::first,            Stores::target},
    // target = the operands that the plan lists for the step, associated as a tree
    {Code::reduce_listed,           "combine", Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::listed,           Stores::target},
    {Code::reduce_listed_to_listed, "combine", Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::listed,           Stores::listed},
    {Code::reduce_listed_received,  "combine", Publishes::nothing,   Awaits::listed, Takes::message,   Reads::listed,           Stores::target},
    // target of member j = left of member 0 op ... op left of member j, or of member j - 1
    {Code::scan_every,              "scan",    Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::every,            Stores::every},
    {Code::exscan_every,            "scan",    Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::every_but_last,   Stores::every_but_first},
    // Opens, and compares how much the other member sends with how much is expected.
    {Code::match,                   "match",   Publishes::nothing,   Awaits::peer,   Takes::counts,    Reads::nothing,          Stores::nothing},
    {Code::match_every,             "match",   Publishes::nothing,   Awaits::every,  Takes::counts,    Reads::nothing,          Stores::nothing},
    // A copy, from where its sender has the block to where its receiver expects it.
    {Code::exchange,                "copy",    Publishes::nothing,   Awaits::nobody, Takes::nothing,   Reads::left,             Stores::target},
});
// clang-format on

constexpr const StepTraits& traits_of(Code code) {
    return step_traits[static_cast<std::size_t>(code)];
}

static_assert(
    [] {
        for (std::size_t index = 0; index < step_traits.size(); ++index) {
            if (step_traits[index].code != static_cast<Code>(index)) {
                return false;
            }
        }
        return step_traits.back().code == Code::exchange;
    }(),
    "a row for each code, in their order");

/// A vector as a step names it: whose, which, and whether its blocks lie one vector length further on
/// (scratch vectors are as short as their blocks allow, and their blocks may wrap around).
class Vector {
public:
    constexpr Vector() = default;
    constexpr Vector(schedule::Space space, bool remote, bool lapped)
        : bits_(static_cast<std::uint8_t>(static_cast<unsigned>(space) | (remote ? 8U : 0U) |
                                          (lapped ? 16U : 0U))) {}

    constexpr std::size_t space() const { return bits_ & 7U; }
    constexpr bool is(schedule::Space space) const {
        return this->space() == static_cast<std::size_t>(space);
    }
    constexpr bool remote() const { return (bits_ & 8U) != 0; }
    constexpr bool lapped() const { return (bits_ & 16U) != 0; }

private:
    std::uint8_t bits_ = 0;
};

/// One of the operands that a step combines in one pass: the step's blocks of a vector of a member, or the
/// bytes that it carries. Or one of the places to which it stores.
struct Operand {
    std::uint16_t peer = 0;
    Vector vector;
    std::uint8_t slot = 0;
    /// Whether the message is the whole vector (else it is exactly the step's blocks).
    std::uint8_t whole = 0;
    /// Always 0, so that equal operands have equal bytes.
    std::uint8_t unused = 0;

    /// The point at which the member carries it, if the step takes messages.
    constexpr std::uint16_t point() const { return point_or_number_; }
    constexpr void set_point(int point) { point_or_number_ = static_cast<std::uint16_t>(point); }
    /// The index of the member's addresses, if the step takes no messages: as Step::number().
    constexpr std::uint16_t number() const { return point_or_number_; }
    constexpr void set_number(int number) { point_or_number_ = static_cast<std::uint16_t>(number); }

private:
    std::uint16_t point_or_number_ = 0;
};

/// One step of a plan. Blocks are `count` from `first` on, and never wrap around.
///
/// Which of the accessors a step has depends on its code. Set the code first.
struct Step {
    Code code = Code::enter;
    Vector to;
    Vector left;
    Vector right;
    std::uint16_t first = 0;
    std::uint16_t count = 0;
    std::uint8_t slot = 0;
    /// For messages: whether one is the whole vector (else it is exactly these blocks).
    std::uint8_t whole = 0;

    constexpr const StepTraits& traits() const { return traits_of(code); }

    /// The rank of the other member that the step names, or of its own if it names none.
    constexpr std::uint16_t peer() const {
        assert(!traits().has_operands());
        return peer_or_operands_;
    }
    /// Sets the number as well, if there is one.
    constexpr void set_peer(int rank) {
        assert(!traits().has_operands());
        peer_or_operands_ = static_cast<std::uint16_t>(rank);
        if (!traits().has_point()) {
            set_number(rank);
        }
    }
    /// How many members' vectors or messages the step combines, its own among them.
    constexpr std::uint16_t operands() const {
        assert(traits().has_operands());
        return peer_or_operands_;
    }
    constexpr void set_operands(std::size_t number) {
        assert(traits().has_operands());
        peer_or_operands_ = static_cast<std::uint16_t>(number);
    }

    /// The first block of `left`; of `right` and of messages as well.
    constexpr std::uint16_t from() const {
        assert(traits().reads != Reads::listed);
        return from_or_list_;
    }
    constexpr void set_from(int block) {
        assert(traits().reads != Reads::listed);
        from_or_list_ = static_cast<std::uint16_t>(block);
    }
    /// The index in the plan's operands of the step's first operand.
    constexpr std::uint16_t list() const {
        assert(traits().reads == Reads::listed);
        return from_or_list_;
    }
    constexpr void set_list(std::size_t begin) {
        assert(traits().reads == Reads::listed);
        from_or_list_ = static_cast<std::uint16_t>(begin);
    }

    /// The point that the step publishes or awaits: it opens at point 0.
    constexpr std::uint16_t point() const {
        assert(traits().has_point());
        return point_number_or_targets_;
    }
    constexpr void set_point(int point) {
        assert(traits().has_point());
        point_number_or_targets_ = static_cast<std::uint16_t>(point);
    }
    /// The index of the peer's addresses: its rank, unless the peers that a plan opens are numbered.
    constexpr std::uint16_t number() const {
        assert(!traits().has_operands() && !traits().has_point());
        return point_number_or_targets_;
    }
    constexpr void set_number(int number) {
        assert(!traits().has_operands() && !traits().has_point());
        point_number_or_targets_ = static_cast<std::uint16_t>(number);
    }
    /// How many places the plan lists after the operands: the step stores to them besides its own.
    constexpr std::uint16_t targets() const {
        return traits().stores == Stores::listed ? point_number_or_targets_ : std::uint16_t{0};
    }
    constexpr void set_targets(std::size_t number) {
        assert(traits().stores == Stores::listed);
        point_number_or_targets_ = static_cast<std::uint16_t>(number);
    }

private:
    std::uint16_t peer_or_operands_ = 0;
    std::uint16_t from_or_list_ = 0;
    std::uint16_t point_number_or_targets_ = 0;
};

static_assert(sizeof(Step) == 16, "four steps to a cache line");

} // namespace tutti::plan
