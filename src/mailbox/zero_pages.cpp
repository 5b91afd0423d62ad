#include "mailbox/zero_pages.hpp"

#include <sys/mman.h>

#include <new>

namespace tutti::execute {

ZeroPages::ZeroPages(std::size_t bytes) : bytes_(bytes) {
    void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        throw std::bad_alloc();
    }
    // A huge page would lie near one of those that touch it. Kernels without such pages refuse, and need not
    // be told.
    madvise(start, bytes, MADV_NOHUGEPAGE);
    start_ = static_cast<std::byte*>(start);
}

ZeroPages::~ZeroPages() {
    munmap(start_, bytes_);
}

} // namespace tutti::execute
