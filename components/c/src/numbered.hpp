#pragma once

#include "atomic.hpp"
#include "immovable.hpp"

#include <tutti/version.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE::c {

/// A handle of the program has a number in the place of an address.
template <class Handle>
Handle* handle_of(std::uint64_t number) {
    return reinterpret_cast<Handle*>(number); // NOLINT(performance-no-int-to-ptr)
}
inline std::uint64_t number_of(const void* handle) {
    return reinterpret_cast<std::uint64_t>(handle);
}

/// The objects to which C programs refer by a number. No number is given twice, so that a number that is not
/// valid, or no longer, is recognised. Looking one up takes no lock and a few instructions. For objects that
/// last as long as the process, since threads may outlast static ones: its memory is never given back.
template <class T>
class Numbered : Immovable {
public:
    /// Gives a number, which is above 2^32.
    std::uint64_t add(T value) {
        const std::scoped_lock lock(mutex_);
        if (free_ == nullptr) {
            add_chunk();
        }
        Slot& slot = *free_;
        slot.value.emplace(std::move(value));
        free_ = slot.next_free;
        const std::uint64_t number = ++serial_ << index_bits | slot.index;
        slot.number.store(number, std::memory_order_release); // pairs with find()
        return number;
    }

    /// Null if there is no such number. The object lasts until take(): only for a thread that comes before
    /// that, or makes it itself. So it is for objects of one thread, as a member and its prepared calls are.
    /// A thread that calls functions of the program in between, which may take the object, looks it up again.
    /// An object that several threads use must be copied.
    T* find(std::uint64_t number) {
        Slot* const slot = slot_of(number);
        // Acquire: pairs with add().
        return slot != nullptr && slot->number.load(std::memory_order_acquire) == number ? &*slot->value
                                                                                         : nullptr;
    }

    /// Nothing if there is no such number. By any thread, also while others take it.
    std::optional<T> copy(std::uint64_t number) {
        const std::scoped_lock lock(mutex_);
        const T* const found = find(number);
        return found == nullptr ? std::nullopt : std::optional<T>(*found);
    }

    /// Gives back the added object, or nothing if there is no such number.
    std::optional<T> take(std::uint64_t number) {
        const std::scoped_lock lock(mutex_);
        if (find(number) == nullptr) {
            return std::nullopt;
        }
        Slot& slot = *slot_of(number);
        slot.number.store(0, std::memory_order_relaxed); // under the lock
        std::optional<T> taken = std::move(slot.value);
        slot.value.reset();
        slot.next_free = free_;
        free_ = &slot;
        return taken;
    }

private:
    struct Slot {
        Atomic<std::uint64_t> number{0};
        std::optional<T> value;
        std::uint64_t index = 0;
        Slot* next_free = nullptr;
    };

    static constexpr unsigned index_bits = 32;
    static constexpr std::uint64_t slots_of_chunk = 64;
    static constexpr std::uint64_t most_chunks = 1U << 16U;

    Slot* slot_of(std::uint64_t number) {
        const std::uint64_t index = number & ((std::uint64_t{1} << index_bits) - 1);
        const std::uint64_t chunk = index / slots_of_chunk;
        if (chunk >= most_chunks) {
            return nullptr;
        }
        Slot* const slots = chunks_[chunk].load(std::memory_order_acquire); // pairs with add_chunk()
        return slots == nullptr ? nullptr : slots + index % slots_of_chunk;
    }

    void add_chunk() {
        if (used_chunks_ == most_chunks) {
            throw std::bad_alloc();
        }
        Slot* const slots = new Slot[slots_of_chunk];
        for (std::uint64_t i = slots_of_chunk; i-- > 0;) {
            slots[i].index = used_chunks_ * slots_of_chunk + i;
            slots[i].next_free = std::exchange(free_, slots + i);
        }
        chunks_[used_chunks_++].store(slots, std::memory_order_release); // pairs with slot_of()
    }

    Atomic<Slot*> chunks_[most_chunks] = {};
    std::mutex mutex_;
    std::uint64_t used_chunks_ = 0;
    Slot* free_ = nullptr;
    std::uint64_t serial_ = 0;
};

} // namespace tutti::inline TUTTI_NAMESPACE::c
