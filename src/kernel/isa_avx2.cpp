#include "kernel/entries.hpp"

namespace tutti::kernel {

constexpr Table avx2_table = make_table("avx2");

} // namespace tutti::kernel
