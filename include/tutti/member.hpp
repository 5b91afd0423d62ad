#pragma once

#include <tutti/collectives.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/error.hpp>
#include <tutti/options.hpp>
#include <tutti/start.hpp>
#include <tutti/statistics.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti {

namespace c {
class Inside;
}

namespace detail {

class GroupState;
struct Choice;

/// What a member's leaving its seat means to those that wait for it: somebody else will take the seat, or
/// nobody, which they are told.
enum class Leaving : bool { for_now, for_good };

} // namespace detail

/// The color of a member that Member::split gives no group.
inline constexpr int no_color = -1;

/// One thread's seat in a group: where collectives are called.
///
/// All members of the group must make the same calls in the same order, each from its own thread.
///
/// Every call throws ArgumentError when an argument of its own is wrong, MismatchError when the members
/// disagree, Aborted when another member has failed, and whatever the operator throws. Small broadcasts,
/// reductions, gathers, scatters, scans and shifts let go members that have nothing to wait for: where these
/// are in different calls, the next call of the group that waits says so, or of a team the end of its run.
class TUTTI_API Member : public Collectives<Member> {
public:
    /// For the library: Group::join() makes one, and Team::run().
    Member(std::shared_ptr<detail::GroupState> group, detail::Seat& seat,
           detail::Leaving leaving = detail::Leaving::for_now);
    ~Member();
    /// The seat moves on to it.
    Member(Member&& other) noexcept;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    Member& operator=(Member&&) = delete;

    /// This member's rank, 0 .. size() - 1.
    int rank() const { return rank_; }

    /// The number of members of the group, p.
    int size() const { return size_; }

    /// The same calls without waiting for them, each of which returns a Request.
    Start start;
    /// The same calls to be started later, any number of times, each of which returns a Persistent.
    Prepare prepare;

    /// Of this group, as Group::roll_call(). By any thread, as long as the member lives.
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;
    /// Of this group, as Group::trace(). By any thread, as long as the member lives.
    std::string trace(TraceFormat format = TraceFormat::json_lines) const;
    /// Of this group, as Group::statistics(). By any thread, as long as the member lives.
    Statistics statistics() const;

    /// Members that give the same `color` become a group of their own, ranked by `key` and then by their rank
    /// here; returns this member's seat in it, or nothing if its color is negative, as no_color is. Every
    /// member must call it; groups of different colors need not wait for each other afterwards.
    ///
    /// The new group is served by the same threads and lasts as long as one of its members, whatever becomes
    /// of this group; its members may be kept from one Team::run, or region of a Group, to the next. Nobody
    /// can take the seat of a member that has been destroyed: those that wait for it are released with
    /// MismatchError, or with Aborted if an exception destroyed it. So are those that wait for a member that
    /// has returned from its run of the team. What fails in this group reaches all groups made of it,
    /// wherever their members are, and a group made of another that has failed stays so: it is to be made
    /// anew. Roll calls tell `where` it is called. Three exchanges with memory allocated; where that fails
    /// every member is released.
    std::optional<Member> split(int color, int key, SourceLine where = SourceLine::here());

    /// The members of `ranks`, ranked by their place in that list, become a group of their own, as with
    /// MPI_Group_incl and MPI_Comm_create; returns this member's seat in it, or nothing if it is not in the
    /// list. Every member must call it with the same list; where they differ all throw MismatchError. Throws
    /// ArgumentError where a rank is none of this group or is there twice. Otherwise as split.
    std::optional<Member> subset(std::span<const int> ranks, SourceLine where = SourceLine::here());

    /// The same members, with the same ranks, in a group of its own.
    Member dup(SourceLine where = SourceLine::here());

private:
    friend class Collectives<Member>;
    friend class c::Inside;

    void run(const detail::Call& call, const Options& /*in the call*/) {
        called_from_->show(call.where);
        detail::execute_or_repeat(*seat_, call);
    }

    /// Makes the group of all that have chosen the same color.
    std::optional<Member> regroup(const detail::Choice& choice, SourceLine where);
    /// What a split asks the others.
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

} // namespace tutti
