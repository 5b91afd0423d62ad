#pragma once

#include <tutti/operators.hpp>

#include <mpi.h>

namespace tutti::bench {

/// MPI's name for an element type. Throws std::invalid_argument for Type::other.
MPI_Datatype mpi_type(Type type);

/// MPI's name for an operator: MPI_MIN and MPI_MAX also for minimum and maximum, which are the same for
/// integers. Throws std::invalid_argument for Operator::callable.
MPI_Op mpi_operator(Operator op);

} // namespace tutti::bench
