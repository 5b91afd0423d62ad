# cmake -DVALGRIND=... -DPROGRAM=... -DWHAT=... -DMOST=... -P count.cmake: how many instructions one call takes, from two runs of different
# lengths, so that what comes before and after the calls cancels out. Fails if it takes more than MOST. AT_START: whether all is counted, and
# not only what the program turns on.
foreach(number 1000 3000)
  execute_process(COMMAND ${VALGRIND} --tool=callgrind --collect-atstart=${AT_START} --callgrind-out-file=/dev/null ${PROGRAM} ${WHAT} ${number}
                  ERROR_VARIABLE report OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  if(NOT report MATCHES "Collected : ([0-9]+)")
    message(FATAL_ERROR "callgrind has counted nothing: ${report}")
  endif()
  set(count_${number} ${CMAKE_MATCH_1})
endforeach()
math(EXPR each "(${count_3000} - ${count_1000}) / 2000")
message(STATUS "${WHAT}: ${each} instructions a call, at most ${MOST}")
if(each GREATER MOST)
  message(FATAL_ERROR "${WHAT}: a call takes ${each} instructions, must be at most ${MOST}")
endif()
