#!/usr/bin/env bash
# Runs the real peers that the integration tests talk to: httpbin under gunicorn.
#
#   peers.sh install   puts them into a virtual environment under .build-peers/
#   peers.sh start     starts them on 127.0.0.1, on a free port, and prints
#                      RESTKIT_HTTPBIN_URL=http://127.0.0.1:PORT once they answer
#   peers.sh stop      ends what start has started
#
# Each may be run again: what is there already is kept, what runs already is named again.
# RESTKIT_PEERS_PYTHON names another python3. Nothing but the line above goes to standard output.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
peers=$root/.build-peers
environment=$peers/python
requirements=$here/requirements.txt
installed=$peers/installed-requirements.txt
pid_file=$peers/httpbin.pid
url_file=$peers/httpbin.url
log=$peers/httpbin.log
python=${RESTKIT_PEERS_PYTHON:-python3}

say() { printf 'peers: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 1
}

need_python() {
  command -v "$python" >/dev/null ||
    fail "python3 is needed; install it or set RESTKIT_PEERS_PYTHON"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "Python 3.10 or later is needed, this is $("$python" --version)"
}

# A bare Debian has python3 without ensurepip, which makes a virtual environment without pip.
need_venv() {
  "$python" -c 'import ensurepip, venv' 2>/dev/null && return
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    say "installing python3-venv"
    {
      apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y python3-venv
    } >>"$log" 2>&1 || fail "python3-venv could not be installed, see $log"
    "$python" -c 'import ensurepip, venv' 2>/dev/null && return
  fi
  fail "$python cannot make virtual environments; install its venv module (Debian: python3-venv)"
}

install_peers() {
  mkdir -p "$peers"
  if [ -x "$environment/bin/gunicorn" ] && cmp -s "$requirements" "$installed"; then
    say "already installed"
    return
  fi
  need_python
  need_venv
  # Half an installation is started over.
  rm -rf "$environment" "$installed"
  "$python" -m venv "$environment" >>"$log" 2>&1 || fail "no virtual environment, see $log"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
    --requirement "$requirements" >>"$log" 2>&1 || fail "pip failed, see $log"
  cp "$requirements" "$installed"
  say "installed"
}

# A bare Debian has no ps, and other systems no /proc.
arguments_of() {
  if [ -r "/proc/$1/cmdline" ]; then
    tr '\0' ' ' <"/proc/$1/cmdline"
  else
    ps -o args= -p "$1" 2>/dev/null || true
  fi
}

# Whether the process in the pid file is alive and is the server, not a later owner of its number.
is_running() {
  [ -s "$pid_file" ] || return 1
  local pid
  pid=$(<"$pid_file")
  [[ $pid =~ ^[0-9]+$ ]] || return 1
  arguments_of "$pid" | grep -qF -- "--pid $pid_file"
}

answers() {
  "$environment/bin/python" - "$1" <<'PYTHON' 2>/dev/null
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1] + "/status/204", timeout=2) as response:
    sys.exit(response.status != 204)
PYTHON
}

free_port() {
  "$environment/bin/python" -c '
import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])'
}

start_once() {
  local port url deadline
  port=$(free_port)
  url=http://127.0.0.1:$port
  rm -f "$pid_file" "$url_file"
  # An abandoned /delay sleeps on in its thread, so there are many more of them than connections.
  # In its own session and with no descriptor of ours: the caller may wait for our output to end.
  "$environment/bin/python" -c 'import os, sys; os.setsid(); os.execv(sys.argv[1], sys.argv[1:])' \
    "$environment/bin/gunicorn" --pid "$pid_file" --bind "127.0.0.1:$port" \
    --worker-class gthread --workers 1 --threads 64 --keep-alive 30 \
    --no-control-socket --access-logfile - httpbin:app </dev/null >>"$log" 2>&1 &
  local child=$!
  deadline=$((SECONDS + 30))
  while ((SECONDS < deadline)); do
    if answers "$url"; then
      printf '%s\n' "$url" >"$url_file"
      return 0
    fi
    # Another process may have taken the port in between: the server is gone then.
    kill -0 "$child" 2>/dev/null || return 1
    sleep 0.1
  done
  kill "$child" 2>/dev/null || true
  return 1
}

start_peers() {
  install_peers
  if is_running && [ -s "$url_file" ] && answers "$(<"$url_file")"; then
    say "already running"
  else
    stop_peers
    start_once || start_once || fail "httpbin does not answer, see $log"
  fi
  printf 'RESTKIT_HTTPBIN_URL=%s\n' "$(<"$url_file")"
}

stop_peers() {
  if is_running; then
    local pid deadline
    pid=$(<"$pid_file")
    kill "$pid" 2>/dev/null || true
    deadline=$((SECONDS + 10))
    while kill -0 "$pid" 2>/dev/null; do
      if ((SECONDS >= deadline)); then
        # The workers are of the group that setsid made, whose number is the server's.
        kill -KILL -- "-$pid" 2>/dev/null || true
        break
      fi
      sleep 0.1
    done
    say "stopped"
  fi
  rm -f "$pid_file" "$url_file"
}

case ${1-} in
  install) install_peers ;;
  start) start_peers ;;
  stop) stop_peers ;;
  *) fail "usage: $0 install|start|stop" ;;
esac
