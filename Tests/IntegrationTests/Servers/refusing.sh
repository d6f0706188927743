# The HTTP/2 server of refusing.py. Sourced by peers.sh, after nginx.sh.

refusing_is_running() {
  is_process refusing "--pid $peers/refusing.pid"
}

start_refusing_once() {
  local port tls
  tls=$(dirname "$(setting nginx RESTKIT_NGINX_CA)")
  port=$(free_ports 1)
  echo "RESTKIT_REFUSING_URL=https://127.0.0.1:$port" >"$peers/refusing.env"
  run_detached "$environment/bin/python" "$servers/refusing.py" --pid "$peers/refusing.pid" \
    --port "$port" --certificate "$tls/server.pem" --key "$tls/server.key"
  wait_for refusing_is_running "$!"
}

# The server uses nginx's certificates, so it restarts after nginx.
start_refusing() {
  if refusing_is_running && [ "$peers/refusing.env" -nt "$peers/nginx.env" ]; then
    say "the server that refuses streams runs already"
    return
  fi
  stop_refusing
  start_refusing_once || { stop_refusing && start_refusing_once; } ||
    fail "the server that refuses streams does not start, see $log"
}

stop_refusing() {
  if refusing_is_running; then stop_process refusing; fi
  rm -f "$peers/refusing.pid" "$peers/refusing.env"
}
