#pragma once

#include "simulate/audience.hpp"
#include "simulate/costs.hpp"
#include "simulate/positions.hpp"
#include "simulate/touches.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace tutti::simulate {

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
