#pragma once

#include <tutti/collective.hpp>

namespace tutti::test {

/// The number of operands of the results of member `rank`, or 0 if it has none.
inline int operands_of(Collective collective, int rank, int members, int root) {
    const auto& traits = detail::traits_of(collective);
    return traits.is_rooted() && rank != root ? 0 : traits.origin(rank, 0, members, root).count;
}

} // namespace tutti::test
