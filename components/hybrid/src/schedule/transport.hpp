#pragma once

#include "hybrid/src/channel/library.hpp"
#include "hybrid/src/channel/mpi_channel.hpp"
#include "hybrid/src/schedule/algorithms.hpp"
#include "hybrid/src/schedule/message_plan.hpp"
#include "hybrid/src/schedule/rank_schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tutti::hybrid {

/// Makes calls among the processes, by one thread of each, on a communicator of its own.
class Transport {
public:
    /// Among so many processes, once its channel is open.
    explicit Transport(int processes) : channel_(processes) {}

    MpiChannel& channel() { return channel_; }

    /// Makes a call among the processes, as part of the call of the cluster that the channel has begun.
    void perform(const ProcessCall& call);
    /// Begins one that is not made by the MPI library, for advance().
    void begin(const ProcessCall& call);
    /// Goes as far with it as that goes without waiting. Returns whether it is complete.
    bool advance();
    /// Whether input and output of such a call may be one vector.
    bool works_in_place(const ProcessCall& call);

private:
    using ScheduleName = std::pair<std::uint32_t, int>;

    const RankSchedule& rank_schedule(const ScheduleName& name, Collective collective);
    bool is_planned(const ScheduleName& name, const ProcessCall& call) const;
    void make_plan(const ScheduleName& name, const ProcessCall& call);
    void set_rooms(std::size_t scratch_vectors, const ProcessCall& call);
    bool follow_plan();
    void perform_by_library(const ProcessCall& call);

    MpiChannel channel_;
    std::map<ScheduleName, RankSchedule> rank_schedules_;
    MessagePlan plan_;
    /// The rank schedule and the layout of the plan; the layout's offsets are kept here.
    ScheduleName planned_{library_algorithm, 0};
    Layout layout_;
    std::vector<std::size_t> offsets_;
    Bases bases_{};
    /// The call, and the step of the plan that is next.
    ProcessCall call_;
    std::size_t next_step_ = 0;
    /// The pieces of the next message.
    std::vector<MpiChannel::Piece> pieces_;
};

} // namespace tutti::hybrid
