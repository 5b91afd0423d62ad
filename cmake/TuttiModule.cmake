# tutti_module(NAME SOURCES ... [LINKS ...])
#
# One layer of the house: an object library that sees only what it links. The link lines are the dependency
# rule: a layer that includes a header of a layer it does not link does not compile.
set(TUTTI_COMPILE_OPTIONS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wundef)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  list(APPEND TUTTI_COMPILE_OPTIONS -Wno-restrict)
endif()
if(TUTTI_WARNINGS_AS_ERRORS)
  list(APPEND TUTTI_COMPILE_OPTIONS -Werror)
endif()

function(tutti_configure target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE ${TUTTI_COMPILE_OPTIONS})
  if(TUTTI_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TUTTI_SANITIZE} -fno-omit-frame-pointer
                           -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${TUTTI_SANITIZE})
  endif()
endfunction()

function(tutti_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} OBJECT ${arg_SOURCES})
  tutti_configure(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINKS})
endfunction()
