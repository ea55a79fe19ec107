# How targets are declared. Each function makes one kind; all paths of includes start at the root
# of the project: "sim/vector_sim.h".

set(LAPFORGE_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")

# Flags of our own code (generated code is compiled without warnings).
function(lapforge_own_code target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${LAPFORGE_WARNINGS}>")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
endfunction()

# lapforge_library(tracks SOURCES a.cpp io/b.cpp PUBLIC lapforge::base PRIVATE opencv_core)
# makes the static library lapforge_tracks, known as lapforge::tracks. PUBLIC: what its public
# headers need. PRIVATE: what only its sources need.
function(lapforge_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;PUBLIC;PRIVATE")
  set(target "lapforge_${name}")
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(lapforge::${name} ALIAS ${target})
  lapforge_own_code(${target})
  target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  lapforge_export_library(${name} PUBLIC_HEADERS)
endfunction()

# lapforge_program(lapforge SOURCES main.cpp LINK lapforge::sim)
# makes an executable in the build's bin folder, installed with the rest.
function(lapforge_program name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_executable(${name} ${ARG_SOURCES})
  lapforge_own_code(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  install(TARGETS ${name})
endfunction()

# lapforge_test(track_test SOURCES track_test.cpp LINK lapforge::tracks)
# makes a Catch2 executable, one test of ctest, labelled by area (its folder below tests/);
# tools/ci/run_tests counts its cases. A case that cannot run here prints a line that starts with
# "SKIPPED: ".
function(lapforge_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_executable(${name} ${ARG_SOURCES})
  lapforge_own_code(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  target_compile_definitions(${name} PRIVATE
    "LAPFORGE_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\""
    "LAPFORGE_SHARED_DATA_DIR=\"${PROJECT_SOURCE_DIR}/../shared/data/tracks\"")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} lapforge_test_main)

  file(RELATIVE_PATH area "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${area}" TIMEOUT 900)
endfunction()

# lapforge_proto(tracks_proto tracks/proto/track.proto)
# makes a library of generated code, known as lapforge::tracks_proto, included as
# "tracks/proto/track.pb.h". Files are named, and import each other, from the root.
function(lapforge_proto name)
  set(sources "")
  foreach(file IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" ".pb" stem "${LAPFORGE_GENERATED_DIR}/${file}")
    add_custom_command(
      OUTPUT "${stem}.cc" "${stem}.h"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${LAPFORGE_GENERATED_DIR}"
      COMMAND protobuf::protoc "--cpp_out=${LAPFORGE_GENERATED_DIR}"
              "--proto_path=${PROJECT_SOURCE_DIR}" "${file}"
      DEPENDS "${PROJECT_SOURCE_DIR}/${file}"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      COMMENT "Generating ${file} code"
      VERBATIM)
    list(APPEND sources "${stem}.cc" "${stem}.h")
  endforeach()

  set(target "lapforge_${name}")
  add_library(${target} STATIC ${sources})
  add_library(lapforge::${name} ALIAS ${target})
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${LAPFORGE_GENERATED_DIR}>")
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
  lapforge_export_library(${name})
endfunction()

# lapforge_embed(tracks_data OUT_HEADER tracks/data/tracks_data.h FILES data/oval.textproto)
# makes lapforge::tracks_data, a library that carries the files' bytes, and the header
# "tracks/data/tracks_data.h" with
#   namespace lapforge {
#   struct EmbeddedFile { std::string_view name; std::string_view text; };
#   std::span<const EmbeddedFile> TracksDataFiles();
#   }
# `name` is the file's name without folders; files come in the order given.
function(lapforge_embed name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "OUT_HEADER" "FILES")
  set(LAPFORGE_EMBED_FUNCTION "")
  string(REPLACE "_" ";" words "${name}")
  foreach(word IN LISTS words)
    string(SUBSTRING "${word}" 0 1 first)
    string(SUBSTRING "${word}" 1 -1 rest)
    string(TOUPPER "${first}" first)
    string(APPEND LAPFORGE_EMBED_FUNCTION "${first}${rest}")
  endforeach()
  string(APPEND LAPFORGE_EMBED_FUNCTION "Files")

  # the assembler copies each file between two labels
  set(LAPFORGE_EMBED_BYTES "")
  set(LAPFORGE_EMBED_LABELS "")
  set(LAPFORGE_EMBED_ENTRIES "")
  set(paths "")
  foreach(file IN LISTS ARG_FILES)
    get_filename_component(path "${file}" ABSOLUTE)
    get_filename_component(file_name "${file}" NAME)
    list(LENGTH paths index)
    list(APPEND paths "${path}")
    set(label "lapforge_${name}_${index}")
    string(APPEND LAPFORGE_EMBED_BYTES
      "${label}:\n.incbin \"${path}\"\n${label}_end:\n.byte 0\n")
    string(APPEND LAPFORGE_EMBED_LABELS "extern const char ${label}[];\n"
      "extern const char ${label}_end[];\n")
    string(APPEND LAPFORGE_EMBED_ENTRIES
      "      {\"${file_name}\", {${label}, ${label}_end}},\n")
  endforeach()
  list(LENGTH paths LAPFORGE_EMBED_COUNT)
  set(LAPFORGE_EMBED_HEADER "${ARG_OUT_HEADER}")

  set(header "${LAPFORGE_GENERATED_DIR}/${ARG_OUT_HEADER}")
  string(REGEX REPLACE "\\.h$" ".cpp" source "${header}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/embed.h.in" "${header}" @ONLY)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/embed.cpp.in" "${source}" @ONLY)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${paths}")

  set(target "lapforge_${name}")
  add_library(${target} STATIC "${source}")
  add_library(lapforge::${name} ALIAS ${target})
  target_include_directories(${target} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${LAPFORGE_GENERATED_DIR}>")
  lapforge_export_library(${name})
endfunction()

# lapforge_precompile_torch(lapforge_agents)
# lets a target that includes <torch/torch.h> share one precompiled copy of it: it costs 20 s to
# compile, once instead of in each file.
function(lapforge_precompile_torch target)
  if(NOT TARGET lapforge_torch_header)
    set(source "${LAPFORGE_GENERATED_DIR}/torch_header.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Carries the precompiled <torch/torch.h>.\n")
    add_library(lapforge_torch_header OBJECT "${source}")
    lapforge_own_code(lapforge_torch_header)
    target_link_libraries(lapforge_torch_header PRIVATE Libtorch::Libtorch)
    target_compile_options(lapforge_torch_header PRIVATE -fpch-preprocess)
    target_precompile_headers(lapforge_torch_header PRIVATE <torch/torch.h>)
  endif()
  target_link_libraries(${target} PRIVATE Libtorch::Libtorch)
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM lapforge_torch_header)
endfunction()
