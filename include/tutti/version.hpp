// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/version.h>

// All C++ names of the library are in this namespace, which has the version: objects of two versions never
// share an inline function. Programs do not write it, and must not declare the library's classes themselves:
// they include a header.
namespace tutti {
inline namespace v0_1 {}
} // namespace tutti
#ifdef __clang__ // it warns by default where a header opens the namespace by its name
#pragma clang diagnostic ignored "-Winline-namespace-reopened-noninline"
#endif

namespace tutti::v0_1 {

/// The version of the library that the process has loaded, in the form of TUTTI_VERSION. It is less than
/// TUTTI_VERSION if the program was compiled with later headers. By any thread.
TUTTI_API int version() noexcept;

} // namespace tutti::v0_1
