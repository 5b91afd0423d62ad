#include "call/known_call.hpp"

#include "call/plans.hpp"

#include <algorithm>

namespace tutti::library {

using detail::Call;

void KnownCall::remember(const Call& asked, const Shape& shape) {
    forget();
    shape_ = shape;
    aliasing_ = aliasing_of(asked, shape);
    call_ = asked;
    call_.counts = call_.received = nullptr;
    graph_ = digest_of_graph(asked);
    const Lists lists = lists_of(asked);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        has_list_[i] = lists[i].has_value();
        const auto list = lists[i].value_or(std::span<const std::size_t>());
        lists_[i].assign(list.begin(), list.end());
    }
    algorithm_ = asked.algorithm; // the caller's text may not last
    call_.algorithm = algorithm_;
}

void KnownCall::complete() {
    const bool has_key = !has_list_.front() && graph_ == 0;
    repeated_.set(call_, aliasing_, !has_key ? 0 : detail::key_of(call_));
    is_complete_ = true;
}

bool KnownCall::serves(const Call& call) const {
    return is_complete_ && is(call) && aliasing_of(call, shape_) == aliasing_;
}

bool KnownCall::is(const Call& call) const {
    const Call& last = call_;
    return call.collective == last.collective && call.type == last.type && call.op == last.op &&
           call.in_place == last.in_place && call.element_bytes == last.element_bytes &&
           call.element_align == last.element_align && call.input_count == last.input_count &&
           call.output_count == last.output_count && call.kernels == last.kernels &&
           call.types == last.types && call.function == last.function && call.algorithm == last.algorithm &&
           call.root == last.root && call.order == last.order && call.commutative == last.commutative &&
           call.one_pass_operator == last.one_pass_operator && call.shared_output == last.shared_output &&
           call.splits == last.splits && call.counts_at_root == last.counts_at_root &&
           digest_of_graph(call) == graph_ && has_lists_of(call);
}

KnownCall::Lists KnownCall::lists_of(const Call& call) {
    Lists lists;
    for (std::size_t i = 0; const Counts::View* const counts : {call.counts, call.received}) {
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
bool KnownCall::has_lists_of(const Call& call) const {
    if (call.counts == nullptr && call.received == nullptr) { // nearly always, and then nothing is to be made
        return !has_list_[0] && !has_list_[2];
    }
    const Lists lists = lists_of(call);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        if (lists[i].has_value() != has_list_[i] || (lists[i] && !std::ranges::equal(*lists[i], lists_[i]))) {
            return false;
        }
    }
    return true;
}

void KnownCall::require_like(const Call& other) const {
    const auto refuse = [](const std::string& why) { throw ArgumentError("start: " + why); };
    const auto require_count = [&](const char* name, std::size_t count, std::size_t prepared) {
        if (count != prepared) {
            refuse(elements(name, count) + ", but was prepared with " + std::to_string(prepared));
        }
    };
    if (other.wrong != detail::Wrong::nothing) {
        Call named = other;
        named.collective = call_.collective;
        refuse(wrong_argument(named, input_name(named), output_name(named)));
    }
    if (other.in_place != call_.in_place) {
        refuse(call_.in_place ? "the operation was prepared in place: pass one vector"
                              : "the operation was prepared with two vectors: pass two");
    }
    if (other.type != call_.type || other.element_bytes != call_.element_bytes) {
        refuse("the elements must have the type with which the operation was prepared");
    }
    require_count(other.in_place ? "inout" : "in", other.input_count, call_.input_count);
    require_count("out", other.output_count, call_.output_count);
    check_pointer(call_, input_name(call_), other.input, other.input_count);
    check_pointer(call_, output_name(call_), other.output, other.output_count);
    Call moved = call_;
    moved.input = other.input;
    moved.output = other.output;
    if (aliasing_of(moved, shape_) != aliasing_) {
        refuse("the buffers do not overlap as they did when the operation was "
               "prepared: pass separate buffers, or one buffer, as then");
    }
}

void KeptOperator::keep(const detail::Call& call) {
    drop();
    if (call.keeping != nullptr && call.state != nullptr) {
        call.keeping->copy(memory_.at_least(call.keeping->bytes, call.keeping->align), call.state);
        keeping_ = call.keeping;
    }
}

void KeptOperator::drop() {
    if (keeping_ != nullptr) {
        std::exchange(keeping_, nullptr)->destroy(memory_.data());
    }
}

} // namespace tutti::library
