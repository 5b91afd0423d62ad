#pragma once

#include "call/known_call.hpp"
#include "flight/progress_engine.hpp"
#include "hybrid/src/blocks.hpp"
#include "hybrid/src/cluster_call.hpp"
#include "hybrid/src/leader_work.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/detail/request_base.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

class ClusterSeat;
class StartedCalls;

/// One member's part in an operation of a cluster that is outstanding. For flight/ it is a barrier of the
/// process, which a member enters when it has shown its vectors, but the leader only when it has exchanged
/// the operation with the other processes and has stored all results.
class StartedGate final : public tutti::engine::Gate {
public:
    StartedGate(StartedCalls& home, ProcessMember& member)
        : home_(home), call_(member), work_(call_), blocks_(call_, 0, call_.members()) {}

    /// Checks a call, and decides everything about it. Throws ArgumentError.
    void prepare(const tutti::detail::Call& call, const Options& options);
    bool serves(const tutti::detail::Call& call) const { return call_.serves(call); }
    /// An operation will make this call, for which it is prepared.
    void use(const tutti::detail::Call& call);

    void require_like(const tutti::detail::Call& other) const override;
    void bind(const void* input, void* output) override;
    void start() noexcept override;
    bool is_open() override;
    bool needs_looks() const override { return leads_; }
    void complete() noexcept override;
    void fail(const std::exception_ptr& cause, bool is_first) noexcept override;
    void drop() noexcept override;
    Collective collective() const override { return call_.collective(); }

private:
    enum class Stage : std::uint8_t { hidden, shown, exchanging, stored };

    void show();
    bool all_have_come();
    void look_for_late();
    ErrorContext context() const;
    void require_leader() const;
    bool lead();
    bool is_awaited() const;
    void begin_exchange();
    tutti::detail::Seat& own_seat() const;

    StartedCalls& home_;
    ClusterCall call_;
    /// What the leader does, of a call that sends blocks or of another.
    LeaderWork work_;
    BlockExchange blocks_;
    tutti::engine::KeptOperator operator_;
    const void* input_ = nullptr;
    void* output_ = nullptr;
    Timeout timeout_;
    SourceLine where_;
    std::uint64_t number_ = 0;
    Stage stage_ = Stage::hidden;
    bool leads_ = false;
    bool is_in_use_ = false;
    /// How long the leader waits for the members of its process, and when it has looked.
    tutti::engine::WaitTimer waited_{{}};
    std::chrono::nanoseconds looked_{0};
};

/// The operations of a cluster that one member has started or prepared.
class StartedCalls {
public:
    StartedCalls(ClusterSeat& seat, ProcessMember& member) : seat_(seat), member_(member) {}

    tutti::detail::RequestBase& start(const tutti::detail::Call& call, const Options& options);
    tutti::detail::PersistentRequestBase& prepare(const tutti::detail::Call& call, const Options& options);

    ClusterSeat& seat() { return seat_; }
    /// The number of the operation that is started now.
    std::uint64_t next_number() { return ++started_; }
    void put_back(StartedGate& gate) { free_.put(&gate); }

private:
    StartedGate& gate_for(const tutti::detail::Call& call, const Options& options);
    template <class Begin>
    auto& with_gate(const tutti::detail::Call& call, const Options& options, Begin begin);

    ClusterSeat& seat_;
    ProcessMember& member_;
    std::uint64_t started_ = 0;
    tutti::engine::CallCache<StartedGate*> free_;
    std::vector<std::unique_ptr<StartedGate>> all_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
