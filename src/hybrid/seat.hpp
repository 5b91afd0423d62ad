#pragma once

#include "execute/arguments.hpp"
#include "hybrid/cluster_state.hpp"
#include "hybrid/part.hpp"

#include <tutti/member.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::mpi::detail {

/// Up to so many bytes members exchange values in one go instead of combining slices.
inline constexpr std::size_t one_exchange_bytes = 4096;

/// memcpy, that takes 0 bytes from or to nowhere, and what is there already.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes);

/// One member's own part of a cluster: touched only by the thread that sits in it.
class Seat {
public:
    Seat(ClusterState& cluster, int rank)
        : cluster_(cluster), rank_(rank), knows_leader_(cluster.speaker() != Speaker::main_member) {}

    int global_rank() const { return cluster_.first_rank(cluster_.process()) + rank_; }

    /// The calling thread comes to the seat, or leaves it.
    void sit(tutti::detail::Leaving leaving);
    void rise();

    /// Runs one collective call.
    void run(const tutti::detail::Call& call, const Options& options);

    /// An exception ends this member's part.
    void fail(const std::exception_ptr& cause);

private:
    using Call = tutti::detail::Call;

    /// Checks the call and decides everything about it. Throws ArgumentError.
    void prepare(const Call& call, const Options& options);
    bool is_prepared_for(const Call& call, const Options& options) const;
    void set_offsets();
    void set_slices();
    /// What is_cut() and the like say of the call.
    void set_course();
    void make_room();

    void run_prepared();
    void enter_call();
    void leave_failed_call(const std::exception_ptr& cause, bool is_first);
    void check_failure();
    void tell_others(const std::exception_ptr& cause);
    void find_leader();
    /// Compares what the members of this process believe to be doing: before one touches the vectors of
    /// another, once they have met.
    void compare_claims() const;
    bool leads() const { return rank_ == leader_; }
    bool carries() const { return carriers_ == 1 ? leads() : rank_ < carriers_; }
    /// Runs what makes MPI calls where they may be made.
    template <class Work>
    void speak(Work work) {
        if (cluster_.speaker() == Speaker::main_caller) {
            cluster_.main_thread().run_there(std::ref(work)); // which allocates nothing
        } else {
            work();
        }
    }

    // The three parts of a call: the members of a process put what goes to others into the depot, carriers
    // carry it, and the members take what came.
    void contribute();
    void carry();
    void take();

    void combine();
    void pack();
    void unpack();
    void take_prefix();
    hybrid::Carriage carriage();
    void carry_slice();

    // Parts of the vectors, see hybrid::Part: the one that `part_` was last cut to.
    /// Whether the members put and take parts, from and to each other's vectors.
    bool is_cut() const { return is_cut_; }
    bool puts_parts() const;
    void cut(std::size_t index, std::size_t count);
    std::pair<std::size_t, std::size_t> own_range() const;
    void put_part(std::byte* to, std::size_t index, std::size_t shares);
    void combine_range(std::byte* to, std::size_t first, std::size_t elements);
    void gather_range(std::byte* to, std::size_t first, std::size_t elements);
    void store_part(int member, const std::byte* from);
    bool wants_whole(int member) const;
    hybrid::Carriage part_carriage(std::byte* input, std::byte* output);
    void put_parts();
    void carry_part(std::size_t index);
    void take_parts();

    // The leader combines, carries and hands out by itself, segment by segment: alone in its process, with
    // vectors too short to be worth two more exchanges, and where the members share CPUs anyway.
    bool is_solo() const { return is_solo_; }
    bool goes_solo() const;
    void carry_solo();
    void hand_out(const std::byte* from);

    // Order serial, by a chain of processes.
    bool is_serial() const { return is_serial_; }
    void carry_serial();
    std::byte* continue_reduction(const std::byte* before);
    std::byte* continue_prefixes(const std::byte* before);
    void spread_serial(const hybrid::Carriage& whole);

    // The way "pipelined": the leader carries segments while the others combine the next ones.
    bool is_pipelined() const { return is_pipelined_; }
    void run_pipeline();
    void carry_segment(std::size_t segment);
    void combine_segment(std::size_t segment);
    void store_segment(std::size_t segment);
    void await_progress(int member, std::size_t segments);
    std::size_t workers() const;
    std::size_t worker() const;
    std::size_t segments() const;

    /// A local exchange: returns when all members have come.
    void meet(tutti::detail::GroupState& group);
    void run_local(const Call& call);

    std::size_t bytes(std::size_t elements) const { return elements * call_.element_bytes; }
    const Depot& depot() const { return cluster_.depot(static_cast<unsigned>(calls_ % 2)); }
    /// The global rank of this process's first member.
    int first_member() const { return global_rank() - rank_; }
    bool alone() const { return cluster_.members() == 1; }
    /// Whether the leader carries from, to the caller's vectors themselves.
    bool sends_directly() const { return sends_directly_; }
    bool receives_directly() const { return receives_directly_; }
    /// This member's block of a divided vector, wherever the caller's vector has it.
    std::size_t own_block_elements() const;
    bool root_is_here() const { return cluster_.process_of(call_.root) == cluster_.process(); }
    bool is_root() const { return call_.root == global_rank(); }
    const std::byte* in() const { return static_cast<const std::byte*>(call_.input); }
    std::byte* out() const { return static_cast<std::byte*>(call_.output); }

    ClusterState& cluster_;
    int rank_;
    int leader_ = 0;
    bool knows_leader_;
    /// Counts the calls; its lowest bit chooses the depot.
    std::uint64_t calls_ = 0;
    tutti::detail::Leaving leaving_ = tutti::detail::Leaving::for_now;

    Call call_;
    /// What the call and its options name, kept.
    std::string algorithm_;
    std::string way_;
    int wanted_leaders_ = 0;
    bool serial_ = false;
    bool is_prepared_ = false;
    tutti::execute::Shape shape_;
    hybrid::Claim claim_;
    const tutti::detail::Kernels* kernels_ = nullptr;
    int carriers_ = 1;
    /// Of a carrier that waits for messages.
    mailbox::Patience patience_;
    bool is_serial_ = false;
    bool is_pipelined_ = false;
    bool is_cut_ = false;
    bool is_solo_ = false;
    bool sends_directly_ = false;
    bool receives_directly_ = false;
    tutti::run::Memory discarded_;
    /// Where the blocks of all members start, and those of the processes; a vector that is not divided is
    /// one block.
    std::vector<std::size_t> offsets_;
    std::vector<std::size_t> process_offsets_;
    std::vector<std::size_t> slices_;
    hybrid::Part part_;
    std::vector<const void*> ins_;
    std::vector<void*> outs_;
    std::size_t input_room_ = 0;
    std::size_t output_room_ = 0;
    std::size_t room_align_ = mailbox::line_bytes;
};

} // namespace tutti::mpi::detail
