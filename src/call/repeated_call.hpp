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
        is_separate_ = aliasing == Aliasing::separate;
        is_in_place_ = call.in_place;
        is_barrier_ = call.collective == Collective::barrier;
    }

    /// Whether a call with this key, which is 0 if it has none, repeats it on these vectors.
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return has(key) && are_placed_alike(input, output);
    }
    bool has(std::uint64_t key) const { return key == key_; }
    /// The key of calls that repeat it, or no_key.
    std::uint64_t key() const { return key_; }

private:
    /// Whether these vectors lie to each other as those of the call. False where that cannot be seen at once.
    bool are_placed_alike(const void* input, const void* output) const {
        const auto in = reinterpret_cast<std::uintptr_t>(input);
        const auto out = reinterpret_cast<std::uintptr_t>(output);
        // Null pointers, and vectors that are the same memory without the caller's saying so, go the long
        // way; in place the caller has said so. Distances wrap around where the other vector comes first, and
        // are huge then.
        const bool are_there = (in != 0 || input_bytes_ == 0) && (out != 0 || output_bytes_ == 0);
        const bool apart = out - in >= input_bytes_ && in - out >= output_bytes_ && are_there;
        return (is_separate_ && apart) || (is_in_place_ && in != 0) || is_barrier_;
    }

    std::uint64_t key_ = no_key;
    std::size_t input_bytes_ = 0;
    std::size_t output_bytes_ = 0;
    bool is_separate_ = false;
    bool is_in_place_ = false;
    bool is_barrier_ = false;
};

} // namespace tutti::engine
