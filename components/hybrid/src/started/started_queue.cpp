#include "hybrid/src/started/started_queue.hpp"

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

StartedQueue::~StartedQueue() {
    if (transport_.channel().is_stuck()) {
        hybrid::keep(memory_);
    }
}

void StartedQueue::make_room(std::size_t input_bytes, std::size_t output_bytes, std::size_t scratch_bytes,
                             std::size_t alignment) {
    staging_ = {}; // should there be no memory
    std::byte* const input = memory_->input.at_least(input_bytes, alignment);
    std::byte* const output = memory_->output.at_least(output_bytes, alignment);
    memory_->scratch.at_least(scratch_bytes, alignment);
    staging_ = {.input = input, .output = output};
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
