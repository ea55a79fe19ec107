# `cmake --install`: the program, and a package for find_package(lapforge) with the libraries of
# the folders below. The learner stays out: it would make libtorch a dependency of every user.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(LAPFORGE_EXPORTED_FOLDERS sim tracks reward)
set(LAPFORGE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/lapforge")

# Puts lapforge_NAME into the package; with PUBLIC_HEADERS also the headers at the top of the
# target's folder. The plug-ins' sides stay out: they stand on private headers.
function(lapforge_export_library name)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REGEX MATCH "^[^/]*" top_folder "${folder}")
  if(NOT top_folder IN_LIST LAPFORGE_EXPORTED_FOLDERS OR folder MATCHES "/cuda$")
    return()
  endif()

  set_target_properties(lapforge_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS lapforge_${name} EXPORT lapforge
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/lapforge")
  if("PUBLIC_HEADERS" IN_LIST ARGN)
    file(GLOB headers CONFIGURE_DEPENDS "*.h")
    install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/lapforge/${folder}")
  endif()
  set_property(GLOBAL PROPERTY LAPFORGE_EXPORTS_SOMETHING ON)
endfunction()

# Writes the package's CMake files. Called once, at the end.
function(lapforge_install_package)
  get_property(exports GLOBAL PROPERTY LAPFORGE_EXPORTS_SOMETHING)
  if(NOT exports)
    return()
  endif()
  install(EXPORT lapforge NAMESPACE lapforge:: FILE lapforgeTargets.cmake
    DESTINATION "${LAPFORGE_CMAKE_DIR}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/lapforgeConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES
    "${PROJECT_SOURCE_DIR}/cmake/lapforgeConfig.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/LapforgeDependencies.cmake"
    "${PROJECT_BINARY_DIR}/lapforgeConfigVersion.cmake"
    DESTINATION "${LAPFORGE_CMAKE_DIR}")
endfunction()
