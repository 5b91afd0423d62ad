# tutti_module(NAME SOURCES ... [LINKS ...] [SMALL [REPEATED ...]])
#
# One module: an object library that sees only what it links. A target that is called tutti_<directory> or tutti_bench_<directory>
# is a layer. SMALL: the module runs when a group is made, in the first call of its kind or when a call fails. It is compiled for
# size, because each program that links the archive contains it. REPEATED: further sources, which repeated calls enter.
set(TUTTI_COMPILE_OPTIONS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wundef)
# A local variable may have the name of a function of its namespace, such as first or sum. Clang warns of that as well.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND TUTTI_COMPILE_OPTIONS -Wshadow)
endif()
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
  # Nobody replaces single functions of the library at load time: let the compiler inline them in position-independent
  # code as well, which a call of 10 ns notices.
  target_compile_options(${target} PRIVATE ${TUTTI_COMPILE_OPTIONS} -fno-semantic-interposition)
  if(TUTTI_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TUTTI_SANITIZE} -fno-omit-frame-pointer
                           -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${TUTTI_SANITIZE})
  endif()
endfunction()

set(TUTTI_SMALL_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-Oz>)

# tutti_announce(TARGET): includes src/announce.hpp in each source, before any header of the standard library, for which it
# defines the functions that this header calls.
function(tutti_announce target)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include announce.hpp>")
endfunction()

# The visible symbols of a shared library are marked by include/tutti/detail/export.h.
function(tutti_hide target)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(tutti_module name)
  cmake_parse_arguments(arg "SMALL" "" "SOURCES;LINKS;REPEATED" ${ARGN})
  add_library(${name} OBJECT ${arg_SOURCES} ${arg_REPEATED})
  set_source_files_properties(${arg_REPEATED} PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O2>)
  tutti_configure(${name})
  # Programs that are linked with --gc-sections contain only the functions that they can reach.
  target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-ffunction-sections> $<$<NOT:$<CONFIG:Debug>>:-fdata-sections>)
  if(arg_SMALL)
    target_compile_options(${name} PRIVATE ${TUTTI_SMALL_OPTIONS})
  endif()
  tutti_announce(${name})
  tutti_hide(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINKS})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/components/([^/]+)/src")
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/components ${PROJECT_SOURCE_DIR}/components/${CMAKE_MATCH_1}/include)
    tutti_layer(${name})
    return()
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME directory)
  if(name MATCHES "^tutti_(bench_)?${directory}$")
    tutti_layer(${name})
  endif()
endfunction()

# tutti_shared_library(TARGET [EXPORTS PATTERNS...] [PRIVATE PATTERNS...]): how the library is shared, if it is: its SONAME; its exports
# (src/exports.map.in), with names of its own, which programs or (PRIVATE) other libraries of Tutti use; and that dlclose() does not
# unload it, because threads, signal handlers and thread-local objects refer to its code.
function(tutti_shared_library target)
  cmake_parse_arguments(arg "" "" "EXPORTS;PRIVATE" ${ARGN})
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${TUTTI_SO_VERSION} LINKER_LANGUAGE CXX)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set(private_exports ${arg_PRIVATE})
    list(FILTER private_exports EXCLUDE REGEX "::")
    set(private_cxx_exports ${arg_PRIVATE})
    list(FILTER private_cxx_exports INCLUDE REGEX "::")
    list(TRANSFORM private_cxx_exports PREPEND tutti::${TUTTI_NAMESPACE}::)
    foreach(list arg_EXPORTS private_exports private_cxx_exports)
      if(${list})
        string(REPLACE ";" ";\n" ${list} "${${list}};")
      endif()
    endforeach()
    set(map ${PROJECT_BINARY_DIR}/${target}.map)
    configure_file(${PROJECT_SOURCE_DIR}/src/exports.map.in ${map} @ONLY)
    target_link_options(${target} PRIVATE LINKER:-z,nodelete LINKER:--version-script=${map})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
  endif()
endfunction()

# tutti_layer(TARGET [MODULES...]): makes the directory a layer, whose includes TuttiLayers.cmake holds to the target's link
# line. It may include headers of MODULES as well, which it compiles or has in another library.
function(tutti_layer target)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/components/(.+)$")
    string(REGEX REPLACE "/src$" "" directory ${CMAKE_MATCH_1})
  else()
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME directory)
  endif()
  set_property(GLOBAL APPEND PROPERTY TUTTI_LAYERS ${directory})
  set_property(GLOBAL PROPERTY TUTTI_MODULE_OF_${directory} ${target})
  set_property(GLOBAL PROPERTY TUTTI_DIRECTORY_OF_${directory} ${CMAKE_CURRENT_SOURCE_DIR})
  set_property(GLOBAL PROPERTY TUTTI_BESIDE_${directory} ${ARGN})
endfunction()

# tutti_untimed(TARGETS...): modules whose own code is not timed: that of the command, and schedules. They are compiled with few
# optimisations, because the libraries that they use are large templates.
function(tutti_untimed)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endforeach()
endfunction()

# tutti_without_loops(TARGETS...): modules whose loops are too short to gain from -O3.
function(tutti_without_loops)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  endforeach()
endfunction()

# tutti_product(NAME MODULES ... [LINKS ...]): one library of the modules in these directories, with the libraries of others that
# they link.
function(tutti_product name)
  cmake_parse_arguments(arg "" "" "MODULES;LINKS" ${ARGN})
  set(objects)
  set(libraries)
  foreach(directory IN LISTS arg_MODULES)
    add_subdirectory(${directory})
    set(module tutti_bench_${directory}) # there may be a module of that name in the library, too
    if(NOT TARGET ${module})
      set(module tutti_${directory})
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
    get_target_property(links ${module} LINK_LIBRARIES)
    list(FILTER links EXCLUDE REGEX "^tutti_")
    list(APPEND libraries ${links})
  endforeach()
  list(REMOVE_DUPLICATES libraries)
  add_library(${name} STATIC ${objects})
  tutti_configure(${name})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PUBLIC tutti_bench_headers ${arg_LINKS} ${libraries})
endfunction()
