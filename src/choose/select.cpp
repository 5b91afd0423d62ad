#include "choose/select.hpp"

#include "choose/algorithm_predictor.hpp"
#include "choose/store_policy.hpp"
#include "mailbox/slot.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string>

namespace tutti::engine {

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
    /// For blocks of which only senders and receivers know, if the collective has such blocks.
    std::size_t one_hop = 0;
};

std::size_t row_named(Collective collective, const char* name) {
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

} // namespace

std::string_view source_of(Reason reason) {
    switch (reason) {
    case Reason::measured:
        return "file";
    case Reason::predicted:
        return "predicted";
    case Reason::tried:
        return "tried";
    case Reason::named:
        return "named";
    default:
        return "built-in";
    }
}

bool is_exact(const detail::Call& call) {
    return call.op != Operator::callable && (call.type < Type::f32 || call.op >= Operator::minimum);
}

tuning::Operands operands_of(const detail::Call& call) {
    if (!detail::traits_of(call.collective).reduces()) {
        return tuning::Operands::moved;
    }
    return is_exact(call) && call.commutative && call.order == Order::canonical ? tuning::Operands::exact
                                                                                : tuning::Operands::ordered;
}

detail::Call reduced_to_one(const detail::Call& call) {
    if (call.collective != Collective::reduce_scatter || call.counts == nullptr || !call.algorithm.empty()) {
        return call;
    }
    const auto counts = call.counts->span();
    const auto has_any = [](std::size_t count) { return count != 0; };
    if (std::ranges::count_if(counts, has_any) != 1) {
        return call;
    }
    detail::Call reduction = call;
    reduction.collective = Collective::reduce;
    reduction.root = static_cast<int>(std::ranges::find_if(counts, has_any) - counts.begin());
    reduction.counts = nullptr;
    return reduction;
}

namespace {

/// Throws unless `row` can serve the call, naming the reason and the rows that can.
void require(const Algorithm& row, const detail::Call& call, const CallSize& size) {
    const std::string reason = refusal(row, call, size.members);
    if (reason.empty()) {
        return;
    }
    std::string others;
    for (const Algorithm& other : algorithm::registry()) {
        if (other.collective == row.collective && refusal(other, call, size.members).empty()) {
            others += (others.empty() ? "" : ", ") + std::string(other.name);
        }
    }
    throw ArgumentError(std::string(to_string(row.collective)) + ": algorithm \"" + std::string(row.name) +
                        "\" " + reason + "; these would work: " + others);
}

} // namespace

bool has_few_rounds(const Algorithm& row, int members) {
    return row.cost(members, 0).rounds <=
           4 * static_cast<long>(std::bit_width(static_cast<unsigned>(members)));
}

/// If every member sends one message only, the message may go over the staging buffer, as long as a member
/// reads few bytes of all staging buffers: two exchanges and half the traffic are better then. Two members
/// with a CPU each exchange at little cost, but copy as others do. If members share CPUs and need not all
/// wait for each other, those that have sent let others run at once.
std::size_t longest_carried_bytes(Collective collective, bool in_one_round, const CallSize& size,
                                  const machine::Thresholds& profile) {
    if (!in_one_round) {
        return mailbox::eager_bytes;
    }
    if (!detail::traits_of(collective).needs_all && size.members > size.cpus) {
        return mailbox::staging_bytes;
    }
    const std::size_t most_of_two_bytes = detail::traits_of(collective).needs_all
                                              ? profile.stage_between_two_bytes
                                              : profile.stage_one_way_bytes;
    const std::size_t share_bytes = size.members == 2 && size.cpus >= 2
                                        ? most_of_two_bytes
                                        : profile.read_by_one_bytes / static_cast<std::size_t>(size.members);
    return std::max(mailbox::eager_bytes, std::min(mailbox::staging_bytes, share_bytes));
}

Protocol protocol_of(std::size_t index, const detail::Call& call, const CallSize& size) {
    const Algorithm& row = algorithm::registry()[index];
    if (exchanges(call)) {
        return Protocol::zero_copy;
    }
    const auto longest_bytes = [&] {
        return longest_carried_bytes(row.collective, has_one_round(row, size.members), size,
                                     StorePolicy::here().profile());
    };
    const bool fits = row.protocols.eager && call.counts == nullptr &&
                      !lifts_single_operands(call, size.members) &&
                      (!row.protocols.pulled || size.message_bytes <= longest_bytes());
    if (fits) {
        return Protocol::eager;
    }
    return size.in_place && row.protocols.in_place ? Protocol::in_place : Protocol::zero_copy;
}

const tuning::Entry* entry_for(const detail::Call& call, const CallSize& size,
                               const tuning::Choices& choices) {
    return call.counts != nullptr || exchanges(call)
               ? nullptr
               : choices.entry(call.collective, operands_of(call), size.total_bytes, size.in_place);
}

namespace {

Selection named_selection(Collective collective, const detail::Call& call, const CallSize& size) {
    const Algorithm* row = algorithm::find(collective, call.algorithm);
    if (row == nullptr) {
        throw ArgumentError(std::string(to_string(collective)) + ": there is no algorithm \"" +
                            std::string(call.algorithm) + "\"; there are: " + algorithm::names(collective));
    }
    require(*row, call, size);
    const std::size_t index = algorithm::index_of(*row);
    return {index, protocol_of(index, call, size), Reason::named};
}

/// Whether two members take a row of their own. Pulled, a broadcast would leave all copying to one of them.
/// A scan in which neither stores into the other's vector saves the lines' way back.
bool two_differ(Collective collective, const CallSize& size) {
    if (collective == Collective::scan) {
        return size.touched_bytes <= StorePolicy::here().profile().scan_between_two_bytes;
    }
    if (collective == Collective::allreduce) {
        return StorePolicy::here().pulls_between_two(size.touched_bytes);
    }
    return collective == Collective::broadcast;
}

/// Whether combined results are fetched by the others, which takes a second exchange.
bool fetches_results(Collective collective, const CallSize& size) {
    return collective == Collective::allreduce &&
           StorePolicy::here().fetches_results(size.touched_bytes, size.members,
                                               std::min(size.members, size.cpus), size.l3_groups);
}

Selection built_in_selection(Collective collective, const detail::Call& call, const CallSize& size) {
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

/// The row in the protocol in which it serves a call for which the built-in choice is known; nothing if it
/// gives other bits, or first copies an input that the built-in choice need not copy.
std::optional<Selection> usable(std::size_t row, const detail::Call& call, const CallSize& size,
                                const Selection& built_in, Reason reason, Stores stores = Stores::by_policy) {
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

/// The selection of the table, if it has one that can be used here.
std::optional<Selection> measured_selection(const detail::Call& call, const CallSize& size,
                                            const tuning::Choices& choices, const Selection& built_in) {
    const tuning::Entry* const entry = entry_for(call, size, choices);
    return entry != nullptr ? usable(entry->measured.front().row, call, size, built_in, Reason::measured,
                                     entry->measured.front().stores)
                            : std::nullopt;
}

/// Whether members can store in several ways: non-temporal stores for enough bytes that they have not just
/// read.
bool has_ways_to_store(const detail::Call& call, Protocol protocol, const CallSize& size) {
    constexpr std::size_t least_bytes = std::size_t{128} << 10U;
    return stores_apart(call.collective, protocol) && size.touched_bytes >= least_bytes;
}

} // namespace

Selection select(const detail::Call& call, const CallSize& size, const tuning::Choices& choices,
                 AlgorithmPredictor* predictor) {
    const Collective collective = call.collective;
    if (!call.algorithm.empty()) {
        return named_selection(collective, call, size);
    }
    const Selection built_in = built_in_selection(collective, call, size);
    if (const auto measured = measured_selection(call, size, choices, built_in)) {
        return *measured;
    }
    if (const auto predicted = predictor != nullptr ? predictor->best(call, size) : std::nullopt) {
        return {predicted->row, predicted->protocol, Reason::predicted};
    }
    return built_in;
}

std::vector<Selection> candidates(const detail::Call& call, const CallSize& size,
                                  const tuning::Choices& choices, AlgorithmPredictor* predictor,
                                  std::size_t most) {
    const Selection built_in = built_in_selection(call.collective, call, size);
    const auto best = predictor != nullptr ? predictor->best(call, size) : std::nullopt;
    const auto is_hopeless = [&](std::size_t row) {
        constexpr double most_times = 2;
        const auto predicted = best ? predictor->of(row, call, size) : std::nullopt;
        return predicted && predicted->us > most_times * best->us;
    };
    std::vector<Selection> found;
    const auto ways = [&](Stores stores) {
        return StorePolicy::here().ways_to_store(stores, {.collective = call.collective,
                                                          .touched_bytes = size.touched_bytes,
                                                          .members = size.members,
                                                          .cpus = std::min(size.members, size.cpus),
                                                          .l3_groups = size.l3_groups});
    };
    const auto add = [&](const std::optional<Selection>& selection) {
        const auto is_same = [&](const Selection& other) {
            return other.row == selection->row && other.protocol == selection->protocol &&
                   ways(other.stores) == ways(selection->stores);
        };
        if (selection && found.size() < most && std::ranges::none_of(found, is_same) &&
            (found.empty() || !is_hopeless(selection->row))) {
            found.push_back(*selection);
        }
    };
    const auto add_row = [&](std::size_t row, Stores stores = Stores::by_policy) {
        if (has_few_rounds(algorithm::registry()[row], size.members)) {
            add(usable(row, call, size, built_in, Reason::tried, stores));
        }
    };
    add(select(call, size, choices, predictor));
    add(built_in);
    if (call.shared_output) {
        return found;
    }
    if (best) {
        add_row(best->row);
    }
    if (const tuning::Entry* const entry = entry_for(call, size, choices);
        entry != nullptr && entry->measured.size() > 1) {
        add_row(entry->measured[1].row, entry->measured[1].stores);
    }
    const Defaults& rows = defaults(call.collective);
    const auto add_way = [&](std::size_t row, Stores stores) {
        if (has_ways_to_store(call, protocol_of(row, call, size), size)) {
            add_row(row, stores);
        }
    };
    // How members store matters most where they store to each other, and the more the further they are apart.
    add_way(rows.pushed, Stores::cached);
    if (size.members == 2) {
        add_row(rows.of_two);
    }
    add_row(rows.pulled);
    add_way(rows.pushed, Stores::string_moves);
    add_way(rows.pushed, Stores::non_temporal);
    add_way(built_in.row, Stores::cached);
    for (const std::size_t row :
         {rows.other, rows.pulled, rows.pushed, rows.of_two, rows.brief, rows.eager}) {
        add_row(row);
    }
    return found;
}

} // namespace tutti::engine
