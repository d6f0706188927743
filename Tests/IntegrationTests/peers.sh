#!/usr/bin/env bash
# Runs the real peers of the integration tests:
# - httpbin under gunicorn
# - nginx, plain, with TLS and with HTTP/2, with valid and invalid certificates, and at unix sockets
# - proxies
# - an HTTP/2 server that refuses streams
# - live streams under uvicorn, behind nginx, and under hypercorn with HTTP/2
# - the OAuth 2 server of django-oauth-toolkit, which accepts a refresh token once, and another one
#   that has a grace period
# - the identity provider Canaille
# - the chat server matrix-synapse, with tokens of ten seconds and limits of requests, and another
#   instance of it that a test kills and starts again
# - the container engine podman, at a unix socket
# - Datasette, which pages and searches a table
#
#   peers.sh install   installs them in a virtual environment under .build-peers/, and nginx, openssl,
#                      podman and zsh from Debian's packages if they are missing and the user is root
#   peers.sh start     starts them on 127.0.0.1, on free ports. When they respond, it prints
#                      RESTKIT_HTTPBIN_URL=http://127.0.0.1:PORT and more lines of this kind;
#                      the scripts in Servers/ have them all
#   peers.sh stop      stops the servers that start has started
#
# Each command may run again: it keeps existing installations and prints running servers again.
# RESTKIT_PEERS_PYTHON names another python3, RESTKIT_PEERS_NGINX another nginx, and
# RESTKIT_PEERS_PODMAN another podman. Only the lines with the addresses go to standard output.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
servers=$here/Servers
peers=$root/.build-peers
environment=$peers/python
log=$peers/peers.log
python=${RESTKIT_PEERS_PYTHON:-python3}

say() { printf 'peers: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 1
}

for part in processes python httpbin certificates events nginx hypercorn loopback refusing oauth identity \
  synapse podman datasette shells; do
  # shellcheck source=/dev/null
  . "$servers/$part.sh"
done

install_peers() {
  mkdir -p "$peers"
  install_python
  install_nginx
  install_podman
  install_shells
}

start_peers() {
  install_peers
  start_httpbin
  start_events
  start_nginx
  start_hypercorn
  start_loopback
  start_refusing
  start_oauth
  start_identity
  start_synapse
  start_podman
  start_datasette
  cat "$peers"/{httpbin,events,nginx,hypercorn,loopback,refusing,oauth,oauth-grace,identity}.env \
    "$peers"/{synapse,synapse-restarts,podman,datasette}.env
}

stop_peers() {
  stop_datasette
  stop_podman
  stop_synapse
  stop_identity
  stop_oauth
  stop_refusing
  stop_loopback
  stop_hypercorn
  stop_nginx
  stop_events
  stop_httpbin
}

case ${1-} in
  install) install_peers ;;
  start) start_peers ;;
  stop) stop_peers ;;
  *) fail "usage: $0 install|start|stop" ;;
esac
