#include <tutti/version.hpp>

namespace tutti {

int version() noexcept {
    return TUTTI_VERSION;
}

} // namespace tutti
