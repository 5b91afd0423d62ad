#pragma once

#include <tutti/detail/export.hpp>

#include <cstddef>
#include <string>
#include <typeinfo>

namespace tutti::engine {

/// The types of elements and operators that are not the library's own, as the name of a template of them.
/// Lasts until the end of the process: calls are logged with it, and the type_info that it is made from is
/// gone when the program unloads the shared library that has made the call.
class CallTypes {
public:
    /// One object for all type_infos that are equal. Null for null. Throws std::bad_alloc.
    static const CallTypes* of(const std::type_info* types);
    /// Those of another process, as its text() says.
    TUTTI_COMPONENT_API static const CallTypes* of_text(const std::string& text);

    /// The hash of the name: the same in all processes.
    std::size_t hash() const { return hash_; }
    /// "<double, Farthest>"
    TUTTI_COMPONENT_API std::string text() const;

private:
    CallTypes(std::size_t hash, const char* name, const char* own, const CallTypes* next)
        : hash_(hash), name_(name), own_(own), next_(next) {}
    bool is(std::size_t hash, const char* name, const char* own) const;
    static const CallTypes* named(const char* name, const char* own);
    static const CallTypes* found(const CallTypes* first, std::size_t hash, const char* name,
                                  const char* own);

    std::size_t hash_;
    std::string name_;
    /// Distinguishes a type from others of the same name; null if nothing does.
    const char* own_;
    const CallTypes* next_;
};

} // namespace tutti::engine
