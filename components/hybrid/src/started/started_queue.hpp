#pragma once

#include "hybrid/src/channel/mpi_check.hpp"
#include "hybrid/src/schedule/transport.hpp"
#include "immovable.hpp"
#include "run/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// Memory that the members of a process and their leaders share during a call.
struct StagingBuffers {
    std::byte* input = nullptr;
    std::byte* output = nullptr;
};

/// How a leader exchanges the operations that are outstanding with the other processes: one after the other,
/// in the order in which they were started, on a channel of their own and from memory of their own. Touched
/// by the leader only.
class StartedQueue : Immovable {
public:
    explicit StartedQueue(int processes) : transport_(processes) {}
    ~StartedQueue();

    hybrid::Transport& transport() { return transport_; }

    /// The operation with this number, counted from 1, has been started.
    void add(std::uint64_t number) {
        added_ = number;
        transport_.channel().note_begun(number);
    }
    /// Whether all before it have been exchanged.
    bool has_turn(std::uint64_t number) const { return number == done_ + 1; }
    /// The one that has its turn has been exchanged.
    void finish() { ++done_; }
    /// Whether all have been.
    bool is_empty() const { return done_ == added_; }

    /// Makes the buffers, and the scratch, as large at least.
    void make_room(std::size_t input_bytes, std::size_t output_bytes, std::size_t scratch_bytes,
                   std::size_t alignment);
    const StagingBuffers& staging() const { return staging_; }
    std::byte* scratch() const { return memory_->scratch.data(); }

private:
    struct Memory : hybrid::Keepable {
        tutti::run::Memory input;
        tutti::run::Memory output;
        tutti::run::Memory scratch;
    };

    hybrid::Transport transport_;
    std::uint64_t done_ = 0;
    std::uint64_t added_ = 0;
    StagingBuffers staging_;
    std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
