#pragma once

// The component tasks: collectives among ranks that are not bound to threads. tutti/tbb.hpp, for tasks of
// oneTBB, is apart.

#include <tutti/async_group.hpp>
#include <tutti/executor.hpp>
#include <tutti/openmp.hpp>
#include <tutti/single_caller.hpp>
