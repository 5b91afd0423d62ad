#include "call/arguments.hpp"

#include "option_values.hpp"

#include <tutti/bindings.hpp>

namespace tutti::library {

using detail::Call;
using detail::Irregular;
using detail::Result;

namespace {

/// The check of a call in which all members know all blocks.
class Check : ArgumentCheck {
public:
    Check(const Call& call, int rank, int members, std::size_t* offsets)
        : ArgumentCheck(call, rank, members), offsets_(offsets) {}

    Shape shape() {
        set_sizes();
        check_vectors();
        check_aliasing();
        const std::size_t block =
            call_.counts != nullptr ? std::ranges::max(call_.counts->span()) : shape_.block;
        shape_.message_bytes = (traits_.gathers() ? block : shape_.total) * call_.element_bytes;
        return shape_;
    }

private:
    void set_sizes() {
        if (traits_.gathers() || traits_.scatters()) {
            set_blocks();
        } else if (traits_.result != Result::nothing) {
            shape_.total = call_.input_count;
            const std::size_t block = divided(input_name(call_), shape_.total);
            shape_.block = traits_.is_divided() ? block : 0;
            check_equal();
        }
    }

    void check_equal() const {
        if (has_output() && call_.input_count != call_.output_count) {
            refuse(call_, elements("in", call_.input_count) + " and " + elements("out", call_.output_count) +
                              ": they must have the same number");
        }
    }

    /// The vector that is whole, and the one that is a block of it.
    void set_blocks() {
        const bool whole_is_input = traits_.scatters();
        const bool has_whole = whole_is_input ? has_input() : has_output();
        // In place there is only one vector: the whole one if there is one.
        const bool is_block = !call_.in_place || !has_whole;
        shape_.input_is_block = !whole_is_input && is_block;
        shape_.output_is_block = whole_is_input && is_block;
        const std::size_t whole = whole_is_input ? call_.input_count : call_.output_count;
        const std::size_t block = whole_is_input ? call_.output_count : call_.input_count;
        const char* const whole_name = whole_is_input ? input_name(call_) : output_name(call_);
        const char* const block_name = whole_is_input ? output_name(call_) : input_name(call_);
        if (call_.counts != nullptr) {
            set_irregular(has_whole, whole, whole_name, is_block, block, block_name);
            return;
        }
        if (call_.in_place && has_whole) {
            shape_.block = divided(whole_name, whole);
        } else {
            shape_.block = block;
            if (has_whole && whole != block * members_) {
                refuse(call_, elements(whole_name, whole) + " and " + elements(block_name, block) + " on " +
                                  std::to_string(members_) + " members: `" + whole_name + "` must have " +
                                  std::to_string(block * members_));
            }
        }
        shape_.total = shape_.block * members_;
        shape_.own_offset = shape_.block * own_;
    }

    /// The size of the equal blocks of a vector of `total` elements.
    std::size_t divided(const char* name, std::size_t total) const {
        const std::size_t blocks = traits_.blocks(members_);
        if (total % blocks != 0) {
            refuse(call_, elements(name, total) + ", which cannot be divided into " + std::to_string(blocks) +
                              " equal blocks: pass a multiple of " + std::to_string(blocks) +
                              (traits_.irregular == Irregular::counts ? " or give counts" : ""));
        }
        return total / blocks;
    }

    void set_irregular(bool has_whole, std::size_t whole, const char* whole_name, bool is_block,
                       std::size_t block, const char* block_name) {
        const auto counts = call_.counts->span();
        check_entries(call_, "counts", counts.size(), members_);
        offsets_[0] = 0;
        for (std::size_t i = 0; i < members_; ++i) {
            offsets_[i + 1] = checked_end(call_, "counts", offsets_[i], counts[i]);
        }
        if (has_whole) {
            check_sum(call_, "counts", offsets_[members_], whole_name, whole);
        }
        if (is_block && block != counts[own_]) {
            refuse(call_, elements(block_name, block) + ", but " + entry("counts", own_, counts[own_]));
        }
        shape_.total = offsets_[members_];
        shape_.own_offset = offsets_[own_];
    }

    void check_aliasing() const {
        if (call_.in_place) {
            return;
        }
        if (call_.shared_output && shape_.aliasing != Aliasing::separate) {
            refuse(call_, both_names(call_) +
                              "overlap: the vector that all members share must be separate from their "
                              "own");
        }
        if (shape_.aliasing == Aliasing::same && traits_.is_rooted()) {
            refuse(call_, both_names(call_) +
                              "are the same memory, which the other members cannot know: separate them, or "
                              "let all members call it in place, with one vector");
        }
        if (shape_.aliasing == Aliasing::invalid) {
            const bool divided = shape_.input_is_block || shape_.output_is_block;
            refuse(call_, both_names(call_) + "overlap: pass separate vectors, or " +
                              (call_.collective == Collective::reduce_scatter
                                   ? "exactly this member's part, or the first one, as the block"
                               : divided ? "exactly this member's part as the block"
                                         : "the same one"));
        }
    }

    std::size_t* offsets_;
};

std::string strided(const char* name) {
    return std::string("`") + name +
           "` is a strided view: pass one whose elements are contiguous (is_exhaustive() of std::mdspan), "
           "or a copy of the elements";
}

std::string elements_of(const char* name, Type type, std::size_t bytes) {
    return std::string("`") + name + "` has elements of type " + std::string(to_string(type)) + ", " +
           std::to_string(bytes) + " bytes";
}

std::string operator_of(const Call& call) {
    const char* const advice = detail::has_builtin(call.type, call.op)
                                   ? "the library was built with TUTTI_TYPES, without this type"
                                   : "pass one that such elements have, or a function that combines two of "
                                     "them (tutti_op_create() in C)";
    return "operator " + std::string(to_string(call.op)) + " has no compiled kernel for elements of type " +
           std::string(to_string(call.type)) + ": " + advice;
}

} // namespace

Aliasing aliasing_of(const Call& call, const Shape& shape) {
    const auto in = reinterpret_cast<std::uintptr_t>(call.input);
    const auto out = reinterpret_cast<std::uintptr_t>(call.output);
    if ((in == 0 && call.input_count != 0) || (out == 0 && call.output_count != 0)) {
        return Aliasing::invalid;
    }
    if (call.in_place) {
        return Aliasing::same;
    }
    const std::size_t input_bytes = call.input_bytes();
    const std::size_t output_bytes = call.output_count * call.element_bytes;
    if (!overlap(run::Range{in, input_bytes}, run::Range{out, output_bytes})) {
        return Aliasing::separate;
    }
    const std::uintptr_t own = shape.own_offset * call.element_bytes;
    const std::uintptr_t input_start = in - (shape.input_is_block ? own : 0);
    const std::uintptr_t output_start = out - (shape.output_is_block ? own : 0);
    if (input_start == output_start) {
        return Aliasing::same;
    }
    return call.collective == Collective::reduce_scatter && in == out ? Aliasing::front : Aliasing::invalid;
}

Shape checked_shape(const Call& call, int rank, int members, std::size_t* offsets) {
    return Check(call, rank, members, offsets).shape();
}

void check_given(const detail::Call& call) {
    if (call.wrong == detail::Wrong::nothing && !call.timeout && call.order == Order::canonical) {
        return; // most calls, without a text that may have to be made
    }
    if (call.wrong != detail::Wrong::nothing) {
        refuse(call, wrong_argument(call, input_name(call), output_name(call)));
    }
    if (const std::string fault = fault_of(call.timeout); !fault.empty()) {
        refuse(call, "`options.timeout`" + fault);
    }
    if (const std::string fault = fault_of(call.order); !fault.empty()) {
        refuse(call, "`options.order`" + fault);
    }
}

std::string wrong_argument(const Call& call, const char* input, const char* output) {
    using detail::Wrong;
    switch (call.wrong) {
    case Wrong::strided_input:
        return strided(input);
    case Wrong::strided_output:
        return strided(output);
    case Wrong::other_elements:
        return elements_of(input, call.input_type, call.input_element_bytes) + ", and " +
               elements_of(output, call.type, call.element_bytes) +
               ": pass two buffers with elements of the same type and size";
    case Wrong::empty_operator:
        return "`op` is empty, a null pointer or a std::function without a function: pass a function that "
               "combines two elements";
    case Wrong::operator_of_type:
        return "`op`: " + operator_of(call);
    case Wrong::no_neighbors:
        return "`neighbors` was moved from: pass what neighbors() or grid() of the member has returned";
    case Wrong::operator_of_elements:
        return "`op`: its function is for elements of " +
               std::to_string(static_cast<const DynamicOp*>(call.state)->element_bytes()) +
               " bytes, and these have " + std::to_string(call.element_bytes);
    case Wrong::nothing:
        break;
    }
    return {};
}

} // namespace tutti::library
