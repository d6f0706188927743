# The proxies and the TLS server of loopback.py. Sourced by peers.sh, after nginx.sh.

loopback_is_running() {
  is_process loopback "--pid $peers/loopback.pid"
}

start_loopback_once() {
  local ports tls credentials="proxy-user:proxy-password"
  tls=$(dirname "$(setting nginx RESTKIT_NGINX_CA)")
  read -r -a ports <<<"$(free_ports 6)"
  cat >"$peers/loopback.env" <<SETTINGS
RESTKIT_PROXY_URL=http://127.0.0.1:${ports[0]}
RESTKIT_PROXY_WITH_PASSWORD_URL=http://127.0.0.1:${ports[1]}
RESTKIT_PROXY_CREDENTIALS=$credentials
RESTKIT_PROXY_NAME=proxied.invalid
RESTKIT_DEMANDING_TLS_1_2_URL=https://127.0.0.1:${ports[2]}
RESTKIT_DEMANDING_TLS_1_3_URL=https://127.0.0.1:${ports[3]}
RESTKIT_PROXY_WITH_TLS_URL=https://127.0.0.1:${ports[4]}
RESTKIT_LATE_URL=https://127.0.0.1:${ports[5]}
SETTINGS
  run_detached "$environment/bin/python" "$servers/loopback.py" --pid "$peers/loopback.pid" \
    --ports "${ports[@]}" --credentials "$credentials" \
    --certificate "$tls/server.pem" --key "$tls/server.key" --authority "$tls/ca-own.pem"
  wait_for loopback_is_running "$!"
}

# The server uses nginx's certificates, so it restarts after nginx.
start_loopback() {
  if loopback_is_running && [ "$peers/loopback.env" -nt "$peers/nginx.env" ]; then
    say "the proxies run already"
    return
  fi
  stop_loopback
  start_loopback_once || { stop_loopback && start_loopback_once; } ||
    fail "the proxies do not start, see $log"
}

stop_loopback() {
  if loopback_is_running; then stop_process loopback; fi
  rm -f "$peers/loopback.pid" "$peers/loopback.env"
}
