#include "group/seats.hpp"

#include "group/ranks_text.hpp"

#include <tutti/error.hpp>

#include <new>
#include <optional>
#include <string>

namespace tutti::engine {

void Seats::make(detail::GroupState& group, int members) {
    seats_.reserve(static_cast<std::size_t>(members));
    for (int rank = 0; rank < members; ++rank) {
        seats_.push_back(std::make_unique<detail::Seat>(group, rank, members));
    }
}

std::int64_t Seats::take(int rank) {
    if (failure_.raised()) {
        throw_refused(rank);
    }
    const std::int64_t region = memory_.enter_region(rank);
    if (region == 0) {
        throw ArgumentError("join: rank " + std::to_string(rank) +
                            " is taken: a thread has joined with it and has not left");
    }
    if (region == 1) { // a member that waits for the first threads looks again
        join_timeout_.restart();
    }
    return region;
}

void Seats::throw_refused(int rank) const {
    try {
        failure_.throw_aborted();
    } catch (const Error& told) {
        std::optional<Aborted> refused;
        try {
            refused.emplace("join: rank " + std::to_string(rank) +
                                ": the group has failed and stays failed; make a new one: " + told.what(),
                            ErrorContext{.rank = rank, .peer = told.context().peer});
        } catch (const std::bad_alloc&) {
        }
        if (!refused) {
            throw;
        }
        throw Aborted(*refused);
    }
}

void Seats::require_joined(int member, int peer) {
    const auto has_joined = [this](int rank) { return memory_.status(rank).has_joined(); };
    if (!has_joined(member) || has_joined(peer) || !join_timeout_.has_passed()) {
        return;
    }
    std::vector<int> absent;
    for (int rank = 0; rank < size(); ++rank) {
        if (!has_joined(rank)) {
            absent.push_back(rank);
        }
    }
    if (absent.empty()) { // the last has just come
        return;
    }
    throw Error(engine::text_of_ranks(absent, "member", "members") + (absent.size() == 1 ? " has" : " have") +
                    " not joined within " + engine::text_of(join_timeout_.timeout()) + ". " +
                    engine::advice_on_absence() + "; GroupOptions::join_timeout sets how long members wait",
                {.peer = absent.front()});
}

} // namespace tutti::engine
