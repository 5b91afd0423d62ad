// Operators of C programs.

#include "c/src/calls.hpp"
#include "c/src/other_types.hpp"
#include "c/src/status.hpp"

#include <string>

namespace tutti::inline TUTTI_NAMESPACE::c {

namespace {

/// An operator of the program's own.
struct UserOp {
    tutti_op_function function;
    void* user;
    bool commutative;
};

constinit Numbered<UserOp> operators;

DynamicOp operator_of(const char* function, tutti_op op, const Elements& elements) {
    if (const DynamicOp::Function other = function_of_other(op, elements)) {
        return {other, nullptr, elements.bytes, true};
    }
    if (op >= TUTTI_SUM && op <= TUTTI_MAXIMUM) {
        return DynamicOp(static_cast<Operator>(op - TUTTI_SUM));
    }
    if (is_for_pairs(op)) {
        refuse(function, "`op` is TUTTI_MINLOC or TUTTI_MAXLOC, which needs a `type` of pairs, such as "
                         "TUTTI_DOUBLE_INT or TUTTI_2DOUBLE");
    }
    const UserOp* const own = operators.find(op);
    if (own == nullptr) {
        refuse(function, "`op` is " + std::to_string(op) +
                             ", which is neither a TUTTI_... operator nor of tutti_op_create()");
    }
    return {own->function, own->user, elements.bytes, own->commutative};
}

} // namespace

Combining::Combining(const char* function, tutti_op op, const Elements& elements)
    : op_(operator_of(function, op, elements)) {}

} // namespace tutti::inline TUTTI_NAMESPACE::c

using namespace tutti;

tutti_status tutti_op_create(tutti_op_function function, void* user, int commutative, tutti_op* op) {
    return c::guarded([&] {
        c::there("op_create", "op", op) = 0;
        c::there("op_create", "function", function);
        *op = c::operators.add({function, user, commutative != 0});
    });
}

tutti_status tutti_op_free(tutti_op op) {
    return c::guarded([&] {
        if (op != 0 && !c::operators.take(op)) {
            c::refuse("op_free", "`op` does not come from tutti_op_create(), or has been freed");
        }
    });
}
