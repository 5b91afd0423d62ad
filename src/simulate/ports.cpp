#include "simulate/ports.hpp"

namespace tutti::simulate {

using distance::Class;

namespace {

std::size_t place(Class part) {
    return static_cast<std::size_t>(part);
}

/// The link of a socket is one port.
Class port_group(Class part) {
    return part == Class::link ? Class::socket : part;
}

} // namespace

Ports::Ports(const Costs& costs, const Positions& positions, const Audience& audience)
    : costs_(costs), positions_(positions), audience_(audience),
      cores_(distance::count(positions.groups_of(Class::core))),
      owners_(static_cast<std::size_t>(positions.members())),
      in_memory_(distance::count(positions.groups_of(Class::l3))) {
    for (const Class part : {Class::l3, Class::node, Class::socket, Class::link}) {
        between_[place(part)].resize(distance::count(positions.groups_of(port_group(part))));
    }
}

void Ports::reset(double member_bytes) {
    const auto free = [](std::vector<Port>& ports) { std::ranges::fill(ports, Port()); };
    free(cores_);
    free(owners_);
    std::ranges::for_each(between_, free);
    std::ranges::fill(in_memory_, 0.0);
    if (positions_.l3_bytes == 0) {
        return;
    }
    for (const std::size_t l3 : positions_.groups_of(Class::l3)) {
        in_memory_[l3] += member_bytes / static_cast<double>(positions_.l3_bytes);
    }
    for (double& share : in_memory_) {
        // Up to the cache's size all is there; of twice as much, gone through in turn, nothing is left.
        share = std::clamp(share - 1, 0.0, 1.0);
    }
}

void Ports::begin(int member, double now) {
    member_ = member;
    now_ = begun_ = done_ = now;
    own_ns_ = others_ns_ = first_ns_ = 0;
}

/// The core fetches what it touches of others while it goes through what it has.
double Ports::end() {
    const double busy_ns = std::max(own_ns_, others_ns_);
    const std::size_t core = positions_.groups_of(Class::core)[static_cast<std::size_t>(member_)];
    return std::max(done_, cores_[core].begin(begun_, busy_ns) + busy_ns + first_ns_);
}

void Ports::touch(const Touch& touch, double lines) {
    const Audience::Readers& readers = audience_.of_block(touch.owner, touch.space, touch.first);
    // Lines that others have read have to be taken back from them before they are stored to.
    const bool is_own = touch.owner == member_ && !(touch.stores && count_of(readers) > 0);
    const std::size_t l3 = positions_.groups_of(Class::l3)[static_cast<std::size_t>(touch.owner)];
    const double from_memory = in_memory_[l3] * lines;
    if (is_own) {
        own_ns_ += (lines - from_memory) * costs_.own_line;
    } else {
        touch_others(touch, lines - from_memory, readers);
    }
    if (from_memory > 0) {
        touch_memory(touch, from_memory);
    }
}

void Ports::touch_others(const Touch& touch, double lines, const Audience::Readers& readers) {
    const Class distance = positions_.between(member_, touch.owner);
    // The furthest reader of a line makes it as slow for all.
    const LineTimes& times = costs_.lines_at(std::max(distance, furthest_of(readers)));
    others_ns_ += lines * times.line;
    first_ns_ = std::max(first_ns_, touch.stores ? times.first_store : times.first_read);
    if (touch.owner != member_) {
        Port& owner = owners_[static_cast<std::size_t>(touch.owner)];
        begun_ = std::max(begun_, owner.begin(now_, lines * times.served));
    }
    for (const Class part : {Class::l3, Class::link}) {
        if (distance > part || distance == Class::link) {
            const double crossing = touch.stores ? lines : lines * shared(part, readers);
            pass(part, member_, crossing * costs_.memory_of(part).read);
        }
    }
}

void Ports::touch_memory(const Touch& touch, double lines) {
    const auto times = [&](Class part) {
        const MemoryTimes& memory = costs_.memory_of(part);
        return lines * (touch.stores ? memory.write : memory.read);
    };
    others_ns_ += times(Class::core);
    pass(Class::l3, member_, times(Class::l3));
    pass(Class::node, touch.owner, times(Class::node));
    pass(Class::socket, touch.owner, times(Class::socket));
    if (positions_.between(member_, touch.owner) == Class::link) {
        pass(Class::link, member_, times(Class::link));
    }
}

void Ports::pass(Class part, int member, double ns) {
    const std::size_t group = positions_.groups_of(port_group(part))[static_cast<std::size_t>(member)];
    done_ = std::max(done_, between_[place(part)][group].begin(now_, ns) + ns);
}

/// Of what passes into a part of the machine for one reader, how much that is for each of several there: it
/// passes once.
double Ports::shared(Class part, const Audience::Readers& readers) const {
    int outside = 0;
    for (std::size_t distance = std::min(place(part) + 1, place(Class::link)); distance < readers.size();
         ++distance) {
        outside += readers[distance];
    }
    const auto parts = static_cast<double>(groups_of(part) - 1);
    return outside > 0 ? std::min(1.0, parts / outside) : 1.0;
}

} // namespace tutti::simulate
