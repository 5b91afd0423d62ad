#pragma once

#include "hybrid/src/channel/mpi_channel.hpp"
#include "hybrid/src/schedule/message_plan.hpp"

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tutti::hybrid {

/// One collective among the processes. Vectors are whole, as in a schedule: block i is that of process i,
/// whichever blocks exist.
struct ProcessCall {
    Collective collective = Collective::barrier;
    /// The choice of choose_algorithm().
    std::uint32_t algorithm = 0;
    std::byte* input = nullptr;
    std::byte* output = nullptr;
    /// Elements of the whole vector.
    std::size_t total = 0;
    /// The bytes of one member's whole vector, by which all processes decide alike how messages are cut. In
    /// an all-to-all, processes with different numbers of members have different totals.
    std::size_t member_bytes = 0;
    /// The starts of the processes' blocks, in elements, and the end; for collectives that divide the vector
    /// by rank, else null.
    const std::size_t* offsets = nullptr;
    /// The process that is the root.
    int root = 0;
    std::size_t element_bytes = 1;
    std::size_t element_align = 1;
    const detail::Kernels* kernels = nullptr;
    const void* state = nullptr;
};

/// Makes calls among the processes, by one thread of each, on a communicator of its own.
class Transport {
public:
    /// Among so many processes, once its channel is open.
    explicit Transport(int processes) : channel_(processes) {}

    MpiChannel& channel() { return channel_; }

    /// Makes a call among the processes, as part of the call of the cluster that the channel has begun.
    void perform(const ProcessCall& call);
    /// Begins one, for advance().
    void begin(const ProcessCall& call);
    /// Goes as far with it as that goes without waiting. Returns whether it is complete.
    bool advance();
    /// Whether input and output of such a call may be one vector.
    bool works_in_place(const ProcessCall& call);

private:
    using ScheduleName = std::pair<std::uint32_t, int>;
    static constexpr ScheduleName none{UINT32_MAX, 0};

    const RankSchedule& rank_schedule(const ScheduleName& name, Collective collective);
    bool is_planned(const ScheduleName& name, const ProcessCall& call) const;
    void make_plan(const ScheduleName& name, const ProcessCall& call);
    void set_rooms(std::size_t scratch_vectors, const ProcessCall& call);
    bool follow_plan();

    MpiChannel channel_;
    std::map<ScheduleName, RankSchedule> rank_schedules_;
    MessagePlan plan_;
    /// What the plan is for: the rank schedule, and the layout, whose offsets are kept here.
    ScheduleName planned_ = none;
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
