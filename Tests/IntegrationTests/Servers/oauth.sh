# The OAuth 2 server of oauth.py, under gunicorn. Sourced by peers.sh.

oauth_is_running() {
  is_process oauth "--pid $peers/oauth.pid"
}

oauth_answers() {
  answers_no_content "$(setting oauth RESTKIT_OAUTH_URL)/alive"
}

start_oauth_once() {
  local port
  port=$(free_ports 1)
  printf 'RESTKIT_OAUTH_URL=http://127.0.0.1:%s\n' "$port" >"$peers/oauth.env"
  # One process, which keeps the log; a new database each time.
  rm -f "$peers/oauth.sqlite3"*
  RESTKIT_OAUTH_DATABASE=$peers/oauth.sqlite3 run_detached "$environment/bin/gunicorn" \
    --pid "$peers/oauth.pid" --bind "127.0.0.1:$port" --chdir "$servers" \
    --worker-class gthread --workers 1 --threads 16 --keep-alive 30 \
    --no-control-socket --access-logfile - oauth:application
  wait_for oauth_answers "$!"
}

start_oauth() {
  if oauth_is_running && oauth_answers; then
    say "the OAuth 2 server runs already"
    return
  fi
  stop_oauth
  start_oauth_once || { stop_oauth && start_oauth_once; } ||
    fail "the OAuth 2 server does not answer, see $log"
}

stop_oauth() {
  if oauth_is_running; then stop_process oauth; fi
  rm -f "$peers/oauth.pid" "$peers/oauth.env" "$peers/oauth.sqlite3"*
}
