# The live streams of events.py under hypercorn, with TLS and HTTP/2. Sourced by peers.sh, after
# nginx.sh.

hypercorn_is_running() {
  is_process hypercorn "--pid $peers/hypercorn.pid"
}

start_hypercorn_once() {
  local port tls
  tls=$(dirname "$(setting nginx RESTKIT_NGINX_CA)")
  port=$(free_ports 1)
  echo "RESTKIT_HYPERCORN_URL=https://127.0.0.1:$port" >"$peers/hypercorn.env"
  run_detached "$environment/bin/python" "$servers/events.py" --pid "$peers/hypercorn.pid" \
    --port "$port" --certificate "$tls/server.pem" --key "$tls/server.key"
  wait_for hypercorn_is_running "$!"
}

# The server uses nginx's certificates, so it restarts after nginx.
start_hypercorn() {
  if hypercorn_is_running && [ "$peers/hypercorn.env" -nt "$peers/nginx.env" ]; then
    say "hypercorn runs already"
    return
  fi
  stop_hypercorn
  start_hypercorn_once || { stop_hypercorn && start_hypercorn_once; } ||
    fail "hypercorn does not start, see $log"
}

stop_hypercorn() {
  if hypercorn_is_running; then stop_process hypercorn; fi
  rm -f "$peers/hypercorn.pid" "$peers/hypercorn.env"
}
