#include "kernel/entries.hpp"

namespace tutti::kernel {

constexpr Table avx512_table = make_table("avx512");

} // namespace tutti::kernel
