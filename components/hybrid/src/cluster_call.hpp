#pragma once

#include "call/arguments.hpp"
#include "call/known_call.hpp"
#include "call/prepared_call.hpp"
#include "choose/select.hpp"
#include "hybrid/src/blocks.hpp"

#include <tutti/version.hpp>

namespace tutti::v0_1::detail {

class ClusterCall;

/// Up to so many bytes members exchange values in one go instead of combining slices, or letting one do all.
inline constexpr std::size_t one_exchange_bytes = 4096;

/// How the data of a call gets from the members of a process to other processes, and the results back. It is
/// made once, when the call is prepared; every member goes through all three parts.
///
/// - leader: all members put into the staging buffer, which the leader exchanges, and take from it
/// - working leader: the leader does everything, from the vectors of all members and to them, segment by
///   segment
/// - chain: order serial, from process to process
/// - blocks: members copy the blocks of others of their process, and put the rest into parcels, which the
///   leader exchanges
class HierarchyStrategy : Immovable {
public:
    explicit HierarchyStrategy(ClusterCall& call) : call_(call) {}
    virtual ~HierarchyStrategy() = default;

    /// Puts or shows the member's data for others to the leader: all may go on when this has returned.
    virtual void fan_in() = 0;
    /// Exchanges it with other processes. By the leader.
    virtual void exchange() = 0;
    /// Takes the member's part of the received data. Nobody looks at its vectors any more when this returns.
    virtual void fan_out() = 0;

protected:
    ClusterCall& call() const { return call_; }

private:
    ClusterCall& call_;
};

/// The one for a call that is being prepared: the same on all members of a process, and such that what
/// processes choose fits together on the channel.
std::unique_ptr<HierarchyStrategy> make_strategy(ClusterCall& call);

/// One member of a process, whichever call of the cluster it makes.
class ProcessMember {
public:
    ProcessMember(ClusterState& cluster, int rank) : cluster_(cluster), rank_(rank) {}

    ClusterState& cluster() const { return cluster_; }
    /// This member's rank in its process, that of the process's member 0, and this member's own.
    int rank() const { return rank_; }
    int first_member() const { return cluster_.first_rank(cluster_.process()); }
    int global_rank() const { return first_member() + rank_; }
    bool is_alone() const { return cluster_.members() == 1; }

    /// The member that makes MPI calls for all of the process.
    int leader() const { return leader_; }
    void set_leader(int leader) { leader_ = leader; }
    bool leads() const { return rank_ == leader_; }

    /// How many calls of the cluster there have been, the current one included.
    std::uint64_t number() const { return number_; }
    void begin(const library::CallSignature& call_signature, std::uint64_t digest) {
        cluster_.board(rank_).calls[0].show(++number_, call_signature, digest);
    }

    /// Runs a call of the members of the process, which is held from the first time on: see Seat::run_held.
    void run_held(std::unique_ptr<library::PreparedCall>& held, detail::Call call);
    /// Returns when all members of the process have come.
    void meet(Timeout timeout);
    /// Whether the staging buffers must become larger for this member. All of the process want the same.
    bool wants_room(std::size_t input_bytes, std::size_t output_bytes, std::size_t alignment);
    /// Makes them so large, if this member leads. While nobody uses them.
    void enlarge();

private:
    ClusterState& cluster_;
    int rank_;
    int leader_ = 0;
    std::uint64_t number_ = 0;
    std::unique_ptr<library::PreparedCall> meeting_;
    std::size_t input_room_ = 0;
    std::size_t output_room_ = 0;
    std::size_t room_align_ = line_bytes;
};

/// Copies unless both are one place: a caller may have passed one vector as both.
void copy_unless_there(std::byte* to, const std::byte* from, std::size_t bytes);

/// The state of loops that run an operator of the program: each of them marks the member while it runs, so
/// that the operator can neither make calls of the cluster nor wait for them. The loops of the library have
/// none.
struct ProgramOperator {
    detail::Seat* seat;
    const detail::Kernels* kernels;
    const void* state;
};

/// One member's part in a call of a cluster that it repeats: the decisions made when the call was prepared,
/// and their execution by its strategy.
class ClusterCall {
public:
    using Call = detail::Call;

    explicit ClusterCall(ProcessMember& member) : member_(member), cluster_(member.cluster()) {}

    /// Checks a call and decides everything about it except its addresses and its strategy. Throws
    /// ArgumentError. \pre check_given() has accepted the call
    void prepare(const Call& call);
    /// Decides how the members make it, if all of them do at once.
    void set_strategy() { strategy_ = make_strategy(*this); }
    /// Whether it has been prepared for that call, or for the one with this key, which is not 0, on vectors
    /// that lie to each other as these do.
    bool serves(const Call& call) const { return known_.serves(call); }
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return known_.serves(key, input, output);
    }
    /// The call is made, on these vectors.
    void begin(const void* input, void* output, const void* state, Timeout timeout);
    /// The same as the operation with this number, which lasts while the member makes other calls.
    void begin_started(std::uint64_t number, const void* input, void* output, const void* state,
                       Timeout timeout);
    /// Others see that the member has prepared it, as its `number`-th persistent call.
    void show_prepared(std::uint64_t number) {
        cluster_.board(rank()).calls[2].show(number, call_signature_, digest_);
    }
    /// Copies an input that results replace while others read it.
    void copy_input();
    HierarchyStrategy& strategy() const { return *strategy_; }

    ClusterState& cluster() const { return cluster_; }
    int members() const { return cluster_.members(); }
    /// This member's rank in its process, that of the process's member 0, and this member's own.
    int rank() const { return member_.rank(); }
    int first_member() const { return member_.first_member(); }
    int global_rank() const { return member_.global_rank(); }
    bool is_alone() const { return member_.is_alone(); }
    bool leads() const { return member_.leads(); }
    std::uint64_t number() const { return started_ != 0 ? started_ : member_.number(); }
    /// Whether the member does something else during the call.
    bool is_outstanding() const { return started_ != 0; }
    Collective collective() const { return call_.collective; }
    const detail::CollectiveTraits& traits() const { return detail::traits_of(call_.collective); }
    std::uint32_t algorithm() const { return process_call_.algorithm; }
    const library::Shape& shape() const { return known_.shape(); }
    /// The loops of the operator, and their state.
    const detail::Kernels& kernels() const { return *kernels_; }
    const void* state() const { return &operator_; }
    std::size_t element_align() const { return call_.element_align; }

    const std::byte* in() const { return static_cast<const std::byte*>(call_.input); }
    std::byte* out() const { return static_cast<std::byte*>(call_.output); }
    std::size_t bytes(std::size_t elements) const { return elements * call_.element_bytes; }
    std::size_t total_bytes() const { return bytes(shape().total); }
    /// Whether its vectors may be cut into parts that have nothing to do with each other, and which enough
    /// members of a process want for that to pay: of a gather or a scatter only the root's process has more
    /// than a block.
    bool can_be_cut() const;
    /// Whether the members of a process have one vector for the result.
    bool shares_result() const { return known_.call().shared_output; }
    /// The whole vectors for data from other processes, and for data to them.
    std::byte* landing() const { return shares_result() ? out() : staging().output; }
    std::byte* outgoing() const {
        return shares_result() && collective() == Collective::broadcast ? out() : staging().input;
    }
    bool is_separate() const { return shape().aliasing == library::Aliasing::separate; }
    int root() const { return call_.root; }
    bool is_root() const { return call_.root == global_rank(); }
    bool root_is_here() const { return cluster_.process_of(call_.root) == cluster_.process(); }
    /// The starts of all members' blocks, and the end, of a vector that is divided by rank.
    std::span<const std::size_t> offsets() const { return offsets_; }
    std::size_t own_block_elements() const;
    /// Whether the members send blocks to each other, and which.
    bool sends_blocks() const { return sends_blocks_; }
    const BlockEdges& edges() const { return edges_; }
    /// Inside the process.
    detail::Association association() const { return library::association_of(call_); }
    /// The starts of the processes' blocks, and the end; a vector that is not divided is one block.
    std::span<const std::size_t> process_offsets() const { return process_offsets_; }
    /// Whether undivided results of others go into the vector of this process's member `member`.
    bool is_for(int member) const;

    /// Shows this member's vectors to the others of its process.
    void show();
    /// The place at which that member shows the call, or another one if this one is outstanding.
    ShownVectors& shown_by(int member) const {
        ClusterState::Board& board = cluster_.board(member);
        return started_ != 0 ? board.started[started_ % board.started.size()] : board.blocking;
    }
    /// Makes the staging buffers as large at least. The members of the process meet if that is larger than
    /// ever.
    void make_room(std::size_t input_bytes, std::size_t output_bytes);
    void meet() { member_.meet(call_.timeout); }
    void run_held(std::unique_ptr<library::PreparedCall>& held, const Call& call) {
        member_.run_held(held, call);
    }
    const StagingBuffers& staging() const {
        return started_ != 0 ? cluster_.started().staging().buffers()
                             : cluster_.staging(static_cast<unsigned>(number() % 2));
    }
    /// Copies this member's result from the staging buffer.
    void take_result();
    /// For an all-to-all: copies the blocks that `member` sends to the staging buffer, where blocks for one
    /// process lie together, by sender and receiver; and those that it receives from there. It has shown its
    /// vectors.
    void pack_pairs(int member) const;
    void unpack_pairs(int member) const;

    /// The prepared call, as a base for local calls.
    const Call& call() const { return call_; }
    const library::KnownCall& known() const { return known_; }
    const library::CallSignature& call_signature() const { return call_signature_; }

    /// Compares the calls that the members of this process make: before one touches the vectors of another,
    /// once they have met. Throws MismatchError.
    void compare_calls() const;

    /// Runs work that makes MPI calls where they may be made.
    template <class Work>
    void speak(Work work) {
        hybrid::require_unfinalised_mpi();
        library::ThreadProgress& thread = library::ThreadProgress::here();
        transport().channel().set_progress(started_ == 0 && !thread.is_empty() ? &thread : nullptr);
        cluster_.speak_at_end(work);
    }
    /// The call as one of the processes, from staging buffer to staging buffer, for the addresses to be
    /// changed.
    hybrid::ProcessCall& process_call();
    /// Whether it may be made from and to one vector. By the leader.
    bool works_in_place() { return transport().works_in_place(process_call_); }
    /// Whether the result of a reduction may land in the caller's vector, because nobody reads an input at
    /// that time. By the leader.
    bool may_land_at_once();
    /// Makes one. By work of speak().
    void perform(const hybrid::ProcessCall& call) {
        begin_on_channel();
        transport().perform(call);
    }
    /// Messages from here on are this call's.
    void begin_on_channel() {
        transport().channel().begin(number(), call_signature_, digest_);
        transport().channel().set_timeout(timeout());
    }
    std::chrono::milliseconds timeout() const { return call_.timeout.value_or(cluster_.timeout()); }
    hybrid::Transport& transport() {
        return started_ != 0 ? cluster_.started().transport() : cluster_.transport();
    }

private:
    void bind(const void* input, void* output, const void* state, Timeout timeout);
    library::Shape set_blocks(const Call& call);
    std::uint32_t choose_algorithm(const Call& call) const;
    void set_call_signature(const Call& call, std::uint32_t algorithm);
    void set_offsets();
    void set_process_call(std::uint32_t algorithm);

    ProcessMember& member_;
    ClusterState& cluster_;
    /// The number of the operation; 0 for a call that blocks.
    std::uint64_t started_ = 0;

    /// The call as the program made it.
    library::KnownCall known_;
    run::Memory input_copy_;
    bool copies_input_ = false;
    /// The base for local calls.
    Call call_;
    library::CallSignature call_signature_;
    std::uint64_t digest_ = 0;
    const detail::Kernels* kernels_ = nullptr;
    ProgramOperator operator_{};
    std::vector<std::size_t> offsets_;
    std::vector<std::size_t> process_offsets_;
    bool sends_blocks_ = false;
    run::PrivateLayout blocks_;
    std::uint64_t layout_digest_ = 0;
    BlockEdges edges_;
    /// Complete except for the addresses.
    hybrid::ProcessCall process_call_;
    /// Null before the call has been prepared.
    std::unique_ptr<HierarchyStrategy> strategy_;
};

/// What is combined, sent and stored in one go, so that it stays in a core's own cache.
inline constexpr std::size_t segment_bytes = std::size_t{1} << 20U;

/// How many segments a vector of so many bytes is: 1 at least.
constexpr std::size_t segments_of(std::size_t bytes) {
    return bytes <= segment_bytes ? 1 : (bytes + segment_bytes - 1) / segment_bytes;
}

/// The same share of every block of a vector, one after the other. A vector that is not divided is one block.
class Segment {
public:
    /// Segment `index` of `count`, of a vector whose blocks start at `blocks`, which ends with the end of the
    /// vector; in elements. O(blocks).
    void cut(std::span<const std::size_t> blocks, std::size_t index, std::size_t count);

    std::size_t elements() const { return offsets_.back(); }
    /// Where the part starts in a vector that has all parts one after the other.
    std::size_t start() const { return start_; }
    /// Where the share of each block starts in the part, and the end of the last.
    const std::vector<std::size_t>& offsets() const { return offsets_; }

    /// Calls visit(place in the part, place in the vector, elements) for each range of the vector that
    /// elements begin .. end - 1 of the part are, in order.
    template <class Visit>
    void for_each_range(std::size_t begin, std::size_t end, Visit visit) const {
        for (std::size_t block = 0; block < places_.size(); ++block) {
            const std::size_t first = std::max(begin, offsets_[block]);
            const std::size_t last = std::min(end, offsets_[block + 1]);
            if (first < last) {
                visit(first, places_[block] + (first - offsets_[block]), last - first);
            }
        }
    }

private:
    std::size_t start_ = 0;
    std::vector<std::size_t> offsets_{0};
    /// Where each share lies in the vector.
    std::vector<std::size_t> places_;
};

/// What a leader does in a call for all members of its process, while these wait or, in an operation that is
/// outstanding, do something else: segment by segment it puts together what goes to other processes, from the
/// vectors of all, and stores what comes where each member wants it. By the leader only.
class LeaderWork {
public:
    explicit LeaderWork(ClusterCall& call) : call_(call) {}

    /// Decides how it is done, once the leader has shown its vectors.
    void begin();
    std::size_t segments() const { return segments_; }
    /// The bytes that it needs in each staging buffer.
    std::size_t input_room() const;
    std::size_t output_room() const;

    /// Puts a segment together. Returns the call to be made of it among the processes.
    hybrid::ProcessCall put(std::size_t segment);
    /// Stores what has come of it.
    void store();

private:
    std::size_t room() const;
    hybrid::ProcessCall put_broadcast();
    hybrid::ProcessCall process_call(std::byte* input, std::byte* output) const;
    std::pair<std::size_t, std::size_t> own_range() const;
    void put_together(std::byte* to);
    void combine(std::byte* to, std::size_t first, std::size_t elements, int members);
    void gather(std::byte* to, std::size_t first, std::size_t elements) const;
    void store_to_all();
    void store_block(int member) const;
    void store_prefixes();

    ClusterCall& call_;
    Segment segment_;
    std::size_t segments_ = 1;
    /// Whether the leader's vectors serve as they are: to be sent, for the result, and to combine in.
    bool sends_directly_ = false;
    bool receives_directly_ = false;
    bool combines_in_place_ = false;
    bool streams_ = false;
    /// Where what has come of the segment is.
    const std::byte* result_ = nullptr;
    std::vector<const void*> ins_;
    std::vector<void*> outs_;
};

} // namespace tutti::v0_1::detail
