#include "kernel/loops.hpp"

namespace tutti::kernel {

constexpr Table generic_table = make_table("generic");

} // namespace tutti::kernel
