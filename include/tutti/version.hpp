#pragma once

#include <tutti/detail/export.hpp>

// The version of these headers, for C and C++.

#define TUTTI_VERSION_MAJOR 0
#define TUTTI_VERSION_MINOR 1
#define TUTTI_VERSION_PATCH 0
#define TUTTI_VERSION_STRING "0.1.0"

/// The version as one number, also for #if: 10000 * major + 100 * minor + patch, such as 10203 for 1.2.3.
#define TUTTI_VERSION (TUTTI_VERSION_MAJOR * 10000 + TUTTI_VERSION_MINOR * 100 + TUTTI_VERSION_PATCH)

#ifdef __cplusplus
// The inline namespace of all C++ names of the library, such as v0_1: a symbol has the version of the
// headers in its name, so that objects of two versions never share an inline function. Programs do not write
// it, and must not declare the library's classes themselves: they include a header.
#define TUTTI_NAMESPACE TUTTI_NAMESPACE_OF(TUTTI_VERSION_MAJOR, TUTTI_VERSION_MINOR)
#define TUTTI_NAMESPACE_OF(major, minor) TUTTI_NAMESPACE_JOINED(major, minor)
#define TUTTI_NAMESPACE_JOINED(major, minor) v##major##_##minor

namespace tutti::inline TUTTI_NAMESPACE {

/// The version of the library that the process has loaded, in the form of TUTTI_VERSION. It is less than
/// TUTTI_VERSION if the program was compiled with later headers. By any thread.
TUTTI_API int version() noexcept;

} // namespace tutti::inline TUTTI_NAMESPACE
#endif
