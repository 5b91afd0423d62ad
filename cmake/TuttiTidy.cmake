# `cmake --build --preset release --target tidy`: clang-tidy over the library, the command and the topology.
find_program(TUTTI_RUN_CLANG_TIDY run-clang-tidy)
if(TUTTI_RUN_CLANG_TIDY)
  # The flags are GCC's, of which clang does not know every warning.
  add_custom_target(tidy
    COMMAND ${TUTTI_RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR} -extra-arg=-Wno-unknown-warning-option
            "^${PROJECT_SOURCE_DIR}/(src|components/[a-z]+/src|topology|laboratory|viewer|bench)/"
    COMMENT "clang-tidy" USES_TERMINAL VERBATIM)
endif()
