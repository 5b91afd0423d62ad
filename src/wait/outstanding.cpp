#include "wait/outstanding.hpp"

namespace tutti::engine {

std::optional<Sequence> difference(const Outstanding* one, const Outstanding* other) {
    const Outstanding::Calls own = one == nullptr ? Outstanding::Calls{} : one->calls();
    const Outstanding::Calls theirs = other == nullptr ? Outstanding::Calls{} : other->calls();
    if (own.started != theirs.started || own.history != theirs.history) {
        return Sequence::nonblocking;
    }
    const bool same = own.persistent == theirs.persistent &&
                      own.persistent_history == theirs.persistent_history && own.restarts == theirs.restarts;
    return same ? std::nullopt : std::optional(Sequence::persistent);
}

} // namespace tutti::engine
