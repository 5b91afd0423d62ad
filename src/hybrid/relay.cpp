#include "hybrid/relay.hpp"

#include "schedule/scratch.hpp"

#include <algorithm>
#include <cstring>
#include <map>

namespace tutti::hybrid {

using schedule::Place;
using schedule::Schedule;

namespace {

/// The places of other members that the moves of a round read, by member, in the order of the moves.
std::map<int, std::vector<Place>> reads_of(schedule::Round moves, int reader) {
    std::map<int, std::vector<Place>> reads;
    const auto add = [&](const Place& place) {
        if (place.member == reader) {
            return;
        }
        std::vector<Place>& places = reads[place.member];
        if (std::ranges::find(places, place) == places.end()) {
            places.push_back(place);
        }
    };
    for (const schedule::Move& move : moves) {
        add(move.left);
        if (move.has_right()) {
            add(move.right);
        }
    }
    return reads;
}

Relay::Round own_round(schedule::Round moves, int rank) {
    Relay::Round round;
    std::vector<Place> received;
    for (auto& [peer, places] : reads_of(moves, rank)) {
        received.insert(received.end(), places.begin(), places.end());
        round.receives.push_back({peer, std::move(places)});
    }
    const auto index = [&](const Place& place) {
        return place.member == rank ? Relay::own_place
                                    : static_cast<int>(std::ranges::find(received, place) - received.begin());
    };
    for (const schedule::Move& move : moves) {
        round.moves.push_back(
            {move, index(move.left), move.has_right() ? index(move.right) : Relay::own_place});
    }
    // Then every place received has one destination, in order.
    round.stores_only = round.moves.size() == received.size();
    for (std::size_t i = 0; round.stores_only && i < received.size(); ++i) {
        round.stores_only = !round.moves[i].move.reduces && round.moves[i].left == static_cast<int>(i);
    }
    return round;
}

} // namespace

Relay relay_of(const Schedule& schedule, int rank) {
    Relay relay;
    relay.blocks = schedule.blocks();
    relay.scratch_vectors = schedule.scratch_vectors();
    const schedule::Program own = schedule.program(rank);
    for (std::size_t round = 0; round < own.size(); ++round) {
        relay.rounds.push_back(own_round(own[round], rank));
    }
    for (int other = 0; other < schedule.ranks(); ++other) {
        const schedule::Program program = schedule.program(other);
        for (std::size_t round = 0; round < program.size(); ++round) {
            for (auto& [peer, places] : reads_of(program[round], other)) {
                relay.most_places = std::max(relay.most_places, places.size());
                if (peer == rank) {
                    relay.rounds[round].sends.push_back({other, std::move(places)});
                }
            }
        }
    }
    return relay;
}

namespace {

/// One process on its way through a relay.
class Run {
public:
    Run(Wire& wire, const Freight& freight, int blocks, const Header& header, bool headed,
        execute::Memory& landing)
        : wire_(wire), freight_(freight), blocks_(static_cast<std::size_t>(blocks)), header_(header),
          headed_(headed), memory_(landing) {}

    void round(const Relay::Round& round) {
        if (headed_) {
            exchange_headed(round);
        } else if (round.stores_only) {
            store(round);
            return;
        } else {
            exchange(round);
        }
        for (const Relay::Move& move : round.moves) {
            make(move);
        }
    }

private:
    using Pieces = std::vector<Wire::Piece>;

    /// Calls visit(first element, elements) for the ranges of the vector that the blocks are, in order.
    template <class Visit>
    void for_each_range(const schedule::Blocks& blocks, Visit visit) const {
        const auto first = static_cast<std::size_t>(blocks.first);
        const std::size_t end = first + static_cast<std::size_t>(blocks.count);
        const std::size_t straight = std::min(end, blocks_);
        visit(freight_.partition.offset(first), freight_.partition.elements(first, straight - first));
        if (end > blocks_) {
            visit(std::size_t{0}, freight_.partition.elements(0, end - blocks_));
        }
    }

    std::size_t bytes(const Place& place) const {
        std::size_t elements = 0;
        for_each_range(place.blocks, [&](std::size_t /*first*/, std::size_t count) { elements += count; });
        return elements * freight_.element_bytes;
    }

    /// Adds the ranges of memory that `place` of the own vectors is.
    void add_own(const Place& place, Pieces& pieces) const {
        std::byte* const start = freight_.spaces[static_cast<std::size_t>(place.space)];
        for_each_range(place.blocks, [&](std::size_t first, std::size_t count) {
            if (count != 0) {
                pieces.push_back({start + first * freight_.element_bytes, count * freight_.element_bytes});
            }
        });
    }

    void send_all(const Relay::Round& round) {
        for (const Relay::Message& message : round.sends) {
            Pieces pieces;
            for (const Place& place : message.places) {
                add_own(place, pieces);
            }
            if (!pieces.empty()) {
                wire_.send(pieces, message.peer);
            }
        }
    }

    /// Makes room for everything that the round receives: each message contiguously, after `head_bytes`.
    void land(const Relay::Round& round, std::size_t head_bytes, std::size_t least_message_bytes) {
        landed_.clear();
        messages_.clear();
        std::size_t at = 0;
        for (const Relay::Message& message : round.receives) {
            messages_.push_back(at);
            std::size_t within = at + head_bytes;
            for (const Place& place : message.places) {
                landed_.push_back(within);
                within += bytes(place);
            }
            at = std::max(within, at + least_message_bytes);
            at = (at + line_bytes - 1) / line_bytes * line_bytes;
        }
        messages_.push_back(at);
        landing_ = memory_.at_least(at);
    }

    void exchange(const Relay::Round& round) {
        land(round, 0, 0);
        for (std::size_t i = 0; i < round.receives.size(); ++i) {
            std::size_t total = 0;
            for (const Place& received : round.receives[i].places) {
                total += bytes(received);
            }
            if (total != 0) {
                wire_.receive(std::array{Wire::Piece{landing_ + messages_[i], total}},
                              round.receives[i].peer);
            }
        }
        send_all(round);
        wire_.wait();
    }

    /// The same where everything received goes where it belongs at once. Nothing of that is sent in the same
    /// round: what others read in a round nobody writes in it.
    void store(const Relay::Round& round) {
        std::size_t place = 0;
        for (const Relay::Message& message : round.receives) {
            Pieces pieces;
            for (std::size_t i = 0; i < message.places.size(); ++i) {
                add_own(round.moves[place++].move.to, pieces);
            }
            if (!pieces.empty()) {
                wire_.receive(pieces, message.peer);
            }
        }
        send_all(round);
        wire_.wait();
    }

    void exchange_headed(const Relay::Round& round) {
        land(round, sizeof(Header), most_headed_bytes);
        for (std::size_t i = 0; i < round.receives.size(); ++i) {
            wire_.receive(std::array{Wire::Piece{landing_ + messages_[i], most_headed_bytes}},
                          round.receives[i].peer);
        }
        outgoing_.resize(round.sends.size() * most_headed_bytes);
        for (std::size_t i = 0; i < round.sends.size(); ++i) {
            std::byte* const start = &outgoing_[i * most_headed_bytes];
            wire_.send(std::array{Wire::Piece{start, pack(round.sends[i], start)}}, round.sends[i].peer);
        }
        wire_.wait();
        for (std::size_t i = 0; i < round.receives.size(); ++i) {
            Header received;
            std::memcpy(&received, landing_ + messages_[i], sizeof(received));
            compare(header_, received, wire_.rank(), round.receives[i].peer);
        }
    }

    std::size_t pack(const Relay::Message& message, std::byte* to) const {
        std::memcpy(to, &header_, sizeof(header_));
        std::size_t at = sizeof(header_);
        Pieces pieces;
        for (const Place& place : message.places) {
            add_own(place, pieces);
        }
        for (const Wire::Piece& piece : pieces) {
            std::memcpy(to + at, piece.address, piece.bytes);
            at += piece.bytes;
        }
        return at;
    }

    /// The ranges of an operand of `elements` elements in all: one where it has landed.
    Pieces operand(const Place& place, int landed) const {
        Pieces pieces;
        if (landed == Relay::own_place) {
            add_own(place, pieces);
        } else {
            pieces.push_back({landing_ + landed_[static_cast<std::size_t>(landed)], bytes(place)});
        }
        return pieces;
    }

    void make(const Relay::Move& made) {
        Pieces to;
        add_own(made.move.to, to);
        const Pieces left = operand(made.move.left, made.left);
        const Pieces right = made.move.has_right() ? operand(made.move.right, made.right) : left;
        // Ranges end in different places where some wrap around and others do not.
        std::array<std::size_t, 3> piece{};
        std::array<std::size_t, 3> at{};
        const std::array<const Pieces*, 3> all{&to, &left, &right};
        while (piece[0] < to.size()) {
            std::size_t length = to[piece[0]].bytes - at[0];
            for (std::size_t i = 1; i < all.size(); ++i) {
                length = std::min(length, (*all[i])[piece[i]].bytes - at[i]);
            }
            combine(made.move, to[piece[0]].address + at[0], left[piece[1]].address + at[1],
                    right[piece[2]].address + at[2], length);
            for (std::size_t i = 0; i < all.size(); ++i) {
                at[i] += length;
                if (at[i] == (*all[i])[piece[i]].bytes) {
                    ++piece[i];
                    at[i] = 0;
                }
            }
        }
    }

    void combine(const schedule::Move& move, std::byte* to, const std::byte* left, const std::byte* right,
                 std::size_t bytes) const {
        if (move.reduces) {
            freight_.kernels->reduce(freight_.state, to, left, right, bytes / freight_.element_bytes);
        } else if (to != left) {
            std::memcpy(to, left, bytes);
        }
    }

    static constexpr std::size_t line_bytes = 64;

    Wire& wire_;
    const Freight& freight_;
    std::size_t blocks_;
    const Header& header_;
    bool headed_;
    execute::Memory& memory_;
    std::byte* landing_ = nullptr;
    /// Where each place that was received, and each message, lies in the landing.
    std::vector<std::size_t> landed_;
    std::vector<std::size_t> messages_;
    std::vector<std::byte> outgoing_;
};

} // namespace

void run(Wire& wire, const Relay& relay, const Freight& freight, const Header& header, bool headed,
         execute::Memory& landing) {
    Run process(wire, freight, relay.blocks, header, headed, landing);
    for (const Relay::Round& round : relay.rounds) {
        process.round(round);
    }
}

} // namespace tutti::hybrid
