#pragma once

#include "way.hpp"

#include <tutti/half.hpp>
#include <tutti/operators.hpp>

// Results of calls, held against loops over the ranks.

namespace tutti::test {

/// A call that every rank makes.
struct Job {
    Shape shape;
    std::string_view algorithm = {};
    /// Results are exactly the reference, which combines in the order of the ranks, associated as the job
    /// states; otherwise only the same bits on every rank.
    bool has_reference = true;
    detail::Association association = detail::Association::tree;
    Order order = Order::canonical;
    /// Ranks of odd numbers pass one buffer, and the others two.
    bool in_place_on_some = false;

    std::string describe() const;
};

/// Whether elements have no bytes besides their values, so that equal ones have the same bits.
template <class T>
inline constexpr bool has_no_padding = std::has_unique_object_representations_v<T> ||
                                       type_of<T>() != Type::other;

template <class T>
bool is_same(const void* found, const void* expected) {
    if constexpr (has_no_padding<T>) {
        return std::memcmp(found, expected, sizeof(T)) == 0;
    } else {
        T a, b;
        std::memcpy(static_cast<void*>(&a), found, sizeof(T));
        std::memcpy(static_cast<void*>(&b), expected, sizeof(T));
        return a == b;
    }
}

/// The operator as one that is known at run time. `op` must outlive it.
template <class T, class Op>
DynamicOp dynamic_of(const Op& op) {
    if constexpr (detail::has_builtin_kernels<T, Op>) {
        return DynamicOp(Op::code);
    } else {
        const auto combine = [](const void* in, void* inout, std::size_t count, void* user) {
            for (std::size_t i = 0; i < count; ++i) {
                static_cast<T*>(inout)[i] = (*static_cast<const Op*>(user))(static_cast<const T*>(in)[i],
                                                                            static_cast<const T*>(inout)[i]);
            }
        };
        return DynamicOp(+combine, const_cast<void*>(static_cast<const void*>(&op)), sizeof(T),
                         is_commutative<Op>);
    }
}

/// The vectors as bytes, which begin at another place of a cache line on each rank, with elements before and
/// behind the output that the call must not touch.
template <class T>
Vectors<std::byte> with_guard(Vectors<T> made, const T& untouched) {
    const auto bytes_of = [](const std::vector<T>& elements) {
        const auto bytes = std::as_bytes(std::span(elements));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    const std::size_t lead = made.rank % 7;
    for (std::vector<T>* const vector : {&made.in, &made.out, &made.expected}) {
        vector->insert(vector->begin(), lead, untouched);
    }
    made.out.push_back(untouched);
    made.expected.push_back(untouched);
    return {made.rank,
            bytes_of(made.in),
            bytes_of(made.out),
            bytes_of(made.expected),
            std::move(made.sent),
            std::move(made.received),
            lead};
}

/// The call with these buffers, of which `out` has a guard.
inline WayCall call_of(const Shape& shape, const Vectors<std::byte>& vectors, const ElementType& elements,
                       const std::vector<std::byte>& in, std::vector<std::byte>& out,
                       const Options& options = {}) {
    const std::size_t lead_bytes = vectors.lead * elements.bytes;
    return {shape,
            vectors,
            elements,
            in.data() + lead_bytes,
            in.size() / elements.bytes - vectors.lead,
            out.data() + lead_bytes,
            out.size() / elements.bytes - vectors.lead - 1,
            options};
}

/// The calls of all ranks.
class Exam {
public:
    /// `make` and `op` are those of Reference. A shorter call uses the first of `kept` elements of the
    /// inputs; 0: they are made for each call.
    template <class T, class Op>
    Exam(int members, std::size_t kept, T (*make)(std::size_t, std::size_t), const Op& op)
        : Exam(members, kept, make, std::make_shared<const Op>(op)) {}

    /// The ranks combine by `dynamic`.
    template <class T, class Op>
    Exam(int members, std::size_t kept, T (*make)(std::size_t, std::size_t), const Op& op,
         const DynamicOp& dynamic)
        : Exam(kept_reference<T>(members, kept, make, op), {type_of<T>(), sizeof(T), dynamic}) {}

    template <class T, class W>
    Exam(std::shared_ptr<const Reference<T, W>> reference, const ElementType& elements)
        : elements_(elements), is_same_(is_same<T>), has_no_padding_(has_no_padding<T>),
          vectors_([reference](std::size_t rank, const Shape& shape, detail::Association association) {
              return with_guard(reference->vectors(rank, shape, association), reference->untouched());
          }) {}

    /// Makes the calls on every rank, in this order, with as many outstanding, which are waited for in any
    /// order. Returns what went wrong first, or nothing.
    std::string run(Ranks& ranks, std::span<const Job> jobs, std::size_t outstanding = 1);

private:
    struct Examined;

    template <class T, class Op>
    static std::shared_ptr<const Reference<T>>
    kept_reference(int members, std::size_t kept, T (*make)(std::size_t, std::size_t), const Op& op) {
        auto reference = std::make_shared<Reference<T>>(members, make, op);
        if (kept != 0) {
            reference->keep(kept);
        }
        return reference;
    }
    template <class T, class Op>
    Exam(int members, std::size_t kept, T (*make)(std::size_t, std::size_t),
         const std::shared_ptr<const Op>& op)
        : Exam(members, kept, make, *op, dynamic_of<T>(*op)) {
        op_ = op;
    }
    std::unique_ptr<Examined> begin(WayCaller& me, Job job, std::size_t number) const;
    std::string finish(Examined& call, std::uint64_t& digest) const;
    std::string compare(std::span<const std::byte> found, const Examined& call) const;
    std::string different_digests(std::span<const Job> jobs) const;

    std::shared_ptr<const void> op_;
    ElementType elements_;
    bool (*is_same_)(const void*, const void*);
    bool has_no_padding_;
    std::function<Vectors<std::byte>(std::size_t, const Shape&, detail::Association)> vectors_;
    std::vector<std::vector<std::uint64_t>> digests_;
};

/// A number for each element of each rank that looks random.
inline std::uint64_t mixed(std::size_t rank, std::size_t element) {
    std::uint64_t value = (rank + 1) * 0x9e3779b97f4a7c15 + element * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 30U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
}

/// Any value of an integer type; from 0.5 to 1.5 of a floating-point type, so that neither sums nor products
/// cancel.
template <class T>
T ordinary(std::size_t rank, std::size_t element) {
    if constexpr (detail::is_complex<T>) {
        return T(ordinary<typename T::value_type>(rank, 2 * element), 0);
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(mixed(rank, element));
    } else {
        return static_cast<T>(
            static_cast<Wide<T>>(0.5 + static_cast<double>(mixed(rank, element) >> 12U) * 0x1p-52));
    }
}

} // namespace tutti::test
