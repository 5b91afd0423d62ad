#pragma once

// Replaces operator new in all its forms, since sanitizers would serve the others from an allocator of their
// own, for the one source file of a test program that includes this.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tutti::test {

/// Called for every allocation; false makes it fail. A caller that `asks` can do without. The test defines
/// it.
enum class Manner : bool { insists, asks };
bool admits_allocation(Manner manner) noexcept;

/// Blocks that have been allocated and not given back.
inline std::atomic<long> live_blocks{0};

inline void* allocate(std::size_t bytes, std::size_t alignment, Manner manner = Manner::asks) noexcept {
    if (!admits_allocation(manner)) {
        return nullptr;
    }
    live_blocks.fetch_add(1, std::memory_order_relaxed);
    if (alignment > alignof(std::max_align_t)) {
        return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    }
    return std::malloc(bytes == 0 ? 1 : bytes);
}

inline void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const memory = allocate(bytes, alignment, Manner::insists);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

constexpr std::size_t number(std::align_val_t alignment) {
    return static_cast<std::size_t>(alignment);
}

/// Not inlined: GCC would see free() on what an operator new has returned, and take it for a mistake.
[[gnu::noinline]] inline void release(void* memory) noexcept {
    live_blocks.fetch_sub(memory != nullptr ? 1 : 0, std::memory_order_relaxed);
    std::free(memory);
}

} // namespace tutti::test

void* operator new(std::size_t bytes) {
    return tutti::test::allocate_or_throw(bytes, 0);
}
void* operator new[](std::size_t bytes) {
    return tutti::test::allocate_or_throw(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t a) {
    return tutti::test::allocate_or_throw(bytes, tutti::test::number(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a) {
    return tutti::test::allocate_or_throw(bytes, tutti::test::number(a));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return tutti::test::allocate(bytes, 0);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return tutti::test::allocate(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
    return tutti::test::allocate(bytes, tutti::test::number(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
    return tutti::test::allocate(bytes, tutti::test::number(a));
}
void operator delete(void* memory) noexcept {
    tutti::test::release(memory);
}
void operator delete[](void* memory) noexcept {
    tutti::test::release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    tutti::test::release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    tutti::test::release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    tutti::test::release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    tutti::test::release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    tutti::test::release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    tutti::test::release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    tutti::test::release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
    tutti::test::release(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    tutti::test::release(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    tutti::test::release(memory);
}
