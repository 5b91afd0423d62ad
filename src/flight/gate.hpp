#pragma once

#include "immovable.hpp"

#include <tutti/detail/call.hpp>

#include <exception>

namespace tutti::engine {

/// The part of an operation that must happen before it begins, for a caller of flight/ whose operations
/// consist of more than the actions of one group's members. Called by the member's thread, or by one that
/// acts for it while it waits. When it runs, it may touch the vectors of others as an operation may.
class Gate : Immovable {
public:
    virtual ~Gate() = default;

    /// Throws ArgumentError unless the vectors of `other` can replace those that the operation was prepared
    /// with.
    virtual void require_like(const detail::Call& other) const = 0;
    /// It is then made on these.
    virtual void bind(const void* input, void* output) = 0;
    /// The operation has been started.
    virtual void start() noexcept = 0;
    /// Looks, and makes progress. The operation begins when this has returned true. Throws the exception that
    /// ends it.
    virtual bool is_open() = 0;
    /// Whether it is opened by looking alone, so that nobody notifies a thread that sleeps.
    virtual bool needs_looks() const = 0;
    /// The operation is complete.
    virtual void complete() noexcept = 0;
    /// The operation ends with that. If `is_first`, no other operation of the member has ended with it.
    virtual void fail(const std::exception_ptr& cause, bool is_first) noexcept = 0;
    /// Nobody refers to the operation any more.
    virtual void drop() noexcept = 0;
    /// The collective that errors name.
    virtual Collective collective() const = 0;
};

} // namespace tutti::engine
