#pragma once

#include <cstdint>
#include <thread>

namespace tutti::engine {

/// Who sits in a seat that threads join, and how far the seat has come in the program: what tells a member
/// that is still to come to a region that has failed from one that comes to the next.
///
/// A region is what a seat lives through from one join to the next. Where all members join for every region,
/// the seats that have joined equally often are in the same one. Where some stay while others come and go,
/// they are known to be together in every operation that nobody completes before all have entered it, their
/// last synchronising operation; from there on joins are counted anew.
///
/// Guarded by the group's mutex.
struct SeatOccupancy {
    bool taken = false;
    std::thread::id holder;
    /// In all.
    std::int64_t joins = 0;
    /// Joins since the last synchronising operation, with the one that led to it. Not positive: as many
    /// regions as that have failed before the seat has come to them, and one.
    std::int64_t region = 0;
    std::uint64_t sync_epoch = 0;
    /// Counts all regions from 1 on, alike for all seats that are in the same one.
    std::int64_t number = 0;
    /// Joins that were refused since the group has failed.
    std::int64_t refused = 0;
    /// Whether its last join was refused, since it came to a region that had failed.
    bool was_told = false;
    /// Whether the seat was taken when the group failed, or since.
    bool saw_failure = false;
};

} // namespace tutti::engine
