#pragma once

#include "measure/calling.hpp"
#include "measure/data.hpp"
#include "measure/harness.hpp"
#include "measure/point.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::bench {

/// How points are measured.
struct Method {
    Limits limits;
    /// Check results before and after timing.
    bool check = true;
    /// Up to so many bytes, iterations are timed as well.
    std::size_t loop_bytes = std::size_t{1} << 20;
};

/// One of those that are measured in turns.
struct Contender {
    std::string provider;
    std::string algorithm = "auto";
    Calls collective;
    /// For calls back to back, if a group of their own makes these; else empty.
    Calls back_to_back = {};
    bool leader_alone = false;
    /// In one run, each on vectors of its own, which lie spaced() apart; times are those of one call.
    std::size_t calls = 1;
};

/// One member's access to what is measured at one point.
struct Subject {
    /// The vectors; the same when in place.
    std::byte* input = nullptr;
    std::byte* output = nullptr;
    /// The place of the result.
    const std::byte* result = nullptr;
    /// At least one.
    std::vector<Contender> contenders;
    /// The same loads and stores without synchronisation, in one or more ways of which the best counts.
    std::vector<Calls> floors = {};
    /// Bare exchanges of flags; may be empty.
    Calls exchange = {};
};

/// Measures one point of every contender: checks its results; times runs, before each of which every member
/// reads its last result and rewrites its input, in turns with the other contenders and the floors; then
/// iterations, in turns with the others and with exchanges; checks results again. All members call it
/// together; the times come out on the leader. The time limit is for each contender.
std::vector<Point> measure(Harness& harness, const Problem& problem, const Subject& subject,
                           const Method& method);

/// The stamps for which the harness needs memory when so many contenders are measured in turns.
std::size_t stamps_needed(const Method& method, std::size_t contenders);

} // namespace tutti::bench
