#!/usr/bin/env bash
# Runs the server that the HTTP benchmarks talk to: Debian's nginx, on loopback only.
#
#   peers.sh install   installs nginx and openssl with apt-get, unless they are there
#   peers.sh start     starts it on 127.0.0.1, on free ports, and prints
#                      RESTKIT_BENCHMARK_URL=http://127.0.0.1:PORT once it answers
#   peers.sh stop      ends what start has started
#
# Each may be run again: what is there already is kept, what runs already is named again. All that
# nginx writes is in .build-peers/ beside this script; a nginx of the system's is left alone.
# RESTKIT_PEERS_NGINX names another nginx. Nothing but the line above goes to standard output.
#
#   /json        the small answer
#   /64k         64 KiB of JSON
#   /list        10 MB of JSON, an array of 100,000 objects
#   /connection  the small answer, with the number of its connection in X-Connection
#   /session     one byte where the connection resumed a TLS session, none where it did not
#   /version     one byte where the request came over HTTP/2, none where it did not
#   /peer        NAME=VALUE a line: the other URLs, the file of their authority, nginx's worker
#   /big         1 GiB
#   /put/NAME    takes a body of any size with PUT
#   /bytes/N     N bytes of numbered lines, for powers of four up to 16 MiB; only at the URL of scale,
#                which all addresses of loopback serve
#
# The other URLs: http-new, which ends each connection after its request; and https: http1 and http2,
# which keep their connections, and http1-new, http2-new-1, http2-new-8, http2-new-64 and http2-new-512,
# which end each connection after 1, 8, 64 or 512 requests.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
peers=$here/.build-peers
pid_file=$peers/nginx.pid
url_file=$peers/nginx.url
log=$peers/nginx.log
# Debian has it where only root looks.
export PATH=$PATH:/usr/sbin:/sbin
nginx=${RESTKIT_PEERS_NGINX:-nginx}
tls=$peers/tls

# A proxy cannot reach our loopback; curl reads both spellings, and no_proxy is not read by all.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

say() { printf 'peers: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 1
}

# shellcheck source=../Tests/IntegrationTests/Servers/certificates.sh
source "$here/../Tests/IntegrationTests/Servers/certificates.sh"

install_peers() {
  mkdir -p "$peers"
  command -v "$nginx" >/dev/null || install_package nginx
  command -v "$nginx" >/dev/null ||
    fail "nginx is needed; install it (Debian: nginx) or set RESTKIT_PEERS_NGINX"
  command -v openssl >/dev/null || install_package openssl
  command -v openssl >/dev/null || fail "openssl is needed; install it (Debian: openssl)"
}

install_package() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 0
  say "installing $1"
  # nginx's package would start a server of its own on port 80.
  {
    apt-get update &&
      RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1"
  } >>"$log" 2>&1 || fail "$1 could not be installed, see $log"
}

# Large files are in memory where that is possible: the disk's speed is not what is asked for.
large_files() {
  if [ -d /dev/shm ] && [ -w /dev/shm ]; then
    printf '/dev/shm/restkit-benchmark-%s' "$(id -u)"
  else
    printf '%s/large' "$peers"
  fi
}

# An authority of our own, and what it signed for 127.0.0.1.
make_authority() {
  rm -rf "$tls"
  mkdir -p "$tls"
  : >"$tls/index.txt"
  write_openssl_configuration "$tls"
  self_signed "$tls" ca-own
  # A minute ago: the clock of this machine may be set back by a little.
  issue "$tls" ca-own server "$(date -u -d "@$(($(date +%s) - 60))" +%Y%m%d%H%M%SZ)" 20480101000000Z
} >>"$log" 2>&1

make_files() {
  local folder
  folder=$(large_files)
  mkdir -p "$folder"
  truncate -s 1G "$folder/big"
  printf '"%065534d"' 0 >"$folder/64k"
  awk 'BEGIN {
    for (n = 0; n < 100000; n++) {
      printf "%s{\"id\":%d,\"name\":\"item number %d\",\"price\":%d.25,", n ? "," : "[", n, n, n % 1000
      printf "\"size\":7,\"tags\":[\"small\",\"blue\"],\"isSold\":%s}", n % 2 ? "true" : "false"
    }
    printf "]"
  }' >"$folder/list"
  mkdir -p "$folder/bytes"
  awk 'BEGIN { for (n = 0; n < 1048576; n++) printf "%015d\n", n }' >"$folder/bytes/16777216"
  local size
  for ((size = 1; size < 16777216; size *= 4)); do
    head -c "$size" "$folder/bytes/16777216" >"$folder/bytes/$size"
  done
}

# What all servers answer. A connection's own numbers cost nothing where nobody asks for them.
locations() {
  cat <<NGINX
location = /json { return 200 '{"id":1,"name":"a small one"}'; }
location = /64k {
  alias $(large_files)/64k;
  open_file_cache max=4;
}
location = /list { alias $(large_files)/list; }
location = /connection {
  add_header X-Connection \$connection;
  return 200 '{"id":1,"name":"a small one"}';
}
location = /session { return 200 \$resumed; }
location = /version { return 200 \$shared; }
NGINX
}

# server PORT "ssl http2" REQUESTS: ends a connection after so many.
server() {
  cat <<NGINX
  server {
    listen 127.0.0.1:$1${2:+ $2};
    keepalive_requests $3;
    include $peers/locations.conf;
  }
NGINX
}

# Connections are never closed for their age: a client that counts them would count twice.
configuration() {
  local many=1000000000
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
  keepalive_requests $many;
  keepalive_timeout 300s;
  default_type application/json;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_certificate $tls/server.pem;
  ssl_certificate_key $tls/server.key;
  ssl_session_tickets on;
  map \$ssl_session_reused \$resumed {
    r 1;
    default "";
  }
  map \$server_protocol \$shared {
    HTTP/2.0 1;
    default "";
  }
$(server $(($1 + 1)) ssl $many)
$(server $(($1 + 2)) ssl 1)
$(server $(($1 + 3)) "ssl http2" $many)
$(server $(($1 + 4)) "ssl http2" 1)
$(server $(($1 + 5)) "ssl http2" 8)
$(server $(($1 + 6)) "ssl http2" 64)
$(server $(($1 + 7)) "ssl http2" 512)
$(server $(($1 + 8)) "" 1)
  server {
    listen $(($1 + 9));
    allow 127.0.0.0/8;
    deny all;
    location /bytes/ {
      root $(large_files);
      open_file_cache max=16;
    }
  }
  server {
    listen 127.0.0.1:$1;
    include $peers/locations.conf;
    location = /peer {
      return 200 'authority=$tls/ca-own.pem
worker=\$pid
http1=https://127.0.0.1:$(($1 + 1))
http1-new=https://127.0.0.1:$(($1 + 2))
http2=https://127.0.0.1:$(($1 + 3))
http2-new-1=https://127.0.0.1:$(($1 + 4))
http2-new-8=https://127.0.0.1:$(($1 + 5))
http2-new-64=https://127.0.0.1:$(($1 + 6))
http2-new-512=https://127.0.0.1:$(($1 + 7))
http-new=http://127.0.0.1:$(($1 + 8))
scale=http://127.0.0.1:$(($1 + 9))
';
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
  printf 'GET /peer HTTP/1.0\r\n\r\n' >&3
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
    make_authority || fail "no certificates, see $log"
    make_files
    locations >"$peers/locations.conf"
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
