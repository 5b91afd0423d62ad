#include "dynamic_call.hpp"

void tutti::test::call_blocking(Member& me, const WayCall& call) {
    make_dynamic_call(me, call);
}
