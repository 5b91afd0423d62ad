#pragma once

#include "schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace tutti::cost {

/// Calls visit(stored, owner, place) for the places of other members that a round of `actor` reads, or stores
/// to.
template <class Visit>
void for_each_foreign(const schedule::Schedule& schedule, int actor, schedule::Round round, Visit visit) {
    const auto look = [&](const schedule::Place& place, bool stored) {
        schedule::for_each_member(place.member, schedule.ranks(), [&](int owner) {
            if (owner != actor) {
                visit(stored, owner, place);
            }
        });
    };
    for (const schedule::Move& move : round) {
        look(move.left, false);
        if (move.has_right()) {
            look(move.right, false);
        }
        look(move.to, true);
    }
}

/// The blocks that a member reads from vectors of others in a round or stores into them, each once.
class Messages {
public:
    explicit Messages(const schedule::Schedule& schedule) : schedule_(schedule) {}

    /// Calls visit(stored, owner, blocks), for an owner more than once.
    template <class Visit>
    void for_each(int actor, schedule::Round round, Visit visit) {
        if (is_plain(actor, round)) {
            for_each_foreign(schedule_, actor, round,
                             [&](bool stored, int owner, const schedule::Place& place) {
                                 visit(stored, owner, place.blocks.count);
                             });
            return;
        }
        find(actor, round);
        for (const std::vector<Message>& messages : found_) {
            for (const Message& message : messages) {
                visit(message.stored, message.owner, 1);
            }
        }
    }

private:
    struct Message {
        bool stored = false;
        int owner = 0;
        int block = 0;

        friend auto operator<=>(const Message&, const Message&) = default;
    };

    /// Whether a round has so little in it that it names no block of another member twice.
    static bool is_plain(int actor, schedule::Round round) {
        return round.empty() ||
               (round.size() == 1 && (!round.front().has_right() || round.front().left.member == actor ||
                                      round.front().right.member == actor));
    }

    void find(int actor, schedule::Round round) {
        for (std::vector<Message>& messages : found_) {
            messages.clear();
        }
        for_each_foreign(schedule_, actor, round, [&](bool stored, int owner, const schedule::Place& place) {
            for_each_block(place.blocks, schedule_.blocks(), [&](int block) {
                found_[static_cast<std::size_t>(place.space)].push_back({stored, owner, block});
            });
        });
        for (std::vector<Message>& messages : found_) {
            if (!std::ranges::is_sorted(messages)) {
                std::ranges::sort(messages);
            }
            messages.erase(std::unique(messages.begin(), messages.end()), messages.end());
        }
    }

    const schedule::Schedule& schedule_;
    /// Vector by vector: the messages of each are mostly found in order.
    std::array<std::vector<Message>, schedule::space_count> found_;
};

} // namespace tutti::cost
