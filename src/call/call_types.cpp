#include "call/call_types.hpp"

#include "atomic.hpp"
#include "machine/process.hpp"

#include <cxxabi.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

namespace tutti::engine {

namespace {

/// Types that only one source file knows are equal only if their names have one address, which libstdc++
/// marks by an asterisk before the name. Null for all other types.
const char* own_name(const std::type_info& type) {
#if defined(__GLIBCXX__)
    struct Marked : std::type_info {
        static const char* of(const std::type_info& type) { return type.*(&Marked::__name); }
    };
    const char* const name = Marked::of(type);
    return *name == '*' ? name : nullptr;
#else
    static_cast<void>(type);
    return nullptr;
#endif
}

/// The last one made. No type is ever taken out of the list.
Atomic<const CallTypes*> last_made{nullptr};

} // namespace

bool CallTypes::is(std::size_t hash, const char* name, const char* own) const {
    return hash_ == hash && own_ == own && name_ == name;
}

const CallTypes* CallTypes::found(const CallTypes* first, std::size_t hash, const char* name,
                                  const char* own) {
    while (first != nullptr && !first->is(hash, name, own)) {
        first = first->next_;
    }
    return first;
}

const CallTypes* CallTypes::of(const std::type_info* types) {
    return types == nullptr ? nullptr : named(types->name(), own_name(*types));
}

const CallTypes* CallTypes::of_text(const std::string& text) {
    return named(text.c_str(), nullptr);
}

const CallTypes* CallTypes::named(const char* name, const char* own) {
    const std::size_t hash = std::hash<std::string_view>{}(name);
    // Acquire: pairs with the release below. A call takes no lock and no memory unless its type is new.
    if (const auto* known = found(last_made.load(std::memory_order_acquire), hash, name, own)) {
        return known;
    }
    static machine::ProcessMutex mutex;
    const std::scoped_lock lock(mutex);
    const CallTypes* const last = last_made.load(std::memory_order_acquire);
    if (const auto* known = found(last, hash, name, own)) {
        return known;
    }
    const auto* const made = new CallTypes(hash, name, own, last);
    last_made.store(made, std::memory_order_release);
    return made;
}

/// The text between the brackets of "TemplateLoops<...>".
std::string CallTypes::text() const {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(name_.c_str(), nullptr, nullptr, &status), &std::free);
    const std::string text = name != nullptr ? name.get() : name_;
    const std::size_t first = text.find('<');
    const std::size_t last = text.rfind('>');
    return first < last && last != std::string::npos ? text.substr(first, last + 1 - first) : text;
}

} // namespace tutti::engine
