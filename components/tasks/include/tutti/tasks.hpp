// SPDX-License-Identifier: Apache-2.0
#pragma once

// The component tasks: collectives among ranks that are not bound to threads. tutti/tbb.hpp, for tasks of
// oneTBB, is apart. Experimental in version 1.0: a later 1.x may change it.

#include <tutti/all_buffers.hpp>
#include <tutti/async_group.hpp>
#include <tutti/executor.hpp>
#include <tutti/openmp.hpp>
