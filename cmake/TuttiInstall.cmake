# What a program outside the tree needs: the library, its headers, find_package(tutti CONFIG) and pkg-config tutti.
include(CMakePackageConfigHelpers)

install(TARGETS tutti EXPORT tuttiTargets)
set(without_mpi)
if(NOT TUTTI_HAS_MPI)
  set(without_mpi PATTERN mpi.hpp EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN *.hpp ${without_mpi})

set(TUTTI_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
set(TUTTI_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT tuttiTargets NAMESPACE tutti:: DESTINATION ${TUTTI_CMAKE_DIR})
# A shared library has found its hwloc; an archive leaves that to the program. Its flags are written out: by
# `Requires: hwloc`, `pkg-config --static` would ask for libraries that Debian's libhwloc-dev does not bring.
get_target_property(type tutti TYPE)
set(TUTTI_IS_STATIC FALSE)
set(TUTTI_PKGCONFIG_LIBS "-ltutti")
if(type STREQUAL "STATIC_LIBRARY")
  set(TUTTI_IS_STATIC TRUE)
  list(JOIN HWLOC_LDFLAGS " " flags)
  string(APPEND TUTTI_PKGCONFIG_LIBS " ${flags} -pthread")
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tuttiConfig.cmake.in ${PROJECT_BINARY_DIR}/tuttiConfig.cmake
                              INSTALL_DESTINATION ${TUTTI_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tuttiConfig.cmake ${PROJECT_BINARY_DIR}/tuttiConfigVersion.cmake
        DESTINATION ${TUTTI_CMAKE_DIR})

# The component mpi, which nobody needs who does not ask for it.
if(TUTTI_HAS_MPI)
  install(TARGETS tutti_mpi EXPORT tuttiMpiTargets)
  install(EXPORT tuttiMpiTargets NAMESPACE tutti:: DESTINATION ${TUTTI_CMAKE_DIR})
endif()

# Directories relative to the file itself, so that `cmake --install --prefix` may put it anywhere.
file(RELATIVE_PATH TUTTI_PKGCONFIG_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH TUTTI_PKGCONFIG_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH TUTTI_PKGCONFIG_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tutti.pc.in ${PROJECT_BINARY_DIR}/tutti.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tutti.pc DESTINATION ${TUTTI_PKGCONFIG_DIR})
if(TUTTI_HAS_MPI)
  # What the compiler wrapper of this MPI would add.
  list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE includes)
  list(JOIN includes " " TUTTI_MPI_CFLAGS)
  list(JOIN MPI_CXX_LIBRARIES " " TUTTI_MPI_LIBS)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tutti-mpi.pc.in ${PROJECT_BINARY_DIR}/tutti-mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tutti-mpi.pc DESTINATION ${TUTTI_PKGCONFIG_DIR})
endif()
