# Starts, finds and stops the servers. Sourced by peers.sh.

need_python() {
  command -v "$python" >/dev/null ||
    fail "python3 is needed; install it or set RESTKIT_PEERS_PYTHON"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "Python 3.10 or later is needed, this is $("$python" --version)"
}

# Installs a Debian package if possible. The caller checks whether it is installed.
install_package() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 0
  say "installing $1"
  # In runlevel 1 a package does not start its service, which would use ports of this machine.
  {
    apt-get update &&
      RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1"
  } >>"$log" 2>&1 || fail "$1 could not be installed, see $log"
}

# A minimal Debian has no ps, and other systems have no /proc.
arguments_of() {
  if [ -r "/proc/$1/cmdline" ]; then
    tr '\0' ' ' <"/proc/$1/cmdline"
  else
    ps -o args= -p "$1" 2>/dev/null || true
  fi
}

# Whether the process of the pid file is alive and is the server, not a later process with its id:
# is_process NAME PART-OF-ITS-ARGUMENTS
is_process() {
  local pid_file=$peers/$1.pid pid
  [ -s "$pid_file" ] || return 1
  pid=$(<"$pid_file")
  [[ $pid =~ ^[0-9]+$ ]] || return 1
  arguments_of "$pid" | grep -qF -- "$2"
}

# Runs a command in its own session and without our descriptors, so that our output can end.
run_detached() {
  "$environment/bin/python" -c 'import os, sys; os.setsid(); os.execv(sys.argv[1], sys.argv[1:])' \
    "$@" </dev/null >>"$log" 2>&1 &
}

# Waits until a check succeeds, while the process lives: wait_for CHECK PID
wait_for() {
  local deadline=$((SECONDS + 30))
  while ((SECONDS < deadline)); do
    if "$1"; then return 0; fi
    # The server has ended if another process took its port meanwhile.
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.1
  done
  kill "$2" 2>/dev/null || true
  return 1
}

stop_process() {
  local pid deadline
  pid=$(<"$peers/$1.pid")
  kill "$pid" 2>/dev/null || true
  deadline=$((SECONDS + 10))
  # A process that has ended has no arguments, even before its parent reads the status.
  while [ -n "$(arguments_of "$pid")" ]; do
    if ((SECONDS >= deadline)); then
      # The workers belong to the group that setsid made, whose id is the server's.
      kill -KILL -- "-$pid" 2>/dev/null || true
      break
    fi
    sleep 0.1
  done
  say "$1 is stopped"
}

# Ports that were free a moment ago, all different.
free_ports() {
  "$environment/bin/python" -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))' "$1"
}

# Prints one setting of a running server: setting SERVER NAME
setting() {
  sed -n "s/^$2=//p" "$peers/$1.env" 2>/dev/null
}
