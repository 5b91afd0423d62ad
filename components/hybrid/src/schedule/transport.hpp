#pragma once

#include "hybrid/src/channel/mpi_channel.hpp"
#include "plan/plan.hpp"
#include "schedule/schedule.hpp"

#include <tutti/detail/call.hpp>

#include <map>
#include <string_view>

namespace tutti::hybrid {

/// The actions of one process in a schedule that is carried out by messages: in each round it sends the
/// blocks that others read of it, receives those that it reads of others, and then makes its moves.
struct RankSchedule {
    /// A message to or from one process in a round: blocks of the sender's vectors.
    struct Message {
        int peer = 0;
        std::vector<schedule::Place> places;
    };
    /// A move and the places of its operands: an index into the places that the round receives, or own_place.
    struct Move {
        schedule::Move move;
        int left = 0;
        int right = 0;

        /// Whether it needs nothing that the round receives.
        bool is_own() const { return left == own_place && right == own_place; }
    };
    static constexpr int own_place = -1;

    struct Round {
        std::vector<Message> sends;
        std::vector<Message> receives;
        std::vector<Move> moves;
        /// Everything received is stored as it is, in order, at places that the round does not use otherwise.
        bool only_stores_received = false;
    };

    std::vector<Round> rounds;
    int blocks = 1;
    int scratch_vectors = 0;
    /// Input and output may be one vector: nothing reads a block of the input after its place has been
    /// written.
    bool works_in_place = false;
};

/// The part of `rank`. O(ranks * moves of a member). \pre members write to their own vectors only, and read
/// from named ones: algorithm::Reach::peers
RankSchedule rank_schedule_of(const schedule::Schedule& schedule, int rank);

/// An all-to-all in which every process sends to every other, block by block, whatever their sizes: as
/// one-hop schedules, which have blocks of one size only.
RankSchedule one_hop_alltoall(int processes, int rank);

/// The bases of a call's memory: the spaces of a schedule, as if whole, then the landing of messages, and the
/// memory where messages of several pieces are put together.
inline constexpr std::size_t landing_base = schedule::space_count;
inline constexpr std::size_t outgoing_base = landing_base + 1;
using Bases = std::array<std::byte*, outgoing_base + 1>;

/// The actions of one process in a call among processes, one after the other: a rank schedule, with the
/// memory ranges of the blocks. A call like the one before follows it without looking at blocks again.
struct MessagePlan {
    struct Range {
        std::uint8_t base = 0;
        std::size_t offset = 0;

        std::byte* in(const Bases& bases) const { return bases[base] + offset; }
    };
    /// - send, receive: a piece of a message at `to`; starts the message, unless there are more pieces of it
    /// - wait: for all that was started
    /// - copy: from `left` to `to`
    /// - reduce: `left` and `right`, to `to`
    enum class Action : std::uint8_t { send, receive, wait, copy, reduce };
    struct Step {
        Action action = Action::wait;
        bool has_more = false;
        int peer = 0;
        std::size_t bytes = 0;
        Range to = {};
        Range left = {};
        Range right = {};
    };

    std::vector<Step> steps;
    std::size_t landing_bytes = 0;
    std::size_t outgoing_bytes = 0;
};

/// In place of a row of the registry: a chain of processes, which combine from the left; and messages with
/// the blocks that members send to each other.
inline constexpr std::uint32_t chain_algorithm = UINT32_MAX;
inline constexpr std::uint32_t blocks_algorithm = UINT32_MAX - 1;

/// The inputs of the choice of an algorithm among the processes.
struct Route {
    int processes = 1;
    /// Bytes of the whole vector.
    std::size_t bytes = 0;
    /// Whether all processes have equally many members.
    bool even = true;
};

/// Whether order serial requires a chain of processes: whether the call has that order, and any other order
/// might give other bits.
bool needs_chain(const detail::Call& call);

/// The algorithm that the leaders run for `call`: the row of the registry that `name` is, or chain_algorithm
/// where that is needed, or for an empty name Tutti's choice. Throws ArgumentError when there is none of that
/// name, or when it cannot serve the call, naming what would work.
std::uint32_t choose_algorithm(const detail::Call& call, std::string_view name, const Route& route);

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

/// Makes `plan` that of a rank schedule for such a call. O(places of the rank schedule); keeps the memory of
/// `plan`.
void compile(MessagePlan& plan, const RankSchedule& rank_schedule, const ProcessCall& call);

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
    /// What the plan is for: the rank schedule, and calls like the last one, whose offsets are kept here.
    ScheduleName planned_ = none;
    std::vector<std::size_t> offsets_;
    Bases bases_{};
    /// The last call, and the step of the plan that is next.
    ProcessCall call_;
    std::size_t next_step_ = 0;
    /// The pieces of the next message.
    std::vector<MpiChannel::Piece> pieces_;
};

} // namespace tutti::hybrid
