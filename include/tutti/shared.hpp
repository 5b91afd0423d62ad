// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/buffers.hpp>

#include <span>

namespace tutti::v0_1 {

/// One buffer that all members share as the result of a call, or all members of each process. Every member
/// passes the same memory and writes the part that it has computed; after the call all members may read the
/// whole. Made by shared().
template <class T>
class Shared {
public:
    /// Internal: use shared().
    explicit constexpr Shared(std::span<T> elements) : elements_(elements) {}

    /// The memory that all members share.
    constexpr std::span<T> span() const { return elements_; }

private:
    std::span<T> elements_;
};

/// Marks `out`, a contiguous range, as the same memory on every member, or on every member of a process. If
/// members only read a result, they need not each have a copy. Among p members, an allreduce of m bytes in a
/// group then moves (p + 1) m instead of 2 p m bytes, and an allgather 2 m instead of (p + 1) m.
///
/// No member writes to `out` before every member has entered the call, so a member may read the old contents
/// of `out` until it makes the call. `out` must not overlap any member's input. Throws ArgumentError if it is
/// a strided view.
template <detail::InPlace Out>
requires(!detail::Dynamic<Out>) auto shared(Out&& out) {
    detail::refuse_lost_result<Out>();
    if (detail::is_strided(out)) {
        throw ArgumentError("shared: `out` is a strided view: pass one whose elements are contiguous");
    }
    return Shared<detail::element_t<Out&>>(detail::view(out));
}

} // namespace tutti::v0_1
