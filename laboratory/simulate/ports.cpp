#include "simulate/ports.hpp"

#include "cache_line.hpp"

namespace tutti::simulate {

using distance::Class;
using distance::LineCosts;
using distance::MachineModel;

namespace {

/// At so many GB/s, which are bytes a ns.
double line_ns(double gigabytes_per_second) {
    return static_cast<double>(line_bytes) / gigabytes_per_second;
}

LineTimes times_of(const LineCosts& costs) {
    const double one_way = costs.median_one_way.value;
    const double line = line_ns(costs.fetch.value);
    // So many lines are under way at once, since each takes there and back.
    const double under_way = std::max(2 * one_way / line, 1.0);
    const double each = costs.readers_each.value;
    return {.readers_base = costs.readers_base.value,
            .readers_each = each,
            // The base of the furthest class is that of a line which nearer ones read as well.
            .alone = std::min(costs.readers_base.value + each, costs.taken_back.value + one_way),
            .flag = costs.flag.value,
            .first_read = one_way,
            .first_store = costs.taken_back.value,
            .line = line,
            .contended_line = line_ns(costs.fetch_contended.value),
            .stored_line = line_ns(costs.store.value),
            .served = each / under_way};
}

/// How far the nearest two cores are from each other, between which `call` was measured.
Class nearest_in(const MachineModel& profile) {
    for (const Class distance : distance::all_classes) {
        if (distance != Class::core && profile.has_class(distance)) {
            return distance;
        }
    }
    return Class::core;
}

ReadWriteTimes times_of(const distance::CacheBandwidth& cache) {
    return {.read = line_ns(cache.read.value), .write = line_ns(cache.write.value)};
}

std::size_t place(Class part) {
    return static_cast<std::size_t>(part);
}

/// Up to the cache's size all is there; of twice as much, gone through in turn, nothing is left.
double share_outside(double bytes, std::size_t cache_bytes) {
    return cache_bytes == 0 ? 0.0 : std::clamp(bytes / static_cast<double>(cache_bytes) - 1, 0.0, 1.0);
}

/// The link of a socket is one port.
Class port_group(Class part) {
    return part == Class::link ? Class::socket : part;
}

} // namespace

Costs costs_of(const MachineModel& profile) {
    Costs costs;
    costs.has = profile.has;
    costs.nearest = nearest_in(profile);
    for (const Class distance : distance::all_classes) {
        const auto index = static_cast<std::size_t>(distance);
        if (profile.has_class(distance)) {
            costs.lines[index] = times_of(profile.lines_at(distance));
        }
        if (profile.has_class(distance) || distance == Class::core) {
            const distance::Bandwidth& part = profile.memory_of(distance);
            costs.memory[index] = {.read = line_ns(part.read.value), .write = line_ns(part.write.value)};
        }
    }
    costs.l2 = times_of(profile.l2);
    costs.l3 = times_of(profile.l3);
    costs.entering = std::max(profile.call.value - costs.lines_at(costs.nearest).alone, 0.0);
    return costs;
}

Ports::Ports(const Costs& costs, const Positions& positions, const Audience& audience)
    : costs_(costs), positions_(positions), audience_(audience),
      cores_(distance::count(positions.groups_of(Class::core))),
      owners_(static_cast<std::size_t>(positions.members())),
      in_memory_(distance::count(positions.groups_of(Class::l3))) {
    for (const Class part : {Class::l3, Class::node, Class::socket, Class::link}) {
        between_[place(part)].resize(distance::count(positions.groups_of(port_group(part))));
    }
}

void Ports::reset(double member_bytes, bool streams) {
    const auto free = [](std::vector<Port>& ports) { std::ranges::fill(ports, Port()); };
    free(cores_);
    free(owners_);
    std::ranges::for_each(between_, free);
    std::ranges::fill(in_memory_, 0.0);
    for (const std::size_t l3 : positions_.groups_of(Class::l3)) {
        in_memory_[l3] += member_bytes;
    }
    for (double& share : in_memory_) {
        share = share_outside(share, positions_.l3_bytes);
    }
    in_l3_ = share_outside(member_bytes, positions_.l2_bytes);
    streams_ = streams;
}

void Ports::begin(int member, double now) {
    member_ = member;
    now_ = begun_ = done_ = now;
    own_read_ns_ = own_write_ns_ = streamed_ns_ = others_ns_ = first_ns_ = 0;
}

/// Loads wait for each other, whosever lines they are; stores of one's own go on meanwhile, and non-temporal
/// stores beside all that.
double Ports::end() {
    const double busy_ns = std::max(own_read_ns_ + std::max(own_write_ns_, others_ns_), streamed_ns_);
    const std::size_t core = positions_.groups_of(Class::core)[static_cast<std::size_t>(member_)];
    return std::max(done_, cores_[core].begin(begun_, busy_ns) + busy_ns + first_ns_);
}

void Ports::touch(const Touch& touch, double lines) {
    const Audience::Readers& readers = audience_.of_block(touch.owner, touch.space, touch.first);
    const bool is_own = touch.owner == member_;
    const std::size_t l3 = positions_.groups_of(Class::l3)[static_cast<std::size_t>(touch.owner)];
    const double from_memory = in_memory_[l3] * lines;
    const double cached = lines - from_memory;
    // The lines of a staging buffer are invalidated together with that of the flag, for which nobody waits
    // twice.
    const bool others_have_it = !is_own || (touch.space != stage_space && count_of(readers) > 0);
    if (touch.stores && !is_own && streams_ && !touch.plain) {
        stream(touch, cached);
    } else if (touch.stores && others_have_it) {
        store(touch, cached, readers);
    } else if (is_own) {
        touch_own(touch, cached);
    } else {
        fetch(touch, cached, readers);
    }
    if (from_memory > 0) {
        touch_memory(touch, from_memory);
    }
}

void Ports::touch_own(const Touch& touch, double lines) {
    const auto line_ns = [&](double l2, double l3) { return (1 - in_l3_) * l2 + in_l3_ * l3; };
    if (touch.stores) {
        own_write_ns_ += lines * line_ns(costs_.l2.write, costs_.l3.write);
    } else {
        own_read_ns_ += lines * line_ns(costs_.l2.read, costs_.l3.read);
    }
}

void Ports::fetch(const Touch& touch, double lines, const Audience::Readers& readers) {
    const Class distance = positions_.between(member_, touch.owner);
    // The furthest reader of a line makes it as slow for all.
    const LineTimes& times = costs_.lines_at(std::max(distance, furthest_of(readers)));
    const bool contended = audience_.is_combined_by_owner(touch.owner, touch.space, touch.first);
    others_ns_ += lines * (contended ? times.contended_line : times.line);
    first_ns_ = std::max(first_ns_, times.first_read);
    Port& owner = owners_[static_cast<std::size_t>(touch.owner)];
    begun_ = std::max(begun_, owner.begin(now_, lines * times.served));
    cross(distance, lines * shared(Class::l3, readers), lines * shared(Class::link, readers));
}

/// Lines that others have are invalidated there. Lines that have fallen out of an L2 are in the L3 that it
/// shares with others, where no other cache is involved.
void Ports::store(const Touch& touch, double lines, const Audience::Readers& readers) {
    const Class distance = positions_.between(member_, touch.owner);
    const Class furthest = std::max(distance, furthest_of(readers));
    const double let_go = furthest <= Class::l3 ? in_l3_ * lines : 0;
    const LineTimes& times = costs_.lines_at(furthest);
    own_write_ns_ += let_go * costs_.l3.write;
    others_ns_ += (lines - let_go) * times.stored_line;
    first_ns_ = std::max(first_ns_, lines > 0 ? times.first_store : 0.0);
    if (touch.owner != member_) {
        Port& owner = owners_[static_cast<std::size_t>(touch.owner)];
        begun_ = std::max(begun_, owner.begin(now_, lines * times.served));
    }
    cross(distance, lines, lines);
}

/// Lines from a member so far away: into an L3 from outside, and over the link.
void Ports::cross(Class distance, double lines_into_l3, double lines_over_link) {
    if (distance > Class::l3) {
        pass(Class::l3, member_, lines_into_l3 * costs_.memory_of(Class::l3).read);
    }
    if (distance == Class::link) {
        pass(Class::link, member_, lines_over_link * costs_.memory_of(Class::link).read);
    }
}

void Ports::stream(const Touch& touch, double lines) {
    streamed_ns_ += lines * costs_.memory_of(Class::core).write;
    pass_memory(touch, lines);
}

void Ports::touch_memory(const Touch& touch, double lines) {
    others_ns_ += lines * memory_ns(touch, Class::core);
    pass_memory(touch, lines);
}

/// Cores share the paths to the owner's memory.
void Ports::pass_memory(const Touch& touch, double lines) {
    pass(Class::l3, member_, lines * memory_ns(touch, Class::l3));
    pass(Class::node, touch.owner, lines * memory_ns(touch, Class::node));
    pass(Class::socket, touch.owner, lines * memory_ns(touch, Class::socket));
    if (positions_.between(member_, touch.owner) == Class::link) {
        pass(Class::link, member_, lines * memory_ns(touch, Class::link));
    }
}

/// A line of a plain store comes first.
double Ports::memory_ns(const Touch& touch, Class part) const {
    const ReadWriteTimes& memory = costs_.memory_of(part);
    return touch.stores ? memory.write + (touch.plain ? memory.read : 0.0) : memory.read;
}

void Ports::pass(Class part, int member, double ns) {
    const std::size_t group = positions_.groups_of(port_group(part))[static_cast<std::size_t>(member)];
    done_ = std::max(done_, between_[place(part)][group].begin(now_, ns) + ns);
}

/// The share of each of several readers in a part of the machine in the lines that pass into it: they pass
/// once.
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
