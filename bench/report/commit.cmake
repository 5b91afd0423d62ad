# cmake -DDIRECTORY= -DFILE= -P commit.cmake: a header with the commit of the sources in DIRECTORY, if that is the top of a clone.
if(EXISTS ${DIRECTORY}/.git)
  execute_process(COMMAND git -c safe.directory=* -C ${DIRECTORY} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${FILE} CONTENT "#define TUTTI_COMMIT \"${commit}\"\n")
