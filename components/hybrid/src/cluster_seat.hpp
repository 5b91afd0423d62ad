#pragma once

#include "flight/progress_engine.hpp"
#include "hybrid/src/cluster_call.hpp"

#include <tutti/detail/request_base.hpp>

namespace tutti::v0_1::detail {
enum class Leaving : std::uint8_t;
}

namespace tutti::v0_1::detail {

class ClusterSeat;
class StartedCalls;

/// One member's part in an operation of a cluster that is outstanding. For flight/ it is a barrier of the
/// process, which a member enters when it has shown its vectors, but the leader only when it has exchanged
/// the operation with the other processes and has stored all results.
class StartedGate final : public library::Gate {
public:
    StartedGate(StartedCalls& home, ProcessMember& member)
        : home_(home), call_(member), work_(call_), blocks_(call_, 0, call_.members()) {}

    /// Checks a call, and decides everything about it. Throws ArgumentError.
    void prepare(const detail::Call& call);
    bool serves(const detail::Call& call) const { return call_.serves(call); }
    /// An operation will make this call, for which it is prepared.
    void use(const detail::Call& call);
    void show_prepared(std::uint64_t number) { call_.show_prepared(number); }

    void require_like(const detail::Call& other) const override;
    void bind(const void* input, void* output) override;
    void start() noexcept override;
    bool is_open() override;
    bool needs_looks() const override { return leads_; }
    void complete() noexcept override;
    void fail(const std::exception_ptr& cause, bool is_first) noexcept override;
    void drop() noexcept override;
    ErrorContext context() const override;

private:
    enum class Stage : std::uint8_t { hidden, shown, exchanging, stored };

    void show();
    bool all_have_come();
    void look_for_late();
    void require_leader() const;
    bool lead();
    bool is_awaited() const;
    void begin_exchange();
    detail::Seat& own_seat() const;

    StartedCalls& home_;
    ClusterCall call_;
    /// What the leader does, of a call that sends blocks or of another.
    LeaderWork work_;
    BlockExchange blocks_;
    library::KeptOperator operator_;
    const void* input_ = nullptr;
    void* output_ = nullptr;
    Timeout timeout_;
    SourceLine where_;
    std::uint64_t number_ = 0;
    Stage stage_ = Stage::hidden;
    bool leads_ = false;
    bool is_in_use_ = false;
    /// How long the leader waits for the members of its process, and when it has looked.
    library::WaitTimer waited_{{}};
    std::chrono::nanoseconds looked_{0};
};

/// The operations of a cluster that one member has started or prepared.
class StartedCalls {
public:
    StartedCalls(ClusterSeat& seat, ProcessMember& member) : seat_(seat), member_(member) {}

    /// Starts a nonblocking call, or prepares a persistent one.
    library::OutstandingCall& begin(const detail::Call& call, library::Sequence sequence);

    ClusterSeat& seat() { return seat_; }
    /// The number of the operation that is started now.
    std::uint64_t next_number() { return ++started_; }
    void put_back(StartedGate& gate) { free_.put(&gate); }

private:
    StartedGate& gate_for(const detail::Call& call);

    ClusterSeat& seat_;
    ProcessMember& member_;
    std::uint64_t started_ = 0;
    std::uint64_t prepared_ = 0;
    library::CallCache<StartedGate*> free_;
    std::vector<std::unique_ptr<StartedGate>> all_;
};

/// One member's own part of a cluster: touched only by the thread that sits in it.
class ClusterSeat {
public:
    ClusterSeat(ClusterState& cluster, int rank)
        : cluster_(cluster), knows_leader_(cluster.funneled_thread() != FunneledThread::main_member),
          member_(cluster, rank), started_(*this, member_) {}

    int global_rank() const { return member_.global_rank(); }

    /// The calling thread comes to the seat, or gives it back.
    void sit(detail::Leaving leaving);
    void rise();

    /// Runs one collective call.
    void run(const detail::Call& call);
    /// One that has been prepared, on these vectors, if that is the call with this key.
    bool run_again(std::uint64_t key, const void* input, void* output);

    /// See detail::run_operator().
    void run_operator(void (*work)(void*), void* state);

    /// Makes the parts of a split, which all members of the process have agreed on: see Parts.
    void make_parts(const std::vector<PartLayout>& parts);

    /// The operations that the member has started or prepared.
    StartedCalls& started() { return started_; }
    void show_line(const SourceLine& where) { own_board().called_from.show(where); }

    /// Whether this thread makes the MPI calls; and whether all members know the thread that does.
    bool leads_now() const;
    bool knows_leader() const { return knows_leader_; }
    [[noreturn]] static void throw_no_leader();

    /// Throws Error where the member is inside a call, whose operator makes this one.
    void require_idle(const detail::Call& call) const;

    /// An exception ends this member's part, or its outstanding operations.
    void fail(const std::exception_ptr& cause);

    /// Fails the member, with that text.
    void abort(std::string_view text);
    /// Throws an Error with the text of abort(), if the member has called it.
    void throw_if_aborted() const;

private:
    bool runs_operator() const;
    void check_failure(const ErrorContext& context);
    ErrorContext context_of(const detail::Call& call) const;
    ErrorContext context_of(const ClusterCall& call) const;
    /// Checks a call, and prepares it unless it is known.
    ClusterCall& prepared(const detail::Call& call);
    void run_prepared(ClusterCall& call);
    void enter_call();
    ClusterState::Board& own_board() const { return cluster_.board(member_.rank()); }
    void leave_failed_call(const std::exception_ptr& cause, bool is_first);
    void tell_others(const std::exception_ptr& cause);
    void tell_of_failure();
    void find_leader();

    ClusterState& cluster_;
    bool knows_leader_;
    detail::Leaving leaving_{}; // for now
    ProcessMember member_;
    library::CallCache<std::unique_ptr<ClusterCall>> calls_;
    /// Whether it is in a call that blocks.
    bool is_inside_ = false;
    std::exception_ptr aborted_;
    /// See find_leader().
    std::unique_ptr<library::PreparedCall> search_;
    StartedCalls started_;
};

} // namespace tutti::v0_1::detail
