// The inside of one segment overlaps the wire of another: the leader carries a segment when all others have
// put it. They take what has come while the leader carries the next one, the leader's share included, in
// turn. A leader without others does both.

#include "hybrid/src/call_segment.hpp"
#include "hybrid/src/hierarchy_strategy.hpp"
#include "hybrid/src/strategies.hpp"

#include <sched.h>

#include <algorithm>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

namespace {

class Pipeline final : public HierarchyStrategy {
public:
    explicit Pipeline(ClusterCall& made)
        : HierarchyStrategy(made), segment_(made), segments_(hybrid::segments_of(made.total_bytes())) {}

    void fan_in() override {
        call().show();
        call().make_room(call().total_bytes(), call().total_bytes());
        call().meet();
        call().compare_calls();
    }

    void exchange() override {
        for (std::size_t segment = 0; segment < segments_; ++segment) {
            if (works()) {
                put_segment(segment);
            }
            if (call().leads()) {
                carry_segment(segment);
            }
            // Release: pairs with await_progress().
            own_progress().publish(ClusterState::progress_in(call().number(), segment + 1) |
                                   mailbox::inside_bit);
            if (takes() && segment > 0) {
                take_segment(segment - 1);
            }
        }
    }

    void fan_out() override {
        if (takes()) {
            take_segment(segments_ - 1);
        }
        call().meet();
    }

private:
    /// Whether this member puts and takes: all except the leader, if there are others.
    bool works() const { return !call().leads() || call().is_alone(); }
    bool takes() const { return works() && !call().shares_result(); }
    /// How many do, and this one's number among them.
    std::size_t workers() const { return static_cast<std::size_t>(std::max(1, call().members() - 1)); }
    std::size_t worker() const {
        const bool is_before = call().is_alone() || call().rank() < call().leader();
        return static_cast<std::size_t>(is_before ? call().rank() : call().rank() - 1);
    }
    mailbox::StdWord& own_progress() const { return call().cluster().board(call().rank()).progress; }

    void await_progress(int member, std::size_t segments) const;
    void put_segment(std::size_t segment);
    void carry_segment(std::size_t segment);
    void take_segment(std::size_t segment);

    CallSegment segment_;
    std::size_t segments_;
};

/// Returns when `member` has done `segments` segments of this call.
void Pipeline::await_progress(int member, std::size_t segments) const {
    ClusterState& cluster = call().cluster();
    mailbox::WaitHistory history;
    mailbox::Backoff backoff(cluster.group().wait_policy(),
                             {history, cluster.group().memory().last_cpus().of(call().rank(), member)});
    const mailbox::StdWord& done = cluster.board(member).progress;
    // Acquire: pairs with the release in exchange(); what was put or carried is visible.
    while (done.observe() < ClusterState::progress_in(call().number(), segments)) {
        const mailbox::Backoff::Next next = backoff.pass();
        if (next == mailbox::Backoff::Next::look) {
            continue;
        }
        if (cluster.failure().raised()) {
            cluster.failure().throw_aborted();
        }
        if (next == mailbox::Backoff::Next::sleep) {
            sched_yield();
        }
    }
}

/// This member's share.
void Pipeline::put_segment(std::size_t segment) {
    segment_.cut(segment, segments_);
    segment_.put(call().staging().input + segment_.start_bytes(), worker(), workers());
}

void Pipeline::carry_segment(std::size_t segment) {
    for (int member = 0; member < call().members(); ++member) {
        if (member != call().rank()) {
            await_progress(member, segment + 1);
        }
    }
    call().speak([&] {
        segment_.cut(segment, segments_);
        const std::size_t start = segment_.start_bytes();
        call().perform(
            segment_.process_call(segment_.root_vector(call().outgoing()) + start, call().landing() + start));
    });
}

void Pipeline::take_segment(std::size_t segment) {
    await_progress(call().leader(), segment + 1);
    segment_.cut(segment, segments_);
    const std::byte* const from = segment_.root_vector(call().staging().output) + segment_.start_bytes();
    segment_.store(call().rank(), from);
    if (!call().leads() && segment % workers() == worker()) {
        segment_.store(call().leader(), from);
    }
}

} // namespace

std::unique_ptr<HierarchyStrategy> make_pipeline(ClusterCall& call) {
    return std::make_unique<Pipeline>(call);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
