#pragma once

#include "call/arguments.hpp"
#include "call/known_call.hpp"
#include "choose/select.hpp"
#include "hybrid/src/blocks/block_edges.hpp"
#include "hybrid/src/channel/process_call.hpp"
#include "hybrid/src/cluster_state.hpp"
#include "hybrid/src/hierarchy_strategy.hpp"
#include "hybrid/src/process_member.hpp"
#include "run/memory.hpp"
#include "run/private_layout.hpp"

#include <tutti/detail/call.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::hybrid {
enum class Strategy : std::uint8_t;
}

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// Copies unless both are one place: a caller may have passed one vector as both.
void copy_unless_there(std::byte* to, const std::byte* from, std::size_t bytes);

/// One member's part in a call of a cluster that it repeats: the decisions made when the call was prepared,
/// and their execution by its strategy.
class ClusterCall {
public:
    using Call = tutti::detail::Call;

    explicit ClusterCall(ProcessMember& member) : member_(member), cluster_(member.cluster()) {}

    /// Checks a call and decides everything about it except its addresses and its strategy. Throws
    /// ArgumentError. \pre check_given() has accepted the call
    void prepare(const Call& call, const Options& options);
    /// Decides how the members make it, if all of them do at once.
    void set_strategy() { strategy_ = make_strategy(*this); }
    /// Whether it has been prepared for that call, or for the one with this key, which is not 0, on vectors
    /// that lie to each other as these do.
    bool serves(const Call& call, std::string_view wanted_way) const {
        return known_.serves(call) && wanted_way == wanted_way_;
    }
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return known_.serves(key, input, output) && wanted_way_.empty();
    }
    /// The call is made, on these vectors.
    void begin(const void* input, void* output, const void* state, Timeout timeout);
    /// The same as the operation with this number, which lasts while the member makes other calls.
    void begin_started(std::uint64_t number, const void* input, void* output, const void* state,
                       Timeout timeout);
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
    int leader() const { return member_.leader(); }
    bool leads() const { return member_.leads(); }
    std::uint64_t number() const { return started_ != 0 ? started_ : member_.number(); }
    Collective collective() const { return call_.collective; }
    const tutti::detail::CollectiveTraits& traits() const {
        return tutti::detail::traits_of(call_.collective);
    }
    hybrid::Strategy chosen() const { return chosen_; }
    std::uint32_t algorithm() const { return process_call_.algorithm; }
    const tutti::engine::Shape& shape() const { return known_.shape(); }
    const tutti::detail::Kernels& kernels() const { return *kernels_; }
    const void* state() const { return call_.state; }
    std::size_t element_align() const { return call_.element_align; }

    const std::byte* in() const { return static_cast<const std::byte*>(call_.input); }
    std::byte* out() const { return static_cast<std::byte*>(call_.output); }
    std::size_t bytes(std::size_t elements) const { return elements * call_.element_bytes; }
    std::size_t total_bytes() const { return bytes(shape().total); }
    /// Whether the members of a process have one vector for the result.
    bool shares_result() const { return known_.call().shared_output; }
    /// The whole vectors for data from other processes, and for data to them.
    std::byte* landing() const { return shares_result() ? out() : staging().output; }
    std::byte* outgoing() const {
        return shares_result() && collective() == Collective::broadcast ? out() : staging().input;
    }
    bool is_separate() const { return shape().aliasing == tutti::engine::Aliasing::separate; }
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
    tutti::detail::Association association() const { return tutti::engine::association_of(call_); }
    /// The starts of the processes' blocks, and the end; a vector that is not divided is one block.
    std::span<const std::size_t> process_offsets() const { return process_offsets_; }
    /// Whether undivided results of others go into the vector of this process's member `member`.
    bool is_for(int member) const;

    /// Shows this member's vectors to the others of its process.
    void show();
    const ShownVectors& vectors_of(int member) const {
        return started_ != 0 ? shown_by(member).vectors : cluster_.board(member).vectors;
    }
    /// The place at which that member shows the operation, or another one.
    StartedCall& shown_by(int member) const {
        return cluster_.board(member).started[started_ % StartedCall::most];
    }
    /// Makes the staging buffers as large at least. The members of the process meet if that is larger than
    /// ever.
    void make_room(std::size_t input_bytes, std::size_t output_bytes);
    void meet() { member_.meet(call_.timeout); }
    void run_held(std::unique_ptr<tutti::engine::PreparedCall>& held, const Call& call) {
        member_.run_held(held, call);
    }
    const StagingBuffers& staging() const {
        return started_ != 0 ? cluster_.started().staging()
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
    const tutti::engine::KnownCall& known() const { return known_; }
    const tutti::engine::CallSignature& call_signature() const { return call_signature_; }

    /// Compares the calls that the members of this process make: before one touches the vectors of another,
    /// once they have met. Throws MismatchError.
    void compare_calls() const;

    /// Runs work that makes MPI calls where they may be made.
    template <class Work>
    void speak(Work work) {
        hybrid::require_unfinalised_mpi();
        tutti::engine::ThreadProgress& thread = tutti::engine::ThreadProgress::here();
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
    tutti::engine::Shape set_blocks(const Call& call, const Options& options);
    std::uint32_t choose_algorithm(const Call& call, const Options& options) const;
    void set_call_signature(const Call& call, std::uint32_t algorithm);
    void set_offsets();
    void set_process_call(std::uint32_t algorithm);

    ProcessMember& member_;
    ClusterState& cluster_;
    /// The number of the operation; 0 for a call that blocks.
    std::uint64_t started_ = 0;

    /// The call as the program made it.
    tutti::engine::KnownCall known_;
    tutti::run::Memory input_copy_;
    bool copies_input_ = false;
    std::string wanted_way_;
    /// The base for local calls.
    Call call_;
    hybrid::Strategy chosen_{};
    tutti::engine::CallSignature call_signature_;
    std::uint64_t digest_ = 0;
    const tutti::detail::Kernels* kernels_ = nullptr;
    std::vector<std::size_t> offsets_;
    std::vector<std::size_t> process_offsets_;
    bool sends_blocks_ = false;
    tutti::run::PrivateLayout blocks_;
    std::uint64_t layout_digest_ = 0;
    BlockEdges edges_;
    /// Complete except for the addresses.
    hybrid::ProcessCall process_call_;
    /// Null before the call has been prepared.
    std::unique_ptr<HierarchyStrategy> strategy_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
