#pragma once

#include <cstddef>
#include <string>
#include <typeinfo>

namespace tutti::execute {

/// The type of the loops over an operator that is not the library's own, which tells the types of the element
/// and the operator. Lasts until the end of the process: calls are logged with it, and the type_info that it
/// is made from is gone when the program unloads the shared library that has made the call.
class LoopsType {
public:
    /// One object for all type_infos that are equal. Null for null. Throws std::bad_alloc.
    static const LoopsType* of(const std::type_info* loops);

    std::size_t hash() const { return hash_; }
    /// The types of the element and the operator: "<double, Farthest>".
    std::string types() const;

private:
    LoopsType(const std::type_info& loops, const char* own, const LoopsType* next);
    bool is(std::size_t hash, const char* name, const char* own) const;
    static const LoopsType* found(const LoopsType* first, std::size_t hash, const char* name,
                                  const char* own);

    std::size_t hash_;
    std::string name_;
    /// What makes a type differ from others of the same name; null where nothing does.
    const char* own_;
    const LoopsType* next_;
};

} // namespace tutti::execute
