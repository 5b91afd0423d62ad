#include "call/prepared_call.hpp"

#include "call/refuse.hpp"
#include "call/wrong_argument.hpp"
#include "kernel/clear.hpp"

#include <tutti/error.hpp>

#include <cstring>
#include <string>

namespace tutti::engine {

using detail::Call;

const void* PreparedCall::copy_input(void* copy, const void* input, const void* state) const {
    const Call& call = known_.call();
    if (!converts_input()) {
        return std::memcpy(copy, input, copied_bytes_);
    }
    call.convert(state, copy, input, call.input_count);
    return copy;
}

void PreparedCall::clear_input(const void* input) const {
    if (known_.call().cleared_input) {
        kernel::clear(const_cast<void*>(input), known_.call().input_bytes(), prepared_.own_stores.stream);
    }
}

void PreparedCall::require_like(const Call& other) const {
    const auto refuse = [](const std::string& why) { throw ArgumentError("start: " + why); };
    const auto require_count = [&](const char* name, std::size_t count, std::size_t prepared) {
        if (count != prepared) {
            refuse(std::string("`") + name + "` has " + std::to_string(count) +
                   " elements, but was prepared with " + std::to_string(prepared));
        }
    };
    if (other.wrong != detail::Wrong::nothing) {
        Call named = other;
        named.collective = known_.call().collective;
        refuse(wrong_argument(named, input_name(named), output_name(named)));
    }
    if (other.in_place != known_.call().in_place) {
        refuse(known_.call().in_place ? "the operation was prepared in place: pass one vector"
                                      : "the operation was prepared with two vectors: pass two");
    }
    if (converts_input()) {
        refuse("the operation has results of another type than its operands: start it with the buffers with "
               "which it was prepared, and prepare one for other buffers");
    }
    if (other.cleared_input != known_.call().cleared_input) {
        refuse(known_.call().cleared_input
                   ? "the operation was prepared with a cleared input: pass tutti::cleared(in)"
                   : "`in` is cleared, but the operation was not prepared with such an input");
    }
    if (other.type != known_.call().type || other.element_bytes != known_.call().element_bytes) {
        refuse("the elements must have the type with which the operation was prepared");
    }
    require_count(other.in_place ? "inout" : "in", other.input_count, known_.call().input_count);
    require_count("out", other.output_count, known_.call().output_count);
    check_pointer(known_.call(), input_name(known_.call()), other.input, other.input_count);
    check_pointer(known_.call(), output_name(known_.call()), other.output, other.output_count);
    Call moved = known_.call();
    moved.input = other.input;
    moved.output = other.output;
    if (aliasing_of(moved, shape()) != known_.aliasing()) {
        refuse("the buffers do not overlap as they did when the operation was "
               "prepared: pass separate buffers, or one buffer, as then");
    }
}

} // namespace tutti::engine
