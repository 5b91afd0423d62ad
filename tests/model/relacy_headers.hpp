#pragma once

// The parts of relacy that these tests use. Not <relacy/relacy.hpp>: it also redefines `new`, `delete`,
// `assert` and the names of the memory orders as macros. The order is relacy's own.
// clang-format off
#include <relacy/base.hpp>
#include <relacy/context.hpp>
#include <relacy/context_base_impl.hpp>
#include <relacy/backoff.hpp>
#include <relacy/atomic_fence.hpp>
#include <relacy/atomic.hpp>
#include <relacy/var.hpp>
#include <relacy/thread_local.hpp>
#include <relacy/test_suite.hpp>
#include <relacy/dyn_thread.hpp>
#include <relacy/stdlib/mutex.hpp>
#include <relacy/stdlib/condition_variable.hpp>
#include <relacy/stdlib/semaphore.hpp>
#include <relacy/stdlib/event.hpp>
// clang-format on

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
