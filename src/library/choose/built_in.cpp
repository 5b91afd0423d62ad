#include "choose/select.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <stdexcept>

namespace tutti::library {

using algorithm::Algorithm;
using schedule::Protocol;

namespace {

/// The default rows of a collective: for eager messages, for short ones that are not eager, and for longer
/// ones, which members fetch (pulled), or which the owner of a block stores for all (pushed).
///
/// Lines that a member stores into another's cache have to come from there first, so short messages are
/// pulled. If long ones are pushed, every block is read once (StorePolicy::pushes). In reductions each member
/// does its part for all; but a short reduction is left to the root, which saves the others their wait.
struct Defaults {
    std::size_t eager;
    std::size_t brief;
    std::size_t pulled;
    std::size_t pushed;
    /// For two members, if they differ.
    std::size_t of_two;
    /// Has been the fastest on some machine.
    std::size_t other;
    /// In which nobody reads another's input, for so many members at most; if the collective has such a row.
    std::size_t unread = 0;
    int most_unread = 0;
    /// For blocks of which only senders and receivers know, if the collective has such blocks.
    std::size_t one_hop = 0;
};

std::size_t row_named(Collective collective, std::string_view name) {
    const Algorithm* const found = algorithm::find(collective, name);
    if (found == nullptr) {
        throw std::logic_error("select: a default algorithm is not registered");
    }
    return algorithm::index_of(*found);
}

const Defaults& defaults(Collective collective) {
    static const auto table = [] {
        std::array<Defaults, detail::collective_count> rows{};
        const auto of = [&](Collective each) -> Defaults& { return rows[static_cast<std::size_t>(each)]; };
        for (const Collective each : detail::all_collectives) {
            const std::size_t direct = row_named(each, "direct");
            of(each) = {direct, direct, direct, direct, direct, direct};
        }
        using enum Collective;
        for (const Collective each : {broadcast, allreduce, reduce, scan, exscan, allgather, gather}) {
            of(each).eager = row_named(each, "flat");
        }
        of(reduce).brief = row_named(reduce, "flat");
        for (const Collective each : {broadcast, allgather}) {
            of(each).brief = of(each).pulled = row_named(each, "flat");
        }
        // The root of a broadcast would do the work of many.
        constexpr int few = 3;
        for (std::size_t row = 0; row < algorithm::registry().size(); ++row) {
            if (const Algorithm& each = algorithm::registry()[row]; each.leaves_unread) {
                of(each.collective).unread = row;
                of(each.collective).most_unread = each.collective == broadcast ? few : INT_MAX;
            }
        }
        of(allreduce).pulled = row_named(allreduce, "reduce-scatter-allgather");
        of(allreduce).of_two = row_named(allreduce, "flat");
        of(scan).of_two = row_named(scan, "ring");
        of(scan).other = row_named(scan, "hypercube");
        of(allreduce).other = row_named(allreduce, "butterfly");
        of(reduce_scatter).other = row_named(reduce_scatter, "fully-connected");
        of(allgather).one_hop = row_named(allgather, "flat");
        of(gather).one_hop = row_named(gather, "flat");
        of(scatter).one_hop = row_named(scatter, "direct");
        of(alltoall).one_hop = row_named(alltoall, "direct");
        return rows;
    }();
    return table[static_cast<std::size_t>(collective)];
}

/// Whether two members take a row of their own. Pulled, a broadcast would leave all copying to one of them.
/// A scan in which neither stores into the other's vector saves the lines' way back.
bool two_differ(Collective collective, const Selection::Input& size) {
    if (collective == Collective::scan) {
        return size.touched_bytes <= StorePolicy::here().profile().scan_between_two_bytes;
    }
    if (collective == Collective::allreduce) {
        return StorePolicy::here().pulls_between_two(size.touched_bytes);
    }
    return collective == Collective::broadcast;
}

/// Whether combined results are fetched by the others, which takes a second exchange.
bool fetches_results(Collective collective, const Selection::Input& size) {
    return collective == Collective::allreduce &&
           StorePolicy::here().fetches_results(size.touched_bytes, size.members,
                                               std::min(size.members, size.cpus), size.l3_groups);
}

/// Whether the row has so few rounds that it may be chosen without having been measured. Others have more
/// than any that is good for few bytes, and gain little for many.
bool has_few_rounds(const Algorithm& row, int members) {
    return row.cost(members, 0).rounds <=
           4 * static_cast<long>(std::bit_width(static_cast<unsigned>(members)));
}

/// Whether members are further apart than those for which the built-in choice was measured, or more.
bool follows_levels(const Selection::Input& size) {
    constexpr int most_in_one_cache = 8;
    return size.members <= size.cpus && (size.l3_groups > 1 || size.members > most_in_one_cache);
}

/// Whether members can store in several ways: non-temporal stores for enough bytes that they have not just
/// read.
bool has_ways_to_store(const detail::Call& call, Protocol protocol, const Selection::Input& size) {
    constexpr std::size_t least_bytes = std::size_t{128} << 10U;
    return stores_apart(call.collective, protocol) && size.touched_bytes >= least_bytes;
}

/// Selections for one call, none twice.
class Candidates {
public:
    Candidates(const detail::Call& call, const Selection::Input& size, std::size_t most)
        : call_(call), size_(size), most_(most), built_in_(built_in_selection(call.collective, call, size)) {}

    const Selection& built_in() const { return built_in_; }
    std::vector<Selection> take() { return std::move(found_); }

    void add(const std::optional<Selection>& selection) {
        const auto is_same = [&](const Selection& other) {
            return other.row == selection->row && other.protocol == selection->protocol &&
                   ways(other.stores) == ways(selection->stores);
        };
        if (selection && found_.size() < most_ && std::ranges::none_of(found_, is_same)) {
            found_.push_back(*selection);
            if (!detail::traits_of(call_.collective).reduces()) {
                found_.back().rewrite_ns =
                    StorePolicy::here().rewrite_ns(algorithm::registry()[selection->row], size_);
            }
        }
    }

    void add_row(std::size_t row, Stores stores = Stores::by_policy) {
        if (has_few_rounds(algorithm::registry()[row], size_.members)) {
            add(usable(row, call_, size_, built_in_, Reason::tried, stores));
        }
    }

    /// Another way to store, if there are several.
    void add_way(std::size_t row, Stores stores) {
        if (has_ways_to_store(call_, protocol_of(row, call_, size_), size_)) {
            add_row(row, stores);
        }
    }

private:
    WaysToStore ways(Stores stores) const {
        return StorePolicy::here().ways_to_store(stores, call_.collective, size_);
    }

    const detail::Call& call_;
    const Selection::Input& size_;
    std::size_t most_;
    Selection built_in_;
    std::vector<Selection> found_;
};

} // namespace

Selection built_in_selection(Collective collective, const detail::Call& call, const Selection::Input& size) {
    const Defaults& rows = defaults(collective);
    if (exchanges(call)) {
        return {rows.one_hop, Protocol::zero_copy, Reason::vectors};
    }
    if (call.shared_output) {
        return {rows.pushed, Protocol::zero_copy, Reason::shared};
    }
    if (protocol_of(rows.eager, call, size) == Protocol::eager) {
        return {rows.eager, Protocol::eager, Reason::eager};
    }
    const auto copies_input = [&](std::size_t row) {
        return size.in_place && !algorithm::registry()[row].protocols.in_place;
    };
    if (size.members <= rows.most_unread && !copies_input(rows.unread) &&
        StorePolicy::here().leaves_unread(size)) {
        return {rows.unread, protocol_of(rows.unread, call, size), Reason::unread};
    }
    if (size.members == 2 && two_differ(collective, size) && !copies_input(rows.of_two) &&
        !lifts_single_operands(call, size.members)) {
        return {rows.of_two, protocol_of(rows.of_two, call, size), Reason::two};
    }
    const bool fetches = fetches_results(collective, size);
    if (!fetches && StorePolicy::here().pushes(size.touched_bytes, size.l3_groups)) {
        return {rows.pushed, protocol_of(rows.pushed, call, size), Reason::long_vectors};
    }
    if (size.message_bytes * static_cast<std::size_t>(size.members) <=
            StorePolicy::here().profile().read_by_one_bytes &&
        !copies_input(rows.brief)) {
        return {rows.brief, protocol_of(rows.brief, call, size), Reason::brief};
    }
    const std::size_t row = collective != Collective::allreduce || fetches ? rows.pulled : rows.pushed;
    return {row, protocol_of(row, call, size), Reason::vectors};
}

std::optional<Selection> level_selection(const detail::Call& call, const Selection::Input& size,
                                         const Selection& built_in) {
    if (!follows_levels(size) || exchanges(call) || call.counts != nullptr || call.shared_output) {
        return std::nullopt;
    }
    const LevelChoice* last = nullptr;
    for (const LevelChoice& each : level_choices()) {
        if (each.collective == call.collective && each.from_bytes <= size.total_bytes) {
            last = &each;
        }
    }
    return last != nullptr && !last->row.empty()
               ? usable(row_named(call.collective, last->row), call, size, built_in, Reason::levels)
               : std::nullopt;
}

std::optional<Selection> usable(std::size_t row, const detail::Call& call, const Selection::Input& size,
                                const Selection& built_in, Reason reason, Stores stores) {
    const Protocol protocol = protocol_of(row, call, size);
    const bool only_here_copies =
        size.in_place && protocol == Protocol::zero_copy && built_in.protocol != Protocol::zero_copy;
    // An entry of other members may name an algorithm that gives other bits among these.
    if (only_here_copies || !refusal(algorithm::registry()[row], call, size.members).empty() ||
        !may_choose(algorithm::registry()[row], operands_of(call), size.members)) {
        return std::nullopt;
    }
    return Selection{row, protocol, reason, stores};
}

std::vector<Selection> candidates(const detail::Call& call, const Selection::Input& size,
                                  const tuning::Choices& choices, std::size_t most) {
    Candidates found(call, size, most);
    found.add(select(call, size, choices));
    found.add(found.built_in());
    if (call.shared_output) {
        return found.take();
    }
    found.add(level_selection(call, size, found.built_in()));
    if (const tuning::Entry* const entry = entry_for(call, size, choices);
        entry != nullptr && entry->measured.size() > 1) {
        found.add_row(entry->measured[1].row, entry->measured[1].stores);
    }
    const Defaults& rows = defaults(call.collective);
    // Plain stores to others seem fast as long as these do not read their results between calls.
    const Stores caching = StorePolicy::here().leaves_unread(size) ? Stores::string_moves : Stores::cached;
    // How members store matters most where they store to each other, and the more the further they are apart.
    found.add_way(rows.pushed, caching);
    if (size.members == 2) {
        found.add_row(rows.of_two);
    }
    if (size.members <= rows.most_unread) {
        found.add_row(rows.unread);
    }
    found.add_row(rows.pulled);
    found.add_way(rows.pushed, Stores::string_moves);
    found.add_way(rows.pushed, Stores::non_temporal);
    found.add_way(found.built_in().row, caching);
    for (const std::size_t row :
         {rows.other, rows.pulled, rows.pushed, rows.of_two, rows.brief, rows.eager}) {
        found.add_row(row);
    }
    return found.take();
}

} // namespace tutti::library
