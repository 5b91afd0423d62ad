#pragma once

#include <tutti/detail/buffers.hpp>

#include <span>

namespace tutti {

/// One vector for all members as the result of a call: every member passes the same memory, each writes the
/// part of it that it has computed, and all may read the whole when the call has returned. See shared().
template <class T>
class Shared {
public:
    /// See shared().
    explicit constexpr Shared(std::span<T> elements) : elements_(elements) {}

    /// The memory that all members share.
    constexpr std::span<T> span() const { return elements_; }

private:
    std::span<T> elements_;
};

/// Says that `out`, a contiguous range, is the same memory on every member. Where members only read a result,
/// they need not each have a copy of it: among p members an allreduce of m bytes moves (p + 1) m instead of
/// 2 p m, and an allgather 2 m instead of (p + 1) m.
///
/// Nobody writes to `out` before every member has come to the call, so a member that comes has done with
/// what `out` held. It must not overlap any member's input.
template <detail::InPlace Out>
requires(!detail::Dynamic<Out>) auto shared(Out&& out) {
    detail::refuse_lost_result<Out>();
    return Shared<detail::element_t<Out&>>(detail::view(out));
}

} // namespace tutti
