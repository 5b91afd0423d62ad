#include "call/kept_operator.hpp"

#include <utility>

namespace tutti::engine {

void KeptOperator::keep(const detail::Call& call) {
    drop();
    if (call.keeping != nullptr && call.state != nullptr) {
        call.keeping->copy(memory_.at_least(call.keeping->bytes, call.keeping->align), call.state);
        keeping_ = call.keeping;
    }
}

void KeptOperator::drop() {
    if (keeping_ != nullptr) {
        std::exchange(keeping_, nullptr)->destroy(memory_.data());
    }
}

} // namespace tutti::engine
