#pragma once

#include "distance/groups.hpp"
#include "distance/line_profile.hpp"
#include "simulate/audience.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

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

/// Serves one request after the other, in the order in which they come.
class Port {
public:
    /// When it begins with a request of that time, which keeps it busy for so long.
    double begin(double now, double ns) {
        const double begun = std::max(free_, now);
        free_ = begun + ns;
        return begun;
    }

private:
    double free_ = 0;
};

/// The paths of lines to members: the owners of lines, the cores that fetch them, and everything between.
class Ports {
public:
    /// All must outlive it.
    Ports(const Costs& costs, const Positions& positions, const Audience& audience);

    /// Nobody has used them yet, and each member has vectors of so many bytes together. `streams`: stores to
    /// others are non-temporal.
    void reset(double member_bytes, bool streams);

    /// The accesses of a member's step are added up between these two; the latter returns the time when all
    /// is done.
    void begin(int member, double now);
    double end();
    /// So many lines of these blocks, which have the same readers.
    void touch(const Touch& touch, double lines);

private:
    void touch_own(const Touch& touch, double lines);
    void fetch(const Touch& touch, double lines, const Audience::Readers& readers);
    void store(const Touch& touch, double lines, const Audience::Readers& readers);
    void cross(distance::Class distance, double lines_into_l3, double lines_over_link);
    void stream(const Touch& touch, double lines);
    void touch_memory(const Touch& touch, double lines);
    void pass_memory(const Touch& touch, double lines);
    double memory_ns(const Touch& touch, distance::Class part) const;
    void pass(distance::Class part, int member, double ns);
    double shared(distance::Class part, const Audience::Readers& readers) const;
    std::size_t groups_of(distance::Class part) const {
        return between_[static_cast<std::size_t>(part)].size();
    }

    const Costs& costs_;
    const Positions& positions_;
    const Audience& audience_;
    std::vector<Port> cores_;
    std::vector<Port> owners_;
    /// Into each L3 and out of the memory of each node and each socket, and over the link into each socket.
    std::array<std::vector<Port>, distance::class_count> between_;
    /// The part of the data of each L3's members that does not fit into it, from 0 to 1.
    std::vector<double> in_memory_;
    /// The part of a member's data that does not fit into its L2, from 0 to 1.
    double in_l3_ = 0;
    bool streams_ = false;

    // The step that is being added up.
    int member_ = 0;
    double now_ = 0;
    double own_read_ns_ = 0;
    double own_write_ns_ = 0;
    double streamed_ns_ = 0;
    double others_ns_ = 0;
    double first_ns_ = 0;
    double begun_ = 0;
    double done_ = 0;
};

} // namespace tutti::simulate
