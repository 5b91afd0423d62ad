#include "wait/outstanding.hpp"

namespace tutti::engine {

std::optional<Sequence> difference(const Outstanding* one, const Outstanding* other) {
    const Outstanding::Calls own = one == nullptr ? Outstanding::Calls{} : one->calls();
    const Outstanding::Calls theirs = other == nullptr ? Outstanding::Calls{} : other->calls();
    if (own.started != theirs.started || own.history != theirs.history) {
        return Sequence::started;
    }
    const bool same = own.prepared == theirs.prepared && own.prepared_history == theirs.prepared_history &&
                      own.restarts == theirs.restarts;
    return same ? std::nullopt : std::optional(Sequence::prepared);
}

} // namespace tutti::engine
