#pragma once

/// What the library's shared form shows: all else is hidden. On exceptions, so that a handler in another
/// shared object knows their types.
#define TUTTI_API __attribute__((visibility("default")))

/// What it shows to its own components, such as tutti_mpi. No part of the interface.
#define TUTTI_COMPONENT_API TUTTI_API
