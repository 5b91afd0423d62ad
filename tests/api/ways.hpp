#pragma once

#include "../std.hpp"

#include <tutti/async_group.hpp>
#include <tutti/tutti.hpp>

namespace tutti::test {

/// A way of calling whose calls leave a request or a persistent operation, each completed at once.
template <class Way>
class AtOnce {
public:
    AtOnce(Way way, const Member& me) : way_(std::move(way)), rank_(me.rank()), size_(me.size()) {}

    int rank() const { return rank_; }
    int size() const { return size_; }

    /// Makes the call of its way of calling.
    template <class Call>
    void make(Call call) {
        complete(call(way_));
    }

private:
    template <class R>
    static void complete(R request) {
        request.wait();
    }
    static void complete(Persistent operation) {
        operation.start();
        operation.wait();
    }

    Way way_;
    int rank_;
    int size_;
};

/// Whether calls of this way may name an algorithm.
template <class Me>
inline constexpr bool has_algorithms = true;
template <>
inline constexpr bool has_algorithms<AtOnce<AsyncRank>> = false;

/// Makes a call by itself: call(way) is given the member, or its way of calling.
template <class Call>
void make_at_once(Member& me, Call call) {
    call(me);
}
template <class Way, class Call>
void make_at_once(AtOnce<Way>& me, Call call) {
    me.make(call);
}

/// Calls function(me) for every way of calling in turn: `me` is the member, or one at once. `meeting` has
/// as many ranks as the group has members.
template <class Function>
void in_every_way(Member& me, AsyncGroup& meeting, Function function) {
    function(me);
    AtOnce started(me.start, me);
    function(started);
    AtOnce persistent(me.prepare, me);
    function(persistent);
    AtOnce arriving(meeting.at(me.rank()), me);
    function(arriving);
}

} // namespace tutti::test
