#include "group/history.hpp"

namespace tutti::engine {

std::optional<CallHistory> history_of(const SharedMemory& memory, Sequence sequence, int member) {
    if (sequence == Sequence::blocking) {
        // Acquire: pairs with the release of a member that enters; its record of that call came before.
        const std::uint64_t progress = memory.board(member).progress.observe();
        return memory.status(member).log.read(progress / 2);
    }
    const Channels* const channels = memory.channels_if_any();
    if (channels == nullptr) {
        return CallHistory();
    }
    // Acquire: pairs with the release of a member that starts a call; its record of that came before.
    const Starts& starts = channels->starts(sequence, member);
    const std::uint64_t count = starts.count.observe();
    return starts.log.read(count);
}

std::uint64_t last_blocking(const SharedMemory& memory, int member) {
    const std::optional<CallHistory> own = history_of(memory, Sequence::blocking, member);
    return own ? own->last() : 0;
}

} // namespace tutti::engine
