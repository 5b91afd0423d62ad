#pragma once

#include "cache_line.hpp"
#include "measure/gate.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::bench {

/// When one member entered and left one measured call, in ns of the steady clock.
struct Stamp {
    std::int64_t entry_ns = 0;
    std::int64_t exit_ns = 0;
};

/// The memory that the members of a measurement share: the gate, one word to agree on things, one counter,
/// and room for each member's stamps. It is laid out by hand because in the MPI program it lies in a window
/// that every process maps at another address.
class HarnessMemory {
public:
    /// Bytes needed for `members` members with `stamps` stamps each.
    static std::size_t bytes(int members, std::size_t stamps);

    /// Lays it out in zeroed, page-aligned `memory` of bytes(members, stamps) bytes; done by one
    /// member.
    static void create(void* memory, int members, bool crowded);

    /// A view of what has been created.
    HarnessMemory(void* memory, int members, std::size_t stamps);

    int members() const { return members_; }
    std::size_t stamps() const { return stamps_; }

    Gate& gate() const { return head_->gate; }
    std::atomic<std::uint64_t>& word() const { return head_->word; }
    std::atomic<std::uint64_t>& counter() const { return head_->counter; }

    /// Stamp `index` of `member`.
    Stamp& stamp(int member, std::size_t index) const;

private:
    struct Head {
        Gate gate;
        alignas(line_bytes) std::atomic<std::uint64_t> word{0};
        alignas(line_bytes) std::atomic<std::uint64_t> counter{0};
    };

    Head* head_;
    std::byte* first_stamps_;
    int members_;
    std::size_t stamps_;
};

} // namespace tutti::bench
