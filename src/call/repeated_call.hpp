#pragma once

#include "call/arguments.hpp"

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::engine {

/// How a call is recognised that repeats one whose arguments have been checked: it has the same key, and its
/// vectors lie to each other in the same way.
class RepeatedCall {
public:
    /// Neither a key, whose lowest bit is set, nor the 0 of a call that has none.
    static constexpr std::uint64_t no_key = 2;

    /// No call repeats it from now on.
    void forget() { key_ = no_key; }
    /// Calls with this key repeat `call`, unless the key is 0.
    void set(const detail::Call& call, Aliasing aliasing, std::uint64_t key) {
        key_ = key != 0 ? key : no_key;
        input_bytes_ = call.input_count * call.element_bytes;
        output_bytes_ = call.output_count * call.element_bytes;
        placed_ = call.collective == Collective::barrier ? Placed::nowhere
                  : call.in_place                        ? Placed::in_place
                  : aliasing == Aliasing::separate       ? Placed::apart
                                                         : Placed::unclear;
    }

    /// Whether a call with this key, which is 0 if it has none, repeats it on these vectors.
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return has(key) && are_placed_alike(input, output);
    }
    bool has(std::uint64_t key) const { return key == key_; }
    /// The key of calls that repeat it, or no_key.
    std::uint64_t key() const { return key_; }

private:
    /// How the vectors of the call lie to each other.
    enum class Placed : std::uint8_t {
        in_place, ///< the caller has given one vector
        apart,
        nowhere, ///< there are none
        unclear  ///< they are the same memory without the caller's saying so, or overlap
    };

    /// Whether these vectors lie to each other as those of the call. False if that cannot be seen at once,
    /// as of null pointers.
    bool are_placed_alike(const void* input, const void* output) const {
        const auto in = reinterpret_cast<std::uintptr_t>(input);
        const auto out = reinterpret_cast<std::uintptr_t>(output);
        if (placed_ == Placed::in_place) {
            return in != 0;
        }
        if (placed_ == Placed::apart) {
            // Distances wrap around if the other vector comes first, and are huge then.
            return out - in >= input_bytes_ && in - out >= output_bytes_ && (in != 0 || input_bytes_ == 0) &&
                   (out != 0 || output_bytes_ == 0);
        }
        return placed_ == Placed::nowhere;
    }

    std::uint64_t key_ = no_key;
    std::size_t input_bytes_ = 0;
    std::size_t output_bytes_ = 0;
    Placed placed_ = Placed::unclear;
};

} // namespace tutti::engine
