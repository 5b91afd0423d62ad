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

/// The selection of the table, if it has one that can be used here.
std::optional<Selection> measured_selection(const detail::Call& call, const CallSize& size,
                                            const tuning::Choices& choices, const Selection& built_in) {
    const tuning::Entry* const entry = entry_for(call, size, choices);
    return entry != nullptr ? usable(entry->measured.front().row, call, size, built_in, Reason::measured,
                                     entry->measured.front().stores)
                            : std::nullopt;
}

} // namespace

Selection select(const detail::Call& call, const CallSize& size, const tuning::Choices& choices) {
    if (!call.algorithm.empty()) {
        return named_selection(call.collective, call, size);
    }
    const Selection built_in = built_in_selection(call.collective, call, size);
    if (const auto measured = measured_selection(call, size, choices, built_in)) {
        return *measured;
    }
    return level_selection(call, size, built_in).value_or(built_in);
}

} // namespace tutti::engine
