#include "hybrid/runner.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::hybrid {

using schedule::Place;

namespace {

/// Of vectors of up to so many bytes messages of several pieces are copied together, and empty messages are
/// sent as well: a barrier is nothing else.
constexpr std::size_t short_bytes = 8192;

/// Messages of up to so many bytes MPI libraries copy and send at once, where longer ones wait for the
/// receiver: short vectors are sent in such pieces. An allreduce of 4 KiB between two processes takes 1.9 us
/// then and 4.1 us in one message (Open MPI).
constexpr std::size_t eager_bytes = 4032;

} // namespace

Runner::Ranges Runner::ranges(std::byte* start, const schedule::Blocks& blocks) const {
    Ranges ranges;
    const auto add = [&](int first, int count) {
        const std::size_t begin = freight_.partition.offset(static_cast<std::size_t>(first));
        const std::size_t end = freight_.partition.offset(static_cast<std::size_t>(first + count));
        if (end != begin) {
            ranges.at[ranges.count++] = {start + begin * freight_.element_bytes,
                                         (end - begin) * freight_.element_bytes};
        }
    };
    const int straight = std::min(blocks.count, blocks_ - blocks.first);
    add(blocks.first, straight);
    if (straight < blocks.count) {
        add(0, blocks.count - straight);
    }
    return ranges;
}

std::size_t Runner::bytes(const Place& place) const {
    const Ranges all = ranges(nullptr, place.blocks);
    return all.at[0].bytes + all.at[1].bytes;
}

void Runner::add_own(const Place& place) {
    const Ranges own = own_ranges(place);
    for (std::size_t i = 0; i < own.count; ++i) {
        pieces_.push_back(own.at[i]);
    }
}

void Runner::run(const Relay& relay, const Freight& freight) {
    freight_ = freight;
    blocks_ = relay.blocks;
    is_short_ = freight.partition.total * freight.element_bytes <= short_bytes;
    for (const Relay::Round& round : relay.rounds) {
        run_round(relay, round);
    }
}

void Runner::run_round(const Relay& relay, const Relay::Round& round) {
    if (is_short_) { // so that who waits for it has it soon
        send_all(relay, round);
    }
    const bool stores = may_store(round);
    stores ? receive_in_place(round) : land(round);
    if (!is_short_) { // so that what comes goes where it belongs at once
        send_all(relay, round);
    }
    wire_.wait();
    if (!stores) {
        for (const Relay::Move& move : round.moves) {
            make(move);
        }
    }
}

void Runner::send_all(const Relay& relay, const Relay::Round& round) {
    const std::size_t most_bytes = relay.most_places * short_bytes;
    for (std::size_t i = 0; i < round.sends.size(); ++i) {
        pieces_.clear();
        for (const Place& place : round.sends[i].places) {
            add_own(place);
        }
        if (is_short_ && pieces_.size() > 1) {
            pack(wire_.room().outgoing.at_least(round.sends.size() * most_bytes) + i * most_bytes);
        }
        exchange(&Wire::send, round.sends[i].peer);
    }
}

/// Sends or receives the pieces: what is short in messages that go at once, if only an empty one.
void Runner::exchange(void (Wire::*start)(std::span<const Wire::Piece>, int), int peer) {
    if (!is_short_) {
        if (!pieces_.empty()) {
            (wire_.*start)(pieces_, peer);
        }
        return;
    }
    Wire::Piece rest = pieces_.empty() ? Wire::Piece{} : pieces_.front();
    do {
        const Wire::Piece next{rest.address, std::min(rest.bytes, eager_bytes)};
        (wire_.*start)(std::span(&next, 1), peer);
        rest = {rest.address + next.bytes, rest.bytes - next.bytes};
    } while (rest.bytes != 0);
}

/// Makes the pieces one, which is a copy.
void Runner::pack(std::byte* to) {
    std::size_t packed = 0;
    for (const Wire::Piece& piece : pieces_) {
        std::memcpy(to + packed, piece.address, piece.bytes);
        packed += piece.bytes;
    }
    pieces_.assign(1, {to, packed});
}

/// Whether what is received may go where it belongs: where nothing else is done with it, and short messages
/// are one piece. Nothing of that is sent in the same round: what others read in a round nobody writes in it.
bool Runner::may_store(const Relay::Round& round) const {
    const auto wraps = [&](const Relay::Move& move) {
        return move.move.to.blocks.first + move.move.to.blocks.count > blocks_;
    };
    const auto is_several = [](const Relay::Message& message) { return message.places.size() > 1; };
    return round.stores_only && !(is_short_ && (std::ranges::any_of(round.receives, is_several) ||
                                                std::ranges::any_of(round.moves, wraps)));
}

void Runner::receive_in_place(const Relay::Round& round) {
    std::size_t place = 0;
    for (const Relay::Message& message : round.receives) {
        pieces_.clear();
        for (std::size_t i = 0; i < message.places.size(); ++i) {
            add_own(round.moves[place++].move.to);
        }
        exchange(&Wire::receive, message.peer);
    }
}

/// Each message in one piece, on a cache line, and where its elements may lie.
void Runner::land(const Relay::Round& round) {
    landed_.clear();
    messages_.clear();
    std::size_t at = 0;
    const std::size_t alignment = std::max(mailbox::line_bytes, freight_.element_align);
    for (const Relay::Message& message : round.receives) {
        messages_.push_back(at);
        for (const Place& place : message.places) {
            landed_.push_back(at);
            at += bytes(place);
        }
        messages_.push_back(at - messages_.back());
        at = (at + alignment - 1) / alignment * alignment;
    }
    landing_ = wire_.room().landing.at_least(at, alignment);
    for (std::size_t i = 0; i < round.receives.size(); ++i) {
        const Wire::Piece whole{landing_ + messages_[2 * i], messages_[2 * i + 1]};
        pieces_.assign(whole.bytes != 0 ? 1 : 0, whole);
        exchange(&Wire::receive, round.receives[i].peer);
    }
}

/// The ranges of an operand: one where it has landed.
Runner::Ranges Runner::operand(const Place& place, int landed) const {
    if (landed == Relay::own_place) {
        return own_ranges(place);
    }
    return {.at = {Wire::Piece{landing_ + landed_[static_cast<std::size_t>(landed)], bytes(place)}},
            .count = 1};
}

void Runner::make(const Relay::Move& made) const {
    const Ranges to = own_ranges(made.move.to);
    const Ranges left = operand(made.move.left, made.left);
    const Ranges right = made.move.has_right() ? operand(made.move.right, made.right) : left;
    // Ranges end in different places where some wrap around and others do not.
    std::array<std::size_t, 3> piece{};
    std::array<std::size_t, 3> at{};
    const std::array<const Ranges*, 3> all{&to, &left, &right};
    while (piece[0] < to.count) {
        std::size_t length = to.at[piece[0]].bytes - at[0];
        for (std::size_t i = 1; i < all.size(); ++i) {
            length = std::min(length, all[i]->at[piece[i]].bytes - at[i]);
        }
        combine(made.move, to.at[piece[0]].address + at[0], left.at[piece[1]].address + at[1],
                right.at[piece[2]].address + at[2], length);
        for (std::size_t i = 0; i < all.size(); ++i) {
            at[i] += length;
            if (at[i] == all[i]->at[piece[i]].bytes) {
                ++piece[i];
                at[i] = 0;
            }
        }
    }
}

void Runner::combine(const schedule::Move& move, std::byte* to, const std::byte* left, const std::byte* right,
                     std::size_t bytes) const {
    if (move.reduces) {
        freight_.kernels->reduce(freight_.state, to, left, right, bytes / freight_.element_bytes);
    } else if (to != left) {
        std::memcpy(to, left, bytes);
    }
}

} // namespace tutti::hybrid
