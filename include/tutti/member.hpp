// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/collectives.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/error.hpp>
#include <tutti/neighbors.hpp>
#include <tutti/options.hpp>
#include <tutti/start.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::v0_1 {

struct Statistics; // tutti/observe.hpp

namespace detail {

class GroupState;
class Inside;
struct Choice;

/// Whether the rank of a member that leaves can be joined again. A member of a derived group only gives up
/// one way to make calls: its rank stays its own.
enum class Leaving : std::uint8_t { for_now, for_good, nothing };

} // namespace detail

/// The levels of a machine by which Member::split divides a group, outermost first. A socket is a processor
/// package.
enum class Level : std::uint8_t { socket, numa_node, l3, l2, core };

/// One thread's membership in a group; the collectives are its member functions.
///
/// All members of the group must make the same calls in the same order, each from its own thread.
///
/// Every call may throw:
///
/// - ArgumentError if one of its own arguments is wrong
/// - MismatchError if the members' calls differ
/// - TimeoutError if the call of some member has waited longer than its timeout
/// - Aborted if another member has failed
/// - Error if a rank was never joined, or in a child of fork() if its parent made the group
/// - std::bad_alloc if there is not enough memory
/// - any exception of the operator
///
/// A small broadcast, reduce, gather, scatter, scan or shift returns early on members that need no data from
/// others. A mismatch in such a call is reported by the next call of the group that waits, or at the end of
/// Team::run. A Group or sub-group whose members never wait again does not report it.
class TUTTI_API Member : public Collectives<Member> {
public:
    /// Internal: use Group::join() or Team::run().
    Member(std::shared_ptr<detail::GroupState> group, detail::Seat& seat,
           detail::Leaving leaving = detail::Leaving::for_now);
    ~Member();
    /// Moves the membership; `other` must not be used afterwards.
    Member(Member&& other) noexcept;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    /// Leaves the group in which this member is, as the destructor does, and then moves the membership, as
    /// the move constructor does. If `other` is this member, nothing happens.
    Member& operator=(Member&& other) noexcept;

    /// This member's rank, 0 .. size() - 1.
    int rank() const noexcept { return rank_; }
    /// The number of members of the group, p.
    int size() const noexcept { return size_; }

    /// The CPU on which the calling thread runs at the time of the call, as the system numbers it; -1 if the
    /// system does not report it. A pinned thread always runs on the CPU to which it is pinned, but the
    /// system may move any other thread at any time.
    int cpu() const noexcept;

    /// The nonblocking collectives; each call returns a Request.
    Start start;
    /// The persistent collectives, which can be started any number of times; each call returns a Persistent.
    Prepare prepare;

    /// Group::roll_call() of this group. Any thread may call it while the member exists.
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;
    /// Group::trace() of this group. Any thread may call it while the member exists.
    std::string trace(TraceFormat format = TraceFormat::json_lines) const;
    /// Group::statistics() of this group. Any thread may call it while the member exists.
    Statistics statistics() const;

    /// Fails this member. A member that cannot continue, but does not throw an exception, must call it before
    /// it leaves. Only the member's thread may call it.
    ///
    /// - The current and later calls of all other members throw Aborted, whose text contains `text`.
    /// - Further calls of the member throw Aborted.
    /// - Team::run(), or this member's Group::run(), throws an Error with `text` when the function has
    ///   returned, unless this is a member of a sub-group.
    /// - If `text` is empty, a text that names abort() replaces it.
    /// - A team can be used again at once. A Group, and a group made by split(), subset() or dup(), stays
    ///   failed.
    /// - In a group made by among(), this fails the group of which that is a part.
    void abort(std::string_view text);

    /// Makes the neighbours of this member in a graph, for neighbor_alltoall: it receives from `sources` and
    /// sends to `destinations`. The counterpart in MPI is MPI_Dist_graph_create_adjacent. Every member must
    /// call it with lists of its own. Ranks may be this member's own, may repeat, and may be
    /// Neighbors::none. If a member has several edges to another, the i-th of the sender is the i-th of the
    /// receiver.
    ///
    /// Every member throws CombinationError if a rank is not in 0 .. size() - 1, or if an edge is not named
    /// equally often by both of its ends; the text names both members. Cost: two collective calls, and time
    /// and memory proportional to p and to the number of edges of the graph.
    [[nodiscard]] Neighbors neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                                      SourceLine where = SourceLine::here());

    /// Makes the neighbours of this member in a Cartesian grid of dims[0] x dims[1] x ... members, for
    /// neighbor_alltoall. As in MPI, the last coordinate of consecutive ranks changes fastest, and the
    /// neighbours are those before and after the member along the first dimension, then along the second,
    /// and so on: -x, +x, -y, +y. At the border of a dimension that does not wrap around, the neighbour is
    /// Neighbors::none. The block for the neighbour after a member arrives as that member's block from the
    /// neighbour before it, also if both are the same member.
    ///
    /// The call is local. Every member must use the same grid in a call; otherwise, the call throws
    /// MismatchError. Throws ArgumentError unless the product of `dims` is size() and `wraps` has as many
    /// entries. Cost: time and memory proportional to p times the number of dimensions.
    [[nodiscard]] Neighbors grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const;

    /// Divides the group: members that pass the same `color` form a new group, ranked by `key` and then by
    /// their rank here. Returns the calling member's membership in its new group, or nothing if `color` is
    /// std::nullopt. Every member must call it. Groups of different colors need not wait for each other
    /// afterwards. Throws ArgumentError if `color` is negative.
    ///
    /// The new group has the same threads. It exists as long as one of its members, independently of this
    /// group.
    ///
    /// - Its members may be kept across runs of a Team or regions of a Group.
    /// - In a team, all of its members must be in the same run for each of its calls.
    /// - A member that was destroyed cannot be replaced.
    /// - Members that wait for a member that was destroyed, or that has returned from its run, throw
    ///   MismatchError; if an exception ended it, they throw Aborted.
    ///
    /// A failure of this group also fails all groups made from it. After a failure, a group made by split(),
    /// subset() or dup() cannot be used again: make it anew. Roll calls show `where` as the source line.
    /// Cost: three collective calls and memory allocation; if the allocation fails, the call fails on every
    /// member.
    [[nodiscard("a membership lasts as long as its Member")]] std::optional<Member>
    split(std::optional<int> color, int key, SourceLine where = SourceLine::here());

    /// Divides the group by the machine: the members that run in the same part of that level, for example on
    /// the same NUMA node, form a new group, ranked by their rank here. The counterpart in MPI is
    /// MPI_Comm_split_type. Every member must call it with the same level. If the levels differ, all throw
    /// MismatchError.
    ///
    /// A member is where its thread runs at the time of the call: see cpu(). Pin the threads if they must
    /// stay there. All members whose part the machine does not report, because it has no such level or
    /// its structure is hidden, form one group. Throws ArgumentError if `level` is no Level. Lifetime,
    /// failures and cost are as for the split by colors.
    [[nodiscard("a membership lasts as long as its Member")]] Member
    split(Level level, SourceLine where = SourceLine::here());

    /// Makes a new group of the members in `ranks`, ranked by their position in that list, as MPI_Group_incl
    /// and MPI_Comm_create do. Returns the calling member's membership in it, or nothing if its rank is not
    /// in the list. Every member must call it with the same list. If the lists differ, all throw
    /// MismatchError. Throws ArgumentError if a rank is not in 0 .. size() - 1 or appears twice. Lifetime,
    /// failures and cost are as for split().
    [[nodiscard("a membership lasts as long as its Member")]] std::optional<Member>
    subset(std::span<const int> ranks, SourceLine where = SourceLine::here());

    /// Makes a new group of the same members with the same ranks. Every member must call it. Lifetime,
    /// failures and cost are as for split().
    [[nodiscard("a membership lasts as long as its Member")]] Member
    dup(SourceLine where = SourceLine::here());

    /// The group of the `count` members with the ranks `first`, `first` + `stride`, and so on, ranked in this
    /// order: `me.among(n)` are the members below rank n, and in a grid of h rows of w members,
    /// `me.among(w, me.rank() / w * w)` is a row and `me.among(h, me.rank() % w, w)` a column. Only its
    /// members call it, and none waits for another. The group costs what a group of `count` members costs.
    /// After the first call with the same ranks, neither this call nor the destruction of the Member locks,
    /// allocates or writes what other members read.
    ///
    /// @warning Members that expect different ranks are in different groups, and wait until a timeout.
    ///
    /// The group is part of this one, unlike a group made by split():
    ///
    /// - The same ranks are the same group: its calls continue where the member has left it, and a member may
    ///   have several Members of it at a time.
    /// - The Member must be destroyed before this one. If an exception destroys it, nothing fails, because
    ///   the member can make it again. The last one of the group on a thread waits for operations that are
    ///   outstanding; if an exception destroys that one, they fail.
    /// - A failure of a call in it is a failure of this group, and the other way round. When a team
    ///   is used again, so can those made by among(), by new Members.
    /// - Its memory is kept for later calls until this group ends.
    ///
    /// Throws ArgumentError unless `count` and `stride` are positive, all ranks are in 0 .. size() - 1, and
    /// this member's rank is one of them; Aborted if this group has failed; and std::bad_alloc.
    [[nodiscard("a membership lasts as long as its Member")]] Member among(int count, int first = 0,
                                                                           int stride = 1);

private:
    friend class Collectives<Member>;
    friend class detail::Inside;

    void run(const detail::Call& call) {
        called_from_->show(call.where);
        detail::execute_or_repeat(*seat_, call);
    }
    template <class Work>
    void run_operator(Work work) {
        detail::run_operator_of(*seat_, work);
    }

    /// Leaves the group, as the destructor does.
    void leave() noexcept;
    /// Makes the group of all members that chose the same color.
    std::optional<Member> regroup(const detail::Choice& choice, SourceLine where);
    /// The allgather with which a split exchanges the members' choices.
    template <class T>
    void allgather_for_split(const T& mine, std::vector<T>& out, SourceLine where);

    std::shared_ptr<detail::GroupState> group_;
    detail::Seat* seat_;
    detail::CalledFrom* called_from_;
    int rank_;
    int size_;
    int exceptions_on_entry_;
    detail::Leaving leaving_;
};

namespace detail {

/// The view of a member that components have.
class Inside {
public:
    static Seat& seat_of(const Member& member) { return *member.seat_; }
    static CalledFrom& called_from_of(const Member& member) { return *member.called_from_; }
};

} // namespace detail

} // namespace tutti::v0_1
