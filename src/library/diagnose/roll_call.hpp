#pragma once

#include "call/call_signature.hpp"
#include "choose/exploration.hpp"
#include "group/shared_memory.hpp"
#include "immovable.hpp"
#include "wait/failure.hpp"

#include <tutti/detail/export.h>
#include <tutti/options.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tutti::library {

/// The state of a member in a roll call, as far as the member shows it.
struct MemberReport {
    int rank = 0;
    /// In the group that the sub-group was made of.
    std::optional<int> rank_in_first = {};
    bool has_joined = true;
    bool has_left = false;
    /// A call of it has failed, and the group cannot be used again yet.
    bool has_failed = false;
    /// It is inside a call: it works there, if it does not wait.
    bool is_inside = false;
    /// The last calls, by sequence; of number 0 if there was none, or it is being written down.
    std::array<CallRecord, 3> calls = {};
    /// The number of nonblocking calls before its last look at their operations, in a test, a wait or a
    /// blocking call that waited.
    std::uint64_t looked = 0;
    /// Starts::unseen of its persistent calls.
    std::uint64_t unseen = 0;
    /// If a member waits in a persistent call: whether this one has started that as often.
    bool has_started = true;
    /// The line of the program that called last; without a file if it is unknown.
    ShownLine where = {};
    Sequence where_sequence = Sequence::blocking;
    std::optional<SlowWait> wait = {};
    /// 0 if nobody has come.
    int thread = 0;
    /// Since the look before; empty if there was none.
    std::optional<bool> has_moved = {};
    std::optional<std::chrono::nanoseconds> ran = {};

    bool has_called() const {
        return std::ranges::any_of(calls, [](const CallRecord& call) { return call.number() != 0; });
    }
    const CallRecord& last(Sequence sequence) const { return calls[static_cast<std::size_t>(sequence)]; }
};

/// The nouns of a roll call.
struct Names {
    /// "4 members", with the name of their group.
    std::string group;
    std::string one = "member";
    std::string all = "members";
    /// Whether there are seats, which they take and leave.
    bool sit = true;
};

/// The rest of a roll call's content.
struct Circumstances {
    /// The last failure; empty if there was none.
    std::string failure = {};
    /// Whether that still lasts.
    bool has_failed = false;
    std::chrono::nanoseconds now{0};
    /// Since the look before, 0 if there was none.
    std::chrono::nanoseconds since_last{0};
    /// How they wait for each other, and why; empty if that is not reported.
    std::string waits = {};
    /// The choices that the group has learnt; empty if they are not reported.
    std::vector<Learnt> learnt = {};
};

/// The place of each member of a group, as any thread can see it at any time.
class RollCall {
public:
    TUTTI_COMPONENT_API RollCall(Names names, std::vector<MemberReport> reports,
                                 Circumstances circumstances = {.now = clock_now()});

    /// Some lines, the last with an end: members that are at the same place together, those furthest behind
    /// first; of the odd ones out their threads.
    TUTTI_COMPONENT_API std::string text() const;
    /// One object, of all members.
    TUTTI_COMPONENT_API std::string json() const;

    /// One sentence about the members that have not come to the `number`-th call of a sequence.
    std::string late(Sequence sequence, std::uint64_t number) const;

    /// Why a member has waited too long in the `number`-th call of a sequence, which is `call` if it is not
    /// the last one, and where each member is. At last it waited for `peer`, if that is known.
    TUTTI_COMPONENT_API std::string delay(Sequence sequence, std::uint64_t number, int rank,
                                          std::chrono::milliseconds timeout, const std::string& call = {},
                                          std::optional<int> peer = {}) const;

    const MemberReport& of(int member) const { return reports_[static_cast<std::size_t>(member)]; }

private:
    std::string text_of_thread(const MemberReport& report) const;
    std::string state_of(const MemberReport& report) const;
    std::string whereabouts_of(const MemberReport& report, Sequence sequence, std::uint64_t number) const;
    std::string text_of_busy(Sequence sequence, std::uint64_t number) const;
    std::size_t most_listed() const;

    Names names_;
    std::vector<MemberReport> reports_;
    Circumstances rest_;
};

/// "barrier (algorithm direct), at solver.cpp:31"
TUTTI_COMPONENT_API std::string text_of_call(const CallSignature& signature, const ShownLine& where);

/// A group whose roll call a signal triggers, if the environment variable TUTTI_ROLL_CALL names a signal:
/// "USR1", "SIGUSR1", "10", and "USR1,json" for tools. Otherwise it does nothing.
class TUTTI_COMPONENT_API RollCallListed : Immovable {
public:
    /// Calls `roll_call(format)` on a thread of its own, from now on.
    explicit RollCallListed(std::function<std::string(RollCallFormat)> roll_call);
    /// It is called no more: waits until a call of it that is under way has returned. A call may end others.
    ~RollCallListed();

private:
    std::function<std::string(RollCallFormat)> roll_call_;
    /// Held while it is called.
    mutable std::mutex calling_;
    std::list<const RollCallListed*>::iterator place_;
    /// The process that has listed it: a child of fork() has none of the threads that it reports.
    std::uint64_t process_ = 0;
    bool is_listed_ = false;

    friend class Signalled;
};

} // namespace tutti::library
