# shellcheck shell=bash disable=SC2034,SC2154
# Part of ./lapforge: messages, and long commands behind one progress line. All of it goes to
# standard error: standard output belongs to the program.

progress_display=
progress_log=

say() { printf 'lapforge: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

end_progress() {
  if [[ -n $progress_display ]]; then
    kill "$progress_display" 2>/dev/null || true
    wait "$progress_display" 2>/dev/null || true
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
  fi
  [[ -z $progress_log ]] || rm -f -- "$progress_log"
  progress_display=
  progress_log=
}
trap end_progress EXIT

# run_with_progress LABEL COMMAND...: hides the command's output, shows LABEL once it takes longer
# than half a second, and shows the output if the command fails.
run_with_progress() {
  local label=$1 status=0
  shift
  progress_log=$(mktemp)
  # without the locks that the caller may hold
  show_progress "$label" "$progress_log" 8>&- 9>&- &
  progress_display=$!
  "$@" >"$progress_log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
    show_failure "$progress_log"
  fi
  end_progress
  return "$status"
}

# Prints what a failed command said, without its own progress and without a long middle.
show_failure() {
  local lines
  mapfile -t lines < <(grep -v -e '^\[[0-9]*/[0-9]*\] ' -e '^-- ' -e '^ninja: Entering' "$1")
  if ((${#lines[@]} <= 100)); then
    printf '%s\n' "${lines[@]}" >&2
  else
    printf '%s\n' "${lines[@]:0:60}" "... ($((${#lines[@]} - 90)) lines) ..." "${lines[@]: -30}" >&2
  fi
}

# On a terminal: label, seconds, and ninja's [done/total]. Elsewhere: the label, once.
show_progress() {
  local label=$1 log=$2 count
  trap - EXIT
  sleep 0.5 >/dev/null 2>&1
  [[ -t 2 ]] || say "$label ..."
  SECONDS=0
  # the main shell may be gone without having ended this one
  while kill -0 $$ 2>/dev/null; do
    if [[ -t 2 ]]; then
      count=$(tail -n 1 "$log" 2>/dev/null | grep -o '^\[[0-9]*/[0-9]*\]') || count=
      printf '\r\033[K%s ... %s %d s' "$label" "$count" "$SECONDS" >&2
    fi
    sleep 1 >/dev/null 2>&1
  done
}
