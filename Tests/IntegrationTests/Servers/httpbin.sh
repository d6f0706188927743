# httpbin under gunicorn. Sourced by peers.sh.

httpbin_is_running() {
  is_process httpbin "--pid $peers/httpbin.pid"
}

httpbin_answers() {
  answers_no_content "$(setting httpbin RESTKIT_HTTPBIN_URL)/status/204"
}

start_httpbin_once() {
  local port
  port=$(free_ports 1)
  printf 'RESTKIT_HTTPBIN_URL=http://127.0.0.1:%s\n' "$port" >"$peers/httpbin.env"
  # An abandoned /delay keeps its thread asleep, so there are many more threads than connections.
  run_detached "$environment/bin/gunicorn" --pid "$peers/httpbin.pid" --bind "127.0.0.1:$port" \
    --worker-class gthread --workers 1 --threads 64 --keep-alive 30 \
    --no-control-socket --access-logfile - httpbin:app
  wait_for httpbin_answers "$!"
}

start_httpbin() {
  if httpbin_is_running && httpbin_answers; then
    say "httpbin runs already"
    return
  fi
  stop_httpbin
  start_httpbin_once || { stop_httpbin && start_httpbin_once; } ||
    fail "httpbin does not answer, see $log"
}

stop_httpbin() {
  if httpbin_is_running; then stop_process httpbin; fi
  rm -f "$peers/httpbin.pid" "$peers/httpbin.env"
}
