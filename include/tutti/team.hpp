// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/detail/functions.hpp>
#include <tutti/member.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::v0_1 {

namespace detail {
class GroupAccess;
class TeamThreads;
} // namespace detail

/// The CPUs to which the members of a team are pinned: a Rule, or a list of CPUs.
///
/// The fastest kind of cores of the machine is performance, the slowest efficient, and all others are medium.
/// If the machine has one kind, or the system does not know which kind is faster, all cores are performance.
/// At least one of the kinds must have a CPU on which the process may run.
///
/// Except with a list of CPUs, a team takes CPUs that no other living team of the process has, if there are
/// enough, and first those of cores that no other team uses. If there are not enough, it also takes the CPUs
/// that other teams use least: of four one-member teams on 2 CPUs, two run on each CPU. Team::pinning()
/// reports shared CPUs.
class Placement {
public:
    enum class Rule : std::uint8_t { compact, scatter, none, performance, medium, efficient };
    static constexpr Rule compact = Rule::compact;         ///< neighbours share caches
    static constexpr Rule scatter = Rule::scatter;         ///< neighbours are far apart
    static constexpr Rule none = Rule::none;               ///< members are not pinned
    static constexpr Rule performance = Rule::performance; ///< as compact, but only on cores of this kind
    static constexpr Rule medium = Rule::medium;           ///< the same
    static constexpr Rule efficient = Rule::efficient;     ///< the same
    // NOLINTNEXTLINE(google-explicit-constructor)
    Placement(Rule rule = compact) : text_(names[static_cast<int>(rule)]) {}
    /// These CPUs, used as they are, and repeated if there are fewer than members.
    TUTTI_API static Placement cpus(const std::vector<int>& cpus);
    /// Reads the name of a rule, kinds of cores in order of preference, such as "performance,efficient", or a
    /// list of CPUs such as "0,2,4-7". Nothing is checked before the placement is used.
    static Placement parse(std::string text) {
        Placement made;
        made.text_ = std::move(text);
        return made;
    }
    /// The text that parse() reads.
    const std::string& text() const noexcept { return text_; }

private:
    static constexpr const char* names[] = {"compact",     "scatter", "none",
                                            "performance", "medium",  "efficient"};
    std::string text_;
};

/// Options of a team.
struct TeamOptions {
    /// The CPUs to which members are pinned. Placement::none does not pin them.
    Placement placement = {};
    /// Options of the team's group.
    GroupOptions group = {};
    /// Whether the thread that calls run() becomes member 0 instead of only waiting for the members. The team
    /// then has one thread fewer of its own, and a run takes less time if there are as many members as CPUs.
    /// The calling thread moves to member 0's CPU when a run starts, if it is allowed to run there, but it is
    /// not pinned: the system may move it.
    bool caller_is_member = false;
};

/// A fixed number of threads, pinned to CPUs, and their group.
///
/// Between runs, the threads poll for the next run before they sleep. They poll as long as a waiting member
/// does (GroupOptions::wait), but no longer than with Wait::automatic.
///
/// A child of fork() has none of the threads. In the child, run() throws Error, and the destructor does not
/// wait for the threads.
class TUTTI_API Team {
public:
    /// Starts the threads of `members` members. A thread that cannot be pinned runs unpinned; pinning()
    /// returns the reason. Throws ArgumentError if `members` is not in 1 .. 65535, or if `placement` cannot
    /// be parsed or names a CPU or only kinds that are not allowed. Throws Error if the system cannot create
    /// the threads.
    explicit Team(int members, const TeamOptions& options = {});
    /// A team with one member per CPU on which the process may run, or per such CPU of the kinds that
    /// `placement` names, but with no more members than its CPU quota lets run at the same time. If
    /// `placement` is a list of CPUs, the team has one member per entry.
    explicit Team(const TeamOptions& options = {});
    /// Waits for a run in progress and ends the threads. If one of the threads itself calls it, as in exit()
    /// of a program with a static team, the threads stay until the process ends.
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    Team(Team&&) = delete;
    Team& operator=(Team&&) = delete;

    /// The number of members.
    int size() const noexcept;

    /// The CPU to which each member is pinned, by rank, as the system numbers it; -1 for a member that is not
    /// pinned. Members may call it at any time. Other threads must not call it while a run starts.
    std::vector<int> cpus() const;
    /// One line per member with the CPU to which it is pinned and whether another living team of the process
    /// has that CPU too, or the reason why the member is not pinned. The rule of cpus() applies.
    std::vector<std::string> pinning() const;

    /// See Group::tuning().
    std::string tuning() const;
    /// See Group::waits().
    std::string waits() const;
    /// See Group::set_timeout().
    void set_timeout(Timeout timeout);
    /// See Group::roll_call().
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;
    /// See Group::trace().
    std::string trace(TraceFormat format = TraceFormat::json_lines) const;
    /// See Group::statistics().
    Statistics statistics() const;

    /// Calls `function(me)` once on every member's thread, with the thread's own Member as `me`, and returns
    /// when all calls have returned. Returns the results by rank as a std::vector, or nothing if `function`
    /// returns void. The members call the same object at the same time; it is not copied, so it may be a
    /// lambda that can only be moved, and nothing is allocated for it.
    ///
    /// If `function` throws on a member, the collectives in which the others wait end with Aborted, and run()
    /// rethrows the first exception (an Aborted only if there is no other). The team can be used again
    /// afterwards. Throws MismatchError if the members returned without having made the same calls, and
    /// ArgumentError if `function` is empty.
    ///
    /// If pthread_exit() or pthread_cancel() ends a member's thread, the member fails with an Error, and the
    /// next run starts a new thread for it. With libc++, pthread_exit() and pthread_cancel() end the program.
    ///
    /// Calls of run() from several threads are executed one after the other. Members may run other teams.
    /// Throws Error if the run could never start, because a member calls run() of its own team, or members of
    /// two teams call each other's run(), directly or through further teams.
    template <detail::MembersFunction F>
    auto run(F&& function) {
        return detail::results_of<Member>(
            size(), function, [](const Member& me) { return me.rank(); },
            [&](const auto& call) { run_all(call); });
    }

private:
    friend class detail::GroupAccess;
    const detail::GroupState& state() const;
    void run_all(const detail::MemberFunction& function);

    std::unique_ptr<detail::TeamThreads> threads_;
};

} // namespace tutti::v0_1
