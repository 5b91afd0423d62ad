#pragma once

#include "hybrid/src/channel/mpi_channel.hpp"
#include "hybrid/src/channel/process_call.hpp"

namespace tutti::hybrid {

/// Makes the call by the MPI library's own collective, in its nonblocking form, so that a process that does
/// not come or that has failed ends the wait as everywhere. The library's operators are used if any order of
/// operands gives the same bits on all processes; else an MPI_Op is made of the kernels, and declared not to
/// commute. Passes on an operator's exceptions. Throws ArgumentError for more than 2^31 - 1 elements, MPI's
/// limit.
void run_library(MpiChannel& channel, const ProcessCall& call);

} // namespace tutti::hybrid
