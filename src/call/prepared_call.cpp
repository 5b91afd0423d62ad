#include "call/prepared_call.hpp"

#include "call/refuse.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::execute {

using detail::Call;

bool PreparedCall::serves(const Call& call) const {
    const Call& last = call_;
    return is_complete_ && call.collective == last.collective && call.type == last.type &&
           call.op == last.op && call.in_place == last.in_place && call.element_bytes == last.element_bytes &&
           call.element_align == last.element_align && call.input_count == last.input_count &&
           call.output_count == last.output_count && call.kernels == last.kernels &&
           call.types == last.types && call.function == last.function && call.algorithm == last.algorithm &&
           call.root == last.root && call.serial == last.serial && call.commutative == last.commutative &&
           call.shared_output == last.shared_output && call.splits == last.splits &&
           call.counts_at_root == last.counts_at_root && has_lists_of(call) &&
           aliasing_of(call, shape_) == aliasing_;
}

PreparedCall::Lists PreparedCall::lists_of(const Call& call) {
    Lists lists;
    for (std::size_t i = 0; const Counts* const counts : {call.counts, call.received}) {
        if (counts != nullptr) {
            lists[i] = counts->span();
        }
        if (counts != nullptr && counts->has_displacements()) {
            lists[i + 1] = counts->displacements();
        }
        i += 2;
    }
    return lists;
}

/// Whether the call has the lists of the one that was prepared, or like that one none.
bool PreparedCall::has_lists_of(const Call& call) const {
    const Lists lists = lists_of(call);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        if (lists[i].has_value() != has_list_[i] || (lists[i] && !std::ranges::equal(*lists[i], lists_[i]))) {
            return false;
        }
    }
    return true;
}

void PreparedCall::require_like(const Call& other) const {
    const auto refuse = [](const std::string& why) { throw ArgumentError("start: " + why); };
    const auto require_count = [&](const char* name, std::size_t count, std::size_t prepared) {
        if (count != prepared) {
            refuse(std::string("`") + name + "` has " + std::to_string(count) +
                   " elements, but was prepared with " + std::to_string(prepared));
        }
    };
    if (other.in_place != call_.in_place) {
        refuse(call_.in_place ? "the operation was prepared in place: pass one vector"
                              : "the operation was prepared with two vectors: pass two");
    }
    if (other.type != call_.type || other.element_bytes != call_.element_bytes) {
        refuse("the elements have another type than those that the operation was prepared with");
    }
    require_count(other.in_place ? "inout" : "in", other.input_count, call_.input_count);
    require_count("out", other.output_count, call_.output_count);
    check_pointer(call_, input_name(call_), other.input, other.input_count);
    check_pointer(call_, output_name(call_), other.output, other.output_count);
    Call moved = call_;
    moved.input = other.input;
    moved.output = other.output;
    if (aliasing_of(moved, shape_) != aliasing_) {
        refuse("the vectors do not lie to each other as those that the operation was prepared with: pass "
               "separate vectors, or the same one, as then");
    }
}

} // namespace tutti::execute
