#!/usr/bin/env bash
# Runs the real peers that the integration tests talk to: httpbin under gunicorn; nginx, plain, with
# TLS and with HTTP/2, with good certificates and bad, and at unix sockets; proxies; an HTTP/2 server
# that refuses streams; live streams under uvicorn, and behind nginx; the OAuth 2 server of
# django-oauth-toolkit, which takes a refresh token once, and another one that has a grace period;
# the identity provider Canaille.
#
#   peers.sh install   puts them into a virtual environment under .build-peers/, nginx and openssl
#                      from Debian's packages where it is root and they are missing
#   peers.sh start     starts them on 127.0.0.1, on free ports, and prints once they answer
#                      RESTKIT_HTTPBIN_URL=http://127.0.0.1:PORT, and more lines of that kind:
#                      Servers/ has them all
#   peers.sh stop      ends what start has started
#
# Each may be run again: what is there already is kept, what runs already is named again.
# RESTKIT_PEERS_PYTHON names another python3, RESTKIT_PEERS_NGINX another nginx. Nothing but those
# lines goes to standard output.
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

for part in processes python httpbin certificates events nginx loopback refusing oauth identity; do
  # shellcheck source=/dev/null
  . "$servers/$part.sh"
done

install_peers() {
  mkdir -p "$peers"
  install_python
  install_nginx
}

start_peers() {
  install_peers
  start_httpbin
  start_events
  start_nginx
  start_loopback
  start_refusing
  start_oauth
  start_identity
  cat "$peers"/{httpbin,events,nginx,loopback,refusing,oauth,oauth-grace,identity}.env
}

stop_peers() {
  stop_identity
  stop_oauth
  stop_refusing
  stop_loopback
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
