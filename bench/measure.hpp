#pragma once

#include "data.hpp"
#include "harness.hpp"
#include "point.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace tutti::bench {

/// How points are measured.
struct Method {
    Limits limits;
    /// Check results before and after timing.
    bool check = true;
    /// Up to so many bytes, calls back to back are timed as well.
    std::size_t loop_bytes = std::size_t{32} << 10;
};

/// One member's access to what is measured at one point.
struct Subject {
    /// The vectors; the same when in place.
    std::byte* input = nullptr;
    std::byte* output = nullptr;
    /// Where the result lies.
    const std::byte* result = nullptr;
    /// Calls the collective so many times.
    std::function<void(std::size_t calls)> collective;
    /// The same loads and stores without synchronisation, in one or more ways of which the best counts.
    std::vector<std::function<void(std::size_t calls)>> floors = {};
    /// Bare exchanges of flags; may be empty.
    std::function<void(std::size_t calls)> exchange = {};
};

/// Measures one point: checks the results; times runs, before each of which every member reads its last
/// result and rewrites its input, alternating with the floors; then calls back to back, alternating with
/// exchanges. All members call it together; the times come out on the leader.
Point measure(Harness& harness, const Work& work, const Subject& subject, const Method& method);

/// The stamps for which a board needs room.
std::size_t stamps_needed(const Method& method);

} // namespace tutti::bench
