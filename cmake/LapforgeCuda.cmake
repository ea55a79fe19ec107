# The CUDA plug-in: code for GPUs, compiled by nvcc and loaded on demand.

find_program(LAPFORGE_NVCC nvcc HINTS /usr/local/cuda/bin)
mark_as_advanced(LAPFORGE_NVCC)
# sanitizers do not know what the CUDA runtime allocates
if(LAPFORGE_NVCC AND NOT LAPFORGE_SANITIZE)
  set(can_build_cuda ON)
else()
  set(can_build_cuda OFF)
endif()
option(LAPFORGE_WITH_CUDA "Build the CUDA plug-in (default: where nvcc is)" ${can_build_cuda})
if(LAPFORGE_WITH_CUDA AND NOT LAPFORGE_NVCC)
  message(FATAL_ERROR
    "LAPFORGE_WITH_CUDA is ON, but there is no nvcc: install the CUDA toolkit or switch it OFF")
endif()

# Portable code (PTX) for cards from 2018 on, which the driver finishes for the card at hand. No
# fused multiply-add: the GPU gives the CPU's bytes. The CUDA runtime is linked in.
set(LAPFORGE_NVCC_FLAGS -std=c++20 -O3 --fmad=false -gencode arch=compute_75,code=compute_75
  "-Xcompiler=-fPIC,-ffp-contract=off,-fvisibility=hidden" "-I${PROJECT_SOURCE_DIR}")

# lapforge_cuda_plugin(lapforge_cuda camera.cu table.cu) makes lib<name>.so beside the build file's
# other results, as the target <name>.
function(lapforge_cuda_plugin name)
  set(objects "")
  foreach(file IN LISTS ARGN)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${file}.o")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND "${LAPFORGE_NVCC}" ${LAPFORGE_NVCC_FLAGS} -MD -MF "${object}.d"
              -c "${CMAKE_CURRENT_SOURCE_DIR}/${file}" -o "${object}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}"
      DEPFILE "${object}.d"
      COMMENT "Compiling ${file} for GPUs"
      VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  set(library "${CMAKE_CURRENT_BINARY_DIR}/lib${name}.so")
  add_custom_command(
    OUTPUT "${library}"
    COMMAND "${LAPFORGE_NVCC}" -shared ${objects} -o "${library}"
    DEPENDS ${objects}
    COMMENT "Linking lib${name}.so"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${library}")
  install(PROGRAMS "${library}" DESTINATION lib OPTIONAL)
  set(LAPFORGE_CUDA_PLUGIN "${library}" CACHE INTERNAL "For tests")
endfunction()
