# tutti_component(NAME IF CONDITION DESCRIPTION TEXT HEADERS FILES... [OBJECTS MODULES...] [LINKS LIBRARIES...]
#                 [FIND LINES...] [REQUIRES PACKAGES...] [CFLAGS FLAGS...] [LIBS FLAGS...] [DEBIAN PACKAGES...]
#                 [LANGUAGE NAME] [NEEDS COMPONENTS...] [EXPORTS PATTERNS...] [PRIVATE PATTERNS...])
#
# A library beside tutti, which nobody needs who does not ask for it: tutti::NAME, find_package(tutti COMPONENTS NAME),
# pkg-config tutti-NAME, the install components and Debian packages libtutti-NAME and libtutti-NAME-dev. This call is all
# that a component needs. If CONDITION is false it is not built, and its HEADERS, files of include/tutti
# beside the
# calling CMakeLists.txt, are not installed.
#
# OBJECTS are modules that it is made of; without any it is its headers. LINKS is what it links besides tutti. Programs
# that link it need these as well: FIND are lines of CMake that find LINKS; REQUIRES, CFLAGS and LIBS say the same to
# pkg-config, DEBIAN to Debian's users. LANGUAGE is what programs are written in, C++20 by default. NEEDS are components
# that it is made over. EXPORTS and PRIVATE are for tutti_shared_library().
function(tutti_component name)
  cmake_parse_arguments(arg "" "IF;DESCRIPTION;LANGUAGE"
                        "HEADERS;OBJECTS;LINKS;FIND;REQUIRES;CFLAGS;LIBS;DEBIAN;NEEDS;EXPORTS;PRIVATE" ${ARGN})
  foreach(header IN LISTS arg_HEADERS)
    set_property(GLOBAL PROPERTY TUTTI_LINKS_OF_${header} ${arg_LINKS})
  endforeach()
  if(NOT arg_IF)
    return()
  endif()
  list(TRANSFORM arg_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/include/tutti/ OUTPUT_VARIABLE headers)
  set_property(GLOBAL APPEND PROPERTY TUTTI_COMPONENT_HEADERS ${headers})
  set_property(GLOBAL APPEND PROPERTY TUTTI_COMPONENTS ${name})
  set_property(GLOBAL APPEND PROPERTY TUTTI_COMPONENT_CFLAGS ${arg_CFLAGS})
  set(library tutti_${name})
  if(arg_OBJECTS)
    list(TRANSFORM arg_OBJECTS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
    add_library(${library} ${arg_OBJECTS})
    tutti_configure(${library})
    tutti_shared_library(${library} EXPORTS ${arg_EXPORTS} PRIVATE ${arg_PRIVATE})
    target_link_libraries(${library} PUBLIC tutti ${arg_LINKS})
  else()
    add_library(${library} INTERFACE)
    target_link_libraries(${library} INTERFACE tutti ${arg_LINKS})
  endif()
  get_target_property(type ${library} TYPE)
  set(scope PUBLIC)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_include_directories(${library} ${scope} $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
  add_library(tutti::${name} ALIAS ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  if(arg_OBJECTS AND BUILD_SHARED_LIBS)
    # It says itself what the library hides from it, not the programs that link both.
    target_link_options(${library} PRIVATE LINKER:-z,defs)
    if(PROJECT_IS_TOP_LEVEL)
      # It finds the library next to it.
      set_target_properties(${library} PROPERTIES INSTALL_RPATH $ORIGIN)
    endif()
  endif()
  tutti_install_component(${name} DESCRIPTION "${arg_DESCRIPTION}" LANGUAGE "${arg_LANGUAGE}" HEADERS ${arg_HEADERS} FIND ${arg_FIND}
                          REQUIRES ${arg_REQUIRES} CFLAGS ${arg_CFLAGS} LIBS ${arg_LIBS} DEBIAN ${arg_DEBIAN}
                          NEEDS ${arg_NEEDS})
endfunction()
