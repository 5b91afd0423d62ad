#pragma once

#include <tutti/error.hpp>
#include <tutti/tutti.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE::c {

/// The failure of a function of the program that has returned no status of the library.
class StatusError : public Error {
public:
    StatusError(tutti_status status, const std::string& text, const ErrorContext& context)
        : Error(text, context), status_(status) {}
    tutti_status status() const { return status_; }

private:
    tutti_status status_;
};

/// The status of the exception that is being handled, whose text becomes that of the calling thread's last
/// failure. An exception that ends the thread goes on.
TUTTI_COMPONENT_API tutti_status noted();

/// How many failures there have been on the calling thread.
std::uint64_t failures_noted();

/// Throws the failure that a function of the program reports by a status other than TUTTI_OK: the last
/// failure with this status that it has met, after the first `before` ones of the thread. `whose` names the
/// function.
[[noreturn]] void throw_status(tutti_status status, const std::string& whose, std::uint64_t before);

/// No exception leaves the library.
template <class Function>
tutti_status guarded(Function function) {
    try {
        function();
        return TUTTI_OK;
    } catch (...) {
        return noted();
    }
}

[[noreturn]] inline void refuse(const char* function, const std::string& what) {
    throw ArgumentError(std::string(function) + ": " + what);
}

/// The target of a pointer argument.
template <class T>
T& there(const char* function, const char* name, T* pointer) {
    if (pointer == nullptr) {
        refuse(function, std::string("`") + name + "` is a null pointer");
    }
    return *pointer;
}

/// A list that a program has passed. Throws ArgumentError if no memory is so long, or if there is none.
template <class T>
std::span<T> list(const char* function, const char* name, T* first, std::size_t n) {
    if (n > PTRDIFF_MAX / sizeof(T)) {
        refuse(function, std::string("the list `") + name + "` would be longer than memory: its length is " +
                             std::to_string(n));
    }
    return {n == 0 ? first : &there(function, name, first), n};
}

} // namespace tutti::inline TUTTI_NAMESPACE::c
