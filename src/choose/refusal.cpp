#include "choose/select.hpp"

#include <string>

namespace tutti::engine {

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

} // namespace tutti::engine
