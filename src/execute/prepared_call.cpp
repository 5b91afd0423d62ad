#include "execute/prepared_call.hpp"

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
    return is_complete_ && call.kind == last.kind && call.type == last.type && call.op == last.op &&
           call.in_place == last.in_place && call.element_bytes == last.element_bytes &&
           call.element_align == last.element_align && call.input_count == last.input_count &&
           call.output_count == last.output_count && call.kernels == last.kernels &&
           call.function == last.function && call.algorithm == last.algorithm && call.root == last.root &&
           call.serial == last.serial && call.commutative == last.commutative &&
           call.shared_output == last.shared_output && call.splits == last.splits && has_counts_of(call) &&
           aliasing_of(call, shape_) == aliasing_;
}

/// Whether the call has the counts of the one that was prepared, or like that one none.
bool PreparedCall::has_counts_of(const Call& call) const {
    const auto are_of = [&](const Counts* counts, const std::vector<std::size_t>& offsets) {
        std::size_t before = 0;
        const auto ends = std::span(offsets).subspan(1, static_cast<std::size_t>(prepared_.plan->ranks));
        return std::ranges::equal(counts->span(), ends, [&](std::size_t count, std::size_t offset) {
            return offset - std::exchange(before, offset) == count;
        });
    };
    if ((call.counts != nullptr) != has_counts_ || (call.received != nullptr) != has_received_) {
        return false;
    }
    if (call.received != nullptr) {
        return are_of(call.counts, prepared_.sent_offsets) && are_of(call.received, prepared_.offsets);
    }
    return call.counts == nullptr || are_of(call.counts, prepared_.offsets);
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
    Call moved = call_;
    moved.input = other.input;
    moved.output = other.output;
    if (aliasing_of(moved, shape_) != aliasing_) {
        refuse("the vectors do not lie to each other as those that the operation was prepared with: pass "
               "separate vectors, or the same one, as then");
    }
}

} // namespace tutti::execute
