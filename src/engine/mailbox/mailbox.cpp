#include "mailbox/mailbox.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bitset>

namespace tutti::library {

namespace {

/// Whether the process may use the memory of several NUMA nodes.
bool has_several_nodes() {
    static const bool has = [] {
        std::bitset<4096> nodes; // more than a kernel can have
        constexpr unsigned flag = MPOL_F_MEMS_ALLOWED;
        return syscall(SYS_get_mempolicy, nullptr, &nodes, nodes.size(), nullptr, flag) == 0 &&
               nodes.count() > 1;
    }();
    return has;
}

/// Keeps every page where its first touch puts it. Otherwise the kernel's automatic balancing moves a page to
/// a member that reads it often. A program that has a policy for its memory keeps that, and balancing leaves
/// it alone. The call fails on kernels without nodes and in containers that forbid it; the pages work all the
/// same, so its result is ignored.
void keep_in_place(void* start, std::size_t bytes) {
    int policy = MPOL_DEFAULT;
    if (has_several_nodes() && syscall(SYS_get_mempolicy, &policy, nullptr, 0UL, nullptr, 0UL) == 0 &&
        policy == MPOL_DEFAULT) {
        syscall(SYS_mbind, start, bytes, MPOL_LOCAL, nullptr, 0UL, 0U);
    }
}

} // namespace

ZeroPages::ZeroPages(std::size_t bytes) : bytes_(bytes) {
    void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        throw std::bad_alloc();
    }
    // A huge page would lie near one of those that touch it. The call fails on kernels without such pages,
    // where nothing needs to be done.
    madvise(start, bytes, MADV_NOHUGEPAGE);
    keep_in_place(start, bytes);
    start_ = static_cast<std::byte*>(start);
}

ZeroPages::~ZeroPages() {
    munmap(start_, bytes_);
}

} // namespace tutti::library

#if defined(TUTTI_WIDE_CELLS)

namespace tutti::mailbox {

bool stores_are_wide = [] {
    __builtin_cpu_init(); // may come after this constructor otherwise
    return __builtin_cpu_supports("avx") != 0;
}();

} // namespace tutti::mailbox
#endif
