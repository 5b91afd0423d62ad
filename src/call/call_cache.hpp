#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::engine {

/// Calls that have been prepared, and the search for one that serves a call. The call that was used last is
/// tried first. `Pointer` owns a call, or does not.
template <class Pointer>
class CallCache {
public:
    /// Programs that repeat more calls in turn than these have them prepared anew.
    static constexpr std::size_t most = 4;

    /// The call that fits the arguments, null if there is none. It is now the one that was used last.
    template <class... Asked>
    auto* find(const Asked&... asked) {
        Pointer found = take(asked...);
        return found != nullptr ? &put(std::move(found)) : nullptr;
    }

    /// Takes that call out; null if there is none.
    template <class... Asked>
    Pointer take(const Asked&... asked) {
        for (auto call = calls_.end(); call != calls_.begin();) {
            if ((*--call)->serves(asked...)) {
                return taken(call);
            }
        }
        return nullptr;
    }

    /// Takes out the call that was used longest ago; null if there is none.
    Pointer take_oldest() { return calls_.empty() ? nullptr : taken(calls_.begin()); }

    /// A call to be prepared for put(): the result of `make`, or the call that was used longest ago.
    template <class Make>
    Pointer next(Make make) {
        reserve(most);
        return calls_.size() < most ? make() : take_oldest();
    }

    /// Adds a call as the one that was used last. Throws nothing if there is room.
    auto& put(Pointer call) {
        calls_.push_back(std::move(call));
        return *calls_.back();
    }

    void reserve(std::size_t calls) { calls_.reserve(calls); }
    void clear() { calls_.clear(); }

private:
    Pointer taken(typename std::vector<Pointer>::iterator call) {
        Pointer one = std::move(*call);
        calls_.erase(call);
        return one;
    }

    std::vector<Pointer> calls_;
};

} // namespace tutti::engine
