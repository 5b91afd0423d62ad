#include <tutti/version.hpp>

namespace tutti::inline TUTTI_NAMESPACE {

int version() noexcept {
    return TUTTI_VERSION;
}

} // namespace tutti::inline TUTTI_NAMESPACE
