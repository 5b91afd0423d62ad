// Who is where, for those that wait in vain.

#include "execute/roll_call.hpp"

#include "execute/disagreement.hpp"
#include "execute/group_state.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::execute {

namespace {

using detail::GroupState;

/// As far as a member shows it.
struct Place {
    int rank = 0;
    bool has_joined = true;
    bool has_left = false;
    /// Its last call, counted from 1; 0 if there was none, or it is being written down.
    std::uint64_t number = 0;
    std::string call;
};

Place place_of(const GroupState& group, Sequence sequence, int rank, bool members_join) {
    Place place{.rank = rank,
                .has_joined =
                    !members_join || group.presence(rank).has_joined.load(std::memory_order_relaxed),
                .has_left = group.has_left_for_good(rank),
                .call = {}};
    const std::optional<CallHistory> history = history_of(group, sequence, rank);
    if (history && !history->empty()) {
        place.number = history->last();
        place.call = history->claim(place.number).describe();
    }
    return place;
}

std::vector<Place> places_of(const GroupState& group, Sequence sequence) {
    bool members_join = false;
    for (int rank = 0; rank < group.size(); ++rank) {
        // Relaxed: lasts, and only tells groups that threads join from others.
        members_join = members_join || group.presence(rank).has_joined.load(std::memory_order_relaxed);
    }
    std::vector<Place> places;
    places.reserve(static_cast<std::size_t>(group.size()));
    for (int rank = 0; rank < group.size(); ++rank) {
        places.push_back(place_of(group, sequence, rank, members_join));
    }
    return places;
}

std::string text_of(const Place& place, Sequence sequence) {
    const std::string name = "member " + std::to_string(place.rank);
    if (!place.has_joined) {
        return name + " has not joined";
    }
    const std::string operation = std::string(words_of(sequence).adjective) + "operation " +
                                  std::to_string(place.number) + ", " + place.call;
    if (place.has_left) {
        return place.number == 0 ? name + " has left without a call" : name + " has left after " + operation;
    }
    return place.number == 0 ? name + " has made no call yet" : name + " has come to " + operation;
}

/// Those before `number`, the furthest behind first; a few of them.
std::string text_of_late(const std::vector<Place>& places, Sequence sequence, std::uint64_t number) {
    constexpr std::size_t most = 10;
    std::vector<const Place*> late;
    for (const Place& place : places) {
        if (!place.has_joined || place.has_left || place.number < number) {
            late.push_back(&place);
        }
    }
    if (late.empty()) {
        return "all members have come to it: one of them may be inside an operator, or get no CPU";
    }
    std::ranges::stable_sort(late, {},
                             [](const Place* place) { return place->has_joined ? place->number + 1 : 0; });
    std::string text = std::to_string(late.size()) + " of " + std::to_string(places.size()) +
                       (late.size() == 1 ? " members is not there: " : " members are not there: ");
    for (std::size_t index = 0; index < std::min(most, late.size()); ++index) {
        text += (index == 0 ? "" : "; ") + text_of(*late[index], sequence);
    }
    if (late.size() > most) {
        text += "; and " + std::to_string(late.size() - most) + " more";
    }
    return late.front()->has_joined ? text : text + ". " + advice_on_absence();
}

} // namespace

std::string advice_on_absence() {
    return "All seats of a group are to be taken, by as many threads at the same time. Look at what limits "
           "these "
           "(num_threads, OMP_THREAD_LIMIT, nested regions, the size of a pool)";
}

std::string text_of(std::chrono::milliseconds time) {
    return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s"
                                    : std::to_string(time.count()) + " ms";
}

std::string text_of_delay(const GroupState& group, Sequence sequence, int member, int peer,
                          std::chrono::milliseconds deadline) {
    const std::vector<Place> places = places_of(group, sequence);
    const Place& own = places[static_cast<std::size_t>(member)];
    return whereabouts(group, member, peer) + "member " + std::to_string(member) + " has waited " +
           text_of(deadline) + " in " + words_of(sequence).adjective + "operation " +
           std::to_string(own.number) + ", " + own.call + ", at last for member " + std::to_string(peer) +
           "; " + text_of_late(places, sequence, own.number);
}

} // namespace tutti::execute
