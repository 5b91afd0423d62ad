#pragma once

#include "call/call_log.hpp"
#include "call/call_signature.hpp"
#include "run/opening.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::engine {

class Family;
class SharedMemory;

/// What is read of a group to tell how its members differ.
struct GroupView {
    const SharedMemory& memory;
    const Family& family;
};

/// How texts speak of a sequence.
struct Words {
    const char* adjective;
    const char* does;
    const char* doing;
};
const Words& words_of(Sequence sequence);

/// Says in a sub-group who two of its members are, since users know them by other ranks.
std::string whereabouts(const GroupView& group, int member, int other);

/// Somebody whose calls are compared with those of another one, as far as they are known.
struct Caller {
    int rank;
    const CallHistory* calls;
    const char* noun = "member";

    std::string name() const { return std::string(noun) + " " + std::to_string(rank); }
    bool knows(std::uint64_t number) const { return number >= calls->first() && number <= calls->last(); }
};

/// What is wrong where two histories show different calls: the first in which they differ, and what each
/// called. Nothing where they do not, as far as both reach.
TUTTI_COMPONENT_API std::optional<std::string> difference(Sequence sequence, const Caller& own,
                                                          const Caller& theirs);

/// What is wrong where the logs of two members show different calls: the first of a sequence in which they
/// differ, and what each called. Nothing where they do not, as far as they reach back and the members have
/// come; then both are on their way through the same calls. Any member may ask at any time.
std::optional<std::string> difference(const GroupView& group, Sequence sequence, int member, int other);

/// The same of members that are known to have made different calls, whatever their logs say.
std::string disagreement(const GroupView& group, Sequence sequence, int member, int other);

/// What is wrong where `member` waits, in a call that it has made of a sequence, for one that has left for
/// good without making it, or nothing.
std::optional<std::string> absence(const GroupView& group, Sequence sequence, int member, int other);

/// What is wrong where `member` waits in the last call of a sequence, for one that has made calls of the two
/// sequences that block and that are started in another order, or nothing.
std::optional<std::string> other_order(const GroupView& group, Sequence sequence, int member, int other);

/// What is wrong where `member` can do nothing before `other` has made the `number`-th call of a sequence,
/// nor `other` before `member` has made one of another sequence, or nothing. Shows the others that it is so.
std::optional<std::string> wait_for_edge(const GroupView& group, Sequence sequence, std::uint64_t number,
                                         int member, int other);

/// What is wrong where a run of `member` has found a fault in what `peer` shows, in the call of a sequence
/// that makes this signature, whose vectors are bound so.
std::string text_of(run::Fault fault, const GroupView& group, Sequence sequence, int member, int peer,
                    const CallSignature& signature, const run::Prepared& prepared,
                    const run::Bindings& bindings);

/// What is wrong where two members, or what the noun says, have made these different call signatures at an
/// operation of a sequence, the `number`-th one from 1 on, or 0 if it is the only one.
TUTTI_COMPONENT_API std::string text_of_signatures(Sequence sequence, int member, int other,
                                                   std::uint64_t number, const CallSignature& own,
                                                   const CallSignature& theirs,
                                                   const std::string& noun = "member");

/// What is wrong where the vectors of two members are at fault, which both make this call.
TUTTI_COMPONENT_API std::string text_of_vectors(run::Fault fault, int member, int peer,
                                                const std::string& call);

/// What is wrong where `member` expects a block of another length than `peer` sends, in the call of this
/// signature.
TUTTI_COMPONENT_API std::string text_of_counts(const CallSignature& signature, int member, int peer,
                                               const run::DifferingBlock& block);

} // namespace tutti::engine
