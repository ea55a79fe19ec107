# shellcheck shell=bash disable=SC2034,SC2154
# Part of ./lapforge: libtorch, from the pinned wheels, in a folder that all checkouts of a user
# share. cmake/FindLibtorch.cmake knows the same folder.

read -ra pip <<<"${LAPFORGE_PIP:-/usr/bin/python3 -m pip}"
export HOME="${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}"
libtorch_cache=${LAPFORGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lapforge}
libtorch_home=$libtorch_cache/libtorch-2.11.0

# The wheels to install: for the CPU, or with CUDA where it was asked for or a driver answers.
libtorch_list() {
  if [[ $cuda_wanted == yes ]] || nvidia-smi -L >/dev/null 2>&1; then
    printf '%s/tools/setup/libtorch-cuda.txt\n' "$root"
  else
    printf '%s/tools/setup/libtorch-cpu.txt\n' "$root"
  fi
}

# True when the folder, which appears in one step, holds what this call needs.
has_libtorch() {
  [[ -d $libtorch_home/torch ]] &&
    { [[ $cuda_wanted == no ]] || [[ -d $libtorch_home/nvidia/cudnn ]]; }
}

# Sets libtorch_folder; installs libtorch there if it is missing, or ends the script.
ensure_libtorch() {
  libtorch_folder=${LAPFORGE_LIBTORCH:-$libtorch_home/torch}
  # the sanitizer presets build without it
  [[ $preset != asan && $preset != tsan ]] || return 0
  if [[ -n ${LAPFORGE_LIBTORCH:-} ]]; then
    [[ -d $LAPFORGE_LIBTORCH/include && -d $LAPFORGE_LIBTORCH/lib ]] ||
      die "LAPFORGE_LIBTORCH is $LAPFORGE_LIBTORCH, which has no include/ and lib/"
    return 0
  fi
  has_libtorch && return 0
  [[ $setup_allowed == yes ]] ||
    die "libtorch 2.11.0 is missing in $libtorch_home. Install it with: ./lapforge (without" \
      "--no-setup), or set LAPFORGE_LIBTORCH to a folder that holds include/ and lib/"

  # one at a time; whoever waited finds it installed
  mkdir -p -- "$libtorch_cache" || die "cannot write to $libtorch_cache"
  exec 9>"$libtorch_cache/libtorch.lock"
  flock --nonblock 9 || { say "waiting for another lapforge that installs libtorch"; flock 9; }
  if ! has_libtorch; then
    run_with_progress "Installing libtorch (once; a download of 0.5 GB, with CUDA 2.5 GB)" \
      install_libtorch "$(libtorch_list)" ||
      die "libtorch could not be installed. Are the network and 2 GB of disk (with CUDA 8 GB)" \
        "there? Running the same command again goes on"
  fi
  exec 9>&-
}

# Installs into a folder beside and renames it, so that an interrupted call leaves nothing that
# looks finished; wheels that had arrived come from pip's cache the next time.
install_libtorch() {
  local partial=$libtorch_home.partial old=$libtorch_home.old
  rm -rf -- "$partial" "$old"
  PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_ROOT_USER_ACTION=ignore \
    "${pip[@]}" install --quiet --disable-pip-version-check --no-input --no-deps \
    --timeout 30 --retries 2 --target "$partial" --requirement "$1" || return
  [[ ! -e $libtorch_home ]] || mv -- "$libtorch_home" "$old"
  mv -- "$partial" "$libtorch_home" && rm -rf -- "$old"
}
