# cmake -DSOURCE=... -DPARENT=... -DWORK=... -DCOMPILER=... -DGENERATOR=... -P side_effects.cmake
# The source tree inside another project brings no install rules, tests or packages of its own. Nothing is built: what
# there is to install would be missed.
function(run said)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(code)
    message(FATAL_ERROR "${ARGN}: ${output}")
  endif()
  set(${said} "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(said ${CMAKE_COMMAND} -G ${GENERATOR} -S ${PARENT} -B ${WORK} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DTUTTI_SOURCE_DIR=${SOURCE})
run(said ${CMAKE_COMMAND} --install ${WORK} --prefix ${WORK}/installed)
file(GLOB_RECURSE installed ${WORK}/installed/*)
if(installed)
  message(FATAL_ERROR "installed with the parent: ${installed}")
endif()
run(said ${CMAKE_CTEST_COMMAND} --test-dir ${WORK} -N)
if(NOT said MATCHES "Total Tests: 0")
  message(FATAL_ERROR "tested with the parent: ${said}")
endif()
file(GLOB_RECURSE packaged ${WORK}/CPack*.cmake)
if(packaged)
  message(FATAL_ERROR "packaged with the parent: ${packaged}")
endif()
