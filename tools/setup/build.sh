# shellcheck shell=bash disable=SC2034,SC2154
# Part of ./lapforge: configures when needed and builds. ninja decides what has changed, which
# takes some 30 ms when nothing has.

# As many compilers as there are cores, or as 2 GB each allow.
build_jobs() {
  local key kilobytes rest jobs cores
  read -r key kilobytes rest </proc/meminfo
  cores=$(nproc)
  jobs=$((kilobytes / 2000000))
  ((jobs < cores)) || jobs=$cores
  printf '%d\n' $((jobs > 0 ? jobs : 1))
}

# True when the build folder was configured here, to its end, and with the same libtorch.
is_configured() {
  [[ -e $build_folder/build.ninja ]] &&
    grep --quiet --line-regexp --fixed-strings \
      "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build_folder/CMakeCache.txt" &&
    grep --quiet --line-regexp --fixed-strings \
      "LAPFORGE_LIBTORCH:PATH=$libtorch_folder" "$build_folder/CMakeCache.txt"
}

configure() (
  cd -- "$root" && cmake --fresh --preset "$preset" "-DLAPFORGE_LIBTORCH:PATH=$libtorch_folder"
)

# build_target NAME: sets build_folder; ends the script with the compiler's words if it fails.
build_target() {
  local tool
  for tool in cmake ninja c++; do
    command -v $tool >/dev/null || die "$tool is not installed, see tools/setup/apt-packages.txt"
  done
  build_folder=$root/build/$preset
  mkdir -p -- "$build_folder" || die "cannot write to $build_folder"

  # one at a time in this folder
  exec 8>"$build_folder/lock"
  flock --nonblock 8 || { say "waiting for another lapforge that builds here"; flock 8; }
  is_configured || run_with_progress "Configuring" configure ||
    die "the build's configuration failed"
  run_with_progress "Building" ninja -C "$build_folder" -j "$(build_jobs)" "$1" ||
    die "the build failed"
  exec 8>&-
}
