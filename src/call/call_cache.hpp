#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace tutti::engine {

/// The calls that a member or a rank has prepared, those that it made last first.
template <class Prepared>
class CallCache {
public:
    /// Programs that repeat more calls in turn than these have them prepared anew.
    static constexpr std::size_t most = 4;

    /// Brings the first one to the front of which is(call) holds; null if there is none.
    template <class Is>
    Prepared* find(Is is) {
        const auto found = std::ranges::find_if(calls_, [&](const auto& call) { return is(*call); });
        if (found == calls_.end()) {
            return nullptr;
        }
        std::rotate(calls_.begin(), found, found + 1);
        return calls_.front().get();
    }

    /// Puts one in front to be prepared: what `make` returns, or the one that was made longest ago.
    template <class Make>
    Prepared& next(Make make) {
        if (calls_.size() < most) {
            calls_.reserve(most);
            calls_.push_back(make());
        }
        std::rotate(calls_.begin(), calls_.end() - 1, calls_.end());
        return *calls_.front();
    }

    void clear() { calls_.clear(); }

private:
    std::vector<std::unique_ptr<Prepared>> calls_;
};

} // namespace tutti::engine
