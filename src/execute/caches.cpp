#include "execute/caches.hpp"

#include "tuning/load.hpp"

namespace tutti::execute {

namespace {

/// From so many bytes on vectors do not fit into the caches. Measured on 32 MiB of L3: time of writing past
/// them over plain stores 1.2-1.9 at half the L3, 0.6-1.1 at the L3, 0.6-0.7 at twice the L3.
std::size_t l3_bytes() {
    static const std::size_t detected = tuning::this_machine().l3_bytes;
    constexpr std::size_t without_l3_bytes = std::size_t{32} << 20U;
    return detected != 0 ? detected : without_l3_bytes;
}

/// Plain stores take lines that another CPU has read back one by one, 20 ns a line on an AMD Zen 4.
/// Streaming to the other members' vectors, allreduce, reduce and scan of 16 KiB to 1 MiB take there 0.2 to
/// 0.5 times as long between two cores, and 0.5 to 1.9 times between two threads of one core, which share the
/// lines. Prefetching for writing and string moves change nothing.
bool takes_lines_back_one_by_one() {
    static const bool does = tuning::this_machine().model.starts_with("AMD");
    return does;
}

} // namespace

std::size_t touched_bytes(detail::Kind kind, std::size_t total_bytes, int members) {
    const auto vectors = static_cast<std::size_t>(members);
    switch (kind) {
    case detail::Kind::allreduce:
    case detail::Kind::alltoall:
    case detail::Kind::scan:
    case detail::Kind::exscan:
    case detail::Kind::shift:
        return 2 * vectors * total_bytes;
    case detail::Kind::gather:
    case detail::Kind::scatter:
        return 2 * total_bytes;
    default:
        return (vectors + 1) * total_bytes;
    }
}

bool exceeds_caches(std::size_t touched_bytes) {
    return touched_bytes >= l3_bytes();
}

bool streams_to_others(std::size_t touched_bytes) {
    constexpr std::size_t worth_streaming_bytes = std::size_t{16} << 10U;
    return touched_bytes >= (takes_lines_back_one_by_one() ? worth_streaming_bytes : l3_bytes());
}

} // namespace tutti::execute
