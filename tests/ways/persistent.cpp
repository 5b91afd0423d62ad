#include "dynamic_call.hpp"

tutti::Persistent tutti::test::prepare_persistent(Member& me, const WayCall& call) {
    return make_dynamic_call(me.prepare, call);
}
