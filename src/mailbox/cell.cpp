#include "mailbox/cell.hpp"

#if defined(TUTTI_WIDE_CELLS)
#include <cpuid.h>

namespace tutti::mailbox {
namespace {

bool has_avx() {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_AVX) != 0;
}

} // namespace

bool stores_are_wide = has_avx();

} // namespace tutti::mailbox
#endif
