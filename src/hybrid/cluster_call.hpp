#pragma once

#include "cache_line.hpp"
#include "call/arguments.hpp"
#include "hybrid/cluster_state.hpp"
#include "hybrid/process_call.hpp"
#include "hybrid/ways.hpp"

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tutti::mpi::detail {

/// Copies what is not there already: a caller may have passed one vector as both.
void copy_unless_there(std::byte* to, const std::byte* from, std::size_t bytes);

/// One member's part in a call of a cluster: what was decided when it was prepared, and what every crossing
/// does with it. A call like the one before is prepared already.
class ClusterCall {
public:
    using Call = tutti::detail::Call;

    ClusterCall(ClusterState& cluster, int rank) : cluster_(cluster), rank_(rank) {}

    /// Checks a call and decides everything about it but its addresses. Throws ArgumentError.
    void prepare(const Call& call, const Options& options);
    bool is_prepared_for(const Call& call, const Options& options) const;
    /// Takes these vectors for those of the prepared call, and returns whether it is the one with this key.
    bool serves_again(std::uint64_t key, const void* input, void* output);
    /// The next call is to be prepared, whatever it is.
    void forget() {
        is_prepared_ = false;
        key_ = 0;
    }
    void set_vectors(const void* input, void* output, const void* state) {
        call_.input = input;
        call_.output = output;
        call_.state = state;
    }
    /// The prepared call is made, on the vectors that have been set.
    void begin() {
        ++number_;
        cluster_.show_call(rank_, number_, claim_, digest_);
    }

    ClusterState& cluster() const { return cluster_; }
    int members() const { return cluster_.members(); }
    /// This member's rank in its process, that of the process's member 0, and this member's own.
    int rank() const { return rank_; }
    int first_member() const { return cluster_.first_rank(cluster_.process()); }
    int global_rank() const { return first_member() + rank_; }
    bool is_alone() const { return cluster_.members() == 1; }

    /// The member that makes MPI calls where one does for all.
    int leader() const { return leader_; }
    void set_leader(int leader) { leader_ = leader; }
    bool leads() const { return rank_ == leader_; }

    /// How many calls there have been, this one included.
    std::uint64_t number() const { return number_; }
    Collective collective() const { return call_.collective; }
    const tutti::detail::CollectiveTraits& traits() const {
        return tutti::detail::traits_of(call_.collective);
    }
    hybrid::Way way() const { return way_; }
    std::uint32_t algorithm() const { return process_call_.algorithm; }
    const tutti::execute::Shape& shape() const { return shape_; }
    const tutti::detail::Kernels& kernels() const { return *kernels_; }
    const void* state() const { return call_.state; }
    std::size_t element_align() const { return call_.element_align; }

    const std::byte* in() const { return static_cast<const std::byte*>(call_.input); }
    std::byte* out() const { return static_cast<std::byte*>(call_.output); }
    std::size_t bytes(std::size_t elements) const { return elements * call_.element_bytes; }
    std::size_t total_bytes() const { return bytes(shape_.total); }
    bool is_separate() const { return shape_.aliasing == tutti::execute::Aliasing::separate; }
    int root() const { return call_.root; }
    bool is_root() const { return call_.root == global_rank(); }
    bool root_is_here() const { return cluster_.process_of(call_.root) == cluster_.process(); }
    /// Where the blocks of all members start, and the end, of a vector that is divided by rank.
    std::span<const std::size_t> offsets() const { return offsets_; }
    std::size_t own_block_elements() const;
    /// Where those of the processes start, and the end; a vector that is not divided is one block.
    std::span<const std::size_t> process_offsets() const { return process_offsets_; }
    /// Whether what comes from others, undivided, goes into the vector of this process's member `member`.
    bool is_for(int member) const;

    /// Shows this member's vectors to the others of its process.
    void show();
    /// Makes the depots as large at least. A meeting where that is larger than ever.
    void make_room(std::size_t input_bytes, std::size_t output_bytes);
    const Depot& depot() const { return cluster_.depot(static_cast<unsigned>(number() % 2)); }
    /// Copies what this member wants of what has come into the depot.
    void take_result();

    /// Return when all members of the process have come: on the way to the leader, and on the way back.
    void meet_to_put() { meet(*cluster_.put_group()); }
    void meet_to_take() { meet(*cluster_.take_group()); }
    /// Runs a call of the members of the process.
    void run_local(const Call& call);
    /// The prepared call, for a local one to be made of.
    const Call& call() const { return call_; }

    /// Compares what the members of this process believe to be doing: before one touches the vectors of
    /// another, once they have met. Throws MismatchError.
    void compare_calls() const;

    /// Runs what makes MPI calls where they may be made.
    template <class Work>
    void speak(Work work) {
        hybrid::require_unfinalised_mpi();
        speak_at_end(work);
    }
    /// The same of what looks itself whether MPI has been finalised.
    template <class Work>
    void speak_at_end(Work work) {
        if (cluster_.speaker() == Speaker::main_caller) {
            cluster_.main_thread().run_there(std::ref(work)); // which allocates nothing
        } else {
            work();
        }
    }
    /// The call as one of the processes, from depot to depot, for the addresses to be changed.
    hybrid::ProcessCall& process_call();
    /// Makes one. By what speaks.
    void perform(const hybrid::ProcessCall& call) {
        begin_on_wire();
        transport().wire().set_deadline(call_.deadline.count() != 0 ? call_.deadline : cluster_.deadline());
        transport().perform(call);
    }
    /// Messages from here on are this call's.
    void begin_on_wire() { transport().wire().begin(number_, claim_, digest_); }
    hybrid::Transport& transport() { return cluster_.transport(); }

private:
    void set_claim(const Call& call, std::uint32_t algorithm);
    void set_offsets();
    void set_process_call(std::uint32_t algorithm);
    void meet(tutti::detail::GroupState& group);

    ClusterState& cluster_;
    int rank_;
    int leader_ = 0;

    Call call_;
    /// What the call and its options name, kept.
    std::string algorithm_;
    std::string wanted_way_;
    bool serial_ = false;
    /// key_of() the call; 0 where there is none, or where a way is named.
    std::uint64_t key_ = 0;
    bool is_prepared_ = false;
    tutti::execute::Shape shape_;
    hybrid::Way way_ = hybrid::Way::leader;
    tutti::execute::Claim claim_;
    std::uint64_t digest_ = 0;
    std::uint64_t number_ = 0;
    const tutti::detail::Kernels* kernels_ = nullptr;
    std::vector<std::size_t> offsets_;
    std::vector<std::size_t> process_offsets_;
    /// But for the addresses.
    hybrid::ProcessCall process_call_;
    std::size_t input_room_ = 0;
    std::size_t output_room_ = 0;
    std::size_t room_align_ = line_bytes;
};

} // namespace tutti::mpi::detail
