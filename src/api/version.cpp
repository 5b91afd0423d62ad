#include <tutti/version.hpp>

namespace tutti {
inline namespace TUTTI_NAMESPACE {

int version() noexcept {
    return TUTTI_VERSION;
}

} // namespace TUTTI_NAMESPACE
} // namespace tutti
