#include "choose/select.hpp"

#include "choose/group_config.hpp"
#include "mailbox/slot.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <utility>

namespace tutti::library {

using algorithm::Algorithm;
using schedule::Protocol;

bool is_exact(const detail::Call& call) {
    return detail::has_builtin(call.type, call.op) && (call.type < Type::f32 || detail::is_extreme(call.op));
}

tuning::Operands operands_of(const detail::Call& call) {
    if (!detail::traits_of(call.collective).reduces()) {
        return tuning::Operands::moved;
    }
    return is_exact(call) && call.order == Order::canonical ? tuning::Operands::exact
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
void require(const Algorithm& row, const detail::Call& call, const Selection::Input& size) {
    const std::string reason = refusal(row, call, size.members);
    if (reason.empty()) {
        return;
    }
    const std::string others = algorithm::names(
        row.collective, [&](const Algorithm& other) { return refusal(other, call, size.members).empty(); });
    throw ArgumentError(std::string(to_string(row.collective)) + ": algorithm \"" + std::string(row.name) +
                        "\" " + reason + "; these would work: " + others);
}

Selection named_selection(Collective collective, const detail::Call& call, const Selection::Input& size) {
    const Algorithm* row = algorithm::find(collective, call.algorithm);
    if (row == nullptr) {
        throw ArgumentError(
            std::string(to_string(collective)) + ": there is no algorithm \"" + std::string(call.algorithm) +
            "\"; there are: " + algorithm::names(collective, [](const Algorithm&) { return true; }));
    }
    require(*row, call, size);
    const std::size_t index = algorithm::index_of(*row);
    return {index, protocol_of(index, call, size), Reason::named};
}

/// The selection of the table, if it has one that can be used here.
std::optional<Selection> measured_selection(const detail::Call& call, const Selection::Input& size,
                                            const tuning::Choices& choices, const Selection& built_in) {
    const tuning::Entry* const entry = entry_for(call, size, choices);
    return entry != nullptr ? usable(entry->measured.front().row, call, size, built_in, Reason::measured,
                                     entry->measured.front().stores)
                            : std::nullopt;
}

} // namespace

/// If every member sends one message only, the message may go over the staging buffer, as long as a member
/// reads few bytes of all staging buffers: two exchanges and half the traffic are better then. If members
/// share CPUs, the staging buffers of all are in the same caches.
std::size_t longest_carried_bytes(bool in_one_round, const Selection::Input& size,
                                  const machine::Thresholds& profile) {
    if (!in_one_round) {
        return mailbox::eager_bytes;
    }
    if (size.members == 2 || size.members > size.cpus) {
        return mailbox::staging_bytes;
    }
    const std::size_t share_bytes = profile.read_by_one_bytes / static_cast<std::size_t>(size.members);
    return std::max(mailbox::eager_bytes, std::min(mailbox::staging_bytes, share_bytes));
}

Protocol protocol_of(std::size_t index, const detail::Call& call, const Selection::Input& size) {
    const Algorithm& row = algorithm::registry()[index];
    if (exchanges(call)) {
        return Protocol::zero_copy;
    }
    const auto longest_bytes = [&] {
        return longest_carried_bytes(has_one_round(row, size.members), size, StorePolicy::here().profile());
    };
    const bool fits = row.protocols.eager && !lifts_single_operands(call, size.members) &&
                      call.element_bytes <= alignof(mailbox::StagingBuffer) &&
                      (!row.protocols.pulled || size.message_bytes <= longest_bytes());
    if (fits) {
        return Protocol::eager;
    }
    return size.in_place && row.protocols.in_place ? Protocol::in_place : Protocol::zero_copy;
}

const tuning::Entry* entry_for(const detail::Call& call, const Selection::Input& size,
                               const tuning::Choices& choices) {
    return call.counts != nullptr || exchanges(call)
               ? nullptr
               : choices.entry(call.collective, operands_of(call), size.total_bytes, size.in_place);
}

Selection select(const detail::Call& call, const Selection::Input& size, const tuning::Choices& choices) {
    if (!call.algorithm.empty()) {
        return named_selection(call.collective, call, size);
    }
    const Selection built_in = built_in_selection(call.collective, call, size);
    if (const auto measured = measured_selection(call, size, choices, built_in)) {
        return *measured;
    }
    return level_selection(call, size, built_in).value_or(built_in);
}

bool lifts_single_operands(const detail::Call& call, int members) {
    return call.one_pass_operator && (members == 1 || detail::traits_of(call.collective).is_prefix());
}

std::string refusal(const Algorithm& row, const detail::Call& call, int members) {
    if (!takes(row, members)) {
        return "is for powers of two, not for " + std::to_string(members) + " members";
    }
    if (exchanges(call) && !row.protocols.one_hop) {
        return row.leaves_unread ? "stores blocks to their receivers, but only these know where they belong"
                                 : "forwards blocks through other members, but only the sender and "
                                   "the receiver know the length of a block";
    }
    if (row.order == algorithm::Order::any && !is_exact(call)) {
        return "needs an operator that gives the same bits in any order, which " +
               std::string(to_string(call.op)) + " on " + std::string(to_string(call.type)) + " does not";
    }
    if (call.shared_output && !row.protocols.shared) {
        return "does not support a shared result";
    }
    if (!call.commutative && !keeps_rank_order(row.order)) {
        return "swaps operands, but the operator is not known to commute: if it does, mark it, by "
               "tutti::commutative(f) or, in C, by tutti_op_create()";
    }
    if (call.needs_one_pass() && !combines_in_one_pass(row, members)) {
        return "combines partial results, but this operator must combine all operands in one pass";
    }
    if (lifts_single_operands(call, members) && !combines_single_operands(row)) {
        return "copies results of one operand, which this operator must change";
    }
    if (call.order != Order::canonical && !has_brackets(row, association_of(call), members)) {
        return "does not combine from the left, which the order of the call needs";
    }
    return {};
}

std::size_t touched_bytes(Collective collective, std::size_t total_bytes, int members) {
    // Blocks of all members make up one whole vector.
    const auto whole_vectors = [&](const detail::Parts& parts) {
        return parts.others == detail::Part::whole ? static_cast<std::size_t>(members) : 1;
    };
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    return (whole_vectors(traits.input) + whole_vectors(traits.output)) * total_bytes;
}

StorePolicy::StorePolicy(const machine::Machine& machine, machine::Thresholds profile)
    : profile_(std::move(profile)), l2_caches_(static_cast<std::size_t>(std::max(machine.l2_groups(), 1))),
      to_others_(cheapest(profile_)) {}

const StorePolicy& StorePolicy::here() {
    // First: it may warn, which a thread must not do while others wait for a static object.
    const machine::Thresholds& thresholds = tuning::this_thresholds();
    static const StorePolicy caches(tuning::this_machine(), thresholds);
    return caches;
}

StorePolicy::Way StorePolicy::cheapest(const machine::Thresholds& profile) {
    // After non-temporal stores the next reader fetches from further away, and a move costs more to begin
    // than a store.
    constexpr double least_gain = 1.25;
    const auto known = [](double ns) { return ns > 0; };
    if (!known(profile.plain_line_ns)) {
        return Way::plain;
    }
    const bool moves =
        known(profile.moved_line_ns) && profile.moved_line_ns * least_gain < profile.plain_line_ns;
    const double cached_ns = moves ? profile.moved_line_ns : profile.plain_line_ns;
    if (known(profile.streamed_line_ns) && profile.streamed_line_ns * least_gain < cached_ns) {
        return Way::streamed;
    }
    return moves ? Way::moved : Way::plain;
}

bool StorePolicy::is_full(const machine::Reach& reach, std::size_t touched_bytes, int cpus,
                          int l3_groups) const {
    const std::size_t l2_caches = std::min(static_cast<std::size_t>(cpus), l2_caches_);
    return touched_bytes >= reach.bytes(l2_caches, static_cast<std::size_t>(l3_groups));
}

bool StorePolicy::streams_to_own(Collective collective, std::size_t touched_bytes, int cpus,
                                 int l3_groups) const {
    using enum Collective;
    const bool combines_to_one = collective == reduce || collective == reduce_scatter;
    const bool pushes_to_all = collective == broadcast || collective == allgather;
    return is_full(combines_to_one ? profile_.stream_combined_to_own
                   : pushes_to_all ? profile_.stream_pushed_to_own
                                   : profile_.stream_to_own,
                   touched_bytes, cpus, l3_groups);
}

bool StorePolicy::streams_to_others(std::size_t touched_bytes, int cpus, int l3_groups) const {
    return is_full(profile_.stream_to_others, touched_bytes, cpus, l3_groups) ||
           (to_others_ == Way::streamed && touched_bytes >= profile_.lines_from_bytes);
}

bool StorePolicy::moves_to_others(std::size_t touched_bytes, int cpus, int l3_groups) const {
    return to_others_ == Way::moved && touched_bytes >= profile_.lines_from_bytes &&
           !streams_to_others(touched_bytes, cpus, l3_groups);
}

bool StorePolicy::streams_combined(Collective collective, std::size_t touched_bytes, int members) const {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    // An exscan of two combines nothing.
    const bool combines =
        members == 2 ? traits.reduces() && traits.result != detail::Result::of_before : traits.is_prefix();
    return combines && profile_.stream_combined_bytes != 0 && touched_bytes >= profile_.stream_combined_bytes;
}

WaysToStore StorePolicy::ways_to_store(tuning::Stores stores, Collective collective,
                                       const Selection::Input& size) const {
    using enum tuning::Stores;
    if (stores != by_policy) {
        return {stores == non_temporal, stores == non_temporal, stores == string_moves};
    }
    const std::size_t bytes = size.touched_bytes;
    const int cpus = std::min(size.members, size.cpus);
    const bool streams =
        streams_to_others(bytes, cpus, size.l3_groups) || streams_combined(collective, bytes, size.members);
    return {streams_to_own(collective, bytes, cpus, size.l3_groups), streams,
            !streams && moves_to_others(bytes, cpus, size.l3_groups)};
}

bool StorePolicy::leaves_unread(const Selection::Input& size) const {
    // A line of a member on the same CPU costs nothing.
    const std::size_t from_bytes = profile_.lines_from_bytes * (size.members > size.cpus ? 8 : 1);
    return profile_.plain_line_ns > 0 && size.touched_bytes >= from_bytes;
}

double StorePolicy::rewrite_ns(const algorithm::Algorithm& row, const Selection::Input& size) const {
    const std::size_t lines = row.leaves_unread || !leaves_unread(size) ? 0 : size.message_bytes / line_bytes;
    return profile_.plain_line_ns * static_cast<double>(lines);
}

bool StorePolicy::pulls_between_two(std::size_t touched_bytes) const {
    return touched_bytes <= profile_.pull_between_two_bytes;
}

bool StorePolicy::fetches_results(std::size_t touched_bytes, int members, int cpus, int l3_groups) const {
    // Among three, the second exchange costs more than the stores to two others.
    return members > 3 && profile_.fetch_results_bytes != 0 &&
           touched_bytes >= profile_.fetch_results_bytes &&
           !streams_to_others(touched_bytes, cpus, l3_groups);
}

bool StorePolicy::pushes(std::size_t touched_bytes, int l3_groups) const {
    const std::size_t full_bytes = static_cast<std::size_t>(l3_groups) * profile_.stream_to_own.l3_bytes;
    return touched_bytes >=
           (profile_.push_bytes != 0 ? std::min(profile_.push_bytes, full_bytes) : full_bytes);
}

} // namespace tutti::library
