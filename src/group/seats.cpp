#include "group/seats.hpp"

#include "group/ranks_text.hpp"
#include "group/seat_occupancy.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace tutti::engine {

namespace {

/// Counts anew from a synchronising operation that the seat has had since it was looked at last, which was in
/// its last region.
void count_from(std::uint64_t sync_epoch, SeatOccupancy& occupancy) {
    if (sync_epoch > occupancy.sync_epoch) {
        occupancy.sync_epoch = sync_epoch;
        occupancy.region = 1;
    }
}

} // namespace

void Seats::make(detail::GroupState& group, int members) {
    seats_.reserve(static_cast<std::size_t>(members));
    for (int rank = 0; rank < members; ++rank) {
        seats_.push_back(std::make_unique<detail::Seat>(group, rank, members));
    }
}

void Seats::take(int rank, const std::function<void()>& recover) {
    std::unique_lock lock(mutex_);
    SeatOccupancy& mine = (*this)[rank].occupancy();
    if (failure_.raised()) {
        const auto is_own = [](const auto& seat) {
            const SeatOccupancy& other = seat->occupancy();
            return other.taken && other.holder == std::this_thread::get_id();
        };
        if (taken_ > 0 && std::ranges::any_of(seats_, is_own)) {
            throw_refused(rank, "this thread is still joined with another rank in the region that "
                                "failed: destroy that Member first");
        }
        const auto all_have_left = [this] { return taken_ == 0 || !failure_.raised(); };
        if (!changed_.wait_for(lock, longest_leave, all_have_left)) {
            ++mine.joins;
            ++mine.refused; // counted as a region by begin_anew()
            throw_refused(rank, "other members have not left the failed region in time, so the "
                                "next region has failed as well; join again for the region after it");
        }
        if (failure_.raised()) {
            begin_anew(recover);
        }
    }
    if (mine.taken) {
        throw ArgumentError("join: rank " + std::to_string(rank) +
                            " is taken: a thread has joined with it and has not left");
    }
    count_from((*this)[rank].last_sync_epoch(), mine);
    ++mine.joins;
    ++mine.number;
    mine.was_told = ++mine.region <= 0;
    if (mine.was_told) {
        throw_refused(rank, "the region failed before this thread joined; skip the region and "
                            "join again for the next one (at once, if the failed region had "
                            "fewer threads)");
    }
    mine.taken = true;
    mine.holder = std::this_thread::get_id();
    ++taken_;
    memory_.status(rank).region.store(mine.number, std::memory_order_relaxed); // read on this thread
    // Relaxed: a waiting member looks again.
    if (!memory_.status(rank).has_joined.test_and_set(std::memory_order_relaxed)) {
        join_timeout_.restart();
    }
}

void Seats::throw_refused(int rank, const char* why) const {
    try {
        failure_.throw_aborted();
    } catch (const Error& told) {
        std::optional<Aborted> refused;
        try {
            refused.emplace("join: rank " + std::to_string(rank) + ": " + why + ": " + told.what(),
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
    const auto has_joined = [this](int rank) {
        return memory_.status(rank).has_joined.test(std::memory_order_relaxed); // which lasts
    };
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
    throw engine::NotJoined(
        engine::text_of_ranks(absent, "member", "members") + (absent.size() == 1 ? " has" : " have") +
            " not joined within " + engine::text_of(join_timeout_.timeout()) + ". " +
            engine::advice_on_absence() + "; GroupOptions::join_timeout sets how long members wait",
        {.peer = absent.front()});
}

bool Seats::is_unusable() {
    if (!members_join_) {
        return failure_.raised();
    }
    const std::scoped_lock lock(mutex_);
    return failure_.raised() && taken_ != 0;
}

bool Seats::is_deserted() {
    const std::scoped_lock lock(mutex_);
    return taken_ == 0;
}

void Seats::leave(int rank) {
    const std::scoped_lock lock(mutex_);
    SeatOccupancy& mine = (*this)[rank].occupancy();
    mine.taken = false;
    mine.saw_failure = failure_.raised();
    if (--taken_ == 0 && mine.saw_failure) {
        changed_.notify_all();
    }
}

void Seats::begin_anew(const std::function<void()>& recover) {
    const bool came_of_waiting = failure_.came_of_waiting();
    std::uint64_t sync_epoch = 0;
    for (const auto& seat : seats_) {
        sync_epoch = std::max(sync_epoch, seat->last_sync_epoch());
    }
    std::int64_t latest = 0;
    std::int64_t latest_number = 0;
    bool join_alike = true;
    const SeatOccupancy& first = seats_.front()->occupancy();
    for (const auto& seat : seats_) {
        SeatOccupancy& each = seat->occupancy();
        count_from(seat->last_sync_epoch(), each);
        count_from(sync_epoch, each); // all have entered it, if not all completed
        each.region += std::exchange(each.refused, 0);
        latest = std::max(latest, each.region);
        latest_number = std::max(latest_number, each.number);
        join_alike = join_alike && each.joins - each.region == first.joins - first.region;
    }
    for (const auto& seat : seats_) {
        SeatOccupancy& each = seat->occupancy();
        // Who was there while others came and went need not come again to what it has seen the end of. Nor
        // does who was told and has not come again until the others had waited for too long: it comes to
        // each region once, and was not behind.
        const bool was_told = std::exchange(each.was_told, false);
        const bool is_there = (each.saw_failure && !join_alike) || (was_told && came_of_waiting);
        each.region = is_there ? 0 : each.region - latest;
        each.saw_failure = false;
        // As many joins as it is behind will be refused.
        each.number = latest_number + each.region;
    }
    recover();
    join_timeout_.restart();
    changed_.notify_all();
}

} // namespace tutti::engine
