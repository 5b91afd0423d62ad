#pragma once

#include "distance/line_profile.hpp"
#include "immovable.hpp"
#include "plan/plan.hpp"
#include "record/timeline.hpp"
#include "simulate/audience.hpp"
#include "simulate/ports.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Times of operations, from lines: a discrete simulation on a machine model (docs/research/simulation.md).

namespace tutti::simulate {

/// In the place of a member's rank.
inline constexpr int nobody = -1;

/// Notes the members' actions in a simulated operation. Times are in ns from when all have come; each is
/// rounded by itself, so spans that meet still do.
class Recorder {
public:
    explicit Recorder(std::size_t members);

    /// The member looked for a point of the peer from `begin` on, and saw it at `end`.
    void wait(int member, int peer, double begin, double end);
    /// Records its action since its last step, or since it has come. `bytes` are those that it copies or
    /// combines. A step that takes no time is left out.
    void step(const plan::Plan& plan, const plan::Step& step, std::uint64_t bytes, double end);
    /// The recorded spans of each member, within a span like `operation` from its arrival until it left.
    std::vector<trace::Lane> lanes(const trace::Span& operation) const;

private:
    struct Steps {
        std::vector<trace::Span> spans = {};
        /// The beginning of the current step: its time, and the span before which it is.
        std::int64_t begin_ns = 0;
        std::size_t at = 0;
    };

    std::vector<Steps> members_;
};

/// The data of the members' calls.
struct Payload {
    plan::Partition partition;
    std::size_t element_bytes = 1;
    /// Messages do not fit into slots and lie in staging buffers.
    bool staged = false;
    /// Stores to others' vectors are non-temporal.
    bool streams = false;
};

/// One operation of a group of members, whose caches are as a call before has left them: everybody's inputs
/// have been written by their owner and results been read there, and lines of the mailbox lie where they
/// were last looked at. All members come at the same time.
class Simulation : Immovable {
public:
    /// `plans` are those of all members, in the order of their ranks, and must outlive it. Throws
    /// std::invalid_argument when there are not as many members as positions, when the machine model does not
    /// have the distance of two of them, or when blocks are irregular.
    Simulation(std::span<const plan::Plan> plans, const distance::MachineModel& profile, Positions positions);
    // Its parts refer to each other.

    /// When each member leaves, ns after all have come; valid until the next call. The same numbers on every
    /// run. O(looks + blocks in each step), and a logarithm of members for each step that moves
    /// blocks.
    std::span<const double> leaves(const Payload& payload);

    /// The same operation with each member's actions in it: steps one after the other from when all have come
    /// until it leaves, and in these the waits for points that were not there yet when it looked. Times are
    /// rounded to ns. It is called `operation` and has number 1.
    std::vector<trace::Lane> lanes(const Payload& payload, const std::string& operation);

private:
    /// A member's place in its plan.
    struct Cursor {
        double now = 0;
        std::size_t step = 0;
        int looked = 0; ///< how many members it has seen in this step
    };

    void start(const Payload& payload);
    void advance(int member);
    bool look(int member, const plan::Step& step);
    bool sees(int member, int peer, std::size_t point);
    void publish(int member, std::size_t point);
    void move(int member, const plan::Step& step);
    std::uint64_t touched_bytes(const Touch& touch) const;
    void record(int member, const plan::Step& step);
    bool moves(const plan::Step& step) const;
    void queue(int member);
    std::size_t point_index(int member, std::size_t point) const {
        return static_cast<std::size_t>(member) * points_ + point;
    }

    std::span<const plan::Plan> plans_;
    Costs costs_;
    Positions positions_;
    Audience audience_;
    Ports ports_;
    std::size_t points_;

    Payload payload_;
    std::vector<Cursor> cursors_;
    /// When each point is seen by the members that wait for it; before it is published, negative.
    std::vector<double> seen_;
    /// The members that wait for each point: the first of them, and for each member the next.
    std::vector<int> waiting_;
    std::vector<int> next_waiting_;
    /// Members that go on, by time and rank: a heap.
    std::vector<std::pair<double, int>> queue_;
    std::vector<double> leaves_;
    /// The recorder of this run; null if nothing is recorded.
    Recorder* recorder_ = nullptr;
};

} // namespace tutti::simulate
