#pragma once

#include <tutti/executor.hpp>

#include <cstddef>
#include <functional>
#include <memory>

// For programs that are compiled with -fopenmp. Without it, as with all of OpenMP, one thread does
// everything.

namespace tutti::openmp {

/// Has the threads of a parallel region share in the work of large operations, for a Rendezvous or the
/// functions of tutti/one_caller.hpp. Each slice is a task of the region in which the executor is called, to
/// which its threads come where they wait: at a barrier, such as that at the end of the region or of
/// `single`, or at a taskwait.
///
/// Returns before the tasks have run. Outside of a parallel region, or in one of one thread, the calling
/// thread runs them all before it returns.
inline Executor executor() {
    return [](std::size_t count, const std::function<void(std::size_t)>& task) {
        const auto kept = std::make_shared<const std::function<void(std::size_t)>>(task);
        for (std::size_t index = 0; index < count; ++index) {
#if defined(_OPENMP)
#pragma omp task firstprivate(kept, index)
#endif
            (*kept)(index);
        }
    };
}

} // namespace tutti::openmp
