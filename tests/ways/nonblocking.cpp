#include "dynamic_call.hpp"

tutti::Request tutti::test::start_nonblocking(Member& me, const WayCall& call) {
    return make_dynamic_call(me.start, call);
}
