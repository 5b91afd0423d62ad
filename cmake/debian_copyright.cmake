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
endforeach()
