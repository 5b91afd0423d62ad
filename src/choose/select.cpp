#include "choose/select.hpp"

#include "choose/built_in.hpp"
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

std::string_view source_of(Reason reason) {
    switch (reason) {
    case Reason::measured:
        return "file";
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
void require(const Algorithm& row, const detail::Call& call, const Selection::Input& size) {
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
std::size_t longest_carried_bytes(Collective collective, bool in_one_round, const Selection::Input& size,
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

Protocol protocol_of(std::size_t index, const detail::Call& call, const Selection::Input& size) {
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

const tuning::Entry* entry_for(const detail::Call& call, const Selection::Input& size,
                               const tuning::Choices& choices) {
    return call.counts != nullptr || exchanges(call)
               ? nullptr
               : choices.entry(call.collective, operands_of(call), size.total_bytes, size.in_place);
}

namespace {

Selection named_selection(Collective collective, const detail::Call& call, const Selection::Input& size) {
    const Algorithm* row = algorithm::find(collective, call.algorithm);
    if (row == nullptr) {
        throw ArgumentError(std::string(to_string(collective)) + ": there is no algorithm \"" +
                            std::string(call.algorithm) + "\"; there are: " + algorithm::names(collective));
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

using algorithm::Algorithm;

bool lifts_single_operands(const detail::Call& call, int members) {
    return call.one_pass_operator && (members == 1 || detail::traits_of(call.collective).is_prefix());
}

std::string refusal(const Algorithm& row, const detail::Call& call, int members) {
    if (!takes(row, members)) {
        return "is for powers of two, not for " + std::to_string(members) + " members";
    }
    if (exchanges(call) && !row.protocols.one_hop) {
        return "forwards blocks through other members, but only the sender and "
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
        return "does not keep rank order, which a non-commutative operator needs";
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

namespace {

using schedule::Protocol;

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
        return StorePolicy::here().ways_to_store(stores, {.collective = call_.collective,
                                                          .touched_bytes = size_.touched_bytes,
                                                          .members = size_.members,
                                                          .cpus = std::min(size_.members, size_.cpus),
                                                          .l3_groups = size_.l3_groups});
    }

    const detail::Call& call_;
    const Selection::Input& size_;
    std::size_t most_;
    Selection built_in_;
    std::vector<Selection> found_;
};

} // namespace

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
    // How members store matters most where they store to each other, and the more the further they are apart.
    found.add_way(rows.pushed, Stores::cached);
    if (size.members == 2) {
        found.add_row(rows.of_two);
    }
    found.add_row(rows.pulled);
    found.add_way(rows.pushed, Stores::string_moves);
    found.add_way(rows.pushed, Stores::non_temporal);
    found.add_way(found.built_in().row, Stores::cached);
    for (const std::size_t row :
         {rows.other, rows.pulled, rows.pushed, rows.of_two, rows.brief, rows.eager}) {
        found.add_row(row);
    }
    return found.take();
}

} // namespace tutti::engine
