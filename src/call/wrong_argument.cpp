#include "call/wrong_argument.hpp"

#include <tutti/dynamic.hpp>

#include <string>

namespace tutti::engine {

using detail::Call;

namespace {

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
    return "operator " + std::string(to_string(call.op)) + " has no compiled kernel for elements of type " +
           std::string(to_string(call.type)) +
           ": pass one that such elements have, or a function that combines two of them (tutti_op_create() "
           "in C)";
}

} // namespace

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

} // namespace tutti::engine
