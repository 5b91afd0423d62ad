#include "call/loops_type.hpp"

#include "atomic.hpp"
#include "machine/process.hpp"

#include <cxxabi.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace tutti::execute {

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
Atomic<const LoopsType*> last_made{nullptr};

} // namespace

LoopsType::LoopsType(const std::type_info& loops, const char* own, const LoopsType* next)
    : hash_(loops.hash_code()), name_(loops.name()), own_(own), next_(next) {}

bool LoopsType::is(std::size_t hash, const char* name, const char* own) const {
    return hash_ == hash && own_ == own && name_ == name;
}

const LoopsType* LoopsType::found(const LoopsType* first, std::size_t hash, const char* name,
                                  const char* own) {
    while (first != nullptr && !first->is(hash, name, own)) {
        first = first->next_;
    }
    return first;
}

const LoopsType* LoopsType::of(const std::type_info* loops) {
    if (loops == nullptr) {
        return nullptr;
    }
    const std::size_t hash = loops->hash_code();
    const char* const own = own_name(*loops);
    // Acquire: pairs with the release below. A call takes no lock and no memory unless its type is new.
    if (const auto* known = found(last_made.load(std::memory_order_acquire), hash, loops->name(), own)) {
        return known;
    }
    static machine::ProcessMutex mutex;
    const std::scoped_lock lock(mutex);
    const LoopsType* const last = last_made.load(std::memory_order_acquire);
    if (const auto* known = found(last, hash, loops->name(), own)) {
        return known;
    }
    const auto* const made = new LoopsType(*loops, own, last);
    last_made.store(made, std::memory_order_release);
    return made;
}

/// What stands between the brackets of "TemplateLoops<...>".
std::string LoopsType::types() const {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(name_.c_str(), nullptr, nullptr, &status), &std::free);
    const std::string text = name != nullptr ? name.get() : name_;
    const std::size_t first = text.find('<');
    const std::size_t last = text.rfind('>');
    return first < last && last != std::string::npos ? text.substr(first, last + 1 - first) : text;
}

} // namespace tutti::execute
