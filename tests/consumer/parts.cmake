# cmake -DSOURCE=... -DWORK=... -DCOMPILER=... -DGENERATOR=... -P parts.cmake
# A user who lacks what the tests or the command are built with gets the library and a line that names the
# Debian packages; a user who requires such a part gets an error that names them.

# Each part's packages, and what makes CMake not find them.
cmake_policy(VERSION 3.25)
set(TESTS doctest-dev:DOCTEST_INCLUDE_DIR=OFF relacy-dev:RELACY_INCLUDE_DIR=OFF)
set(COMMAND libcli11-dev:CMAKE_DISABLE_FIND_PACKAGE_CLI11=ON libfmt-dev:CMAKE_DISABLE_FIND_PACKAGE_fmt=ON
    nlohmann-json3-dev:CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON libtbb-dev:CMAKE_DISABLE_FIND_PACKAGE_TBB=ON)

# Configures with these options, and says what CMake said in one line.
function(configure said result)
  file(REMOVE_RECURSE ${WORK})
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK} -DCMAKE_CXX_COMPILER=${COMPILER}
                          -DTUTTI_BUILD_MPI=OFF -DTUTTI_WITH_MPI=OFF ${ARGN}
                  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(${said} "${output}" PARENT_SCOPE)
  set(${result} "${code}" PARENT_SCOPE)
endfunction()

set(all)
foreach(part TESTS COMMAND)
  set(packages_of_${part})
  foreach(need IN LISTS ${part})
    string(REPLACE ":" ";-D" need ${need})
    list(GET need 0 package)
    list(GET need 1 hidden)
    list(APPEND packages_of_${part} ${package})
    list(APPEND all ${hidden})
    configure(said code -DTUTTI_BUILD_TESTS=OFF -DTUTTI_BUILD_COMMAND=OFF -DTUTTI_BUILD_${part}=ON ${hidden})
    if(code EQUAL 0 OR NOT said MATCHES "TUTTI_BUILD_${part} is ON, missing Debian packages: ${package} ")
      message(FATAL_ERROR "TUTTI_BUILD_${part}=ON without ${package}: ${said}")
    endif()
  endforeach()
  list(JOIN packages_of_${part} " " packages_of_${part})
endforeach()

# A part that needs a component cannot be built without it. By default it is left out, with a line that says why.
function(needs component)
  foreach(part IN LISTS ARGN)
    configure(said code -DTUTTI_BUILD_${part}=ON -DTUTTI_BUILD_${component}=OFF)
    if(code EQUAL 0 OR NOT said MATCHES "TUTTI_BUILD_${part} is ON, and needs what is left out by TUTTI_BUILD_${component}=OFF")
      message(FATAL_ERROR "TUTTI_BUILD_${part}=ON without ${component}: ${said}")
    endif()
  endforeach()
endfunction()
needs(TASKS TBB)
needs(NUMBERS C TESTS COMMAND FORTRAN)
configure(said code -DTUTTI_BUILD_TASKS=OFF -DTUTTI_BUILD_C=OFF)
foreach(line IN ITEMS "the component tbb left out, because of TUTTI_BUILD_TASKS=OFF"
        "the component fortran left out, because of TUTTI_BUILD_TASKS=OFF, TUTTI_BUILD_C=OFF"
        "the tests left out, because of TUTTI_BUILD_TASKS=OFF, TUTTI_BUILD_C=OFF")
  if(NOT code EQUAL 0 OR NOT said MATCHES "-- tutti: ${line}")
    message(FATAL_ERROR "without tasks and C, \"${line}\" is not in: ${said}")
  endif()
endforeach()

# So are the tests with kernels of some types only. Other names of types are an error.
configure(said code -DTUTTI_TYPES=f64,i32)
if(NOT code EQUAL 0 OR NOT said MATCHES "-- tutti: the tests left out, because of TUTTI_TYPES=f64,i32")
  message(FATAL_ERROR "with types: ${said}")
endif()
foreach(types IN ITEMS f64,double "")
  configure(said code "-DTUTTI_TYPES=${types}")
  if(code EQUAL 0 OR NOT said MATCHES "TUTTI_TYPES is \"${types}\": set it to all, or to some of i8,u8.*,complex128")
    message(FATAL_ERROR "TUTTI_TYPES=${types}: ${said}")
  endif()
endforeach()

configure(said code ${all})
foreach(part IN ITEMS "the tests left out, missing Debian packages: ${packages_of_TESTS}"
        "the tutti command left out, missing Debian packages: ${packages_of_COMMAND}")
  set(line "tutti: ${part} ")
  string(FIND "${said}" "${line}" found)
  if(NOT code EQUAL 0 OR found EQUAL -1)
    message(FATAL_ERROR "without any of the packages, \"${line}\" is not in: ${said}")
  endif()
endforeach()

# Walls: the project is configured without each component, and without all, and then has nothing of it.
function(without)
  list(TRANSFORM ARGN REPLACE "(.+)" "-DTUTTI_BUILD_\\1=OFF" OUTPUT_VARIABLE options)
  configure(said code ${options})
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "without ${ARGN}: ${said}")
  endif()
  file(READ ${WORK}/build.ninja rules)
  list(TRANSFORM ARGN TOLOWER OUTPUT_VARIABLE left_out)
  foreach(component IN ITEMS tasks numbers c fortran)
    string(FIND "${rules}" "components/${component}/libtutti_${component}.a" found)
    if(component IN_LIST left_out AND NOT found EQUAL -1)
      message(FATAL_ERROR "without ${ARGN}: the component ${component} is built")
    endif()
    if(component MATCHES "tasks|numbers" AND NOT component IN_LIST left_out AND found EQUAL -1)
      message(FATAL_ERROR "without ${ARGN}: the component ${component} is left out as well")
    endif()
  endforeach()
endfunction()
without(TASKS)
without(NUMBERS)
without(C)
without(FORTRAN)
without(TBB)
without(TASKS NUMBERS C FORTRAN TBB)

# A project that compiles Tutti without optimisation is warned.
set(root ${SOURCE})
set(SOURCE ${CMAKE_CURRENT_LIST_DIR}/subproject)
foreach(option IN ITEMS -DCMAKE_CXX_FLAGS=-g -DCMAKE_CXX_FLAGS=-O2 -DCMAKE_BUILD_TYPE=Debug)
  configure(said code -DTUTTI_SOURCE_DIR=${root} ${option})
  string(FIND "${said}" "CMAKE_BUILD_TYPE is empty, so Tutti" found)
  if(option MATCHES "-g$" AND found EQUAL -1 OR NOT option MATCHES "-g$" AND NOT found EQUAL -1)
    set(code 1)
  endif()
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "a subproject with ${option}: ${said}")
  endif()
endforeach()
