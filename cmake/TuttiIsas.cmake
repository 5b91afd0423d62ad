# One source of loops, compiled once per instruction set; src/engine/kernel/dispatch.cpp chooses at run time.
set(isas generic)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND isas avx2 avx512)
  # Only processors of before 2013 and some small ones have neither of these, so their loops must not cost much to compile.
  if(NOT TUTTI_SANITIZE)
    set(options_of_generic $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endif()
endif()
set(options_of_avx2 -mavx2 -mfma -mf16c)
set(options_of_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mf16c)
set(TUTTI_ISA_ONLY "" CACHE STRING "For developers: compile the kernels of this instruction set only, which the CPU must have, e.g. avx2")
if(TUTTI_ISA_ONLY)
  set(isas ${TUTTI_ISA_ONLY})
  set(options_of_generic)
endif()
list(GET isas 0 narrowest)

# tutti_kernel_file(ISA NAME HEADER DEFINITIONS...): an object file of an instruction set, with these macros of a header.
function(tutti_kernel_file isa name header)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/isa_${isa}_${name}.cpp)
  list(JOIN ARGN "\n" definitions)
  file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${header}\"\n\n${definitions}\n")
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${options_of_${isa}}")
  set(sources ${sources} ${file} PARENT_SCOPE)
endfunction()

# tutti_kernels(TARGET): the options of such object files.
function(tutti_kernels target)
  # Fused multiply-add rounds once instead of twice: results would depend on the instruction set.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  # The checks of the sanitizers in so many loops take far longer to optimise than the tests take to run them.
  if(TUTTI_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  # Each file is a translation unit, and an object file, of its own.
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
endfunction()
