#include "execute/zero_pages.hpp"

#include <sys/mman.h>

#include <new>

namespace tutti::execute {

ZeroPages::ZeroPages(std::size_t bytes) : bytes_(bytes) {
    void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        throw std::bad_alloc();
    }
    start_ = static_cast<std::byte*>(start);
}

ZeroPages::~ZeroPages() {
    munmap(start_, bytes_);
}

} // namespace tutti::execute
