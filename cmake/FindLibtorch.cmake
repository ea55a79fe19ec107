# Makes Libtorch::Libtorch (libtorch_cpu and libc10, no CUDA) from a folder that holds include/ and
# lib/, such as site-packages/torch of the PyPI wheel. Looked for in this order: LAPFORGE_LIBTORCH
# given to CMake, LAPFORGE_LIBTORCH in the environment, the folder where ./lapforge puts it.
# libtorch's own CMake config is not used: it stops on machines without the CUDA toolkit.

set(LAPFORGE_LIBTORCH "$ENV{LAPFORGE_LIBTORCH}" CACHE PATH
    "Folder of libtorch, holding include/ and lib/; empty: the one that ./lapforge installed")

# the folder of ./lapforge: the same rule as in tools/setup/common.sh
if(LAPFORGE_LIBTORCH)
  set(Libtorch_FOLDER "${LAPFORGE_LIBTORCH}")
else()
  if(DEFINED ENV{LAPFORGE_CACHE})
    set(_cache "$ENV{LAPFORGE_CACHE}")
  elseif(DEFINED ENV{XDG_CACHE_HOME})
    set(_cache "$ENV{XDG_CACHE_HOME}/lapforge")
  else()
    set(_cache "$ENV{HOME}/.cache/lapforge")
  endif()
  set(Libtorch_FOLDER "${_cache}/libtorch-2.11.0/torch")
endif()

set(_api "${Libtorch_FOLDER}/include/torch/csrc/api/include")
set(_libraries "${Libtorch_FOLDER}/lib/libtorch_cpu.so" "${Libtorch_FOLDER}/lib/libc10.so")
set(Libtorch_FOUND TRUE)
foreach(_file "${_api}/torch/torch.h" ${_libraries})
  if(NOT EXISTS "${_file}")
    set(Libtorch_FOUND FALSE)
    set(Libtorch_NOT_FOUND_MESSAGE
        "libtorch is not in ${Libtorch_FOLDER} (no ${_file}). Run ./lapforge once, which installs \
it, or set LAPFORGE_LIBTORCH to a folder that holds include/ and lib/.")
  endif()
endforeach()

if(Libtorch_FOUND AND NOT TARGET Libtorch::Libtorch)
  add_library(Libtorch::Libtorch INTERFACE IMPORTED GLOBAL)
  target_include_directories(Libtorch::Libtorch SYSTEM INTERFACE
    "${Libtorch_FOLDER}/include" "${_api}")
  target_link_libraries(Libtorch::Libtorch INTERFACE ${_libraries} Threads::Threads)
  # libtorch's libraries find each other and the wheels beside them by their own rpath
  target_link_options(Libtorch::Libtorch INTERFACE
    "LINKER:-rpath,${Libtorch_FOLDER}/lib" "LINKER:--allow-shlib-undefined")

  # one std::string layout on both sides
  set(_config "${Libtorch_FOLDER}/share/cmake/Torch/TorchConfig.cmake")
  if(EXISTS "${_config}")
    file(STRINGS "${_config}" _abi REGEX "_GLIBCXX_USE_CXX11_ABI=[01]")
    if(_abi MATCHES "_GLIBCXX_USE_CXX11_ABI=([01])")
      target_compile_definitions(Libtorch::Libtorch INTERFACE
        _GLIBCXX_USE_CXX11_ABI=${CMAKE_MATCH_1})
    endif()
  endif()
endif()

if(NOT Libtorch_FOUND AND Libtorch_FIND_REQUIRED)
  message(FATAL_ERROR "${Libtorch_NOT_FOUND_MESSAGE}")
endif()
