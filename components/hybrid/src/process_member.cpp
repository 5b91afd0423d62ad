#include "hybrid/src/process_member.hpp"

#include "group/seat.hpp"

#include <algorithm>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

void ProcessMember::run_held(std::unique_ptr<tutti::engine::PreparedCall>& held, tutti::detail::Call call) {
    tutti::detail::Seat& seat = cluster_.group().seat(rank_);
    if (call.timeout) {
        call.timeout = local_timeout(call.timeout.value_or({}));
    }
    if (held == nullptr) {
        held = seat.hold(call);
    }
    seat.run_held(*held, call);
}

void ProcessMember::meet(Timeout timeout) {
    if (!is_alone()) {
        run_held(meeting_, {.collective = Collective::barrier, .type = Type::u8, .timeout = timeout});
    }
}

bool ProcessMember::wants_room(std::size_t input_bytes, std::size_t output_bytes, std::size_t alignment) {
    const bool is_larger =
        input_bytes > input_room_ || output_bytes > output_room_ || alignment > room_align_;
    input_room_ = std::max(input_bytes, input_room_);
    output_room_ = std::max(output_bytes, output_room_);
    room_align_ = std::max(alignment, room_align_);
    return is_larger;
}

void ProcessMember::enlarge() {
    if (leads()) {
        cluster_.enlarge(input_room_, output_room_, room_align_);
    }
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
