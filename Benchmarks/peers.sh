#!/usr/bin/env bash
# Runs the server that the HTTP benchmark talks to: Debian's nginx, on loopback only.
#
#   peers.sh install   installs nginx with apt-get, unless it is there
#   peers.sh start     starts it on 127.0.0.1, on a free port, and prints
#                      RESTKIT_BENCHMARK_URL=http://127.0.0.1:PORT once it answers
#   peers.sh stop      ends what start has started
#
# Each may be run again: what is there already is kept, what runs already is named again. All that
# nginx writes is in .build-peers/ beside this script; a nginx of the system's is left alone.
# RESTKIT_PEERS_NGINX names another nginx. Nothing but the line above goes to standard output.
#
#   /json        the small answer
#   /connection  the same, with the number of its connection in X-Connection
#   /big         1 GiB
#   /put/NAME    takes a body of any size with PUT
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
peers=$here/.build-peers
pid_file=$peers/nginx.pid
url_file=$peers/nginx.url
log=$peers/nginx.log
# Debian has it where only root looks.
export PATH=$PATH:/usr/sbin:/sbin
nginx=${RESTKIT_PEERS_NGINX:-nginx}

# A proxy cannot reach our loopback; curl reads both spellings, and no_proxy is not read by all.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

say() { printf 'peers: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 1
}

install_peers() {
  mkdir -p "$peers"
  command -v "$nginx" >/dev/null && return
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    say "installing nginx"
    # The package would start a server of its own on port 80.
    {
      apt-get update &&
        RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nginx
    } >>"$log" 2>&1 || fail "nginx could not be installed, see $log"
  fi
  command -v "$nginx" >/dev/null ||
    fail "nginx is needed; install it (Debian: nginx) or set RESTKIT_PEERS_NGINX"
}

# Large files are in memory where that is possible: the disk's speed is not what is asked for.
large_files() {
  if [ -d /dev/shm ] && [ -w /dev/shm ]; then
    printf '/dev/shm/restkit-benchmark-%s' "$(id -u)"
  else
    printf '%s/large' "$peers"
  fi
}

# Connections are never closed for their age: a client that counts them would count twice.
configuration() {
  cat <<NGINX
daemon on;
pid $pid_file;
error_log $log warn;
worker_processes 1;
$([ "$(id -u)" -ne 0 ] || printf 'user root;')
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path $(large_files)/body;
  client_max_body_size 0;
  proxy_temp_path $peers/proxy;
  fastcgi_temp_path $peers/fastcgi;
  uwsgi_temp_path $peers/uwsgi;
  scgi_temp_path $peers/scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 300s;
  default_type application/json;
  server {
    listen 127.0.0.1:$1;
    location = /json { return 200 '{"id":1,"name":"a small one"}'; }
    location = /connection {
      add_header X-Connection \$connection;
      return 200 '{"id":1,"name":"a small one"}';
    }
    location = /big { alias $(large_files)/big; }
    location /put/ {
      root $(large_files);
      dav_methods PUT;
      create_full_put_path on;
    }
  }
}
NGINX
}

# With no descriptor of the caller's, who may wait until all copies are closed.
run_detached() (
  for descriptor in /proc/self/fd/*; do
    descriptor=${descriptor##*/}
    if ((descriptor > 2)); then eval "exec $descriptor>&-"; fi
  done
  exec "$@" </dev/null >>"$log" 2>&1
)

# Whether the process in the pid file is alive and is the server, not a later owner of its number.
is_running() {
  [ -s "$pid_file" ] || return 1
  local pid
  pid=$(<"$pid_file")
  [[ $pid =~ ^[0-9]+$ ]] || return 1
  [ -r "/proc/$pid/cmdline" ] && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -qF -- "$peers"
}

answers() {
  local status
  exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
  printf 'GET /json HTTP/1.0\r\n\r\n' >&3
  read -r -t 2 _ status _ <&3 || status=
  exec 3>&-
  [ "$status" = 200 ]
} 2>/dev/null

start_peers() {
  install_peers
  if is_running && [ -s "$url_file" ] && (answers "$(grep -oE '[0-9]+$' "$url_file")"); then
    say "already running"
  else
    stop_peers
    mkdir -p "$(large_files)"
    truncate -s 1G "$(large_files)/big"
    local port=
    for _ in 1 2 3 4 5 6 7 8; do
      port=$((20000 + RANDOM % 12000))
      configuration "$port" >"$peers/nginx.conf"
      run_detached "$nginx" -p "$peers" -c "$peers/nginx.conf" && break
      port=
    done
    [ -n "$port" ] || fail "nginx does not start, see $log"
    (answers "$port") || fail "nginx does not answer, see $log"
    printf 'http://127.0.0.1:%s\n' "$port" >"$url_file"
  fi
  printf 'RESTKIT_BENCHMARK_URL=%s\n' "$(<"$url_file")"
}

stop_peers() {
  if is_running; then
    local pid deadline
    pid=$(<"$pid_file")
    kill "$pid" 2>/dev/null || true
    deadline=$((SECONDS + 10))
    while kill -0 "$pid" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.1; done
    say "stopped"
  fi
  rm -rf "$pid_file" "$url_file" "$(large_files)"
}

case ${1-} in
  install) install_peers ;;
  start) start_peers ;;
  stop) stop_peers ;;
  *) fail "usage: $0 install|start|stop" ;;
esac
