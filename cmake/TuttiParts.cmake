# The parts of the tree besides the library: each is built where what it needs is there, unless it is told otherwise.
#
# tutti_part(NAME WHAT): the option TUTTI_BUILD_<NAME>, AUTO where this is the whole project and OFF in another one.
function(tutti_part name what)
  set(default OFF)
  if(PROJECT_IS_TOP_LEVEL)
    set(default AUTO)
  endif()
  set(TUTTI_BUILD_${name} ${default} CACHE STRING "Build ${what}: AUTO (where what it needs is there), ON, OFF")
  set_property(CACHE TUTTI_BUILD_${name} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# tutti_settle_part(NAME WHAT MISSING...): sets TUTTI_HAS_<NAME>, to false where Debian packages are missing. With ON, that
# is an error.
function(tutti_settle_part name what)
  set(has FALSE)
  if(TUTTI_BUILD_${name})
    list(JOIN ARGN " " packages)
    if(NOT packages)
      set(has TRUE)
    elseif(TUTTI_BUILD_${name} STREQUAL "AUTO")
      message(STATUS "tutti: ${what} left out, missing Debian packages: ${packages}")
    else()
      message(FATAL_ERROR "TUTTI_BUILD_${name} is ON, missing Debian packages: ${packages}")
    endif()
  endif()
  set(TUTTI_HAS_${name} ${has} PARENT_SCOPE)
endfunction()

# tutti_leave_out(NAME WHAT COMPONENTS...): leaves out a part if one of the COMPONENTS, which it needs, is OFF. With ON,
# that is an error.
function(tutti_leave_out name what)
  set(reasons)
  if(name MATCHES "TESTS|COMMAND" AND NOT TUTTI_TYPES STREQUAL "all" AND NOT TUTTI_QUICK)
    set(reasons "TUTTI_TYPES=${TUTTI_TYPES}")
  endif()
  foreach(component IN LISTS ARGN)
    if(NOT TUTTI_BUILD_${component})
      list(APPEND reasons "TUTTI_BUILD_${component}=OFF")
    endif()
  endforeach()
  if(NOT reasons)
    return()
  endif()
  list(JOIN reasons ", " reasons)
  if(TUTTI_BUILD_${name} STREQUAL "AUTO")
    message(STATUS "tutti: ${what} left out, because of ${reasons}")
  elseif(TUTTI_BUILD_${name})
    message(FATAL_ERROR "TUTTI_BUILD_${name} is ON, and needs what is left out by ${reasons}")
  endif()
  set(TUTTI_HAS_${name} FALSE PARENT_SCOPE)
endfunction()

# tutti_need_header(PACKAGE VARIABLE HEADER), tutti_need_package(PACKAGE CONFIG): look for something and add the Debian
# package that brings it to the list `missing` where it is not there.
macro(tutti_need_header package variable header)
  find_path(${variable} ${header})
  if(NOT ${variable})
    list(APPEND missing ${package})
  endif()
endmacro()

macro(tutti_need_package package config)
  find_package(${config} CONFIG QUIET)
  if(NOT ${config}_FOUND)
    list(APPEND missing ${package})
  endif()
endmacro()
