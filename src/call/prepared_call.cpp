#include "call/prepared_call.hpp"

#include "call/refuse.hpp"
#include "call/wrong_argument.hpp"
#include "kernel/clear.hpp"

#include <tutti/error.hpp>

#include <cstring>
#include <string>

namespace tutti::engine {

using detail::Call;

const void* PreparedCall::copy_input(void* copy, const void* input, const void* state) const {
    const Call& call = known_.call();
    if (!converts_input()) {
        return std::memcpy(copy, input, copied_bytes_);
    }
    call.convert(state, copy, input, call.input_count);
    return copy;
}

void PreparedCall::clear_input(const void* input) const {
    if (known_.call().cleared_input) {
        kernel::clear(const_cast<void*>(input), known_.call().input_bytes(), prepared_.own_stores.stream);
    }
}

} // namespace tutti::engine
