// Operators of C programs.

#include "c/src/calls.hpp"
#include "c/src/other_types.hpp"
#include "c/src/status.hpp"

#include <complex>
#include <string>

namespace tutti::inline TUTTI_NAMESPACE::c {

namespace {

/// An operator of the program's own or of tutti_op_create_topk(), or of tutti_op_create_scaled_sum() where it
/// has no function.
struct UserOp {
    tutti_op_function function;
    void* user;
    bool commutative;
    /// The size of an element; 0: any.
    std::size_t bytes = 0;
    ScaledSum<double> scale{1, 1};
};

constinit Numbered<UserOp> operators;

/// In double, sums of doubles are plain sums.
tutti_op without_widening(tutti_op op, Type type) {
    const bool is_double = type == Type::f64 || type == Type::complex128;
    return is_double && op == TUTTI_SUM_IN_DOUBLE    ? tutti_op{TUTTI_SUM}
           : is_double && op == TUTTI_MEAN_IN_DOUBLE ? tutti_op{TUTTI_MEAN}
                                                     : op;
}

} // namespace

Combining::Combining(const char* function, tutti_op asked, const Elements& elements) {
    const tutti_op op = without_widening(asked, elements.type);
    if (const DynamicOp::Function other = function_of_other(op, elements)) {
        combines_.emplace(other, nullptr, elements.bytes, true);
    } else if (op >= TUTTI_SUM && op <= TUTTI_MAXIMUM) {
        combines_.emplace(static_cast<Operator>(op - TUTTI_SUM));
    } else if (is_for_pairs(op)) {
        refuse(
            function,
            op == TUTTI_MINMAX ? "`op` is TUTTI_MINMAX, which needs a `type` of two equal numbers, such as "
                                 "TUTTI_2DOUBLE"
            : op == TUTTI_COMPENSATED_SUM
                ? "`op` is TUTTI_COMPENSATED_SUM, which needs a `type` of two equal floating-point numbers, "
                  "such as TUTTI_2DOUBLE"
                : "`op` is TUTTI_MINLOC or TUTTI_MAXLOC, which needs a `type` of pairs, such as "
                  "TUTTI_DOUBLE_INT or TUTTI_2DOUBLE");
    } else if (op >= TUTTI_MEAN && op <= TUTTI_SUM_IN_DOUBLE) {
        accumulate(function, op, elements.type,
                   "is TUTTI_MEAN, TUTTI_MEAN_IN_DOUBLE or TUTTI_SUM_IN_DOUBLE, which needs a `type` of "
                   "floating-point or complex numbers, and in double not of 16 bits");
    } else if (const UserOp* const own = operators.find(op); own == nullptr) {
        refuse(function, "`op` is " + std::to_string(op) +
                             ", which is neither a TUTTI_... operator nor of tutti_op_create()");
    } else if (own->bytes != 0 && own->bytes != elements.bytes) {
        refuse(function, "`op` comes from tutti_op_create_topk(), whose elements have " +
                             std::to_string(own->bytes) + " bytes, and those of `type` have " +
                             std::to_string(elements.bytes));
    } else if (own->function != nullptr) {
        combines_.emplace(own->function, own->user, elements.bytes, own->commutative);
    } else {
        scale_ = own->scale;
        half_scale_ = {static_cast<float>(scale_.before), static_cast<float>(scale_.after)};
        accumulate(function, op, elements.type,
                   "comes from tutti_op_create_scaled_sum(), which needs a `type` of real floating-point "
                   "numbers: pass complex numbers as twice as many real ones");
    }
}

void Combining::accumulate(const char* function, tutti_op op, Type type, const char* what) {
    accumulates_ = accumulates(op, type);
    if (accumulates_ == nullptr) {
        refuse(function, std::string("`op` ") + what);
    }
}

void Combining::complete(detail::Call& call) const {
    if (combines_) {
        dynamic_reduction(same(call), *combines_);
    } else {
        accumulates_(*this, call);
    }
}

template <class... T, class Get>
Combining::Accumulates Combining::for_one_of(Type type, Get /*finds the operator*/) {
    Accumulates found = nullptr;
    ((found = type == type_of<T>() ? [](const Combining& from,
                                        detail::Call& call) { static_reduction<T>(same(call), Get()(from)); }
                                   : found),
     ...);
    return found;
}

Combining::Accumulates Combining::accumulates(tutti_op op, Type type) {
    using Complex = std::complex<double>;
    using FloatComplex = std::complex<float>;
    const bool is_half = type == Type::f16 || type == Type::bf16;
    switch (op) {
    case TUTTI_MEAN:
        return for_one_of<float16, bfloat16, float, double, FloatComplex, Complex>(
            type, [](const auto&) -> auto& { return mean; });
    case TUTTI_MEAN_IN_DOUBLE:
        return type == Type::complex64 ? for_one_of<FloatComplex>(
                                             type, [](const auto&) -> auto& { return mean_in<Complex>; })
                                       : for_one_of<float>(
                                             type, [](const auto&) -> auto& { return mean_in<double>; });
    case TUTTI_SUM_IN_DOUBLE:
        return type == Type::complex64 ? for_one_of<FloatComplex>(
                                             type, [](const auto&) -> auto& { return sum_in<Complex>; })
                                       : for_one_of<float>(
                                             type, [](const auto&) -> auto& { return sum_in<double>; });
    default:
        return is_half ? for_one_of<float16, bfloat16>(
                             type, [](const auto& from) -> auto& { return from.half_scale_; })
                       : for_one_of<float, double>(
                             type, [](const auto& from) -> auto& { return from.scale_; });
    }
}

} // namespace tutti::inline TUTTI_NAMESPACE::c

using namespace tutti;

tutti_status tutti_op_create(tutti_op_function function, void* user, int commutative, tutti_op* op) {
    return c::guarded([&] {
        c::there("op_create", "op", op) = 0;
        c::there("op_create", "function", function);
        *op = c::operators.add({function, user, commutative != 0});
    });
}

tutti_status tutti_op_create_scaled_sum(double before, double after, tutti_op* op) {
    return c::guarded([&] {
        c::there("op_create_scaled_sum", "op", op) = 0;
        *op = c::operators.add({nullptr, nullptr, true, 0, scaled_sum(before, after)});
    });
}

tutti_status tutti_op_create_topk(tutti_type pairs, size_t k, tutti_op* op) {
    constexpr const char* function = "op_create_topk";
    return c::guarded([&] {
        c::there(function, "op", op) = 0;
        const DynamicOp::Function merges = c::merge_of_pairs(pairs);
        if (merges == nullptr) {
            c::refuse(function, "`pairs` is not a type of pairs, such as TUTTI_DOUBLE_INT");
        }
        if (k == 0) {
            c::refuse(function, "`k` is 0");
        }
        const c::Elements elements = c::elements_of(function, pairs);
        c::checked_product(function, k, 1, elements);
        *op = c::operators.add({merges, reinterpret_cast<void*>(k), true, // NOLINT(performance-no-int-to-ptr)
                                k * elements.bytes});
    });
}

tutti_status tutti_op_free(tutti_op op) {
    return c::guarded([&] {
        if (op != 0 && !c::operators.take(op)) {
            c::refuse("op_free", "`op` does not come from tutti_op_create() or its like, or has been freed");
        }
    });
}
