#include "c/src/calls.hpp"

#include "c/src/async_group.hpp"
#include "c/src/options.hpp"
#include "c/src/status.hpp"
#include "group/seat.hpp"

#include <tutti/start.hpp>

#include <string>
#include <string_view>

namespace tutti::inline TUTTI_NAMESPACE::c {

using detail::Call;

Caller::Caller(const char* function, const tutti_caller& me) : function_(function), me_(me) {
    require_caller(function, me);
    const std::uint64_t way = me.how & way_mask;
    if (way != blocks) {
        there(function, "request", me.request) = {nullptr, failed}; // until it is made
    }
    if (way == arrives) {
        const AsyncRank arriving = there(function_, "async_group", me_.async_group).async_group.at(me_.rank);
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

Options Caller::options() const {
    Options options = call_options(function_, me_.options);
    options.where = where_of(me_);
    return options;
}

void Caller::check_ways(const Call& call) const {
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

std::uint64_t Caller::prepare(const Call& call) const {
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
void Caller::make(const Call& asked) const {
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

void Caller::make_as_asked(const Call& call) const {
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
        *me_.request = {&detail::arrive(*async_group_, rank_, call), arrived};
        return;
    default:
        if (cluster_member_ != nullptr) {
            return cluster_member_->run(call);
        }
        seat_->called_from().show(call.where);
        detail::execute_or_repeat(*seat_, call);
    }
}

} // namespace tutti::inline TUTTI_NAMESPACE::c
