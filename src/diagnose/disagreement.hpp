#pragma once

#include "call/call_signature.hpp"
#include "run/bindings.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::engine {

class Family;
class SharedMemory;

/// The parts of a group that are read to find how its members differ.
struct GroupView {
    const SharedMemory& memory;
    const Family& family;
};

/// The words of texts about a sequence.
struct Words {
    const char* adjective;
    const char* does;
    const char* doing;
};
const Words& words_of(Sequence sequence);

/// In a sub-group: which ranks two of its members have in the first group, by which users know them.
std::string whereabouts(const GroupView& group, int member, int other);

/// Somebody whose calls are compared with those of another one, as far as they are known.
struct Caller {
    int rank;
    const CallHistory* calls;
    const char* noun = "member";

    std::string name() const { return std::string(noun) + " " + std::to_string(rank); }
    bool knows(std::uint64_t number) const { return number >= calls->first() && number <= calls->last(); }
};

/// The text for two histories that show different calls: the first call in which they differ, and what each
/// member called. Empty if they do not differ as far as both reach.
TUTTI_COMPONENT_API std::optional<std::string> difference(Sequence sequence, const Caller& own,
                                                          const Caller& theirs);

/// The text for two members whose logs show different calls: the first call of a sequence in which they
/// differ, and what each member called. Empty if the logs do not differ as far as they reach back and the
/// members have come; then both are on their way through the same calls. Any member may call this at any
/// time.
std::optional<std::string> difference(const GroupView& group, Sequence sequence, int member, int other);

/// The same for members that are known to have made different calls, whatever their logs contain.
std::string disagreement(const GroupView& group, Sequence sequence, int member, int other);

/// The text if `member` waits, in a call of a sequence, for a member that has left for good without making
/// that call; else empty.
std::optional<std::string> absence(const GroupView& group, Sequence sequence, int member, int other);

/// The text if `member` waits in the last call of a sequence for a member that has made its blocking and
/// nonblocking calls in another order; else empty.
std::optional<std::string> other_order(const GroupView& group, Sequence sequence, int member, int other);

/// The same for the calls of the two in that sequence, and in the sequence `first`, of which the other one
/// has made the next call.
TUTTI_COMPONENT_API std::optional<std::string> other_order(Sequence sequence, const Caller& own,
                                                           const Caller& theirs, Sequence first,
                                                           const Caller& own_first,
                                                           const Caller& their_first);

/// The text if `member` can do nothing before `other` has made the `number`-th call of a sequence, nor
/// `other` before `member` has made a call of another sequence; else empty. Shows the others that it is so.
std::optional<std::string> wait_for_edge(const GroupView& group, Sequence sequence, std::uint64_t number,
                                         int member, int other);

/// The text for a run of `member` that has found a fault in what `peer` shows, in the call of a sequence with
/// this signature and these bound vectors.
std::string text_of(run::Fault fault, const GroupView& group, Sequence sequence, int member, int peer,
                    const CallSignature& signature, const run::Prepared& prepared,
                    const run::Bindings& bindings);

/// The text for two members, or whatever the noun names, that have made these different call signatures at an
/// operation of a sequence: the `number`-th one from 1 on, or 0 if it is the only one.
TUTTI_COMPONENT_API std::string text_of_signatures(Sequence sequence, int member, int other,
                                                   std::uint64_t number, const CallSignature& own,
                                                   const CallSignature& theirs,
                                                   const std::string& noun = "member");

/// The text for two members that both make this call, if their vectors are at fault.
TUTTI_COMPONENT_API std::string text_of_vectors(run::Fault fault, int member, int peer,
                                                const std::string& call);

/// The text if `member` expects a block of another length than `peer` sends, in the call of this signature.
TUTTI_COMPONENT_API std::string text_of_counts(const CallSignature& signature, int member, int peer,
                                               const run::DifferingBlock& block);

} // namespace tutti::engine
