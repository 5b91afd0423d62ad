# The dependency rule of the project. The forbidden link lines are checked when the tree is configured. For
# the includes of files, layers.cmake in the build directory lists the layers that each layer reaches;
# check_layers.cmake, a test, holds the files to it:
#
#   - A layer (a directory under src/, topology/, components/ or bench/) includes its own headers and those of layers its link line
#     reaches. A layer is what tutti_layer(<target>) says it is; tutti_module says so for all but programs.
#   - A header of another library needs that library on the layer's own link line.
#   - Some layers are kept apart however the link lines grow; what only the command and the tests need is so from the
#     libraries that programs link.
#   - Public headers show nothing of the layers or of the libraries behind them; those of a component, such as
#     tutti/mpi.hpp, show what it links.
#
# tutti_check_layers() is called once, after every tutti_layer.

# Readers of schedules run anywhere, without threads or a machine.
set(TUTTI_WITHOUT_THREADS graph distance schedule algorithm cost verify draw)
set(TUTTI_THREAD_LIBRARIES Threads::Threads PkgConfig::HWLOC MPI::MPI_CXX)
# Layers that move data do not depend on schedules.
set(TUTTI_WITHOUT_SCHEDULES graph distance machine mailbox kernel)
# Measuring code shares nothing with the measured library.
set(TUTTI_WITHOUT_THE_MEASURED terminal measure mpirun peers)
# Readers of schedules do not depend on each other.
set(TUTTI_READERS cost verify draw plan)
# Layers that make calls do not depend on the diagnosis of failures.
set(TUTTI_WITHOUT_DIAGNOSIS wait record choose call group flight)
# Layers that only the command and the tests need, and the layers above all others that programs link.
set(TUTTI_LABORATORY distance simulate cost verify draw)
set(TUTTI_LINKED_BY_PROGRAMS api tasks numbers hybrid c)

# The library whose headers these are.
set(TUTTI_HEADERS_OF_PkgConfig::HWLOC "^hwloc(\\.h|/)")
set(TUTTI_HEADERS_OF_MPI::MPI_CXX "^mpi\\.h$")
set(TUTTI_HEADERS_OF_Threads::Threads
    "^(pthread\\.h|thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token)$")

# The libraries on the link line of `module`.
function(tutti_links module result)
  get_target_property(links ${module} LINK_LIBRARIES)
  get_target_property(passed_on ${module} INTERFACE_LINK_LIBRARIES)
  list(APPEND links ${passed_on})
  list(FILTER links EXCLUDE REGEX "-NOTFOUND$")
  list(REMOVE_DUPLICATES links)
  set(${result} ${links} PARENT_SCOPE)
endfunction()

# `module` and everything its link line leads to.
function(tutti_reach module result)
  set(reach ${module})
  set(open ${module})
  while(open)
    list(POP_FRONT open current)
    if(TARGET ${current})
      tutti_links(${current} links)
      foreach(link IN LISTS links)
        if(NOT link IN_LIST reach)
          list(APPEND reach ${link})
          list(APPEND open ${link})
        endif()
      endforeach()
    endif()
  endwhile()
  set(${result} ${reach} PARENT_SCOPE)
endfunction()

function(tutti_keep_apart module reach)
  foreach(other IN LISTS ARGN)
    if(other IN_LIST reach)
      message(FATAL_ERROR "${module} must not depend on ${other}, but its link line leads there: ${reach}")
    endif()
  endforeach()
endfunction()

function(tutti_check_layers)
  set(said)
  get_property(layers GLOBAL PROPERTY TUTTI_LAYERS)
  foreach(layer IN LISTS layers)
    get_property(module GLOBAL PROPERTY TUTTI_MODULE_OF_${layer})
    get_property(beside GLOBAL PROPERTY TUTTI_BESIDE_${layer})
    tutti_links(${module} links)
    tutti_reach(${module} reach)
    list(APPEND reach ${beside})
    get_property(directory GLOBAL PROPERTY TUTTI_DIRECTORY_OF_${layer})
    foreach(fact module directory reach links)
      string(APPEND said "set(${fact}_of_${layer} \"${${fact}}\")\n")
    endforeach()
    if(layer IN_LIST TUTTI_WITHOUT_THREADS)
      tutti_keep_apart(${module} "${reach}" ${TUTTI_THREAD_LIBRARIES})
    endif()
    if(layer IN_LIST TUTTI_WITHOUT_SCHEDULES)
      tutti_keep_apart(${module} "${reach}" tutti_schedule)
    endif()
    if(layer IN_LIST TUTTI_WITHOUT_THE_MEASURED)
      tutti_keep_apart(${module} "${reach}" tutti_mailbox tutti_group tutti)
    endif()
    if(layer IN_LIST TUTTI_WITHOUT_DIAGNOSIS)
      tutti_keep_apart(${module} "${reach}" tutti_diagnose)
    endif()
    if(layer IN_LIST TUTTI_READERS)
      set(others ${TUTTI_READERS})
      list(REMOVE_ITEM others ${layer})
      list(TRANSFORM others PREPEND tutti_)
      tutti_keep_apart(${module} "${reach}" ${others})
    endif()
    if(layer IN_LIST TUTTI_LINKED_BY_PROGRAMS)
      list(TRANSFORM TUTTI_LABORATORY PREPEND tutti_ OUTPUT_VARIABLE laboratory)
      tutti_keep_apart(${module} "${reach}" ${laboratory})
    endif()
  endforeach()

  get_property(headers GLOBAL PROPERTY TUTTI_COMPONENT_HEADERS)
  foreach(header IN LISTS headers)
    cmake_path(GET header FILENAME name)
    get_property(links GLOBAL PROPERTY TUTTI_LINKS_OF_${name})
    string(APPEND said "set(links_of_${name} \"${links}\")\n")
  endforeach()
  foreach(library IN LISTS TUTTI_THREAD_LIBRARIES)
    string(APPEND said "set(headers_of_${library} [[${TUTTI_HEADERS_OF_${library}}]])\n")
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/layers.cmake "# What check_layers.cmake holds the files to.\nset(source \"${PROJECT_SOURCE_DIR}\")\n"
       "set(layers \"${layers}\")\nset(libraries \"${TUTTI_THREAD_LIBRARIES}\")\n${said}")
endfunction()
