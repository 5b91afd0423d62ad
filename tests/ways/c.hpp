#pragma once

#include "way.hpp"

#include <tutti/tutti.h>

namespace tutti::test {

/// Throws the exception of C++ that has the status, unless that is TUTTI_OK.
void require_ok(tutti_status status);

enum class KindC { blocking, nonblocking, persistent, async };

/// The calls of a member in C, or of its rank of an async group.
std::unique_ptr<WayCaller> caller_c(KindC kind, tutti_caller me, tutti_async_group* meeting = nullptr);

} // namespace tutti::test
