# MPI libraries differ in their binary interfaces, so what uses one is built once for each.
#
# tutti_mpi_kinds(RESULT): the MPI libraries of this machine that the tests can use, of openmpi and mpich. For each there
# are then the targets tutti_mpi_<kind>, tutti_cmpi_<kind> and, with Fortran, tutti_fmpi_<kind>, the components built for it, and
# TUTTI_MPIRUN_<kind>, how its programs start.
set(TUTTI_PKG_openmpi ompi-c)
set(TUTTI_PKG_mpich mpich)
set(TUTTI_FORTRAN_OF_openmpi mpi_mpifh) # the calls of MPI in Fortran
set(TUTTI_FORTRAN_OF_mpich mpichfort)
set(TUTTI_MPIRUN_OPTIONS_openmpi --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
set(TUTTI_MPIRUN_OPTIONS_mpich -bind-to none)

# tutti_sources_of(TARGET RESULT): the files of an object library.
function(tutti_sources_of target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(directory ${target} SOURCE_DIR)
  list(TRANSFORM sources PREPEND ${directory}/)
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(tutti_mpi_kinds result)
  set(kinds)
  tutti_sources_of(tutti_hybrid hybrid_sources)
  tutti_sources_of(tutti_cmpi_interface cmpi_sources)
  foreach(kind openmpi mpich)
    find_program(TUTTI_MPIRUN_PROGRAM_${kind} mpirun.${kind})
    pkg_check_modules(TUTTI_${kind} QUIET IMPORTED_TARGET ${TUTTI_PKG_${kind}})
    if(NOT TUTTI_MPIRUN_PROGRAM_${kind} OR NOT TUTTI_${kind}_FOUND)
      message(STATUS "tutti: no ${kind}, so its tests are left out")
      continue()
    endif()
    list(APPEND kinds ${kind})
    set(TUTTI_MPIRUN_${kind} ${TUTTI_MPIRUN_PROGRAM_${kind}} ${TUTTI_MPIRUN_OPTIONS_${kind}} PARENT_SCOPE)
    if(MPI_CXX_INCLUDE_DIRS MATCHES ${kind})
      # The installed files are for this one.
      add_library(tutti_mpi_${kind} STATIC $<TARGET_OBJECTS:tutti_hybrid>)
      set_target_properties(tutti_mpi_${kind} PROPERTIES LINKER_LANGUAGE CXX)
    else()
      add_library(tutti_mpi_${kind} STATIC ${hybrid_sources})
      set_target_properties(tutti_mpi_${kind} PROPERTIES UNITY_BUILD ON)
    endif()
    tutti_configure(tutti_mpi_${kind})
    target_compile_definitions(tutti_mpi_${kind} PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_include_directories(tutti_mpi_${kind} PUBLIC ${PROJECT_SOURCE_DIR}/components ${PROJECT_SOURCE_DIR}/components/hybrid/include)
    target_link_libraries(tutti_mpi_${kind} PUBLIC tutti_laboratory PkgConfig::TUTTI_${kind})
    add_library(tutti_cmpi_${kind} STATIC ${cmpi_sources} $<TARGET_OBJECTS:tutti_c_interface>)
    tutti_configure(tutti_cmpi_${kind})
    target_include_directories(tutti_cmpi_${kind} PUBLIC ${PROJECT_SOURCE_DIR}/components/c/include)
    target_link_libraries(tutti_cmpi_${kind} PUBLIC tutti_mpi_${kind} tutti_tasks)
    if(TUTTI_HAS_FORTRAN)
      tutti_sources_of(tutti_fmpi_interface fmpi_sources)
      add_library(tutti_fmpi_${kind} STATIC ${fmpi_sources} $<TARGET_OBJECTS:tutti_fmpi_module>
                  $<TARGET_OBJECTS:tutti_fortran_interface>)
      target_include_directories(tutti_fmpi_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/components PUBLIC ${PROJECT_BINARY_DIR}/fortran)
      target_link_libraries(tutti_fmpi_${kind} PUBLIC tutti_cmpi_${kind} ${TUTTI_FORTRAN_OF_${kind}})
    endif()
  endforeach()
  set(${result} ${kinds} PARENT_SCOPE)
endfunction()
