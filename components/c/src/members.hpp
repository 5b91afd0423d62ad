#pragma once

#include "c/src/cluster_member.hpp"
#include "c/src/numbered.hpp"

#include <tutti/async_group.hpp>
#include <tutti/c.hpp>
#include <tutti/group.hpp>
#include <tutti/member.hpp>
#include <tutti/team.hpp>
#include <tutti/tutti.h>

#include <memory>
#include <utility>
#include <variant>

struct tutti_group {
    tutti::Group group;
};

struct tutti_team {
    tutti::Team team;
};

namespace tutti::inline TUTTI_NAMESPACE::c {

/// The private parts of the public classes.
class Inside {
public:
    static detail::AsyncGroupState& state_of(const AsyncRank& arriving) { return *arriving.state_; }
};

/// The object behind a caller that is a member.
class Seated {
public:
    /// A member that leaves when the program calls tutti_leave().
    explicit Seated(Member&& member) : Seated(member) { member_.emplace<Member>(std::move(member)); }
    /// A member that lasts as long as the function to which it was given.
    explicit Seated(Member& member)
        : seat_(&detail::Inside::seat_of(member)), called_from_(&detail::Inside::called_from_of(member)),
          rank_(member.rank()), size_(member.size()), member_(&member) {}
    /// The same for members of clusters.
    explicit Seated(std::unique_ptr<ClusterMember> member) : Seated(*member) { member_ = std::move(member); }
    explicit Seated(ClusterMember& member)
        : called_from_(&member.called_from()), rank_(member.rank()), size_(member.size()),
          in_cluster_(&member) {}

    bool is_lent() const { return std::holds_alternative<Member*>(member_); }
    /// Null for a member of a group.
    ClusterMember* in_cluster() const { return in_cluster_; }
    /// These two are for members of groups.
    Member& member() { return is_lent() ? *std::get<Member*>(member_) : std::get<Member>(member_); }
    detail::Seat& seat() const { return *seat_; }
    detail::CalledFrom& called_from() const { return *called_from_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

private:
    detail::Seat* seat_ = nullptr;
    detail::CalledFrom* called_from_;
    int rank_;
    int size_;
    ClusterMember* in_cluster_ = nullptr;
    /// A pointer is to one that is lent; null for one of a cluster.
    std::variant<Member*, Member, std::unique_ptr<ClusterMember>> member_;
};

/// Those of the process.
extern constinit Numbered<Seated> members;

/// The place of the call in the program.
inline SourceLine where_of(const tutti_caller& me) {
    return {me.file, static_cast<unsigned>(me.line)};
}

/// The caller of a member, under the number that it has been given.
tutti_caller caller_of(const Member& member, std::uint64_t number);
tutti_caller caller_of(const ClusterMember& member, std::uint64_t number);

/// Throws ArgumentError if it is none, such as one of zeros.
void require_caller(const char* function, const tutti_caller& me);
/// The member of a caller, whichever way it calls. Throws ArgumentError if there is none.
Seated& member_behind(const char* function, const tutti_caller& me);

/// The member of a caller that blocks. Throws ArgumentError for any other one.
Seated& seated(const char* function, const tutti_caller& me);
/// The same for calls that members of clusters do not support.
Member& group_member(const char* function, const tutti_caller& me);

} // namespace tutti::inline TUTTI_NAMESPACE::c
