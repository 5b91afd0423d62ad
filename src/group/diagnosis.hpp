#pragma once

#include "call/call_signature.hpp"
#include "immovable.hpp"
#include "run/opening.hpp"
#include "wait/sequence.hpp"

#include <tutti/options.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tutti::inline TUTTI_NAMESPACE::detail {
class GroupState;
} // namespace tutti::inline TUTTI_NAMESPACE::detail

namespace tutti::engine {

/// A member that waits for another one, in a call of a sequence.
struct Stall {
    Sequence sequence = Sequence::blocking;
    /// The number of the call in that sequence, from 1 on; 0 if that is not known.
    std::uint64_t number = 0;
    int member = 0;
    int peer = 0;
};

/// Finds faults in the calls of a group from outside the calls. Calls use this interface and do not depend on
/// diagnose/, which implements it. Any member may use it at any time.
class Diagnosis : Immovable {
public:
    virtual ~Diagnosis() = default;

    using IsReady = std::function<bool()>;

    /// A slow look of a waiting member. Throws MismatchError if the logs show that the two make different
    /// calls, make calls in another order or, if the member `is_stuck`, wait for each other. If the awaited
    /// call came in the meantime, as `is_ready` shows, it is no mismatch.
    virtual void check(const Stall& stall, bool is_stuck, const IsReady& is_ready) = 0;
    /// Throws TimeoutError, unless `is_ready` became true while the text was made.
    virtual void time_out(const Stall& stall, std::chrono::milliseconds timeout, const IsReady& is_ready) = 0;
    /// Throws MismatchError because the peer is known to be in another call.
    [[noreturn]] virtual void throw_different(const Stall& stall) = 0;
    /// Throws MismatchError because the peer has left for good, without this call or in another one.
    [[noreturn]] virtual void throw_absent(const Stall& stall) = 0;
    /// Throws MismatchError because a run has found a fault in the words that the peer shows, in the call
    /// that makes this signature, whose vectors are bound so.
    [[noreturn]] virtual void throw_fault(const Stall& stall, run::Fault fault,
                                          const CallSignature& signature, const run::Prepared& prepared,
                                          const run::Bindings& bindings) = 0;
    /// Takes a snapshot of the members if the last one is older than that, so that a timeout can report which
    /// members have moved since.
    virtual void take_snapshot(std::chrono::milliseconds age) = 0;

    /// Reports why the others do not learn of a failure: this member is inside its call.
    virtual void report_stuck(int inside) noexcept = 0;
    /// The text if members have returned from different calls in which none of them waited for the others to
    /// notice; else empty. Only while no member is in a call.
    virtual std::string disagreement() const = 0;
    /// See Group::roll_call. By any thread.
    virtual std::string roll_call(RollCallFormat format) = 0;
    /// Has a signal write a roll call as well, if the environment requests it.
    virtual void list_for_roll_calls() = 0;
};

/// Makes the diagnosis of a group. The maker of a group passes it, and the group passes it on to the groups
/// made of it.
using MakeDiagnosis = std::function<std::unique_ptr<Diagnosis>(detail::GroupState& group)>;

} // namespace tutti::engine
