// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/buffers.hpp>
#include <tutti/detail/template_loops.hpp>
#include <tutti/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

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

template <class Element>
inline constexpr bool is_dynamic<BasicDynamicVector<Element>> = true;
template <>
inline constexpr bool is_wrapper<DynamicOp> = true;
template <>
inline constexpr bool combines_elements<DynamicOp, DynamicElement> = true;
template <>
inline constexpr bool combines_elements<Operator, DynamicElement> = true;

/// Pieces of buffers that stay in the caches, as bytes: the current value, the next operand, and partial
/// results of a DynamicOp with a function.
class Pieces {
public:
    /// Allocates room for `partial_results` partial results.
    Pieces(const DynamicOp& op, int partial_results) : op_(op) {
        const std::size_t places = 2 + static_cast<std::size_t>(partial_results);
        const std::size_t share = room_bytes / places / align * align;
        elements_ = std::max<std::size_t>(1, share / op.element_bytes());
        const std::size_t place_bytes = (elements_ * op.element_bytes() + align - 1) / align * align;
        if (places * place_bytes > room_bytes) {
            large_room_ = std::make_unique<std::byte[]>(places * place_bytes + align);
        }
        std::byte* const first = large_room_ ? aligned(large_room_.get()) : room_;
        for (std::size_t place = 0; place < places; ++place) {
            places_[place] = first + place * place_bytes;
        }
    }

    /// The number of elements of each piece except the last.
    std::size_t elements() const { return elements_; }
    /// Moves to elements `start` .. `start` + `length` - 1.
    void move_to(std::size_t start, std::size_t length) {
        offset_ = start * op_.element_bytes();
        length_ = length;
        bytes_ = length * op_.element_bytes();
    }

    void take_next(const void* in) {
        std::memcpy(next(), static_cast<const std::byte*>(in) + offset_, bytes_);
    }
    /// Makes the operand taken last the current value.
    void go_on() { std::swap(now(), next()); }
    void combine_with(int place) { op_.function()(partial(place), now(), length_, op_.user()); }
    /// move_into() gives the current value away; copy_into() stores a copy of it.
    void move_into(int place) { std::swap(partial(place), now()); }
    void copy_into(int place) { std::memcpy(partial(place), now(), bytes_); }
    void put(void* out) { std::memcpy(static_cast<std::byte*>(out) + offset_, now(), bytes_); }

private:
    static std::byte* aligned(std::byte* at) {
        return at + (align - reinterpret_cast<std::uintptr_t>(at) % align) % align;
    }
    std::byte*& now() { return places_[0]; }
    std::byte*& next() { return places_[1]; }
    std::byte*& partial(int place) { return places_[2 + static_cast<std::size_t>(place)]; }

    static constexpr std::size_t most_places = 2 + std::numeric_limits<unsigned>::digits;
    static constexpr std::size_t align = alignof(std::max_align_t);
    static constexpr std::size_t room_bytes = 8192;

    const DynamicOp& op_;
    alignas(align) std::byte room_[room_bytes];
    std::unique_ptr<std::byte[]> large_room_;
    std::byte* places_[most_places];
    std::size_t elements_ = 1;
    std::size_t offset_ = 0;
    std::size_t length_ = 0;
    std::size_t bytes_ = 0;
};

/// The loops of a DynamicOp with a function, which gets one piece after the other.
struct DynamicLoops {
    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        if (out == a) {
            const void* const ins[] = {a, b};
            return reduce_many(state, &out, 1, ins, 2, count, Association::left, {});
        }
        const DynamicOp& op = op_in(state);
        if (count != 0) {
            if (out != b) {
                std::memcpy(out, b, count * op.element_bytes());
            }
            op.function()(a, out, count, op.user());
        }
    }

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            StoreHints /*stores*/) {
        Pieces pieces(op_in(state), partial_results(ins_count - 1, association));
        for (std::size_t start = 0; start < count; start += pieces.elements()) {
            pieces.move_to(start, std::min(pieces.elements(), count - start));
            for (int source = 0; source < ins_count; ++source) {
                pieces.take_next(ins[source]);
                pieces.go_on();
                const bool is_last = source == ins_count - 1;
                const auto combine = [&](int place) { pieces.combine_with(place); };
                is_last ? Merges(source, association).of_all(combine)
                        : pieces.move_into(Merges(source, association).of_kept(combine));
            }
            for (int destination = 0; destination < outs_count; ++destination) {
                pieces.put(outs[destination]);
            }
        }
    }

    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association, StoreHints /*stores*/) {
        const int prefixes = exclusive ? members - 1 : members;
        if (prefixes == 0) {
            return;
        }
        void* const* const results = exclusive ? outs + 1 : outs;
        Pieces pieces(op_in(state), partial_results(prefixes, association));
        const auto combine = [&](int place) { pieces.combine_with(place); };
        for (std::size_t start = 0; start < count; start += pieces.elements()) {
            pieces.move_to(start, std::min(pieces.elements(), count - start));
            for (int member = 0; member < prefixes; ++member) {
                // In place and exclusive, the prefix overwrites this operand, so the operand is copied first.
                pieces.take_next(ins[member]);
                if (member > 0) {
                    pieces.put(results[member - 1]);
                }
                pieces.go_on();
                const Merges merges(member, association);
                pieces.copy_into(merges.of_kept(combine));
                merges.of_rest(combine);
            }
            pieces.put(results[prefixes - 1]);
        }
    }

    static void fold(const void* state, void* out, const void* in, std::size_t rows) {
        const int terms = static_cast<int>(rows);
        const std::size_t element_bytes = op_in(state).element_bytes();
        Pieces pieces(op_in(state), partial_results(terms, Association::tree));
        pieces.move_to(0, 1);
        for (int term = 0; term < terms; ++term) {
            pieces.take_next(static_cast<const std::byte*>(in) +
                             static_cast<std::size_t>(term) * element_bytes);
            pieces.go_on();
            pieces.copy_into(
                Merges(term, Association::tree).of_kept([&](int place) { pieces.combine_with(place); }));
        }
        pieces.put(out);
    }

    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many, &fold};

private:
    static const DynamicOp& op_in(const void* state) { return *static_cast<const DynamicOp*>(state); }
};

template <>
struct LoopsOf<DynamicElement, DynamicOp> : std::type_identity<DynamicLoops> {};

} // namespace detail

} // namespace tutti::v0_1
