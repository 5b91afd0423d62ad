# Documentation for readers besides the files: `site`, the pages as HTML by mkdocs, and `reference`, the
# public headers by Doxygen. Each
# is there where its program is, and a test makes each without a warning (tests/site).

# mkdocs takes one directory, in which everything must be that pages link to. Links keep it as it is in the tree.
find_program(TUTTI_MKDOCS mkdocs)
set(TUTTI_SITE ${PROJECT_BINARY_DIR}/site)
if(TUTTI_MKDOCS)
  file(MAKE_DIRECTORY ${TUTTI_SITE}/pages/laboratory)
  foreach(entry README.md CHANGELOG.md CONTRIBUTING.md CODE_OF_CONDUCT.md ROADMAP.md SECURITY.md CITATION.cff LICENSE docs examples topology
                components laboratory/profiles)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${TUTTI_SITE}/pages/${entry} SYMBOLIC)
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/docs/mkdocs.yml ${TUTTI_SITE}/mkdocs.yml COPYONLY)
  add_custom_target(site COMMAND ${TUTTI_MKDOCS} build --quiet --strict --config-file ${TUTTI_SITE}/mkdocs.yml
                    COMMENT "${TUTTI_SITE}/html/index.html" VERBATIM)
endif()

find_program(TUTTI_DOXYGEN doxygen)
if(TUTTI_DOXYGEN)
  # Each root is `include`, of the library or of a component.
  file(GLOB roots ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/components/*/include)
  list(JOIN roots " " TUTTI_REFERENCE_ROOTS)
  configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/reference/Doxyfile @ONLY)
  add_custom_target(reference COMMAND ${TUTTI_DOXYGEN} ${PROJECT_BINARY_DIR}/reference/Doxyfile
                    COMMENT "${PROJECT_BINARY_DIR}/reference/html/index.html" VERBATIM)
endif()
