# Used by find_package(lapforge): finds what the libraries need, then defines lapforge::base,
# lapforge::tracks, lapforge::sim and lapforge::reward.
include("${CMAKE_CURRENT_LIST_DIR}/LapforgeDependencies.cmake")
lapforge_find_library_dependencies()
include("${CMAKE_CURRENT_LIST_DIR}/lapforgeTargets.cmake")
