// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::v0_1 {

namespace detail {

/// The graph of a neighbor_alltoall, as one member has it: see tutti::Neighbors.
class Neighborhood;

template <class T>
concept CountedInteger = std::integral<T> && !std::same_as<T, bool>;

/// An element of a braced list, which may hold integers of several types.
class Listed {
public:
    template <CountedInteger Integer>
    constexpr Listed(Integer value) // NOLINT(google-explicit-constructor)
        : value_(static_cast<std::int64_t>(value)) {}
    constexpr operator std::int64_t() const { return value_; } // NOLINT(google-explicit-constructor)

private:
    std::int64_t value_;
};

/// The type of a braced list that is passed to a constructor of Counts.
using BracedList = std::vector<Listed>;

/// Any range of integers.
template <class Range>
concept IntegerRange = std::ranges::input_range<Range> &&
    (CountedInteger<std::ranges::range_value_t<Range>> ||
     std::same_as<std::ranges::range_value_t<Range>, Listed>);

template <class Range>
inline constexpr bool is_span = false;
template <class T, std::size_t extent>
inline constexpr bool is_span<std::span<T, extent>> = true;

/// Numbers to which a Counts object refers, because their type says that it is a view.
template <class Range>
concept LastingNumbers =
    is_span<std::remove_cvref_t<Range>> && std::same_as<std::ranges::range_value_t<Range>, std::size_t>;

/// A copy of `numbers`. Throws ArgumentError if one is negative; `name` is the name of the list.
template <class Range>
std::vector<std::size_t> sizes_of(Range& numbers, const char* name) {
    std::vector<std::size_t> sizes;
    for (const auto number : numbers) {
        if constexpr (!std::unsigned_integral<std::ranges::range_value_t<Range>>) {
            if (number < 0) {
                throw ArgumentError(std::string("Counts: ") + name + "[" + std::to_string(sizes.size()) +
                                    "] is " + std::to_string(number) + ": it must not be negative");
            }
        }
        sizes.push_back(static_cast<std::size_t>(number));
    }
    return sizes;
}

} // namespace detail

/// The numbers of elements of irregular blocks, one per member in rank order, from any range of integers or a
/// braced list: Counts({1, 2, 3}). It is a type of its own so that a buffer of integers cannot be mistaken
/// for counts, nor counts for a buffer.
///
/// **Lifetime.** The numbers are copied, except those of a std::span of std::size_t: these must live as long
/// as the Counts object and its copies, and cost no allocation. A call has read the numbers when it returns,
/// even if it is nonblocking or prepares a persistent operation.
///
/// Without displacements, blocks lie back to back and fill the buffer. With displacements, block i starts
/// displacements[i] elements after the start of the buffer, as in the v-collectives of MPI. Blocks may be in
/// any order and may leave gaps, which are neither read nor written. The buffer must reach to the end of the
/// last block. Blocks that are written must not overlap; blocks that are only read may. The displacement of
/// an empty block is ignored.
///
/// In a gather or scatter, only the root's counts are read, as in MPI; every other member may pass Counts().
/// CountsOnAll is the form in which every member has the counts.
class Counts {
public:
    /// The numbers of a Counts object, which must outlive this one: the parameter of the collectives, to
    /// which Counts converts.
    class View {
    public:
        /// The counts.
        constexpr std::span<const std::size_t> span() const { return counts_; }
        /// Whether there are displacements.
        constexpr bool has_displacements() const { return has_displacements_; }
        /// The displacements; empty if there are none.
        constexpr std::span<const std::size_t> displacements() const { return displacements_; }

        /// Internal: the same numbers for the neighbours in that graph, which must live as long.
        constexpr View among(const detail::Neighborhood* graph) const {
            View view = *this;
            view.neighborhood_ = graph;
            return view;
        }
        /// Internal: that graph, or null.
        constexpr const detail::Neighborhood* neighborhood() const { return neighborhood_; }

    private:
        friend class Counts;

        std::span<const std::size_t> counts_;
        std::span<const std::size_t> displacements_;
        bool has_displacements_ = false;
        const detail::Neighborhood* neighborhood_ = nullptr;
    };

    /// No counts: for members of a gather or scatter that are not the root.
    Counts() = default;

    /// Counts without displacements. Throws ArgumentError if a count is negative.
    template <detail::IntegerRange Sizes>
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): a Counts object is no range of integers
    explicit Counts(Sizes&& counts) : Counts() {
        view_.counts_ = kept(std::forward<Sizes>(counts), &Copies::counts, "counts");
    }
    /// The same from a list of integers, whose types may differ.
    explicit Counts(std::initializer_list<detail::Listed> counts) : Counts(detail::BracedList(counts)) {}

    /// Counts with displacements; both ranges must have the same length. Throws ArgumentError if a number is
    /// negative. Each range may be a braced list.
    template <detail::IntegerRange Sizes = detail::BracedList,
              detail::IntegerRange Places = detail::BracedList>
    explicit Counts(Sizes&& counts, Places&& displacements) : Counts(std::forward<Sizes>(counts)) {
        view_.displacements_ =
            kept(std::forward<Places>(displacements), &Copies::displacements, "displacements");
        view_.has_displacements_ = true;
    }

    /// Copies the numbers that `other` has copied, and refers to those to which it refers.
    Counts(const Counts& other)
        : view_(other.view_), copies_(other.copies_ != nullptr ? new Copies(*other.copies_) : nullptr) {
        if (copies_ != nullptr && !copies_->counts.empty()) {
            view_.counts_ = copies_->counts;
        }
        if (copies_ != nullptr && !copies_->displacements.empty()) {
            view_.displacements_ = copies_->displacements;
        }
    }
    /// `other` has no counts afterwards.
    Counts(Counts&& other) noexcept
        : view_(std::exchange(other.view_, View())), copies_(std::exchange(other.copies_, nullptr)) {}
    /// Replaces the numbers.
    Counts& operator=(Counts other) noexcept {
        std::swap(view_, other.view_);
        std::swap(copies_, other.copies_);
        return *this;
    }
    ~Counts() {
        if (copies_ != nullptr) {
            destroy(copies_);
        }
    }

    /// The numbers.
    operator View() const { return view_; } // NOLINT(google-explicit-constructor)

private:
    /// The numbers that were copied; a list is empty if it was not.
    struct Copies {
        std::vector<std::size_t> counts;
        std::vector<std::size_t> displacements;
    };

    /// Not in the destructor, which then needs no object in memory if there are no copies.
    static void destroy(Copies* copies) noexcept { delete copies; }

    template <class Range>
    std::span<const std::size_t> kept(Range&& numbers, std::vector<std::size_t> Copies::*list,
                                      const char* name) {
        if constexpr (detail::LastingNumbers<Range>) {
            return {std::ranges::data(numbers), std::ranges::size(numbers)};
        } else {
            std::vector<std::size_t> sizes = detail::sizes_of(numbers, name);
            if (copies_ == nullptr) {
                copies_ = new Copies();
            }
            return copies_->*list = std::move(sizes);
        }
    }

    View view_;
    Copies* copies_ = nullptr;
};

namespace detail {

/// The sum of counts that fit into memory.
constexpr std::size_t sum_of(std::span<const std::size_t> counts) {
    std::size_t sum = 0;
    for (const std::size_t count : counts) {
        sum += count;
    }
    return sum;
}

/// Checks counts of an all-to-all before anything is sent. Throws ArgumentError.
inline void require_sent(const Counts::View& counts, std::size_t members, std::size_t elements) {
    if (counts.has_displacements()) {
        throw ArgumentError("alltoall: `send_counts` has displacements, which the form that resizes `out` "
                            "does not take: send blocks that lie back to back");
    }
    if (counts.span().size() != members) {
        throw ArgumentError("alltoall: `send_counts` has " + std::to_string(counts.span().size()) +
                            " entries, must have one per member: " + std::to_string(members));
    }
    std::size_t left = elements;
    for (const std::size_t count : counts.span()) {
        if (count > left) {
            left = 1; // whatever else there is
            break;
        }
        left -= count;
    }
    if (left != 0) {
        throw ArgumentError("alltoall: `in` has " + std::to_string(elements) +
                            " elements, which must be the sum of `send_counts`");
    }
}

/// Checks that `address` is not that of `out` and not in its memory, which resize() may free. Throws
/// ArgumentError.
template <class T>
void require_outside(const char* name, const void* address, const std::vector<T>& out) {
    constexpr std::less<const void*> before{};
    const bool inside = !before(address, out.data()) && before(address, out.data() + out.capacity());
    if (inside || address == std::addressof(out)) {
        throw ArgumentError("alltoall: `" + std::string(name) +
                            "` lies in `out`, which changes its length: pass two vectors");
    }
}

} // namespace detail

/// The counts of a gather or scatter, with or without displacements, that every member passes: the same
/// counts on all members. More algorithms support this form than that with Counts. The lifetime of the
/// numbers is that of Counts.
class CountsOnAll : public Counts {
public:
    using Counts::Counts;
    CountsOnAll() = delete;
    operator View() const = delete; // NOLINT(google-explicit-constructor): other collectives take Counts
};

namespace detail {

/// The parameter of gather and scatter, to which Counts and CountsOnAll convert. They must outlive it.
struct RootCounts {
    // NOLINTBEGIN(google-explicit-constructor)
    RootCounts(const Counts::View& counts, bool are_on_all = false) : view(counts), on_all(are_on_all) {}
    RootCounts(const Counts& counts) : view(counts) {}
    RootCounts(const CountsOnAll& counts) : view(static_cast<const Counts&>(counts)), on_all(true) {}
    // NOLINTEND(google-explicit-constructor)

    /// The numbers.
    Counts::View view;
    /// Whether every member passes them.
    bool on_all = false;
};

} // namespace detail

} // namespace tutti::v0_1
