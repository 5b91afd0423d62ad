# The parts for a program outside the tree: the library, its headers, find_package(tutti CONFIG) and
# pkg-config tutti; and the command. Each part is an install component that has the name of its Debian package
# (TuttiPackages.cmake). If TUTTI_INSTALL is off, nothing of this happens.
if(TUTTI_INSTALL)
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  set(TUTTI_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
  set(TUTTI_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# The libraries that programs in other languages than C++ link besides an archive.
set(TUTTI_CXX_RUNTIME ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER TUTTI_CXX_RUNTIME EXCLUDE REGEX "^(c|gcc|gcc_s)$")
list(REMOVE_DUPLICATES TUTTI_CXX_RUNTIME)

# tutti_package(NAME SUMMARY TEXT [SECTION NAME] [NEEDS PACKAGES...] [DEBIAN PACKAGES...]): an install component, which
# brings the licence. It NEEDS others of this version, and as a Debian package those of DEBIAN. One without a SECTION
# is installed, but not packaged.
function(tutti_package name)
  cmake_parse_arguments(arg "" "SUMMARY;SECTION" "NEEDS;DEBIAN" ${ARGN})
  install(FILES ${tutti_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${name})
  if(arg_SECTION)
    set_property(GLOBAL APPEND PROPERTY TUTTI_PACKAGES ${name})
    foreach(field SUMMARY SECTION NEEDS DEBIAN)
      set_property(GLOBAL PROPERTY TUTTI_${field}_OF_${name} "${arg_${field}}")
    endforeach()
  endif()
endfunction()

# tutti_install_pkgconfig(NAME PACKAGE DESCRIPTION TEXT [REQUIRES ...] LIBS FLAGS... [CFLAGS FLAGS...])
function(tutti_install_pkgconfig NAME package)
  cmake_parse_arguments(arg "" "DESCRIPTION;REQUIRES" "LIBS;CFLAGS" ${ARGN})
  list(JOIN arg_LIBS " " LIBS)
  list(JOIN arg_CFLAGS " " CFLAGS)
  # Directories relative to the file itself, so that `cmake --install --prefix` may put it anywhere.
  file(RELATIVE_PATH PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  file(RELATIVE_PATH LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tutti.pc.in ${PROJECT_BINARY_DIR}/${NAME}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${NAME}.pc DESTINATION ${TUTTI_PKGCONFIG_DIR} COMPONENT ${package})
endfunction()

# The library `target` as lib<name> and lib<name>-dev; what CMake knows of it goes into the file `targets`.
function(tutti_install_binary target package targets)
  install(TARGETS ${target} EXPORT ${targets} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          LIBRARY COMPONENT ${package} NAMELINK_COMPONENT ${package}-dev ARCHIVE COMPONENT ${package}-dev)
  install(EXPORT ${targets} NAMESPACE tutti:: DESTINATION ${TUTTI_CMAKE_DIR} COMPONENT ${package}-dev)
endfunction()

# The library itself, when all components are known.
function(tutti_install_library)
  if(NOT TUTTI_INSTALL)
    return()
  endif()
  tutti_install_binary(tutti libtutti tuttiTargets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libtutti-dev
          FILES_MATCHING PATTERN *.h PATTERN *.hpp)

  # A shared library has found its hwloc; an archive leaves that to the program. Its flags are written out: by
  # `Requires: hwloc`, `pkg-config --static` would ask for libraries that Debian's libhwloc-dev does not bring.
  get_target_property(type tutti TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    set(TUTTI_IS_STATIC TRUE)
    list(TRANSFORM TUTTI_CXX_RUNTIME PREPEND -l OUTPUT_VARIABLE runtime)
    set(libraries ${HWLOC_LDFLAGS} -pthread ${runtime})
    tutti_package(libtutti-dev SECTION libdevel SUMMARY "Headers and what CMake and pkg-config need"
                  DEBIAN libhwloc-dev pkg-config)
  else()
    set(TUTTI_IS_STATIC FALSE)
    set(libraries)
    tutti_package(libtutti SECTION libs SUMMARY "The shared library")
    tutti_package(libtutti-dev SECTION libdevel SUMMARY "Headers and what CMake and pkg-config need" NEEDS libtutti)
  endif()
  tutti_install_pkgconfig(tutti libtutti-dev DESCRIPTION "${PROJECT_DESCRIPTION} (needs C++20)"
                          LIBS -ltutti ${libraries} CFLAGS -I\${includedir})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tuttiConfig.cmake.in
    ${PROJECT_BINARY_DIR}/tuttiConfig.cmake INSTALL_DESTINATION ${TUTTI_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/tuttiConfig.cmake ${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake
          DESTINATION ${TUTTI_CMAKE_DIR} COMPONENT libtutti-dev)
endfunction()

# tutti_install_component(NAME ...): a component, with the arguments of tutti_component (TuttiComponent.cmake).
function(tutti_install_component name)
  if(NOT TUTTI_INSTALL)
    return()
  endif()
  cmake_parse_arguments(arg "" "DESCRIPTION;LANGUAGE" "HEADERS;FIND;REQUIRES;CFLAGS;LIBS;DEBIAN;NEEDS" ${ARGN})
  if(NOT arg_LANGUAGE)
    set(arg_LANGUAGE C++20)
  endif()
  set(package libtutti-${name})
  get_target_property(type tutti_${name} TYPE)
  set(binary)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    set(binary -ltutti_${name})
  endif()
  tutti_install_binary(tutti_${name} ${package} tuttiComponentTargets-${name})
  foreach(header IN LISTS arg_HEADERS)
    install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/include/tutti/${header} COMPONENT ${package}-dev
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tutti)
  endforeach()
  list(PREPEND arg_REQUIRES "tutti = ${PROJECT_VERSION}")
  set(needed)
  set(needed_dev)
  foreach(other IN LISTS arg_NEEDS)
    list(APPEND arg_FIND "include(\${CMAKE_CURRENT_LIST_DIR}/tuttiComponent-${other}.cmake)")
    list(PREPEND arg_REQUIRES "tutti-${other} = ${PROJECT_VERSION}")
    list(APPEND needed libtutti-${other})
    list(APPEND needed_dev libtutti-${other}-dev)
  endforeach()
  list(JOIN arg_REQUIRES ", " requires)
  # tuttiConfig.cmake takes for a component what has such a file.
  list(JOIN arg_FIND "\n" find)
  file(WRITE ${PROJECT_BINARY_DIR}/tuttiComponent-${name}.cmake
       "${find}\ninclude(\${CMAKE_CURRENT_LIST_DIR}/tuttiComponentTargets-${name}.cmake)\n")
  install(FILES ${PROJECT_BINARY_DIR}/tuttiComponent-${name}.cmake DESTINATION ${TUTTI_CMAKE_DIR}
          COMPONENT ${package}-dev)
  tutti_install_pkgconfig(tutti-${name} ${package}-dev DESCRIPTION "${arg_DESCRIPTION} (needs ${arg_LANGUAGE})"
    REQUIRES "${requires}" LIBS ${binary} ${arg_LIBS} CFLAGS ${arg_CFLAGS})
  set(run_time)
  if(binary AND BUILD_SHARED_LIBS)
    tutti_package(${package} SECTION libs SUMMARY "${arg_DESCRIPTION}" NEEDS libtutti ${needed})
    set(run_time ${package})
  endif()
  tutti_package(${package}-dev SECTION libdevel SUMMARY "${arg_DESCRIPTION}: headers and what CMake and pkg-config need"
                NEEDS libtutti-dev ${needed_dev} ${run_time} DEBIAN ${arg_DEBIAN})
endfunction()

# tutti_install_program(TARGET PACKAGE DIRECTORY): a program or a module of one.
function(tutti_install_program target package directory)
  if(TUTTI_INSTALL)
    install(TARGETS ${target} RUNTIME DESTINATION ${directory} COMPONENT ${package}
            LIBRARY DESTINATION ${directory} COMPONENT ${package})
  endif()
endfunction()
