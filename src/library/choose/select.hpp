#pragma once

#include "choose/table.hpp"
#include "machine/machine.hpp"
#include "machine/thresholds.hpp"
#include "schedule/synchronise.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>

#include <optional>
#include <span>

namespace tutti::library {

using tuning::Reason;
using tuning::Stores;

/// An algorithm, as its row in the registry, the protocol by which it is executed, and how it stores.
struct Selection {
    /// The inputs of the selection besides the call itself.
    struct Input {
        /// Bytes that a member sends to a member that wants all it has.
        std::size_t message_bytes = 0;
        /// The bytes of the whole vector of one member.
        std::size_t total_bytes = 0;
        /// The bytes of the vectors of all members.
        std::size_t touched_bytes = 0;
        /// Input and output are the same memory.
        bool in_place = false;
        int members = 1;
        /// How many of the members can run at the same time, and the L3 caches of the CPUs on which they do.
        int cpus = 1;
        int l3_groups = 1;
    };

    std::size_t row = 0;
    schedule::Protocol protocol = schedule::Protocol::zero_copy;
    Reason reason = Reason::named;
    Stores stores = Stores::by_policy;
    /// The time that a program's next stores to its inputs take because others have read these.
    double rewrite_ns = 0;
};

/// Whether any order of operands gives the same bits: integers, which wrap, under the library's own
/// operators.
TUTTI_COMPONENT_API bool is_exact(const detail::Call& call);

/// How operands are associated if an algorithm leaves that to the call.
inline detail::Association association_of(const detail::Call& call) {
    return call.order == Order::canonical ? detail::Association::tree : detail::Association::left;
}

/// The requirement of `call` on the order of its operands.
tuning::Operands operands_of(const detail::Call& call);

/// The call to which `call`, whose arguments have been checked, is equivalent: a reduce_scatter that leaves
/// everything with one member is a reduction to that member, unless an algorithm is named. The same on all
/// members.
detail::Call reduced_to_one(const detail::Call& call);

/// Whether a result may have one operand only, which most algorithms copy, although the operator of the
/// program changes it: it lifts and lowers every operand.
bool lifts_single_operands(const detail::Call& call, int members);

/// Why the row cannot serve the call among so many members, or nothing.
TUTTI_COMPONENT_API std::string refusal(const algorithm::Algorithm& row, const detail::Call& call,
                                        int members);

/// The longest message that an algorithm carries, in one round or more, on a machine with these thresholds.
std::size_t longest_carried_bytes(bool in_one_round, const Selection::Input& size,
                                  const machine::Thresholds& profile);

/// The protocol by which a row of the registry would be executed.
schedule::Protocol protocol_of(std::size_t row, const detail::Call& call, const Selection::Input& size);

/// The entry that holds for a call which names no algorithm, or nothing: for calls with equal blocks, since
/// only those are measured.
const tuning::Entry* entry_for(const detail::Call& call, const Selection::Input& size,
                               const tuning::Choices& choices);

/// Selects for a call: the algorithm it names, or the library's choice. That is what `choices` have measured;
/// where they say nothing, the built-in choice. Members that are many, or in several L3 caches, follow the
/// levels of the machine (level_selection()). For others, what can be eager goes through the mailbox in one
/// exchange, everything else in one pass over the vectors. What would first have to copy an input in place is
/// passed over if the built-in choice need not. Nothing in this depends on the member. Throws ArgumentError
/// when there is no such algorithm, or when it cannot take the operator, or the size in place.
Selection select(const detail::Call& call, const Selection::Input& size, const tuning::Choices& choices);

/// The choice for members that are few, or near each other.
Selection built_in_selection(Collective collective, const detail::Call& call, const Selection::Input& size);

/// An algorithm that follows the levels of a machine, for calls whose buffers have so many bytes or more.
struct LevelChoice {
    Collective collective;
    std::size_t from_bytes;
    /// Empty: the built-in choice for members that are near each other is faster.
    std::string_view row;
};

/// By collective, and ascending by bytes.
std::span<const LevelChoice> level_choices();

/// The algorithm that follows the levels of the machine, if members with a CPU each are many or in several L3
/// caches, and such an algorithm is faster (level_choices.cpp).
std::optional<Selection> level_selection(const detail::Call& call, const Selection::Input& size,
                                         const Selection& built_in);

/// The row in the protocol in which it serves a call for which the built-in choice is known; nothing if it
/// gives other bits, or first copies an input that the built-in choice need not copy.
std::optional<Selection> usable(std::size_t row, const detail::Call& call, const Selection::Input& size,
                                const Selection& built_in, Reason reason, Stores stores = Stores::by_policy);

/// Selections that may be the fastest for a call which names no algorithm, at most `most`, the most promising
/// ones first: what select() selects, the built-in choice, the one that follows the levels, the second of a
/// table's entry, other ways to store, and what the built-in choice is for other sizes and machines. All give
/// the same bits, and nothing in them depends on the member.
std::vector<Selection> candidates(const detail::Call& call, const Selection::Input& size,
                                  const tuning::Choices& choices, std::size_t most);

/// The bytes of all members' vectors together, when each member's whole vector has `total_bytes`.
std::size_t touched_bytes(Collective collective, std::size_t total_bytes, int members);

/// Whether members of such a call store where nobody has just read. In place every line that is written has
/// been read, and non-temporal stores would evict it; but nobody has read the output of a broadcast.
inline bool stores_apart(Collective collective, schedule::Protocol protocol) {
    return protocol == schedule::Protocol::zero_copy || collective == Collective::broadcast;
}

/// How members store to their own vectors and to those of others. Neither: through the caches.
struct WaysToStore {
    bool streams_to_own = false;
    bool streams_to_others = false;
    bool moves_to_others = false;

    friend bool operator==(const WaysToStore&, const WaysToStore&) = default;
};

/// How an operation that touches so many bytes in all is written on a machine with these thresholds.
class StorePolicy {
public:
    StorePolicy(const machine::Machine& machine, machine::Thresholds profile);

    /// Those of this machine.
    TUTTI_COMPONENT_API static const StorePolicy& here();

    const machine::Thresholds& profile() const { return profile_; }

    /// Whether a member of that collective uses non-temporal stores to its own vector, on CPUs with so many
    /// L3 caches for all members.
    TUTTI_COMPONENT_API bool streams_to_own(Collective collective, std::size_t touched_bytes, int cpus,
                                            int l3_groups = 1) const;

    /// Whether it writes those of others by non-temporal stores, and whether by rep movsb.
    bool streams_to_others(std::size_t touched_bytes, int cpus, int l3_groups = 1) const;
    bool moves_to_others(std::size_t touched_bytes, int cpus, int l3_groups = 1) const;

    /// Whether so many members of that collective use non-temporal stores to others even if others would not,
    /// because they combine.
    bool streams_combined(Collective collective, std::size_t touched_bytes, int members) const;

    /// The ways for `stores` in a call of these sizes.
    WaysToStore ways_to_store(tuning::Stores stores, Collective collective,
                              const Selection::Input& size) const;

    /// Whether members rather store to each other than read each other's inputs, which a program soon writes
    /// again.
    bool leaves_unread(const Selection::Input& size) const;
    /// Selection::rewrite_ns of a collective that combines nothing.
    double rewrite_ns(const algorithm::Algorithm& row, const Selection::Input& size) const;

    /// Whether two members rather combine everything each for itself than store to each other.
    bool pulls_between_two(std::size_t touched_bytes) const;

    /// Whether the owner of a block stores it for all that want it, instead of their fetching it.
    bool pushes(std::size_t touched_bytes, int l3_groups = 1) const;

    /// Whether the results of an allreduce are fetched by all rather than stored to them.
    bool fetches_results(std::size_t touched_bytes, int members, int cpus, int l3_groups = 1) const;

private:
    enum class Way : std::uint8_t { plain, moved, streamed };

    /// The cheapest way to write lines that other CPUs have read.
    static Way cheapest(const machine::Thresholds& profile);
    bool is_full(const machine::Reach& reach, std::size_t touched_bytes, int cpus, int l3_groups) const;

    machine::Thresholds profile_;
    std::size_t l2_caches_;
    Way to_others_;
};

} // namespace tutti::library
