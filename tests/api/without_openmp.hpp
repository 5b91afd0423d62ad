#pragma once

#include <tutti/executor.hpp>

/// tutti::openmp_executor() of a file that is compiled without -fopenmp.
tutti::Executor executor_without_openmp();
