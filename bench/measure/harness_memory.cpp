#include "measure/harness_memory.hpp"

#include <new>

namespace tutti::bench {

namespace {

constexpr std::size_t page_bytes = 4096;

constexpr std::size_t whole_pages(std::size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

} // namespace

std::size_t HarnessMemory::bytes(int members, std::size_t stamps) {
    return whole_pages(sizeof(Head)) +
           static_cast<std::size_t>(members) * whole_pages(stamps * sizeof(Stamp));
}

void HarnessMemory::create(void* memory, int members, bool crowded) {
    new (memory) Head{.gate = Gate(members, crowded)};
}

HarnessMemory::HarnessMemory(void* memory, int members, std::size_t stamps)
    : head_(static_cast<Head*>(memory)),
      first_stamps_(static_cast<std::byte*>(memory) + whole_pages(sizeof(Head))), members_(members),
      stamps_(stamps) {}

Stamp& HarnessMemory::stamp(int member, std::size_t index) const {
    std::byte* const own =
        first_stamps_ + static_cast<std::size_t>(member) * whole_pages(stamps_ * sizeof(Stamp));
    return reinterpret_cast<Stamp*>(own)[index];
}

} // namespace tutti::bench
