#pragma once

#include "execute/seat.hpp"
#include "hybrid/wire.hpp"
#include "plan/partition.hpp"
#include "schedule/schedule.hpp"

#include <tutti/detail/kernels.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace tutti::hybrid {

/// What one process does in a schedule that is carried out by messages: in each round it sends what others
/// read of it, receives what it reads of others, and then makes its moves.
struct Relay {
    /// What goes to or comes from one process in a round: blocks of the sender's vectors, one message.
    struct Message {
        int peer = 0;
        std::vector<schedule::Place> places;
    };
    /// Where the operands of a move are: an index into the places that the round receives, or own_place.
    struct Move {
        schedule::Move move;
        int left = 0;
        int right = 0;
    };
    static constexpr int own_place = -1;

    struct Round {
        std::vector<Message> sends;
        std::vector<Message> receives;
        std::vector<Move> moves;
        /// Everything received is stored as it is, and nothing else is done.
        bool stores_only = false;
    };

    std::vector<Round> rounds;
    int blocks = 1;
    int scratch_vectors = 0;
    /// The most places in any message between any two processes.
    std::size_t most_places = 1;
};

/// The part of `rank`. O(ranks * moves of a member). \pre members write to their own vectors only, and read
/// from named ones: all schedules of the registry but those of `direct` and `flat`
Relay relay_of(const schedule::Schedule& schedule, int rank);

/// The vectors of one process, and how they are combined.
struct Freight {
    /// Where each space starts, as if whole.
    std::array<std::byte*, schedule::space_count> spaces{};
    plan::Partition partition;
    std::size_t element_bytes = 1;
    const detail::Kernels* kernels = nullptr;
    const void* state = nullptr;
};

/// Carries out `relay`. With `headed` every message starts with `header`, and whoever receives another one
/// throws MismatchError: for messages of at most most_headed_bytes. `landing` is memory that is kept.
void run(Wire& wire, const Relay& relay, const Freight& freight, const Header& header, bool headed,
         execute::Memory& landing);

} // namespace tutti::hybrid
