#pragma once

#include <tutti/error.hpp>
#include <tutti/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Calls whose element type and operator are known only when they are made, as in bindings of other languages:
//
//     me.allreduce(tutti::DynamicInput(type, in, n), tutti::DynamicVector(type, out, n),
//     tutti::DynamicOp(op));

namespace tutti {

namespace detail {

/// Stands for the elements of dynamic vectors.
struct DynamicElement {};

} // namespace detail

/// `count` elements at `data`, of a type that is known at run time: one that the library knows, or any other
/// of so many bytes, which are only moved, or combined by a DynamicOp of the caller's. A view: what it refers
/// to must live as long as other vectors of the call. Members may pass dynamic vectors where others pass such
/// as std::vector<double>. Element is const for a vector that is only read.
template <class Element>
class BasicDynamicVector {
public:
    /// Stands for the elements, const where they are only read.
    using element_type = Element;
    /// const void* where elements are only read.
    using Pointer = std::conditional_t<std::is_const_v<Element>, const void*, void*>;

    /// Throws ArgumentError for Type::other, and where `data` is not aligned for the type.
    BasicDynamicVector(Type type, Pointer data, std::size_t count)
        : data_(data), count_(count), element_bytes_(type < Type::other ? detail::bytes_of(type) : 0),
          type_(type) {
        check("elements of type other have no size of their own: give it instead of the type");
        if (reinterpret_cast<std::uintptr_t>(data) % element_align() != 0) {
            throw ArgumentError("DynamicVector: the address is not aligned for elements of type " +
                                std::string(to_string(type)));
        }
    }

    /// Of another type, of so many bytes. Throws ArgumentError for 0 bytes.
    BasicDynamicVector(std::size_t element_bytes, Pointer data, std::size_t count)
        : data_(data), count_(count), element_bytes_(element_bytes), type_(Type::other) {
        check("elements of 0 bytes");
    }

    /// The first element.
    Pointer data() const { return data_; }
    /// The number of elements.
    std::size_t size() const { return count_; }
    /// Type::other where only their size is known.
    Type type() const { return type_; }
    /// Bytes of one element.
    std::size_t element_bytes() const { return element_bytes_; }
    /// What is known of it: that of a complex number is that of its parts.
    std::size_t element_align() const {
        const std::size_t lowest_bit = element_bytes_ & (~element_bytes_ + 1);
        const bool is_complex = type_ == Type::c32 || type_ == Type::c64;
        return is_complex ? element_bytes_ / 2 : std::min(lowest_bit, alignof(std::max_align_t));
    }

private:
    void check(const char* what) const {
        if (element_bytes_ == 0) {
            throw ArgumentError(std::string("DynamicVector: ") + what);
        }
    }

    Pointer data_;
    std::size_t count_;
    std::size_t element_bytes_;
    Type type_;
};

using DynamicVector = BasicDynamicVector<detail::DynamicElement>;
using DynamicInput = BasicDynamicVector<const detail::DynamicElement>;

/// An operator that is known at run time, for dynamic vectors.
class DynamicOp {
public:
    /// Leaves in[i] op inout[i] in inout[i] for `count` elements, as user functions of MPI do. It is called
    /// for one piece of the members' vectors after the other, by all members at the same time.
    using Function = void (*)(const void* in, void* inout, std::size_t count, void* user);

    /// One of the library's own. Throws ArgumentError for Operator::callable.
    explicit DynamicOp(Operator op) : op_(op) {
        if (op >= Operator::callable) {
            throw ArgumentError("DynamicOp: an operator that is callable needs a function");
        }
    }

    /// The caller's own, of elements of so many bytes. `user` is passed on to the function; it may be another
    /// on every member. The function must be associative, and if `commutative` operands may be swapped.
    DynamicOp(Function combines, void* user, std::size_t element_bytes, bool commutative)
        : op_(Operator::callable), commutative_(commutative), element_bytes_(element_bytes),
          function_(combines), user_(user) {
        if (combines == nullptr) {
            throw ArgumentError("DynamicOp: the function is a null pointer");
        }
    }

    /// Operator::callable for a function.
    Operator op() const { return op_; }
    /// Whether operands may be combined in any order.
    bool commutative() const { return commutative_; }
    /// Of a function: of its elements.
    std::size_t element_bytes() const { return element_bytes_; }
    /// Null for an operator that the library knows.
    Function function() const { return function_; }
    /// What the function is given.
    void* user() const { return user_; }

private:
    Operator op_;
    bool commutative_ = true;
    std::size_t element_bytes_ = 0;
    Function function_ = nullptr;
    void* user_ = nullptr;
};

namespace detail {

template <class V>
inline constexpr bool is_dynamic = false;
template <class Element>
inline constexpr bool is_dynamic<BasicDynamicVector<Element>> = true;

template <>
inline constexpr bool combines_elements<DynamicOp, DynamicElement> = true;

} // namespace detail

} // namespace tutti
