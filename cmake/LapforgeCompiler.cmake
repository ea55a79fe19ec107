# Compiler settings that hold for every target, generated code included.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# -fPIC for programs too, so that they share the libraries' precompiled headers.
# No fused multiply-add: physics must give the same bits on every machine.
# The prefix map keeps the checkout's place out of the binaries.
add_compile_options(-fPIC -ffp-contract=off "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")

if(LAPFORGE_SANITIZE)
  add_compile_options(-fsanitize=${LAPFORGE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LAPFORGE_SANITIZE})
endif()

# GCC 12 warns of overlapping copies inside std::string that are not there (GCC bug 105651), and
# of uninitialized values that only sanitizer instrumentation makes it see.
set(LAPFORGE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND LAPFORGE_WARNINGS -Wno-restrict)
  if(LAPFORGE_SANITIZE)
    list(APPEND LAPFORGE_WARNINGS -Wno-maybe-uninitialized)
  endif()
endif()

# ccache also shares results between checkouts: paths below the checkout are hashed as relative
# ones. The sloppiness lets it cache what uses precompiled headers.
find_program(LAPFORGE_CCACHE ccache)
mark_as_advanced(LAPFORGE_CCACHE)
if(LAPFORGE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${LAPFORGE_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
