#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/error.hpp>

#include <exception>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// Sets the fields of an error that nobody else has caught yet.
class ErrorAccess {
public:
    static ErrorContext& of(Error& error) noexcept { return error.context_; }
};

} // namespace tutti::inline TUTTI_NAMESPACE::detail

namespace tutti::engine {

/// Says which call an error has ended, for all fields but `peer`, unless it has come out of another call
/// before, such as one that an operator has made in another group. By the thread that has caught the error,
/// before another one may see it.
TUTTI_COMPONENT_API void describe(Error& error, const ErrorContext& call) noexcept;

/// The same of any exception. One that is no Error stays as it is; null is a thread that is being ended.
TUTTI_COMPONENT_API void describe(const std::exception_ptr& thrown, const ErrorContext& call) noexcept;

/// The line, or none if it is known to be empty: see ShownLine.
TUTTI_COMPONENT_API SourceLine line_for_errors(const SourceLine& where) noexcept;

} // namespace tutti::engine
