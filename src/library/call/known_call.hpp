#pragma once

#include "call/arguments.hpp"
#include "immovable.hpp"
#include "run/bindings.hpp"

#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace tutti::library {

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

/// A call that has been checked, without its vectors but with the lists that it refers to; and how another
/// one is recognised that is the same except for its vectors, how long it may wait and where it is.
class KnownCall : Immovable {
public:
    /// It is now this call, whose arguments amount to `shape`. It serves no call before it is complete.
    TUTTI_COMPONENT_API void remember(const detail::Call& asked, const Shape& shape);
    TUTTI_COMPONENT_API void complete();
    void forget() {
        repeated_.forget();
        is_complete_ = false;
    }

    /// Whether a call with this key, or any call, is the same on vectors with the same places relative to
    /// each other. The key decides at once, but does not cover every call.
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return repeated_.serves(key, input, output);
    }
    TUTTI_COMPONENT_API bool serves(const detail::Call& call) const;
    /// Throws ArgumentError unless the buffers of `other` can replace those with which the call was
    /// remembered. Looks only at the buffers of `other`.
    TUTTI_COMPONENT_API void require_like(const detail::Call& other) const;

    /// Without its counts and graph, which may be gone, and on the vectors of the first call.
    const detail::Call& call() const { return call_; }
    const Shape& shape() const { return shape_; }

private:
    bool is(const detail::Call& call) const;

    /// The lists to which a call refers besides its vectors: counts and displacements.
    using Lists = std::array<std::optional<std::span<const std::size_t>>, 4>;
    static Lists lists_of(const detail::Call& call);
    bool has_lists_of(const detail::Call& call) const;

    RepeatedCall repeated_;
    bool is_complete_ = false;
    /// How the caller's vectors overlap, as far as the caller sees.
    Aliasing aliasing_ = Aliasing::separate;
    Shape shape_;
    detail::Call call_;
    std::string algorithm_;
    /// The digest of its graph; 0 if it has none.
    std::uint64_t graph_ = 0;
    std::array<std::vector<std::size_t>, std::tuple_size_v<Lists>> lists_;
    std::array<bool, std::tuple_size_v<Lists>> has_list_{};
};

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
        const auto call = place_of(asked...);
        return call == calls_.end() ? nullptr : call + 1 == calls_.end() ? &**call : &put(taken(call));
    }

    /// Takes that call out; null if there is none.
    template <class... Asked>
    Pointer take(const Asked&... asked) {
        const auto call = place_of(asked...);
        return call == calls_.end() ? nullptr : taken(call);
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
    using Place = typename std::vector<Pointer>::iterator;

    /// Of the call that fits, the one that was used last first; the end if there is none.
    template <class... Asked>
    Place place_of(const Asked&... asked) {
        for (auto call = calls_.end(); call != calls_.begin();) {
            if ((*--call)->serves(asked...)) {
                return call;
            }
        }
        return calls_.end();
    }

    Pointer taken(Place call) {
        Pointer one = std::move(*call);
        calls_.erase(call);
        return one;
    }

    std::vector<Pointer> calls_;
};

/// An operator of the caller's, kept for an operation that outlives its call.
class KeptOperator : Immovable {
public:
    ~KeptOperator() { drop(); }

    /// Copies the target of the call's `state`, if there is one.
    TUTTI_COMPONENT_API void keep(const detail::Call& call);
    /// Null if nothing is kept.
    const void* data() const { return keeping_ != nullptr ? memory_.data() : nullptr; }

    TUTTI_COMPONENT_API void drop();

private:
    run::Memory memory_;
    const detail::Keeping* keeping_ = nullptr;
};

} // namespace tutti::library
