#pragma once

#include "immovable.hpp"

#include <pthread.h>

namespace tutti {

/// While this lives, pthread_cancel() does not end the calling thread: for code that opens or writes files,
/// which is a point of cancellation, where the stack must not be unwound.
class NoCancellation : Immovable {
public:
    NoCancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace tutti
