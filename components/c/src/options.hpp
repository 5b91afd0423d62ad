#pragma once

#include "atomic.hpp"
#include "immovable.hpp"
#include "machine/process.hpp"
#include "option_values.hpp"

#include <tutti/error.hpp>
#include <tutti/member.hpp>
#include <tutti/options.hpp>
#include <tutti/tutti.h>
#include <tutti/version.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::v0_1::c_api {

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
        const std::scoped_lock lock(mutex());
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
        const std::scoped_lock lock(mutex());
        const T* const found = find(number);
        return found == nullptr ? std::nullopt : std::optional<T>(*found);
    }

    /// Gives back the added object, or nothing if there is no such number.
    std::optional<T> take(std::uint64_t number) {
        const std::scoped_lock lock(mutex());
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

    /// Made at first use, because objects of this type are constinit. Never destroyed.
    static machine::ProcessMutex& mutex() {
        static machine::ProcessMutex& made = *new machine::ProcessMutex;
        return made;
    }

    Atomic<Slot*> chunks_[most_chunks] = {};
    std::uint64_t used_chunks_ = 0;
    Slot* free_ = nullptr;
    std::uint64_t serial_ = 0;
};

/// The failure of a function of the program that has returned no status of the library.
class StatusError : public Error {
public:
    StatusError(tutti_status status, const std::string& text, const ErrorContext& context)
        : Error(text, context), status_(status) {}
    tutti_status status() const { return status_; }

private:
    tutti_status status_;
};

/// The status of the exception that is being handled, whose text becomes that of the calling thread's last
/// failure. An exception that ends the thread goes on.
TUTTI_COMPONENT_API tutti_status noted();

/// How many failures there have been on the calling thread.
std::uint64_t failures_noted();

/// Throws the failure that a function of the program reports by a status other than TUTTI_OK: the last
/// failure with this status that it has met, after the first `before` ones of the thread. `whose` names the
/// function.
[[noreturn]] void throw_status(tutti_status status, const std::string& whose, std::uint64_t before);

/// No exception leaves the library.
template <class Function>
tutti_status guarded(Function function) {
    try {
        function();
        return TUTTI_OK;
    } catch (...) {
        return noted();
    }
}

inline std::string_view text_or_none(const char* text) {
    return text == nullptr ? std::string_view() : std::string_view(text);
}

[[noreturn]] inline void refuse(const char* function, const std::string& what) {
    throw ArgumentError(std::string(function) + ": " + what);
}

/// The target of a pointer argument.
template <class T>
T& there(const char* function, const char* name, T* pointer) {
    if (pointer == nullptr) {
        refuse(function, std::string("`") + name + "` is a null pointer");
    }
    return *pointer;
}

/// A list that a program has passed. Throws ArgumentError if no memory is so long, or if there is none.
template <class T>
std::span<T> list(const char* function, const char* name, T* first, std::size_t n) {
    if (n > PTRDIFF_MAX / sizeof(T)) {
        refuse(function, std::string("the list `") + name + "` would be longer than memory: its length is " +
                             std::to_string(n));
    }
    return {n == 0 ? first : &there(function, name, first), n};
}

/// What is wrong with options of a program, of which the library knows so many bytes; null if nothing is.
const char* fault_of(const void* given, std::size_t known);

/// Options as this library knows them: fields that an older program does not have are as in `defaults`.
/// Throws ArgumentError if a newer program has set a field that the library does not have.
template <class Options>
Options known(const char* function, const Options* given, Options defaults) {
    if (given == nullptr) {
        return defaults;
    }
    if (const char* const fault = fault_of(given, sizeof(Options))) {
        refuse(function, fault);
    }
    std::memcpy(&defaults, given, std::min(given->size, sizeof(Options)));
    return defaults;
}

/// The enumerator that a TUTTI_... constant stands for.
template <class Enum>
Enum one_of(const char* function, const char* name, int value) {
    if (const std::string fault = library::fault_of<Enum>(value); !fault.empty()) {
        refuse(function, std::string("`") + name + "`" + fault);
    }
    return static_cast<Enum>(value);
}

/// The timeout that `milliseconds`, or one of the constants for it, stands for.
TUTTI_COMPONENT_API Timeout timeout(std::int64_t milliseconds);
GroupOptions group_options(const char* function, const tutti_group_options* given);

/// Writes a text as far as it fits: see tutti_group_roll_call().
TUTTI_COMPONENT_API void write_text(const char* function, const std::string& written, char* text,
                                    std::size_t bytes, std::size_t* length);

} // namespace tutti::v0_1::c_api
