#pragma once

#include "hybrid/relay.hpp"
#include "hybrid/wire.hpp"
#include "plan/partition.hpp"

#include <tutti/detail/kernels.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tutti::hybrid {

/// The vectors of one process, and how they are combined.
struct Freight {
    /// Where each space starts, as if whole.
    std::array<std::byte*, schedule::space_count> spaces{};
    plan::Partition partition;
    std::size_t element_bytes = 1;
    std::size_t element_align = 1;
    const detail::Kernels* kernels = nullptr;
    const void* state = nullptr;
};

/// Carries out relays on one wire. Keeps the memory that it needs, so that a call like one before allocates
/// nothing.
class Runner {
public:
    explicit Runner(Wire& wire) : wire_(wire) {}

    void run(const Relay& relay, const Freight& freight);

private:
    /// The ranges of memory that a place is: two where its blocks wrap around, and none of no bytes.
    struct Ranges {
        std::array<Wire::Piece, 2> at{};
        std::size_t count = 0;
    };
    Ranges ranges(std::byte* start, const schedule::Blocks& blocks) const;
    Ranges own_ranges(const schedule::Place& place) const {
        return ranges(freight_.spaces[static_cast<std::size_t>(place.space)], place.blocks);
    }
    std::size_t bytes(const schedule::Place& place) const;
    void add_own(const schedule::Place& place);

    void run_round(const Relay& relay, const Relay::Round& round);
    void send_all(const Relay& relay, const Relay::Round& round);
    void exchange(void (Wire::*start)(std::span<const Wire::Piece>, int), int peer);
    void pack(std::byte* to);
    bool may_store(const Relay::Round& round) const;
    void receive_in_place(const Relay::Round& round);
    void land(const Relay::Round& round);
    void make(const Relay::Move& made) const;
    Ranges operand(const schedule::Place& place, int landed) const;
    void combine(const schedule::Move& move, std::byte* to, const std::byte* left, const std::byte* right,
                 std::size_t bytes) const;

    Wire& wire_;
    Freight freight_;
    int blocks_ = 1;
    bool is_short_ = false;
    std::byte* landing_ = nullptr;
    /// Where each place that was received lies in the landing, and where each message starts.
    std::vector<std::size_t> landed_;
    std::vector<std::size_t> messages_;
    /// Those of the message that is next.
    std::vector<Wire::Piece> pieces_;
};

} // namespace tutti::hybrid
