// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/executor.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace tutti::v0_1 {

// Two functions for the two kinds of translation units, so that a program may have both.
#if defined(_OPENMP)
inline namespace with_openmp {
#else
inline namespace without_openmp {
#endif

/// An executor that runs parts of large operations as OpenMP tasks, for an AsyncGroup or the functions of
/// tutti/all_buffers.hpp. Each slice is a task of the parallel region in which the executor is called. The
/// threads of the region run the tasks at a barrier, such as the implicit barrier of the region or of
/// `single`, or at a taskwait.
///
/// The executor returns before the tasks have run. Outside a parallel region, or in a region of one thread,
/// the calling thread runs all tasks before the executor returns. In a file that is compiled without
/// -fopenmp, it always does.
inline Executor openmp_executor() {
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

} // inline namespace

} // namespace tutti::v0_1
