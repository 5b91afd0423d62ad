# Makes the modules from the tables of docs/fortran.md. Each row is the interface of a function tutti_f_NAME of C. An
# argument in brackets is optional. Its name, or PROCEDURE.NAME for an exception, determines the type of an argument:
set(types
    "me: type(tutti_member), value"
    "new: type(tutti_member), intent(out)"
    "in: type(*), dimension(..), intent(in), asynchronous, target"
    "out inout block: type(*), dimension(..), asynchronous, target"
    "counts displacements send_counts send_displacements recv_counts recv_displacements terms a b x wraps: type(*), dimension(..), intent(in)"
    "result: type(*), dimension(..)"
    "op: integer(c_int64_t), value"
    "new_op operation: integer(c_int64_t), intent(out)"
    "members rank ranks root distance color key level count first stride milliseconds format commutative communicator: integer(c_int), value"
    "wait join_timeout_ms timeout_ms report_after_ms trace order: integer(c_int), intent(in)"
    "ierr cpu index peer last_error.rank: integer(c_int), intent(out)"
    "sources destinations dims levels subset.ranks: integer(c_int), dimension(:), intent(in)"
    "neighbors_sources.ranks neighbors_destinations.ranks: integer(c_int), dimension(:), allocatable, intent(out)"
    "group: type(tutti_group), intent(inout)"
    "async_group: type(tutti_async_group), intent(inout)"
    "cluster: type(tutti_cluster), intent(inout)"
    "neighbors: type(tutti_neighbors), intent(in)"
    "neighbors_create.neighbors neighbors_grid.neighbors neighbors_free.neighbors: type(tutti_neighbors), intent(inout)"
    "request: type(tutti_request), intent(inout), target"
    "requests: type(tutti_request), dimension(:), intent(inout), target"
    "done: logical, intent(out)"
    "text algorithm tuning file path: character(kind=c_char, len=*), intent(in)"
    "message collective: character(kind=c_char, len=*), intent(out)"
    "function: type(c_funptr), value"
    "user: type(c_ptr), value")
foreach(line IN LISTS types)
  string(REGEX MATCH "^(.*): (.*)$" line "${line}")
  set(type "${CMAKE_MATCH_2}")
  string(REPLACE " " ";" names "${CMAKE_MATCH_1}")
  foreach(name IN LISTS names)
    set(type_of_${name} "${type}")
  endforeach()
endforeach()

# The declarations of a procedure's arguments; those that end with ? are optional.
function(tutti_fortran_declare result procedure arguments)
  set(text)
  foreach(argument IN LISTS arguments)
    string(REGEX REPLACE "\\?$" "" name "${argument}")
    set(type "${type_of_${name}}")
    if(DEFINED type_of_${procedure}.${name})
      set(type "${type_of_${procedure}.${name}}")
    elseif(name STREQUAL "block" AND "out" IN_LIST arguments) # it is read
      set(type "${type_of_in}")
    elseif(NOT type)
      message(FATAL_ERROR "docs/fortran.md: `${name}` of tutti_${procedure} is no argument of components/fortran/src/module.cmake")
    endif()
    if(argument MATCHES "\\?$")
      string(APPEND type ", optional")
    endif()
    string(APPEND text "            ${type} :: ${name}\n")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# tutti_fortran_module(FILE NAMES): makes FILE from FILE.in, with the procedures whose names match.
function(tutti_fortran_module file names)
  file(READ ${PROJECT_SOURCE_DIR}/docs/fortran.md page)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/fortran.md)
  string(REGEX REPLACE " \\[, ([a-z_]+)\\]" ", \\1?" page "${page}")
  string(REPLACE "([ierr])" "(ierr?)" page "${page}")
  string(REGEX MATCHALL "\n\\| `tutti_[a-z_0-9]+\\([^)]+\\)" rows "${page}")
  file(STRINGS ${file}.in written REGEX "^    function tutti_")
  set(interfaces)
  set(procedures)
  foreach(row IN LISTS rows)
    string(REGEX MATCH "tutti_([a-z_0-9]+)\\((.*)\\)" row "${row}")
    set(name ${CMAKE_MATCH_1})
    string(REPLACE ", " ";" arguments "${CMAKE_MATCH_2}")
    string(REPLACE "?" "" list "${CMAKE_MATCH_2}")
    if(NOT name MATCHES "${names}" OR written MATCHES "tutti_${name}\\(")
      continue()
    endif()
    set(kind subroutine)
    set(c tutti_f_${name})
    if(NOT row MATCHES "ierr|last_error|error_text")
      set(kind "type(tutti_member) function")
      if(name MATCHES "^(nonblocking|persistent|shared_output|counts_on_all)$") # they take no array: C's own
        set(c tutti_${name})
      endif()
    endif()
    string(REGEX MATCH "[a-z]+$" end ${kind})
    tutti_fortran_declare(declarations ${name} "${arguments}")
    string(CONCAT interface "\n        ${kind} tutti_${name}( &\n            ${list}) &\n            bind(c, name=\"${c}\")\n"
                            "            import\n${declarations}        end ${end}\n")
    if(NOT "done" IN_LIST arguments)
      string(APPEND interfaces "${interface}")
      continue()
    endif()
    # C returns a number, not a logical.
    string(REPLACE "tutti_${name}( &" "in_c( &" interface "${interface}")
    string(REPLACE "logical," "integer(c_int)," interface "${interface}")
    string(REPLACE "done" "is_done" passed "${list}")
    string(APPEND procedures "\n    subroutine tutti_${name}(${list})\n${declarations}            integer(c_int) :: is_done\n"
                             "        interface${interface}        end interface\n        call in_c(${passed})\n"
                             "        done = is_done /= 0\n    end subroutine\n")
  endforeach()
  configure_file(${file}.in ${file} @ONLY)
endfunction()
