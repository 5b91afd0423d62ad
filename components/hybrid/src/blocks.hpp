#pragma once

#include "hybrid/src/cluster_state.hpp"

namespace tutti::v0_1::detail {

/// A block that one member sends to another: their global ranks, and which it is of those that they send and
/// receive.
struct BlockEdge {
    /// In place of a receiver: all members of the process.
    static constexpr int everybody = -1;

    int sender = 0;
    std::size_t sent = 0;
    int receiver = 0;
    std::size_t received = 0;

    bool is_for(int rank) const { return receiver == rank || receiver == everybody; }
};

/// Whether a call sends blocks from member to member, rather than vectors that all processes know: only
/// sender and receiver know the length of a block, or every member receives from one other.
bool sends_blocks(const detail::Call& call);

/// Which members send blocks to which in such a call.
class BlockEdges {
public:
    /// Those of this call.
    void set(const detail::Call& call, const ClusterState& cluster);

    /// Visits those from the members of one process to those of another, in an order that is the same in both
    /// processes. One of the processes must be this one.
    template <class Visit>
    void for_each(int from, int to, Visit visit) const {
        if (pattern_ == Pattern::graph) {
            const std::pair processes(from, to);
            for (auto each = std::ranges::lower_bound(graph_edges_, processes, {}, &GraphEdge::processes);
                 each != graph_edges_.end() && each->processes == processes; ++each) {
                visit(each->edge);
            }
            return;
        }
        const Ranks receivers = receivers_in(to);
        for (int receiver = receivers.first; receiver < receivers.last; ++receiver) {
            const Ranks senders = senders_in(from, receiver);
            for (int sender = senders.first; sender < senders.last; ++sender) {
                visit(edge(sender, receiver));
            }
        }
    }

private:
    enum class Pattern : std::uint8_t { pairs, to_root, from_root, to_all, shift, graph };
    struct Ranks {
        int first;
        int last;
    };
    struct GraphEdge {
        std::pair<int, int> processes;
        BlockEdge edge;
    };

    Ranks receivers_in(int process) const;
    Ranks senders_in(int process, int receiver) const;
    Ranks only(int rank, int process) const;
    BlockEdge edge(int sender, int receiver) const;
    void set_graph(const schedule::Graph& graph);

    const ClusterState* cluster_ = nullptr;
    Pattern pattern_ = Pattern::pairs;
    /// The root, or the distance.
    int number_ = 0;
    /// Those of this process, by processes.
    std::vector<GraphEdge> graph_edges_;
};

class ClusterCall;

/// A call that sends blocks from member to member. Members of one process copy them from each other. A parcel
/// goes from one process to another: the lengths of the blocks, and the blocks one after the other. A short
/// parcel is one message. The lengths of a long one go first, so that a receiver that expects other lengths
/// finds that out.
class BlockExchange {
public:
    /// For the members of this process from `first` up to `last`, by their ranks in it.
    BlockExchange(ClusterCall& call, int first, int last) : call_(call), first_(first), last_(last) {}

    /// Lays out parcels and copies, once all members of the process have shown their vectors, unless these
    /// are as in the last call. Throws MismatchError if two members of the process expect different lengths.
    void lay_out();
    /// The room for the parcels in the staging buffers: the same for all members of a process.
    std::size_t outgoing_bytes() const { return outgoing_.bytes; }
    std::size_t landing_bytes() const { return incoming_.bytes; }

    /// Copies the blocks that the members receive from members of their process, and those that they send to
    /// others into the parcels.
    void put() const;
    /// Copies received blocks of other processes to their places, when all have come.
    void store() const;

    /// Exchanges the parcels. By the leader, where MPI calls may be made.
    void perform();
    /// The same in steps, as Transport::begin() and advance().
    void begin() { next_ = Next::send_lengths; }
    bool advance();

private:
    /// The data that goes from one process to another. The numbers are indices into the lists of Parcels.
    struct Parcel {
        int process = 0;
        std::size_t blocks = 0;
        /// The size of all blocks.
        std::size_t bytes = 0;
        /// The start in the staging buffer.
        std::size_t start = 0;
        std::size_t first_length = 0;
        std::size_t first_copy = 0;
        std::size_t last_copy = 0;

        std::size_t lengths_bytes() const { return blocks * sizeof(std::uint64_t); }
        std::size_t blocks_start() const { return start + lengths_bytes(); }
        bool is_short() const;
    };
    /// A block between the vector of a member and `place`: in the staging buffer, or in the input of the
    /// member `sender` of the process.
    struct Copy {
        int member;
        std::size_t in_vector;
        std::size_t place;
        std::size_t bytes;
        int sender;
    };
    /// All that go to other processes, or come from them.
    struct Parcels {
        std::vector<Parcel> all;
        std::vector<std::uint64_t> lengths;
        std::vector<Copy> copies;
        std::size_t bytes = 0;
    };

    bool is_as_before() const;
    void lay_out(Parcels& parcels, bool sends);
    void lay_out_local();
    plan::BlockPlace sent_place(const BlockEdge& edge) const;
    plan::BlockPlace received_place(const BlockEdge& edge, int member) const;
    bool is_direct(const Parcel& parcel) const;
    template <class Visit>
    void for_each_copy(const Parcels& parcels, Visit visit) const;
    bool go_on();
    void send_lengths();
    void send_blocks();
    void check_lengths(const Parcel& parcel) const;
    [[noreturn]] void throw_lengths(const BlockEdge& edge, int member, std::uint64_t sent) const;
    std::span<const hybrid::MpiChannel::Piece> blocks_of(const Parcels& parcels, const Parcel& parcel);

    ClusterCall& call_;
    int first_;
    int last_;
    /// The digests of the members' layouts.
    std::vector<std::uint64_t> digests_;
    Parcels outgoing_;
    Parcels incoming_;
    std::vector<Copy> local_;
    /// Whether the members of this process expect different lengths of a block that all of them receive.
    bool expect_different_ = false;
    /// The next action of go_on().
    enum class Next : std::uint8_t { send_lengths, send_blocks, end } next_ = Next::send_lengths;
    /// The pieces of the next message.
    std::vector<hybrid::MpiChannel::Piece> pieces_;
};

} // namespace tutti::v0_1::detail
