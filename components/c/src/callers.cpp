// Callers and their modes.

#include "c/src/calls.hpp"

#include <tutti/tutti.h>

using namespace tutti;

namespace {

/// A caller can be made to call in one way only: of one that calls in another already nothing is left.
tutti_caller in_way(tutti_caller me, c::How way, tutti_request* request) {
    const bool is_plain = (me.how & c::way_mask) == c::blocks;
    me.how = (me.how & ~std::uint64_t{c::way_mask}) | (is_plain ? std::uint64_t{way} : 0);
    me.request = request;
    return me;
}

} // namespace

tutti_caller tutti_nonblocking(tutti_caller me, tutti_request* request) {
    return in_way(me, c::starts, request);
}

tutti_caller tutti_persistent(tutti_caller me, tutti_request* request) {
    return in_way(me, c::prepares, request);
}

tutti_caller tutti_async_rank(tutti_async_group* async_group, int rank, tutti_request* request) {
    return {rank, 0, 0, async_group, request, nullptr, c::arrives, nullptr, 0};
}

tutti_caller tutti_with_options(tutti_caller me, const tutti_call_options* options) {
    me.options = options;
    return me;
}

tutti_caller tutti_shared_output(tutti_caller me) {
    me.how |= c::shares_output;
    return me;
}

tutti_caller tutti_counts_on_all(tutti_caller me) {
    me.how |= c::counts_on_all;
    return me;
}
