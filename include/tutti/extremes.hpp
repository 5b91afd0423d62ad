#pragma once

#include <tutti/operators.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

// The least and the greatest elements: with their positions (argmin and argmax), both at once, and
// the first k.

namespace tutti::inline TUTTI_NAMESPACE {

/// A value and its position, such as a rank or an index: the elements of minloc and maxloc. Compare them with
/// ==, not as bytes, because there may be padding between the two.
template <class T>
struct ValueAt {
    /// The value that is compared.
    T value;
    /// The position of the value.
    std::int64_t at;
    /// Whether both the value and the position are equal.
    friend constexpr bool operator==(const ValueAt&, const ValueAt&) = default;
};

namespace detail {

/// Whether `a` is preferred to `b`: a NaN to a number, then the `better` value, then the lower position. It
/// is a strict weak order, so the result is exact and does not depend on the order of the operands.
template <class T, class Better>
constexpr bool wins(const ValueAt<T>& a, const ValueAt<T>& b, const Better& better) {
    if (is_nan(a.value) != is_nan(b.value)) {
        return is_nan(a.value);
    }
    if (better(a.value, b.value) != better(b.value, a.value)) {
        return better(a.value, b.value);
    }
    return a.at < b.at;
}

template <class T>
constexpr bool is_lower(const ValueAt<T>& a, const ValueAt<T>& b) {
    return wins(a, b, [](const T& x, const T& y) { return x < y; });
}
template <class T>
constexpr bool is_higher(const ValueAt<T>& a, const ValueAt<T>& b) {
    return wins(a, b, [](const T& x, const T& y) { return y < x; });
}

} // namespace detail

/// The least value and its position (argmin). Among equal values (-0 and +0 are equal), the lowest position
/// wins: if positions are ranks, the lowest rank. A NaN is preferred to any number, so that it shows in the
/// result; among several NaNs the lowest position wins. If positions tell the operands apart, the result does
/// not depend on the order in which operands are combined. Value types that are not numbers need a < that is
/// a strict weak order.
struct MinLoc {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires requires(const T& a, const T& b) { static_cast<bool>(a < b); }
    constexpr ValueAt<T> operator()(const ValueAt<T>& a, const ValueAt<T>& b) const {
        return detail::is_lower(b, a) ? b : a;
    }
};

/// The greatest value and its position (argmax). Equal values, NaN and order are treated as in MinLoc.
struct MaxLoc {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires requires(const T& a, const T& b) { static_cast<bool>(a < b); }
    constexpr ValueAt<T> operator()(const ValueAt<T>& a, const ValueAt<T>& b) const {
        return detail::is_higher(b, a) ? b : a;
    }
};

/// The least and the greatest of some values: the elements of minmax.
///
///     const auto [low, high] = me.allreduce(tutti::MinMax<double>::of(x), tutti::minmax);
template <class T>
struct MinMax {
    /// The least value.
    T min;
    /// The greatest value.
    T max;

    /// Both of one value.
    static constexpr MinMax of(const T& value) { return {value, value}; }
    /// Both of a range, as by tutti::minimum and tutti::maximum; their identities for an empty range. Takes
    /// one pass.
    static constexpr MinMax of(std::span<const T> values) requires detail::Real<T> {
        MinMax all{Minimum::identity<T>(), Maximum::identity<T>()};
        for (const T& value : values) {
            all = {Minimum()(all.min, value), Maximum()(all.max, value)};
        }
        return all;
    }
    /// Whether both are equal.
    friend constexpr bool operator==(const MinMax&, const MinMax&) = default;
};

namespace detail {

template <class E>
inline constexpr bool is_minmax = false;
template <Real T>
inline constexpr bool is_minmax<MinMax<T>> = true;

} // namespace detail

/// The minimum of the least values and the maximum of the greatest ones, as by tutti::minimum and
/// tutti::maximum.
struct MinAndMax {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires std::is_invocable_v<Minimum, const T&, const T&>
    constexpr MinMax<T> operator()(const MinMax<T>& a, const MinMax<T>& b) const {
        return {Minimum()(a.min, b.min), Maximum()(a.max, b.max)};
    }
    /// The identity: that of no values.
    template <class E>
    requires detail::is_minmax<E>
    static constexpr E identity() { return E::of(std::span<const decltype(E::min)>()); }
};

/// The K greatest of some values with their positions, in descending order: the elements of topk, with
/// about 16 bytes per value. Equal values, NaN and order are treated as in MinLoc: if no two values have the
/// same position, the result is exact and does not depend on the order or the distribution of the values. For
/// the K least numbers, take the greatest of their negatives.
///
///     const auto best = me.allreduce(tutti::TopK<double, 8>::of(values, first_index), tutti::topk);
///     for (const auto& [value, at] : best.entries()) {
///
/// One object may be used by one thread at a time. Nothing here allocates or throws.
template <class T, std::size_t K>
requires(K >= 1) && std::default_initializable<T>&& requires(const T& a, const T& b) {
    static_cast<bool>(a < b);
}
class TopK {
public:
    /// No values.
    constexpr TopK() = default;

    /// Those of values[i], which have the positions first_index + i. Most values cost one comparison, a value
    /// that is kept costs K.
    static constexpr TopK of(std::span<const T> values, std::int64_t first_index) {
        TopK best;
        for (const T& value : values) {
            best.add({value, first_index++});
        }
        return best;
    }

    /// Adds a value, if it is among the K greatest.
    constexpr TopK& add(const ValueAt<T>& added) {
        if (size_ == K && !detail::is_higher(added, entries_[K - 1])) {
            return *this;
        }
        std::size_t place = size_ == K ? K - 1 : size_++;
        for (; place > 0 && detail::is_higher(added, entries_[place - 1]); --place) {
            entries_[place] = entries_[place - 1];
        }
        entries_[place] = added;
        return *this;
    }

    /// The values that there are, at most K, the greatest first. Valid as long as this object.
    constexpr std::span<const ValueAt<T>> entries() const& { return std::span(entries_).first(size_); }
    constexpr std::span<const ValueAt<T>> entries() const&& = delete;

    /// Whether all values and positions are equal.
    friend constexpr bool operator==(const TopK&, const TopK&) = default;

private:
    ValueAt<T> entries_[K]{};
    std::size_t size_ = 0;
};

namespace detail {

template <class E>
inline constexpr bool is_topk = false;
template <class T, std::size_t K>
inline constexpr bool is_topk<TopK<T, K>> = true;

} // namespace detail

/// The K greatest values of both.
struct Best {
    /// Combines two elements.
    template <class T, std::size_t K>
    constexpr TopK<T, K> operator()(const TopK<T, K>& a, const TopK<T, K>& b) const {
        TopK<T, K> best = a;
        for (const ValueAt<T>& entry : b.entries()) {
            best.add(entry);
        }
        return best;
    }
    /// The identity: no values.
    template <class E>
    requires detail::is_topk<E>
    static constexpr E identity() { return {}; }
};

inline constexpr MinLoc minloc{};
inline constexpr MaxLoc maxloc{};
inline constexpr MinAndMax minmax{};
inline constexpr Best topk{};

} // namespace tutti::inline TUTTI_NAMESPACE
