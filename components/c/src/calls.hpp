#pragma once

#include "c/src/options.hpp"

#include <tutti/async_group.hpp>
#include <tutti/bindings.hpp>
#include <tutti/c.hpp>
#include <tutti/counts.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/make_call.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/group.hpp>
#include <tutti/neighbors.hpp>
#include <tutti/team.hpp>

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

struct tutti_async_group {
    tutti::AsyncGroup async_group;
    /// Called through here, because the linker can so leave out async groups of programs that make none.
    tutti::AsyncRank (tutti::AsyncGroup::*at)(int) = &tutti::AsyncGroup::at;
    decltype(&tutti::detail::arrive) arrive = &tutti::detail::arrive;
};

struct tutti_group {
    tutti::Group group;
};

struct tutti_team {
    tutti::Team team;
};

namespace tutti::v0_1::c_api {

/// A member of a cluster. The component `cmpi` makes its calls, because this one does not depend on MPI.
class AbstractClusterMember : Immovable {
public:
    virtual ~AbstractClusterMember() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual void run(const detail::Call& call) = 0;
    virtual detail::RequestBase& start(const detail::Call& call) = 0;
    virtual detail::PersistentRequestBase& prepare(const detail::Call& call) = 0;
    /// As detail::execute_again().
    virtual bool run_again(std::uint64_t key, const void* input, void* output) = 0;
    virtual detail::CalledFrom& called_from() const = 0;
    virtual void abort(std::string_view text) = 0;
    virtual Neighbors neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                                SourceLine where) = 0;
    virtual Neighbors grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const = 0;
    /// The calling member's membership in the new cluster; null if it is in none.
    virtual std::unique_ptr<AbstractClusterMember> split(std::optional<int> color, int key,
                                                         SourceLine where) = 0;
    virtual std::unique_ptr<AbstractClusterMember> subset(std::span<const int> ranks, SourceLine where) = 0;
    virtual std::unique_ptr<AbstractClusterMember> dup(SourceLine where) = 0;
};

/// The C member of a member that leaves when the program calls tutti_leave().
TUTTI_COMPONENT_API tutti_member c_member_of(std::unique_ptr<AbstractClusterMember> member);

/// call_as_member() for a member of a cluster.
TUTTI_COMPONENT_API void call_as_member(AbstractClusterMember& member, tutti_member_function function,
                                        void* user);

/// The private parts of the public classes.
class Inside {
public:
    static detail::AsyncGroupState& state_of(const AsyncRank& arriving) { return *arriving.state_; }
};

/// The object behind a tutti_member of a group or cluster.
class Seated {
public:
    /// A member that leaves when the program calls tutti_leave().
    explicit Seated(Member&& member) : Seated(member) { member_.emplace<Member>(std::move(member)); }
    /// A member that lasts as long as the function to which it was given.
    explicit Seated(Member& member)
        : seat_(&detail::Inside::seat_of(member)), called_from_(&detail::Inside::called_from_of(member)),
          rank_(member.rank()), size_(member.size()), member_(&member) {}
    /// The same for members of clusters.
    explicit Seated(std::unique_ptr<AbstractClusterMember> member) : Seated(*member) {
        member_ = std::move(member);
    }
    explicit Seated(AbstractClusterMember& member)
        : called_from_(&member.called_from()), rank_(member.rank()), size_(member.size()),
          in_cluster_(&member) {}

    bool is_lent() const { return std::holds_alternative<Member*>(member_); }
    /// Null for a member of a group.
    AbstractClusterMember* in_cluster() const { return in_cluster_; }
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
    AbstractClusterMember* in_cluster_ = nullptr;
    /// A pointer is to one that is lent; null for one of a cluster.
    std::variant<Member*, Member, std::unique_ptr<AbstractClusterMember>> member_;
};

/// Those of the process.
extern constinit Numbered<Seated> members;

/// The place of the call in the program.
inline SourceLine where_of(const tutti_member& me) {
    return {me.file, me.line};
}

/// The C member that stands for it, until members.take().
tutti_member c_member_of(Seated seated);

/// Throws ArgumentError if it is none, such as one of zeros.
void require_member(const char* function, const tutti_member& me);
/// The member behind `me`, whichever way it calls. Throws ArgumentError if there is none.
Seated& member_behind(const char* function, const tutti_member& me);

/// The member behind `me`, which must block. Throws ArgumentError for any other one.
Seated& seated(const char* function, const tutti_member& me);
/// The same for calls that members of clusters do not support.
Member& group_member(const char* function, const tutti_member& me);

/// How a member calls: tutti_member::how, one of these and any of those below.
enum How : std::uint16_t { blocks = 1, starts = 2, prepares = 3, arrives = 4, way_mask = 7 };
inline constexpr std::uint16_t shares_output = 8;
inline constexpr std::uint16_t counts_on_all = 16;
/// Whether the member has options, or wrong ones: `algorithm` is the error then.
inline constexpr std::uint16_t has_options = 32;
inline constexpr std::uint16_t has_wrong_options = 64;
/// And whether the member is one of a cluster, whose repeated calls take another path.
inline constexpr std::uint16_t in_cluster = 128;

/// The values of tutti_request::kind; any other number is no request.
enum RequestKind : std::uint64_t {
    no_operation = 0,
    nonblocking = 0x7475'7474'6900'0001,
    persistent = 0x7475'7474'6900'0002,
    arrived = 0x7475'7474'6900'0003,
    failed = 0x7475'7474'6900'0004 ///< when the call was made: waits for nothing
};

/// The persistent operations of the process.
extern constinit Numbered<detail::PersistentRequestBase*> persistent_calls;

/// The request of a persistent call has its number in the place of an address.
inline tutti_request request_of(std::uint64_t number) {
    return {handle_of<void>(number), persistent};
}
inline std::uint64_t number_in(const tutti_request& request) {
    return number_of(request.operation);
}

/// Whether a program has passed TUTTI_IN_PLACE.
inline bool is_in_place(const void* address) {
    return address == TUTTI_IN_PLACE; // NOLINT(performance-no-int-to-ptr)
}

/// A tutti_member that has been looked up.
class CallingMember {
public:
    /// Throws ArgumentError if it is none.
    CallingMember(const char* function, const tutti_member& me);

    const char* function() const { return function_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    /// Whether every member gives the counts of a gather or scatter.
    bool has_counts_on_all() const { return (me_.how & counts_on_all) != 0; }
    Options options() const;
    /// Makes the call in the member's way.
    void make(const detail::Call& call) const;

private:
    void check_ways(const detail::Call& call) const;
    void make_as_asked(const detail::Call& call) const;
    /// Its number among the prepared calls.
    std::uint64_t prepare(const detail::Call& call) const;

    const char* function_;
    const tutti_member& me_;
    detail::Seat* seat_ = nullptr;
    detail::AsyncGroupState* async_group_ = nullptr;
    AbstractClusterMember* cluster_member_ = nullptr;
    int rank_ = 0;
    int size_ = 0;
};

/// The elements of a type, of which `other` is any of so many bytes, and how their addresses are to be
/// aligned.
struct Elements {
    Type type;
    std::size_t bytes;
    std::size_t align;
    /// The type that the program has passed.
    tutti_type code = 0;
};

/// Throws ArgumentError if it is no type.
Elements elements_of(const char* function, tutti_type type);

/// An operator as a program passes it, for such elements: one of the library, or the program's own.
class Combining : detail::CallMaker {
public:
    /// Throws ArgumentError if it is none, or not for such elements. The call names properties that only the
    /// library knows of its operators and types.
    Combining(const char* function, tutti_op op, const Elements& elements);

    /// Completes a call for such elements, which refers to this object from then on.
    void complete(detail::Call& call) const { dynamic_reduction<detail::DynamicElement>(same(call), op_); }
    /// The call of detail::reduce_local(), which refers to this object.
    detail::Call local(const DynamicInput& in, DynamicVector& inout) const {
        detail::Call made = vectors<DynamicVector&>(Collective::reduce, in, inout, tutti::Options{});
        complete(made);
        return made;
    }

private:
    DynamicOp op_;
};

/// Throws ArgumentError if an address cannot be that of `count` elements.
void check_vector(const char* function, const char* name, const void* address, std::size_t count,
                  const Elements& elements);

/// `n` times `blocks`. Throws ArgumentError if no memory is so long.
std::size_t checked_product(const char* function, std::size_t n, std::size_t blocks,
                            const Elements& elements);

/// A call that is made from the arguments of a C program. All throw ArgumentError if it makes no sense, which
/// names the argument.
class Making : detail::CallMaker {
public:
    Making(const CallingMember& member, Collective collective, tutti_type type);

    /// Vectors of so many elements; one of which nothing is looked at has 0. In place `out` is the only one,
    /// and has `inout_count`.
    void takes(const void* in, std::size_t in_count, void* out, std::size_t out_count,
               std::size_t inout_count);
    void combines(tutti_op op);
    /// Or the distance.
    void has_root(int root) { call_.root = root; }
    /// `sent` are all counts, except if an all-to-all has two kinds. They live until the call has been made.
    void has_counts(const Counts::View* sent, const Counts::View* received = nullptr) {
        call_.counts = sent;
        call_.received = received;
    }
    void has_counts_at_root() { call_.counts_at_root = true; }

    const Elements& elements() const { return elements_; }
    void make() const { member_.make(call_); }

private:
    const CallingMember& member_;
    Elements elements_;
    detail::Call call_;
    std::optional<Combining> op_;
};

} // namespace tutti::v0_1::c_api
