# CPack runs this before it makes Debian packages of what has been installed: each gets the copyright file that Debian
# wants instead of the licence, which every Debian system has.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
foreach(package IN LISTS CPACK_COMPONENTS_ALL)
  set(documents ${CPACK_TEMPORARY_DIRECTORY}/${package}${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc)
  file(REMOVE_RECURSE ${documents})
  file(WRITE ${documents}/${package}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tutti

Files: *
Copyright: The Tutti maintainers
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
  if(package STREQUAL "tutti") # the command has D3 in it
    file(READ ${CMAKE_CURRENT_LIST_DIR}/../viewer/page/web/LICENSE.d3.txt license)
    string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
    string(REGEX REPLACE "\n(.)" "\n \\1" license "${license}")
    file(APPEND ${documents}/${package}/copyright
"
Files: d3.min.js
Copyright: 2010-2022 Mike Bostock
License: BSD-3-Clause
 ${license}")
  endif()
endforeach()
