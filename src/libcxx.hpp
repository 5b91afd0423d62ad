#pragma once

// Parts of C++20 that libc++ lacks and the sources use: algorithms of std::ranges (to libc++ 14),
// std::from_chars for double (to libc++ 19), and std::jthread. With libc++, every source of the library and
// of the tests includes this file before all others. Public headers do without. The algorithms take ranges
// only, as all calls do, and are shorter than the standard's: they constrain nothing and return no dangling.

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000
#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace std::ranges {

template <class Compare, class Projection>
constexpr auto projected_compare(Compare& compare, Projection& of) {
    return [&](auto&& a, auto&& b) -> bool {
        return std::invoke(compare, std::invoke(of, a), std::invoke(of, b));
    };
}

template <class Condition, class Projection>
constexpr auto projected_condition(Condition& condition, Projection& of) {
    return [&](auto&& each) -> bool { return std::invoke(condition, std::invoke(of, each)); };
}

template <class Value, class Projection>
constexpr auto equal_to_value(const Value& value, Projection& of) {
    return [&](auto&& each) -> bool { return std::invoke(of, each) == value; };
}

// name(range, condition, projection)
#define TUTTI_OF_CONDITION(name)                                                                             \
    template <class Range, class Condition, class Projection = identity>                                     \
    constexpr auto name(Range&& range, Condition condition, Projection of = {}) {                            \
        return std::name(ranges::begin(range), ranges::end(range),                                           \
                         ranges::projected_condition(condition, of));                                        \
    }
TUTTI_OF_CONDITION(all_of)
TUTTI_OF_CONDITION(any_of)
TUTTI_OF_CONDITION(none_of)
TUTTI_OF_CONDITION(find_if)
TUTTI_OF_CONDITION(count_if)
#undef TUTTI_OF_CONDITION

// name(range, compare, projection)
#define TUTTI_OF_ORDER(name)                                                                                 \
    template <class Range, class Compare = std::less<>, class Projection = identity>                         \
    constexpr auto name(Range&& range, Compare compare = {}, Projection of = {}) {                           \
        return std::name(ranges::begin(range), ranges::end(range), ranges::projected_compare(compare, of));  \
    }
TUTTI_OF_ORDER(sort)
TUTTI_OF_ORDER(stable_sort)
TUTTI_OF_ORDER(is_sorted)
TUTTI_OF_ORDER(min_element)
TUTTI_OF_ORDER(max_element)
TUTTI_OF_ORDER(push_heap)
TUTTI_OF_ORDER(pop_heap)
#undef TUTTI_OF_ORDER

// name(range, function)
#define TUTTI_OF_ELEMENTS(name)                                                                              \
    template <class Range, class Function>                                                                   \
    constexpr void name(Range&& range, Function&& function) {                                                \
        std::name(ranges::begin(range), ranges::end(range), std::forward<Function>(function));               \
    }
TUTTI_OF_ELEMENTS(fill)
TUTTI_OF_ELEMENTS(for_each)
TUTTI_OF_ELEMENTS(generate)
TUTTI_OF_ELEMENTS(shuffle)
TUTTI_OF_ELEMENTS(copy)
TUTTI_OF_ELEMENTS(move)
#undef TUTTI_OF_ELEMENTS

// name(range, range)
#define TUTTI_OF_TWO(name)                                                                                   \
    template <class Range, class Other, class... Function>                                                   \
    constexpr auto name(Range&& range, Other&& other, Function&&... function) {                              \
        return std::name(ranges::begin(range), ranges::end(range), ranges::begin(other), ranges::end(other), \
                         std::forward<Function>(function)...);                                               \
    }
TUTTI_OF_TWO(equal)
TUTTI_OF_TWO(includes)
TUTTI_OF_TWO(set_union)
#undef TUTTI_OF_TWO

template <class Range, class Value, class Projection = identity>
constexpr auto find(Range&& range, const Value& value, Projection of = {}) {
    return std::find_if(ranges::begin(range), ranges::end(range), ranges::equal_to_value(value, of));
}

template <class Range, class Value, class Projection = identity>
constexpr auto count(Range&& range, const Value& value, Projection of = {}) {
    return std::count_if(ranges::begin(range), ranges::end(range), ranges::equal_to_value(value, of));
}

template <class Range, class Condition, class Value>
constexpr void replace_if(Range&& range, Condition condition, const Value& value) {
    std::replace_if(ranges::begin(range), ranges::end(range), condition, value);
}

template <class Range, class Value, class Compare = std::less<>, class Projection = identity>
constexpr auto lower_bound(Range&& range, const Value& value, Compare compare = {}, Projection of = {}) {
    return std::lower_bound(
        ranges::begin(range), ranges::end(range), value,
        [&](auto&& each, const Value& bound) { return compare(std::invoke(of, each), bound); });
}

template <class Range, class Value, class Compare = std::less<>, class Projection = identity>
constexpr auto upper_bound(Range&& range, const Value& value, Compare compare = {}, Projection of = {}) {
    return std::upper_bound(
        ranges::begin(range), ranges::end(range), value,
        [&](const Value& bound, auto&& each) { return compare(bound, std::invoke(of, each)); });
}

template <class Range, class Value>
constexpr bool binary_search(Range&& range, const Value& value) {
    return std::binary_search(ranges::begin(range), ranges::end(range), value);
}

template <class Range>
constexpr void reverse(Range&& range) {
    std::reverse(ranges::begin(range), ranges::end(range));
}

template <class Range, class Middle>
constexpr void nth_element(Range&& range, Middle middle) {
    std::nth_element(ranges::begin(range), middle, ranges::end(range));
}

template <class Range, class Out, class Condition>
constexpr void copy_if(Range&& range, Out out, Condition condition) {
    std::copy_if(ranges::begin(range), ranges::end(range), out, condition);
}

template <class Range, class Out, class Function>
constexpr void transform(Range&& range, Out out, Function function) {
    std::transform(ranges::begin(range), ranges::end(range), out,
                   [&](auto&& each) -> decltype(auto) { return std::invoke(function, each); });
}

template <class Range, class Other, class Out, class Function>
constexpr void transform(Range&& range, Other&& other, Out out, Function function) {
    std::transform(ranges::begin(range), ranges::end(range), ranges::begin(other), out, function);
}

template <class Range, class Compare = std::less<>, class Projection = identity>
constexpr range_value_t<Range> min(Range&& range, Compare compare = {}, Projection of = {}) {
    return *ranges::min_element(range, compare, of);
}

template <class Range, class Compare = std::less<>, class Projection = identity>
constexpr range_value_t<Range> max(Range&& range, Compare compare = {}, Projection of = {}) {
    return *ranges::max_element(range, compare, of);
}

template <class Iterator>
struct min_max_result {
    Iterator min;
    Iterator max;
};

template <class Range, class Compare = std::less<>, class Projection = identity>
constexpr auto minmax_element(Range&& range, Compare compare = {}, Projection of = {}) {
    const auto [least, most] =
        std::minmax_element(ranges::begin(range), ranges::end(range), ranges::projected_compare(compare, of));
    return min_max_result<iterator_t<Range>>{least, most};
}

template <class Range>
constexpr auto minmax(Range&& range) {
    return min_max_result<range_value_t<Range>>{ranges::min(range), ranges::max(range)};
}

template <class Range, class Other>
constexpr auto mismatch(Range&& range, Other&& other) {
    const auto [in1, in2] =
        std::mismatch(ranges::begin(range), ranges::end(range), ranges::begin(other), ranges::end(other));
    return in_in_result<iterator_t<Range>, iterator_t<Other>>{in1, in2};
}

/// Both ranges by the same order; the projection of the one need not be that of the other.
template <class Range, class Other, class Out, class Compare = std::less<>, class Projection = identity,
          class OtherProjection = identity>
constexpr void merge(Range&& range, Other&& other, Out out, Compare compare = {}, Projection of = {},
                     OtherProjection of_other = {}) {
    auto one = ranges::begin(range);
    auto two = ranges::begin(other);
    while (one != ranges::end(range) && two != ranges::end(other)) {
        const bool takes_two = std::invoke(compare, std::invoke(of_other, *two), std::invoke(of, *one));
        *out++ = takes_two ? *two++ : *one++;
    }
    std::copy(two, ranges::end(other), std::copy(one, ranges::end(range), out));
}

} // namespace std::ranges
#endif

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
#include <cerrno>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <string>
#include <system_error>

namespace std {

/// By way of strtod, which reads more: blanks, a plus sign and hexadecimal digits are refused here.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
    static const locale_t no_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    const string text(first, std::find_if(first, last, [](char each) { return each == 'x' || each == 'X'; }));
    if (text.find_first_of(" \t\n\v\f\r+") == 0) {
        return {first, errc::invalid_argument};
    }
    char* end = nullptr;
    errno = 0;
    const double read = strtod_l(text.c_str(), &end, no_locale);
    if (end == text.c_str()) {
        return {first, errc::invalid_argument};
    }
    const char* const stopped_at = first + (end - text.c_str());
    if (errno == ERANGE) {
        return {stopped_at, errc::result_out_of_range};
    }
    value = read;
    return {stopped_at, errc()};
}

} // namespace std
#endif

#if defined(_LIBCPP_VERSION) && !defined(__cpp_lib_jthread)
#include <thread>

namespace std {

/// A thread that its destructor joins. Nobody asks it to stop.
class jthread : public thread {
public:
    using thread::thread;
    jthread(jthread&&) noexcept = default;
    jthread& operator=(jthread&& other) noexcept {
        end();
        thread::operator=(std::move(other));
        return *this;
    }
    ~jthread() { end(); }

private:
    void end() {
        if (joinable()) {
            join();
        }
    }
};

} // namespace std
#endif
