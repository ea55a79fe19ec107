# Everything from outside. The installed package includes this file too, for the first macro.
#
# Targets made here: Threads::Threads, opencv_core, opencv_imgproc, opencv_imgcodecs, opencv_videoio,
# Bullet::Bullet, protobuf::libprotobuf, pybind11::embed, OpenSSL::Crypto, CLI11::CLI11,
# nlohmann_json::nlohmann_json, Catch2::Catch2, Libtorch::Libtorch.

# Makes imported target TARGET from a header and libraries, for packages without a CMake config.
function(lapforge_import_library target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "HEADER;PACKAGE" "FOLDERS;LIBRARIES")
  if(TARGET ${target})
    return()
  endif()

  string(MAKE_C_IDENTIFIER "LAPFORGE_${target}" prefix)
  find_path(${prefix}_INCLUDE_DIR "${ARG_HEADER}" PATH_SUFFIXES ${ARG_FOLDERS})
  set(needed "${prefix}_INCLUDE_DIR")
  foreach(library IN LISTS ARG_LIBRARIES)
    find_library(${prefix}_${library} ${library})
    list(APPEND needed "${prefix}_${library}")
  endforeach()
  mark_as_advanced(${needed})

  set(paths "")
  foreach(variable IN LISTS needed)
    if(NOT ${variable})
      message(FATAL_ERROR "${ARG_HEADER} or its libraries were not found. "
                          "Install them with: apt-get install ${ARG_PACKAGE}")
    endif()
    list(APPEND paths "${${variable}}")
  endforeach()
  list(POP_FRONT paths include_dir)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${include_dir}")
  target_link_libraries(${target} INTERFACE ${paths})
endfunction()

# What the libraries need: tracks (OpenCV), sim (Bullet), readers and writers (Protobuf),
# reward (Python, JSON).
macro(lapforge_find_library_dependencies)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  foreach(_module core imgproc imgcodecs)
    lapforge_import_library(opencv_${_module} HEADER opencv2/${_module}.hpp FOLDERS opencv4
      LIBRARIES opencv_${_module} PACKAGE libopencv-${_module}-dev)
  endforeach()
  lapforge_import_library(Bullet::Bullet HEADER btBulletDynamicsCommon.h FOLDERS bullet
    LIBRARIES BulletDynamics BulletCollision LinearMath PACKAGE libbullet-dev)
  find_package(Protobuf REQUIRED)
  find_package(nlohmann_json REQUIRED)

  # The system's Python rather than one a version manager put first on the path: its modules are
  # the ones that the set-up installed.
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  set(PYBIND11_FINDPYTHON ON)
  find_package(pybind11 REQUIRED)
endmacro()

# What storage, the learner, the viewer, the program and the tests need.
macro(lapforge_find_program_dependencies)
  lapforge_import_library(opencv_videoio HEADER opencv2/videoio.hpp FOLDERS opencv4
    LIBRARIES opencv_videoio PACKAGE libopencv-videoio-dev)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
  find_package(CLI11 REQUIRED)
  if(LAPFORGE_WITH_LIBTORCH)
    find_package(Libtorch REQUIRED)
  endif()
  if(LAPFORGE_BUILD_TESTS)
    find_package(Catch2 REQUIRED)
  endif()
endmacro()
