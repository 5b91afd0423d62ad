// SPDX-License-Identifier: Apache-2.0
#pragma once

// The version of these headers, for C and C++.

#define TUTTI_VERSION_MAJOR 0
#define TUTTI_VERSION_MINOR 1
#define TUTTI_VERSION_PATCH 0
#define TUTTI_VERSION_STRING "0.1.0"

/// The version as one number, also for #if: 10000 * major + 100 * minor + patch, such as 10203 for 1.2.3.
#define TUTTI_VERSION (TUTTI_VERSION_MAJOR * 10000 + TUTTI_VERSION_MINOR * 100 + TUTTI_VERSION_PATCH)
