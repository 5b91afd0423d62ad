// The inside of one segment overlaps the wire of another.

#include "hybrid/seat.hpp"
#include "hybrid/ways.hpp"

#include <sched.h>

#include <algorithm>

namespace tutti::mpi::detail {

using hybrid::segment_bytes;
using tutti::detail::Kind;

/// Returns when `member` has done `segments` segments of this call.
void Seat::await_progress(int member, std::size_t segments) {
    mailbox::Waiting waiting(cluster_.enter()->patience());
    const mailbox::StdWord& done = cluster_.board(member).progress;
    // Acquire: pairs with the release in run_pipeline(); what was combined or carried is visible.
    while (done.observe() < ClusterState::progress_in(calls_, segments)) {
        const mailbox::Waiting::Next next = waiting.pass();
        if (next == mailbox::Waiting::Next::look) {
            continue;
        }
        if (cluster_.failure().raised()) {
            cluster_.failure().throw_aborted();
        }
        if (next == mailbox::Waiting::Next::sleep) {
            sched_yield();
        }
    }
}

std::size_t Seat::segments() const {
    return std::max<std::size_t>(1, (bytes(shape_.total) + segment_bytes - 1) / segment_bytes);
}

/// The leader carries a segment when all others have combined it. They store what has come while the leader
/// carries the next one, the leader's share included, in turn. A leader without others does both.
void Seat::run_pipeline() {
    compare_claims();
    mailbox::StdWord& own = cluster_.board(rank_).progress;
    const bool works = !leads() || alone();
    for (std::size_t segment = 0; segment < segments(); ++segment) {
        if (works) {
            combine_segment(segment);
        }
        if (leads()) {
            for (int member = 0; member < cluster_.members(); ++member) {
                if (member != rank_) {
                    await_progress(member, segment + 1);
                }
            }
            speak([&] { carry_segment(segment); });
        }
        // Release: pairs with await_progress().
        own.publish(ClusterState::progress_in(calls_, segment + 1) | mailbox::inside_bit);
        if (works && segment > 0) {
            store_segment(segment - 1);
        }
    }
    if (works) {
        store_segment(segments() - 1);
    }
}

/// How many members combine and store, and this one's number among them: all but the leader, if there are
/// others.
std::size_t Seat::workers() const {
    return static_cast<std::size_t>(std::max(1, cluster_.members() - 1));
}

std::size_t Seat::worker() const {
    return static_cast<std::size_t>(alone() || rank_ < leader_ ? rank_ : rank_ - 1);
}

void Seat::carry_segment(std::size_t segment) {
    cut(segment, segments());
    const std::size_t start = bytes(part_.start());
    const bool from_root = call_.kind == Kind::broadcast && root_is_here();
    std::byte* const source = from_root ? cluster_.board(call_.root - first_member()).output : depot().input;
    cluster_.carrier(0).carry(part_carriage(source + start, depot().output + start), claim_);
}

/// This member's share of a segment, which is divided among all but the leader.
void Seat::combine_segment(std::size_t segment) {
    cut(segment, segments());
    put_part(depot().input + bytes(part_.start()), worker(), workers());
}

void Seat::store_segment(std::size_t segment) {
    await_progress(leader_, segment + 1);
    cut(segment, segments());
    const bool from_root = call_.kind == Kind::broadcast && root_is_here();
    const std::byte* const from =
        from_root ? cluster_.board(call_.root - first_member()).output : depot().output;
    for (int member = 0; member < cluster_.members(); ++member) {
        if (wants_whole(member) &&
            (member == rank_ || (member == leader_ && segment % workers() == worker()))) {
            store_part(member, from + bytes(part_.start()));
        }
    }
}

} // namespace tutti::mpi::detail
