#include "c/src/calls.hpp"

#include "group/seat.hpp"

#include <tutti/start.hpp>

namespace tutti::v0_1::c_api {

static_assert(sizeof(tutti_member) == 64); // the ABI, also of the Fortran module

constinit Numbered<Seated> members;

tutti_member c_member_of(Seated seated) {
    const int how = seated.in_cluster() != nullptr ? blocks | in_cluster : blocks;
    tutti_member made{
        seated.rank(), seated.size(), 0, {}, {}, {}, 0, {}, 0, static_cast<std::uint16_t>(how), 0};
    made.member = members.add(std::move(seated));
    return made;
}

Seated& member_behind(const char* function, const tutti_member& me) {
    Seated* const found = members.find(me.member);
    if (found == nullptr) {
        refuse(function, "`me` is not a member: it has left, or never joined");
    }
    return *found;
}

void require_member(const char* function, const tutti_member& me) {
    const std::uint64_t way = me.how & way_mask;
    if (way < blocks || way > arrives) {
        refuse(function, "`me` is not a member: get one from tutti_join()");
    }
}

Seated& seated(const char* function, const tutti_member& me) {
    require_member(function, me);
    if ((me.how & ~(in_cluster | has_options | has_wrong_options)) != blocks) {
        refuse(function, "`me` must be the member that tutti_join() made: members of "
                         "tutti_nonblocking() and the like are only for collectives");
    }
    return member_behind(function, me);
}

Member& group_member(const char* function, const tutti_member& me) {
    Seated& found = seated(function, me);
    if (found.in_cluster() != nullptr) {
        refuse(function, "`me` is a member of a cluster, and this is only for the members of a group");
    }
    return found.member();
}

namespace {

template <class M>
void call_as(M& member, tutti_member_function function, void* user) {
    struct Lent : Immovable {
        explicit Lent(M& to) : me(c_member_of(Seated(to))) {}
        ~Lent() { members.take(me.member); }
        tutti_member me;
    };
    const Lent lent(member);
    const std::uint64_t before = failures_noted();
    const tutti_status status = function(lent.me, user);
    if (status != TUTTI_OK) {
        throw_status(status, "the function of member " + std::to_string(member.rank()), before);
    }
}

/// Makes a C member of a member that has been made, or of none.
void hand_over(tutti_member& to, std::optional<Member> member) {
    if (member) {
        to = c_member_of(Seated(std::move(*member)));
    }
}
void hand_over(tutti_member& to, std::unique_ptr<AbstractClusterMember> member) {
    if (member != nullptr) {
        to = c_member_of(std::move(member));
    }
}

/// The C member that `divide` makes of the member of a group or of a cluster.
template <class Divide>
void regroup(const char* function, const tutti_member& me, tutti_member& to, Divide divide) {
    Seated& member = seated(function, me);
    if (AbstractClusterMember* const in_cluster = member.in_cluster()) {
        return hand_over(to, divide(*in_cluster));
    }
    hand_over(to, divide(member.member()));
}

} // namespace

tutti_member c_member_of(std::unique_ptr<AbstractClusterMember> member) {
    return c_member_of(Seated(std::move(member)));
}

void call_as_member(Member& member, tutti_member_function function, void* user) {
    call_as(member, function, user);
}

void call_as_member(AbstractClusterMember& member, tutti_member_function function, void* user) {
    call_as(member, function, user);
}

Member& member_of(const tutti_member& me) {
    return group_member("member_of", me);
}

using detail::Call;

CallingMember::CallingMember(const char* function, const tutti_member& me) : function_(function), me_(me) {
    require_member(function, me);
    const std::uint64_t way = me.how & way_mask;
    if (way != blocks) {
        tutti_request& request = there(function, "request", me.request);
        if (request.kind == nonblocking || request.kind == persistent || request.kind == arrived) {
            refuse(function, "the request of `me` is outstanding: wait for it, or set it to "
                             "TUTTI_REQUEST_NULL if a copy of it is in use");
        }
        request = {nullptr, failed}; // until it is made
    }
    if (way == arrives) {
        tutti_async_group& called = there(function_, "async_group", me_.async_group);
        const AsyncRank arriving = (called.async_group.*called.at)(me_.rank);
        async_group_ = &Inside::state_of(arriving);
        rank_ = arriving.rank();
        size_ = arriving.size();
    } else {
        const Seated& found = member_behind(function, me);
        cluster_member_ = found.in_cluster();
        seat_ = cluster_member_ == nullptr ? &found.seat() : nullptr;
        rank_ = found.rank();
        size_ = found.size();
    }
}

Options CallingMember::options() const {
    if ((me_.how & has_wrong_options) != 0) {
        refuse(function_, me_.algorithm);
    }
    return {.algorithm = text_or_none(me_.algorithm),
            .order = one_of<Order>(function_, "options.order", me_.order),
            .timeout = timeout(me_.timeout_ms),
            .where = where_of(me_)};
}

void CallingMember::check_ways(const Call& call) const {
    const bool shares = (me_.how & shares_output) != 0;
    const detail::CollectiveTraits& traits = detail::traits_of(call.collective);
    if (has_counts_on_all() && !(traits.is_rooted() && call.counts != nullptr)) {
        refuse(function_, "`me` comes from tutti_counts_on_all(), which is only for a "
                          "gatherv or scatterv");
    }
    const bool may_share = (traits.may_share() && !call.in_place) ||
                           (cluster_member_ != nullptr && call.collective == Collective::broadcast);
    if (shares && !may_share) {
        refuse(function_, "`me` comes from tutti_shared_output(), which is only for an allreduce or "
                          "allgather that is not in place, and for a broadcast of a cluster");
    }
}

std::uint64_t CallingMember::prepare(const Call& call) const {
    const std::uint64_t number = persistent_calls.add(nullptr); // while nothing has happened yet
    try {
        *persistent_calls.find(number) =
            cluster_member_ != nullptr ? &cluster_member_->prepare(call) : &detail::prepare(*seat_, call);
    } catch (...) {
        persistent_calls.take(number);
        throw;
    }
    return number;
}

/// Errors name the function that the program has called: those with counts have names of their own.
void CallingMember::make(const Call& asked) const {
    check_ways(asked);
    Call call = asked;
    call.shared_output = (me_.how & shares_output) != 0;
    try {
        make_as_asked(call);
    } catch (const ArgumentError& error) {
        const std::string_view text = error.what();
        const std::string_view name = to_string(call.collective);
        if (name == function_ || !text.starts_with(std::string(name) + ":")) {
            throw;
        }
        throw ArgumentError(function_ + std::string(text.substr(name.size())), error.context());
    }
}

void CallingMember::make_as_asked(const Call& call) const {
    switch (me_.how & way_mask) {
    case starts:
        *me_.request = {cluster_member_ != nullptr ? &cluster_member_->start(call)
                                                   : &detail::start(*seat_, call),
                        nonblocking};
        return;
    case prepares:
        *me_.request = request_of(prepare(call));
        return;
    case arrives:
        *me_.request = {&me_.async_group->arrive(*async_group_, rank_, call), arrived};
        return;
    default:
        if (cluster_member_ != nullptr) {
            return cluster_member_->run(call);
        }
        seat_->called_from().show(call.where);
        detail::execute_or_repeat(*seat_, call);
    }
}

} // namespace tutti::v0_1::c_api

using namespace tutti;

namespace {

/// A member can be made to call in one way only: of one that calls in another already nothing is left.
tutti_member in_way(tutti_member me, c_api::How way, tutti_request* request) {
    const bool is_plain = (me.how & c_api::way_mask) == c_api::blocks;
    me.how = static_cast<std::uint16_t>((me.how & ~c_api::way_mask) | (is_plain ? std::uint16_t{way} : 0));
    me.request = request;
    if (request != nullptr) {
        *request = TUTTI_REQUEST_NULL; // a request that is outstanding later is of a call with a copy of `me`
    }
    return me;
}

} // namespace

tutti_member tutti_nonblocking(tutti_member me, tutti_request* request) {
    return in_way(me, c_api::starts, request);
}

tutti_member tutti_persistent(tutti_member me, tutti_request* request) {
    return in_way(me, c_api::prepares, request);
}

tutti_member tutti_async_rank(tutti_async_group* async_group, int rank, tutti_request* request) {
    const tutti_member plain{rank, 0, 0, async_group, {}, {}, 0, {}, 0, c_api::blocks, 0};
    return in_way(plain, c_api::arrives, request);
}

tutti_member tutti_with_options(tutti_member me, const tutti_call_options* options) {
    const char* const fault = options == nullptr ? nullptr : c_api::fault_of(options, sizeof *options);
    const auto known = c_api::known("with_options", fault == nullptr ? options : nullptr,
                                    tutti_call_options TUTTI_CALL_OPTIONS_INIT);
    const int flags = options == nullptr ? 0
                      : fault == nullptr ? c_api::has_options
                                         : c_api::has_wrong_options;
    me.how = static_cast<std::uint16_t>((me.how & ~(c_api::has_options | c_api::has_wrong_options)) | flags);
    me.algorithm = fault == nullptr ? known.algorithm : fault;
    me.timeout_ms = known.timeout_ms;
    me.order = static_cast<std::int16_t>(std::clamp(known.order, INT16_MIN, INT16_MAX));
    return me;
}

tutti_member tutti_shared_output(tutti_member me) {
    me.how |= c_api::shares_output;
    return me;
}

tutti_member tutti_counts_on_all(tutti_member me) {
    me.how |= c_api::counts_on_all;
    return me;
}

tutti_status tutti_leave(tutti_member me) {
    return c_api::guarded([&] {
        if (c_api::seated("leave", me).is_lent()) {
            c_api::refuse("leave", "`me` leaves when its member function returns: do not call "
                                   "tutti_leave() there");
        }
        c_api::members.take(me.member);
    });
}

tutti_status tutti_abort(tutti_member me, const char* text) {
    return c_api::guarded([&] {
        c_api::Seated& member = c_api::seated("abort", me);
        const std::string_view reason = text == nullptr ? "" : text;
        if (c_api::AbstractClusterMember* const in_cluster = member.in_cluster()) {
            return in_cluster->abort(reason);
        }
        member.member().abort(reason);
    });
}

tutti_status tutti_cpu(tutti_member me, int* cpu) {
    return c_api::guarded([&] {
        int& found = c_api::there("cpu", "cpu", cpu);
        found = c_api::group_member("cpu", me).cpu();
    });
}

tutti_status tutti_split(tutti_member me, int color, int key, tutti_member* part) {
    return c_api::guarded([&] {
        c_api::there("split", "part", part) = {};
        const auto chosen = color < 0 ? std::nullopt : std::optional(color);
        c_api::regroup("split", me, *part,
                       [&](auto& member) { return member.split(chosen, key, c_api::where_of(me)); });
    });
}

tutti_status tutti_split_by_level(tutti_member me, int level, tutti_member* part) {
    return c_api::guarded([&] {
        c_api::there("split_by_level", "part", part) = {};
        Member& member = c_api::group_member("split_by_level", me);
        c_api::hand_over(
            *part, member.split(c_api::one_of<Level>("split_by_level", "level", level), c_api::where_of(me)));
    });
}

tutti_status tutti_subset(tutti_member me, const int ranks[], size_t n, tutti_member* part) {
    return c_api::guarded([&] {
        c_api::there("subset", "part", part) = {};
        c_api::regroup("subset", me, *part, [&](auto& member) {
            return member.subset(c_api::list("subset", "ranks", ranks, n), c_api::where_of(me));
        });
    });
}

tutti_status tutti_among(tutti_member me, int count, int first, int stride, tutti_member* part) {
    return c_api::guarded([&] {
        c_api::there("among", "part", part) = {};
        c_api::hand_over(*part, c_api::group_member("among", me).among(count, first, stride));
    });
}

tutti_status tutti_dup(tutti_member me, tutti_member* copy) {
    return c_api::guarded([&] {
        c_api::there("dup", "copy", copy) = {};
        c_api::regroup("dup", me, *copy, [&](auto& member) { return member.dup(c_api::where_of(me)); });
    });
}
