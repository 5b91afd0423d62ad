#include "cache_line.hpp"
#include "hybrid/src/schedule/transport.hpp"

#include <tutti/detail/association.hpp>

namespace tutti::hybrid {

using schedule::Place;

namespace {

using Action = MessagePlan::Action;
using Range = MessagePlan::Range;

/// Up to this size of a vector, messages of several pieces are copied together, and empty messages are sent
/// as well: a barrier consists of these.
constexpr std::size_t short_bytes = 8192;

/// MPI libraries copy and send messages of up to so many bytes at once, while longer ones wait for the
/// receiver: short vectors are sent in such pieces. An allreduce of 4 KiB between two processes then takes
/// 1.9 us, and 4.1 us in one message (Open MPI).
constexpr std::size_t eager_bytes = 4032;

/// A range and its length.
struct Piece {
    Range range;
    std::size_t bytes = 0;
};

/// The ranges of a place: two if its blocks wrap around, and none for no bytes.
class Pieces {
public:
    void add(const Piece& piece) {
        if (piece.bytes != 0) {
            all_[count_++] = piece;
        }
    }
    std::span<const Piece> all() const { return {all_.data(), count_}; }
    std::size_t bytes() const { return all_[0].bytes + all_[1].bytes; }

private:
    std::array<Piece, 2> all_{};
    std::size_t count_ = 0;
};

class Compiler {
public:
    Compiler(MessagePlan& plan, const RankSchedule& rank_schedule, const ProcessCall& call)
        : plan_(plan), rank_schedule_(rank_schedule), element_bytes_(call.element_bytes),
          partition_{.total = call.total,
                     .block = (call.total + static_cast<std::size_t>(rank_schedule.blocks) - 1) /
                              static_cast<std::size_t>(rank_schedule.blocks),
                     .offsets = call.offsets},
          is_short_(call.member_bytes <= short_bytes), alignment_(std::max(line_bytes, call.element_align)) {}

    void compile() {
        plan_.steps.clear();
        plan_.landing_bytes = 0;
        plan_.outgoing_bytes = 0;
        for (const RankSchedule::Round& round : rank_schedule_.rounds) {
            add_round(round);
        }
    }

private:
    Pieces pieces(std::size_t base, const schedule::Blocks& blocks) const {
        Pieces found;
        const auto add = [&](int first, int count) {
            const auto index = static_cast<std::size_t>(first);
            const std::size_t begin = partition_.offset(index);
            const std::size_t end = partition_.offset(index + static_cast<std::size_t>(count));
            found.add(
                {{static_cast<std::uint8_t>(base), begin * element_bytes_}, (end - begin) * element_bytes_});
        };
        const int straight = std::min(blocks.count, rank_schedule_.blocks - blocks.first);
        add(blocks.first, straight);
        if (straight < blocks.count) {
            add(0, blocks.count - straight);
        }
        return found;
    }
    Pieces own_pieces(const Place& place) const {
        return pieces(static_cast<std::size_t>(place.space), place.blocks);
    }

    void add_round(const RankSchedule::Round& round) {
        if (is_short_) { // so that the receiver has it soon
            add_sends(round);
        }
        const bool stores = may_store(round);
        stores ? receive_in_place(round) : land(round);
        if (!is_short_) { // so that data goes to its place as it comes
            add_sends(round);
        }
        if (stores) { // the others, while the messages are on their way
            add_moves(round, true);
        }
        plan_.steps.push_back({.action = Action::wait});
        if (!stores) {
            add_moves(round, false);
        }
    }

    void add_sends(const RankSchedule::Round& round) {
        std::size_t packed = 0;
        for (const RankSchedule::Message& message : round.sends) {
            message_.clear();
            for (const Place& place : message.places) {
                const Pieces own = own_pieces(place);
                message_.insert(message_.end(), own.all().begin(), own.all().end());
            }
            if (is_short_ && message_.size() > 1) {
                pack(packed);
            }
            add_message(Action::send, message.peer);
        }
        plan_.outgoing_bytes = std::max(plan_.outgoing_bytes, packed);
    }

    /// Makes the pieces of the message one, which is a copy to the outgoing ones from `at` on.
    void pack(std::size_t& at) {
        const std::size_t begin = at;
        for (const Piece& piece : message_) {
            plan_.steps.push_back({.action = Action::copy,
                                   .bytes = piece.bytes,
                                   .to = {outgoing_base, at},
                                   .left = piece.range});
            at += piece.bytes;
        }
        message_.assign(1, {{outgoing_base, begin}, at - begin});
    }

    /// Sends or receives the pieces: short data in messages that go at once, if only an empty one.
    void add_message(Action action, int peer) {
        if (!is_short_) {
            for (std::size_t i = 0; i < message_.size(); ++i) {
                plan_.steps.push_back({.action = action,
                                       .has_more = i + 1 < message_.size(),
                                       .peer = peer,
                                       .bytes = message_[i].bytes,
                                       .to = message_[i].range});
            }
            return;
        }
        Piece rest = message_.empty() ? Piece{} : message_.front();
        do {
            const std::size_t bytes = std::min(rest.bytes, eager_bytes);
            plan_.steps.push_back({.action = action, .peer = peer, .bytes = bytes, .to = rest.range});
            rest.range.offset += bytes;
            rest.bytes -= bytes;
        } while (rest.bytes != 0);
    }

    /// Whether received data may go to its place at once: if nothing else is done with it, and short messages
    /// are one piece.
    bool may_store(const RankSchedule::Round& round) const {
        const auto wraps = [&](const RankSchedule::Move& move) {
            return !move.is_own() &&
                   move.move.to.blocks.first + move.move.to.blocks.count > rank_schedule_.blocks;
        };
        const auto is_several = [](const RankSchedule::Message& message) {
            return message.places.size() > 1;
        };
        return round.only_stores_received &&
               !(is_short_ && (std::ranges::any_of(round.receives, is_several) ||
                               std::ranges::any_of(round.moves, wraps)));
    }

    void receive_in_place(const RankSchedule::Round& round) {
        auto store = round.moves.begin();
        for (const RankSchedule::Message& message : round.receives) {
            message_.clear();
            for (std::size_t i = 0; i < message.places.size(); ++i, ++store) {
                store = std::find_if_not(store, round.moves.end(), std::mem_fn(&RankSchedule::Move::is_own));
                const Pieces to = own_pieces(store->move.to);
                message_.insert(message_.end(), to.all().begin(), to.all().end());
            }
            add_message(Action::receive, message.peer);
        }
    }

    /// Lands each message in one piece, on a cache line, and with the alignment of its elements.
    void land(const RankSchedule::Round& round) {
        landed_.clear();
        std::size_t at = 0;
        for (const RankSchedule::Message& message : round.receives) {
            const std::size_t begin = at;
            for (const Place& place : message.places) {
                landed_.push_back(at);
                at += own_pieces(place).bytes();
            }
            message_.assign(at != begin ? 1 : 0, {{landing_base, begin}, at - begin});
            add_message(Action::receive, message.peer);
            at = (at + alignment_ - 1) / alignment_ * alignment_;
        }
        plan_.landing_bytes = std::max(plan_.landing_bytes, at);
    }

    /// The ranges of an operand: one if it has landed.
    Pieces operand(const Place& place, int landed) const {
        if (landed == RankSchedule::own_place) {
            return own_pieces(place);
        }
        Pieces one;
        one.add({{landing_base, landed_[static_cast<std::size_t>(landed)]}, own_pieces(place).bytes()});
        return one;
    }

    void add_moves(const RankSchedule::Round& round, bool own_only) {
        const std::span<const RankSchedule::Move> moves = round.moves;
        for (std::size_t first = 0; first < moves.size();) {
            std::size_t end = first + 1;
            while (end < moves.size() && moves[end].move.joins) {
                ++end;
            }
            if (end - first > 1) {
                add_pass(moves.subspan(first, end - first));
            } else if (!own_only || moves[first].is_own()) {
                add_move(moves[first]);
            }
            first = end;
        }
    }

    void add_move(const RankSchedule::Move& move) {
        const Pieces left = operand(move.move.left, move.left);
        add_step(move.move.reduces ? Action::reduce : Action::copy, own_pieces(move.move.to), left,
                 move.move.has_right() ? operand(move.move.right, move.right) : left);
    }

    struct PassOperand {
        Pieces pieces;
        bool has_landed = false;
    };

    /// The operands of moves that are one pass, two by two. Partial results lie where operands have landed:
    /// no other pass of the round reads these, and one of any two operands is not the process's own.
    void add_pass(std::span<const RankSchedule::Move> pass) {
        std::vector<PassOperand> operands;
        for (const RankSchedule::Move& move : pass) {
            operands.push_back({operand(move.move.left, move.left), move.left != RankSchedule::own_place});
            if (move.move.has_right()) {
                operands.push_back(
                    {operand(move.move.right, move.right), move.right != RankSchedule::own_place});
            }
        }
        const std::span<const PassOperand> all = operands;
        const auto cut = static_cast<std::size_t>(detail::left_part(static_cast<int>(all.size())));
        const Pieces left = partial_result(all.first(cut));
        add_step(Action::reduce, own_pieces(pass.front().move.to), left, partial_result(all.subspan(cut)));
    }

    /// The place of the partial result of some operands of a pass.
    Pieces partial_result(std::span<const PassOperand> operands) {
        if (operands.size() == 1) {
            return operands.front().pieces;
        }
        const auto cut = static_cast<std::size_t>(detail::left_part(static_cast<int>(operands.size())));
        const Pieces left = partial_result(operands.first(cut));
        const Pieces right = partial_result(operands.subspan(cut));
        const Pieces to = std::ranges::find(operands, true, &PassOperand::has_landed)->pieces;
        add_step(Action::reduce, to, left, right);
        return to;
    }

    void add_step(Action action, const Pieces& to, const Pieces& left, const Pieces& right) {
        // Ranges end in different places if some wrap around and others do not.
        const std::array all{to.all(), left.all(), right.all()};
        std::array<std::size_t, all.size()> piece{};
        std::array<std::size_t, all.size()> at{};
        while (piece[0] < to.all().size()) {
            std::size_t length = all[0][piece[0]].bytes - at[0];
            for (std::size_t i = 1; i < all.size(); ++i) {
                length = std::min(length, all[i][piece[i]].bytes - at[i]);
            }
            const auto range = [&](std::size_t i) {
                return Range{all[i][piece[i]].range.base, all[i][piece[i]].range.offset + at[i]};
            };
            plan_.steps.push_back(
                {.action = action, .bytes = length, .to = range(0), .left = range(1), .right = range(2)});
            for (std::size_t i = 0; i < all.size(); ++i) {
                at[i] += length;
                if (at[i] == all[i][piece[i]].bytes) {
                    ++piece[i];
                    at[i] = 0;
                }
            }
        }
    }

    MessagePlan& plan_;
    const RankSchedule& rank_schedule_;
    std::size_t element_bytes_;
    plan::Partition partition_;
    bool is_short_;
    std::size_t alignment_;
    /// The pieces of the next message.
    std::vector<Piece> message_;
    /// The position in the landing of each place that was received in a round.
    std::vector<std::size_t> landed_;
};

} // namespace

void compile(MessagePlan& plan, const RankSchedule& rank_schedule, const ProcessCall& call) {
    Compiler(plan, rank_schedule, call).compile();
}

} // namespace tutti::hybrid
