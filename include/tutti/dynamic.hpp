#pragma once

#include <tutti/error.hpp>
#include <tutti/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Calls whose element type and operator are known only at run time, for example in bindings of other
// languages:
//
//     me.allreduce(tutti::DynamicInput(type, in, n), tutti::DynamicVector(type, out, n),
//                  tutti::DynamicOp(op));

namespace tutti::v0_1 {

namespace detail {

/// Stands for the elements of dynamic vectors.
struct DynamicElement {};

/// The class of DynamicVector and DynamicInput. Element is const for a buffer that is only read.
template <class Element>
class BasicDynamicVector {
public:
    /// The placeholder type of the elements; const if they are only read.
    using element_type = Element;
    /// const void* if the elements are only read.
    using Pointer = std::conditional_t<std::is_const_v<Element>, const void*, void*>;

    /// Throws ArgumentError if `type` is Type::other, or if `data` is not aligned for the type.
    BasicDynamicVector(Type type, Pointer data, std::size_t count)
        : data_(data), count_(count), element_bytes_(type < Type::other ? detail::bytes_of(type) : 0),
          type_(type) {
        check("Type::other has no element size: pass the size instead of the type");
        if (reinterpret_cast<std::uintptr_t>(data) % element_align() != 0) {
            throw ArgumentError("DynamicVector: the address is not aligned for elements of type " +
                                std::string(to_string(type)));
        }
    }

    /// A buffer of elements of any other type, given by its size. Throws ArgumentError for 0 bytes.
    BasicDynamicVector(std::size_t element_bytes, Pointer data, std::size_t count)
        : data_(data), count_(count), element_bytes_(element_bytes), type_(Type::other) {
        check("elements of 0 bytes");
    }

    /// The first element.
    Pointer data() const { return data_; }
    /// The number of elements.
    std::size_t size() const { return count_; }
    /// Type::other if only the size of an element is known.
    Type type() const { return type_; }
    /// The size of an element.
    std::size_t element_bytes() const { return element_bytes_; }
    /// The alignment that can be derived from type and size; for a complex number that of its parts.
    std::size_t element_align() const {
        const std::size_t lowest_bit = element_bytes_ & (~element_bytes_ + 1);
        const bool is_complex = type_ == Type::complex64 || type_ == Type::complex128;
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

} // namespace detail

/// A view of `count` elements at `data`, of a type that is known only at run time. It is made as
/// DynamicVector(Type type, void* data, std::size_t count) for elements of one of the library's types, or as
/// DynamicVector(std::size_t element_bytes, void* data, std::size_t count) for any other type. Elements of
/// another type can only be moved, or combined by a DynamicOp with a function.
///
/// The library never splits an element: an operator and a copy always get whole ones, at addresses that may
/// have any alignment if the elements are given by their size. Blocks of bytes that a function combines as a
/// whole are therefore vectors of one element each.
///
/// The elements must live as long as other buffers of the call. Some members may pass a dynamic vector and
/// others a typed buffer, such as std::vector<double>.
///
/// Throws ArgumentError if `type` is Type::other, if `data` is not aligned for the type, or if
/// `element_bytes` is 0.
using DynamicVector = detail::BasicDynamicVector<detail::DynamicElement>;
/// A DynamicVector that is only read: `data` is a const void*.
using DynamicInput = detail::BasicDynamicVector<const detail::DynamicElement>;

/// An operator that is known only at run time, for dynamic vectors.
class DynamicOp {
public:
    /// Must store in[i] op inout[i] in inout[i] for `count` elements, as user functions of MPI do. All
    /// members call it at the same time, for one piece of their buffers after the other.
    using Function = void (*)(const void* in, void* inout, std::size_t count, void* user);

    /// An operator of the library. Throws ArgumentError for Operator::callable.
    explicit DynamicOp(Operator op) : op_(op) {
        if (op >= Operator::callable) {
            throw ArgumentError(
                "DynamicOp: Operator::callable needs a function: use the constructor that takes one");
        }
    }

    /// An operator of the program, for elements of `element_bytes` bytes. `user` is passed to the function;
    /// it may differ between members. The function must be associative; if `commutative` is true, operands
    /// may be swapped. Throws ArgumentError if the function is null.
    DynamicOp(Function combines, void* user, std::size_t element_bytes, bool commutative)
        : op_(Operator::callable), commutative_(commutative), element_bytes_(element_bytes),
          function_(combines), user_(user) {
        if (combines == nullptr) {
            throw ArgumentError("DynamicOp: the function is a null pointer");
        }
    }

    /// Operator::callable if the operator is a function.
    Operator op() const { return op_; }
    /// Whether operands may be combined in any order.
    bool commutative() const { return commutative_; }
    /// The element size of a function; 0 for an operator of the library.
    std::size_t element_bytes() const { return element_bytes_; }
    /// Null for an operator of the library.
    Function function() const { return function_; }
    /// The pointer that is passed to the function.
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
template <>
inline constexpr bool combines_elements<Operator, DynamicElement> = true;

} // namespace detail

} // namespace tutti::v0_1
