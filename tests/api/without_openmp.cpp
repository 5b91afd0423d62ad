#include "without_openmp.hpp"

#include <tutti/openmp.hpp>

#ifdef _OPENMP
#error "this file is to be compiled without -fopenmp"
#endif

tutti::Executor executor_without_openmp() {
    return tutti::openmp_executor();
}
