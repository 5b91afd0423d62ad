#pragma once

#include <tutti/rendezvous.hpp>
#include <tutti/tutti.hpp>

#include <cstddef>
#include <utility>

namespace tutti::test {

/// Calls that leave a request or a persistent operation, each completed at once: a member as one whose calls
/// block, whatever its way of calling is.
template <class Way>
class AtOnce {
public:
    AtOnce(Way way, const Member& me) : way_(std::move(way)), rank_(me.rank()), size_(me.size()) {}

    int rank() const { return rank_; }
    int size() const { return size_; }

    void barrier(const Options& options = {}) { complete(way_.barrier(options)); }
    template <class... Arguments>
    void broadcast(Arguments&&... arguments) {
        complete(way_.broadcast(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void reduce(Arguments&&... arguments) {
        complete(way_.reduce(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void allreduce(Arguments&&... arguments) {
        complete(way_.allreduce(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void reduce_scatter(Arguments&&... arguments) {
        complete(way_.reduce_scatter(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void allgather(Arguments&&... arguments) {
        complete(way_.allgather(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void gather(Arguments&&... arguments) {
        complete(way_.gather(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void scatter(Arguments&&... arguments) {
        complete(way_.scatter(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void alltoall(Arguments&&... arguments) {
        complete(way_.alltoall(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void scan(Arguments&&... arguments) {
        complete(way_.scan(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void exscan(Arguments&&... arguments) {
        complete(way_.exscan(std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    void shift(Arguments&&... arguments) {
        complete(way_.shift(std::forward<Arguments>(arguments)...));
    }

private:
    static void complete(Request request) { request.wait(); }
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
inline constexpr bool has_algorithms<AtOnce<Arriving>> = false;

/// Calls part(me) for every way of calling in turn, in all of which `me` looks like a member. `meeting` has
/// as many ranks as the group has members.
template <class Part>
void in_every_way(Member& me, Rendezvous& meeting, Part part) {
    part(me);
    AtOnce started(me.start, me);
    part(started);
    AtOnce persistent(me.prepare, me);
    part(persistent);
    AtOnce arriving(meeting.at(me.rank()), me);
    part(arriving);
}

} // namespace tutti::test
