// Types, vectors and operators of C programs.

#include "c/src/calls.hpp"

#include <tutti/extremes.hpp>

namespace tutti::v0_1::c_api {

namespace {

/// Those of a type of some size are that size above these bits.
constexpr unsigned type_bits = 8;
constexpr std::uint64_t type_mask = (1U << type_bits) - 1;

// Types without compiled kernels: pairs, as in MPI's types for MPI_MINLOC, and long numbers.

template <class First, class Second = First>
struct Pair {
    First first;
    Second second;
};

/// Whether `a` is preferred to `b` by tutti::minloc or tutti::maxloc, with positions of any type.
template <bool lower, class T, class At>
bool wins(const Pair<T, At>& a, const Pair<T, At>& b) {
    const ValueAt<T> one{a.first, b.second < a.second ? 1 : 0};
    const ValueAt<T> other{b.first, a.second < b.second ? 1 : 0};
    return detail::wins<lower>(one, other);
}

template <bool lower>
struct Chooses {
    template <class T, class At>
    Pair<T, At> operator()(const Pair<T, At>& left, const Pair<T, At>& right) const {
        return wins<lower>(right, left) ? right : left;
    }
};

/// Elements may lie at any address.
template <class T>
T element_at(const void* elements, std::size_t i) {
    T element;
    std::memcpy(&element, static_cast<const std::byte*>(elements) + i * sizeof element, sizeof element);
    return element;
}
template <class T>
void store(void* elements, std::size_t i, const T& element) {
    std::memcpy(static_cast<std::byte*>(elements) + i * sizeof element, &element, sizeof element);
}

template <class T, class Op>
void combine(const void* in, void* inout, std::size_t n, void* /*user*/) {
    for (std::size_t i = 0; i < n; ++i) {
        store(inout, i, Op()(element_at<T>(in, i), element_at<T>(inout, i)));
    }
}

/// From TUTTI_SUM on, and from TUTTI_MINLOC on.
constexpr std::size_t operators_of_numbers = TUTTI_BXOR - TUTTI_SUM + 1;
constexpr std::size_t operators_of_pairs = TUTTI_MAXLOC - TUTTI_MINLOC + 1;

struct OtherType {
    tutti_type type;
    std::size_t bytes;
    DynamicOp::Function functions[operators_of_numbers + operators_of_pairs];
};

template <class T, class Op>
constexpr DynamicOp::Function function_of() {
    if constexpr (Applicable<Op, T>) {
        return &combine<T, Op>;
    } else {
        return nullptr;
    }
}

template <class T, class... Ops>
constexpr OtherType type_with(tutti_type type) {
    static_assert(sizeof...(Ops) == operators_of_numbers + operators_of_pairs);
    return {type, sizeof(T), {function_of<T, Ops>()...}};
}

/// With all operators in the order of their numbers, of which each type has those that C++ allows.
template <class T>
constexpr OtherType other_type(tutti_type type) {
    return type_with<T, Sum, Prod, Min, Max, LogicalAnd, LogicalOr, LogicalXor, BitAnd, BitOr, BitXor,
                     Chooses<true>, Chooses<false>>(type);
}

constexpr OtherType other_types[] = {
    other_type<Pair<float, int>>(TUTTI_FLOAT_INT), other_type<Pair<double, int>>(TUTTI_DOUBLE_INT),
    other_type<Pair<long, int>>(TUTTI_LONG_INT),   other_type<Pair<int>>(TUTTI_2INT),
    other_type<Pair<float>>(TUTTI_2FLOAT),         other_type<Pair<double>>(TUTTI_2DOUBLE),
    other_type<Pair<std::int64_t>>(TUTTI_2INT64),  other_type<long double>(TUTTI_LONG_DOUBLE),
#ifdef __SIZEOF_INT128__
    other_type<detail::Int128>(TUTTI_INT128),      other_type<detail::Unsigned128>(TUTTI_UINT128),
#endif
};

const OtherType* find(tutti_type type) {
    const auto* const found = std::ranges::find(other_types, type, &OtherType::type);
    return found != std::ranges::end(other_types) ? found : nullptr;
}

/// An operator of the program's own.
struct UserOp {
    tutti_op_function function;
    void* user;
    bool commutative;
};

constinit Numbered<UserOp> operators;

DynamicOp operator_of(const char* function, tutti_op op, const Elements& elements) {
    const bool is_for_numbers = op >= TUTTI_SUM && op <= TUTTI_BXOR;
    const bool is_for_pairs = op >= TUTTI_MINLOC && op <= TUTTI_MAXLOC;
    if (const OtherType* const other = find(elements.code);
        other != nullptr && (is_for_numbers || is_for_pairs)) {
        const auto index = is_for_pairs ? operators_of_numbers + (op - TUTTI_MINLOC) : op - TUTTI_SUM;
        if (other->functions[index] != nullptr) {
            return {other->functions[index], nullptr, elements.bytes, true};
        }
    }
    if (is_for_numbers) {
        return DynamicOp(static_cast<Operator>(op - TUTTI_SUM));
    }
    if (is_for_pairs) {
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

Elements elements_of(const char* function, tutti_type asked) {
    const std::uint64_t known = asked & type_mask;
    const std::size_t bytes = asked >> type_bits;
    if (known >= TUTTI_INT8 && known <= TUTTI_DOUBLE_COMPLEX && bytes == 0) {
        const DynamicInput none(static_cast<Type>(known - TUTTI_INT8), nullptr, 0);
        return {none.type(), none.element_bytes(), none.element_align(), asked};
    }
    if (const OtherType* const other = find(asked)) {
        return {Type::other, other->bytes, 1, asked};
    }
    if (known != 0 || bytes == 0) {
        refuse(function, "`type` is " + std::to_string(asked) +
                             ", which is neither a TUTTI_... type nor of tutti_type_of_size()");
    }
    return {Type::other, bytes, 1, asked};
}

std::size_t checked_product(const char* function, std::size_t n, std::size_t blocks,
                            const Elements& elements) {
    std::size_t count = 0;
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(n, blocks, &count) || __builtin_mul_overflow(count, elements.bytes, &bytes) ||
        bytes > PTRDIFF_MAX) {
        refuse(function, "a vector would be longer than memory: `n` is " + std::to_string(n) + ", of " +
                             std::to_string(elements.bytes) + " bytes each");
    }
    return count;
}

void check_vector(const char* function, const char* name, const void* address, std::size_t count,
                  const Elements& elements) {
    const auto refuse_address = [&](const char* why) {
        refuse(function, std::string("`") + name + "` " + why);
    };
    if (count == 0) {
        return;
    }
    if (count > PTRDIFF_MAX / elements.bytes) {
        refuse_address("would be longer than memory");
    }
    if (address == nullptr) {
        refuse_address("is a null pointer");
    }
    if (is_in_place(address)) {
        refuse_address("is TUTTI_IN_PLACE, which only what a call reads can be");
    }
    if (reinterpret_cast<std::uintptr_t>(address) % elements.align != 0) {
        refuse_address("is not aligned for its elements");
    }
}

Making::Making(const CallingMember& member, Collective collective, tutti_type type)
    : member_(member), elements_(elements_of(member.function(), type)),
      call_(call(collective, member.options())) {
    call_.type = elements_.type;
    call_.element_bytes = elements_.bytes;
    call_.element_align = elements_.type == Type::other
                              ? DynamicInput(elements_.bytes, nullptr, 0).element_align()
                              : elements_.align;
}

void Making::takes(const void* in, std::size_t in_count, void* out, std::size_t out_count,
                   std::size_t inout_count) {
    const detail::CollectiveTraits& traits = detail::traits_of(call_.collective);
    call_.in_place = traits.in_place == detail::OneVector::always || is_in_place(in);
    const std::size_t written = call_.in_place ? inout_count : out_count;
    if (!call_.in_place) {
        check_vector(member_.function(), traits.input_name(), in, in_count, elements_);
    }
    check_vector(member_.function(), traits.output_name(), out, written, elements_);
    call_.output = written != 0 ? out : nullptr;
    call_.output_count = written;
    call_.input = call_.in_place ? call_.output : in_count != 0 ? in : nullptr;
    call_.input_count = call_.in_place ? written : in_count;
}

void Making::combines(tutti_op op) {
    op_.emplace(member_.function(), op, elements_).complete(call_);
}

Combining::Combining(const char* function, tutti_op op, const Elements& elements)
    : op_(operator_of(function, op, elements)) {}

} // namespace tutti::v0_1::c_api

using namespace tutti;

tutti_type tutti_type_of_size(size_t bytes) {
    return bytes >> (64 - c_api::type_bits) == 0 ? static_cast<tutti_type>(bytes) << c_api::type_bits : 0;
}

tutti_status tutti_op_create(tutti_op_function function, void* user, int commutative, tutti_op* op) {
    return c_api::guarded([&] {
        c_api::there("op_create", "op", op) = 0;
        c_api::there("op_create", "function", function);
        *op = c_api::operators.add({function, user, commutative != 0});
    });
}

tutti_status tutti_op_free(tutti_op op) {
    return c_api::guarded([&] {
        if (op != 0 && !c_api::operators.take(op)) {
            c_api::refuse("op_free", "`op` does not come from tutti_op_create(), or has been freed");
        }
    });
}
