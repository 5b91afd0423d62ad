#pragma once

#include <tutti/tutti.h>

namespace tutti::test {

/// Throws the exception of C++ that has the status, unless that is TUTTI_OK.
void require_ok(tutti_status status);

} // namespace tutti::test
