#pragma once

#include "arrive/contribution.hpp"

#include <tutti/executor.hpp>

#include <cstddef>
#include <exception>
#include <memory>

namespace tutti::arrive {

/// What is to happen when a task is done.
class Completion {
public:
    /// Called once, by the thread that finishes: with what was thrown, or null.
    virtual void finished(std::exception_ptr failure) noexcept = 0;

protected:
    Completion() = default;
    Completion(const Completion&) = default;
    Completion& operator=(const Completion&) = default;
    Completion(Completion&&) = default;
    Completion& operator=(Completion&&) = default;
    ~Completion() = default;
};

/// Carries out a task: at once, or, where there is an executor and enough to do, in slices of about
/// `slice_bytes` that it runs. The executor must last until the completion.
void carry_out(Task task, const Executor& executor, std::size_t slice_bytes,
               const std::shared_ptr<Completion>& completion) noexcept;

} // namespace tutti::arrive
