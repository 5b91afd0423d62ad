#pragma once

#include "distance/line_profile.hpp"

#include <array>
#include <cstddef>

namespace tutti::simulate {

/// The times of lines between members that are so far from each other, in ns.
struct LineTimes {
    /// Until the last of k readers sees what has been stored, see seen().
    double readers_base = 0;
    double readers_each = 0;
    /// Until a reader does that is the only one.
    double alone = 0;
    /// Until a look at a flag that has been set before is over.
    double flag = 0;
    /// Until the first line is there of those that a pass reads, and that it stores to.
    double first_read = 0;
    double first_store = 0;
    /// For each further line that comes out of another's caches, and if its owner reads it as well.
    double line = 0;
    double contended_line = 0;
    /// For each line that is stored to and that another has in its own caches.
    double stored_line = 0;
    /// For each line, at its owner, before the next reader's turn.
    double served = 0;

    double seen(int readers) const { return readers == 1 ? alone : readers_base + readers_each * readers; }
};

/// The times to read and to write a line, in ns.
struct ReadWriteTimes {
    double read = 0;
    double write = 0;
};

/// A machine model, in the terms of the simulation.
struct Costs {
    std::array<bool, distance::class_count> has = {};
    /// How far the nearest two cores are from each other.
    distance::Class nearest = distance::Class::core;
    std::array<LineTimes, distance::class_count> lines = {};
    /// From memory, and to it: of a core, of an L3, a node and a socket, and over the link; 0 if the
    /// machine has no such part.
    std::array<ReadWriteTimes, distance::class_count> memory = {};
    /// A core's own lines.
    ReadWriteTimes l2 = {};
    ReadWriteTimes l3 = {};
    /// From the call until the first line can be stored, ns.
    double entering = 0;

    const LineTimes& lines_at(distance::Class distance) const {
        return lines[static_cast<std::size_t>(distance)];
    }
    const ReadWriteTimes& memory_of(distance::Class part) const {
        return memory[static_cast<std::size_t>(part)];
    }
};

Costs costs_of(const distance::MachineModel& profile);

} // namespace tutti::simulate
