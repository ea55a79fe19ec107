# shellcheck shell=bash disable=SC2034,SC2154
# Part of ./lapforge: Debian and Ubuntu packages.

install_command=(apt-get install --yes --no-install-recommends)

# Prints the packages of the list that are not installed. One call of dpkg-query, some 10 ms.
missing_packages() {
  local wanted name status
  local -A is_installed=()
  mapfile -t wanted < <(grep -v '^#' "$root/tools/setup/apt-packages.txt")
  while read -r name status; do
    [[ $status != installed ]] || is_installed[$name]=yes
  done < <(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' "${wanted[@]}" \
    2>/dev/null)
  for name in "${wanted[@]}"; do
    [[ -n ${is_installed[$name]:-} ]] || printf '%s\n' "$name"
  done
}

# Installs what is missing, or ends the script with the command that does.
ensure_packages() {
  # on other systems CMake says what it does not find
  command -v dpkg-query >/dev/null || return 0
  local missing as_root=()
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} > 0)) || return 0

  local list="${missing[*]}" by_hand="sudo ${install_command[*]} ${missing[*]}"
  [[ $setup_allowed == yes ]] ||
    die "these packages are missing: $list. Install them with: $by_hand"
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null ||
      die "these packages are missing: $list. Ask an administrator to run: ${by_hand#sudo }"
    say "needs administrator rights to install: $list"
    sudo -v || die "these packages are missing: $list. Ask an administrator to run: $by_hand"
    as_root=(sudo)
  fi
  run_with_progress "Installing ${#missing[@]} packages: $list" install_packages ||
    die "the packages could not be installed. Is the network there? Try: $by_hand"
}

# Uses `missing` and `as_root` of ensure_packages. Finishes what an interrupted installation left;
# waits for another package manager rather than failing; gives up on a dead network.
install_packages() {
  local settings=(-o DPkg::Lock::Timeout=300 -o Acquire::http::Timeout=30 -o Acquire::Retries=2)
  "${as_root[@]}" dpkg --configure -a
  "${as_root[@]}" apt-get update "${settings[@]}" || true
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    "${install_command[@]}" --fix-broken "${settings[@]}" "${missing[@]}"
}
