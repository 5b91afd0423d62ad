#include "dynamic_call.hpp"

tutti::AsyncRequest tutti::test::arrive_async(AsyncRank me, const WayCall& call) {
    return make_dynamic_call(me, call);
}
