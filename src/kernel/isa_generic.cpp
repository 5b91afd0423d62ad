#include "kernel/entries.hpp"

namespace tutti::kernel {

constexpr Table generic_table = make_table("generic");

} // namespace tutti::kernel
