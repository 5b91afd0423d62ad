// The versions of the headers and of the library.

#include "../test.hpp"

#include <tutti/tutti.hpp>

#include <typeinfo>

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

TEST_CASE("symbols have the version in their names, so that objects of two versions do not mix") {
    const std::string version =
        "v" + std::to_string(TUTTI_VERSION_MAJOR) + "_" + std::to_string(TUTTI_VERSION_MINOR);
    for (const std::type_info* type : {&typeid(tutti::Group), &typeid(tutti::detail::Call)}) {
        CHECK(std::string_view(type->name()).find(version) != std::string_view::npos);
    }
}
