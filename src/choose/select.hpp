#pragma once

#include "algorithm/registry.hpp"
#include "choose/table.hpp"
#include "machine/thresholds.hpp"
#include "schedule/synchronise.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::engine {

/// Why an algorithm was selected.
///
/// - named: the call names it
/// - carried, brief, vectors, long_vectors: the built-in choice for eager messages, for
///   others that are short, for vectors, and for those that are long enough to be pushed
/// - two: that for two members
/// - shared: the result is one vector that all members share
/// - measured: an entry of a table
/// - levels: that for members that are many, or in several L3 caches
/// - tried: a group tries it beside others, or has found it to be the fastest
enum class Reason : std::uint8_t {
    named,
    eager,
    brief,
    two,
    vectors,
    long_vectors,
    shared,
    measured,
    levels,
    tried
};

/// "built-in", "file", "tried" or "named".
std::string_view source_of(Reason reason);

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

/// Whether the row has so few rounds that it may be chosen without having been measured. Others have more
/// than any that is good for few bytes, and gain little for many.
bool has_few_rounds(const algorithm::Algorithm& row, int members);

/// The longest message that an algorithm carries, in one round or more, on a machine with these thresholds.
std::size_t longest_carried_bytes(Collective collective, bool in_one_round, const Selection::Input& size,
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

/// Selections that may be the fastest for a call which names no algorithm, at most `most`, the most promising
/// ones first: what select() selects, the built-in choice, the one that follows the levels, the second of a
/// table's entry, other ways to store, and what the built-in choice is for other sizes and machines. All give
/// the same bits, and nothing in them depends on the member.
std::vector<Selection> candidates(const detail::Call& call, const Selection::Input& size,
                                  const tuning::Choices& choices, std::size_t most);

} // namespace tutti::engine
