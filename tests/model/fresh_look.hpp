#pragma once

#include "relacy_headers.hpp"

#include <limits>

namespace tutti::model {

/// Makes the loads of the current member see the latest stores while it lives.
class FreshLook {
public:
    FreshLook() : member_(*rl::ctx().threadx_), last_yield_(member_.last_yield_) {
        // Relacy lets nobody see again what was old before its last yield.
        member_.last_yield_ = std::numeric_limits<rl::timestamp_t>::max();
    }
    ~FreshLook() { member_.last_yield_ = last_yield_; }
    FreshLook(const FreshLook&) = delete;
    FreshLook& operator=(const FreshLook&) = delete;

private:
    rl::thread_info_base& member_;
    rl::timestamp_t last_yield_;
};

} // namespace tutti::model
