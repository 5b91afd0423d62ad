// The versions of the headers and of the library.

#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <string>

static_assert(TUTTI_VERSION == TUTTI_VERSION_MAJOR * 10000 + TUTTI_VERSION_MINOR * 100 + TUTTI_VERSION_PATCH);
#if TUTTI_VERSION < 100
#error "TUTTI_VERSION is not for #if"
#endif

TEST_CASE("the library's version is that of its headers") {
    CHECK(tutti::version() == TUTTI_VERSION);
    CHECK(std::string(TUTTI_VERSION_STRING) == std::to_string(TUTTI_VERSION_MAJOR) + "." +
                                                   std::to_string(TUTTI_VERSION_MINOR) + "." +
                                                   std::to_string(TUTTI_VERSION_PATCH));
}
