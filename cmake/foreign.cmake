# Toolchain file: Debian's cross compiler for another processor, and qemu-user, which CTest then runs tests with.
#
#   cmake --toolchain cmake/foreign.cmake -DTUTTI_FOREIGN=s390x -DTUTTI_SYSROOT=DIRECTORY ...
#
# TUTTI_FOREIGN is the processor's name in the compiler's (aarch64, riscv64, s390x). Headers and libraries that are not the
# compiler's own come from TUTTI_SYSROOT alone; tests/foreign.sh fills it.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TUTTI_FOREIGN TUTTI_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${TUTTI_FOREIGN})
set(CMAKE_C_COMPILER ${TUTTI_FOREIGN}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${TUTTI_FOREIGN}-linux-gnu-g++)
if(TUTTI_FOREIGN STREQUAL "riscv64") # GCC 12 calls libatomic to exchange a bool, as tests do
  set(CMAKE_CXX_STANDARD_LIBRARIES_INIT -latomic)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${TUTTI_FOREIGN}-static -L /usr/${TUTTI_FOREIGN}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${TUTTI_SYSROOT} /usr/${TUTTI_FOREIGN}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${TUTTI_SYSROOT}/lib/pkgconfig)
