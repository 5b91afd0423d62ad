// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks the symbols that the shared library exports; all others are hidden. Exceptions have it so that a
/// handler in another shared object recognises their types.
#define TUTTI_API __attribute__((visibility("default")))

/// Exported only for the library's own components; not part of the interface.
#define TUTTI_COMPONENT_API TUTTI_API
