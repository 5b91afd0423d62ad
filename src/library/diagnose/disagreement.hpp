#pragma once

#include "call/call_signature.hpp"
#include "run/bindings.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tutti::library {

class SharedMemory;

/// The words of texts about a sequence.
struct Words {
    const char* adjective;
    const char* does;
    const char* doing;
};
const Words& words_of(Sequence sequence);

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

/// The calls of a member in a sequence, as far as others can read them; nothing while the member writes.
using Histories = std::function<std::optional<CallHistory>(Sequence sequence, int member)>;

/// The same by what `histories` returns. Empty if the logs do not differ as far as they reach back: then both
/// are on their way through the same calls. Any member may call this at any time.
TUTTI_COMPONENT_API std::optional<std::string> difference(const Histories& histories, Sequence sequence,
                                                          int member, int other);

/// The same for members of a group that are known to have made different calls, whatever their logs contain.
std::string disagreement(const SharedMemory& memory, Sequence sequence, int member, int other);

/// The text if `member` waits, in a call of a sequence, for a member that has left for good without making
/// that call; else empty.
TUTTI_COMPONENT_API std::optional<std::string> absence(const Histories& histories, Sequence sequence,
                                                       int member, int other);

/// The text if `member` waits in the last call of a sequence for a member that has made its blocking and
/// nonblocking calls in another order; else empty.
TUTTI_COMPONENT_API std::optional<std::string> other_order(const Histories& histories, Sequence sequence,
                                                           int member, int other);

/// The text if `member` can do nothing before `other` has made the `number`-th call of a sequence, nor
/// `other` before `member` has made a call of another sequence; else empty. Shows the others that it is so.
std::optional<std::string> wait_for_edge(const SharedMemory& memory, Sequence sequence, std::uint64_t number,
                                         int member, int other);

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

} // namespace tutti::library
