# The OAuth 2 server of oauth.py, under gunicorn, twice: oauth takes a refresh token once, and
# oauth-grace again for a while, for a client that did not get the answer. Sourced by peers.sh.

oauth_is_running() {
  is_process "$1" "--pid $peers/$1.pid"
}

oauth_answers() {
  answers_no_content "$(setting oauth RESTKIT_OAUTH_URL)/alive"
}

oauth_grace_answers() {
  answers_no_content "$(setting oauth-grace RESTKIT_OAUTH_GRACE_URL)/alive"
}

# start_oauth_once SERVER CHECK VARIABLE GRACE-SECONDS
start_oauth_once() {
  local port
  port=$(free_ports 1)
  printf '%s=http://127.0.0.1:%s\n' "$3" "$port" >"$peers/$1.env"
  # One process, which keeps the log; a new database each time.
  rm -f "$peers/$1.sqlite3"*
  RESTKIT_OAUTH_ADDRESS=http://127.0.0.1:$port \
    RESTKIT_OAUTH_DATABASE=$peers/$1.sqlite3 RESTKIT_OAUTH_GRACE_SECONDS=$4 \
    run_detached "$environment/bin/gunicorn" \
    --pid "$peers/$1.pid" --bind "127.0.0.1:$port" --chdir "$servers" \
    --worker-class gthread --workers 1 --threads 16 --keep-alive 30 \
    --no-control-socket --access-logfile - oauth:application
  wait_for "$2" "$!"
}

# The same arguments.
start_oauth_server() {
  if oauth_is_running "$1" && "$2"; then
    say "$1 runs already"
    return
  fi
  stop_oauth_server "$1"
  start_oauth_once "$@" || { stop_oauth_server "$1" && start_oauth_once "$@"; } ||
    fail "$1 does not answer, see $log"
}

start_oauth() {
  start_oauth_server oauth oauth_answers RESTKIT_OAUTH_URL 0
  # As long as a run of the tests takes, and longer.
  start_oauth_server oauth-grace oauth_grace_answers RESTKIT_OAUTH_GRACE_URL 3600
}

stop_oauth_server() {
  if oauth_is_running "$1"; then stop_process "$1"; fi
  rm -f "$peers/$1.pid" "$peers/$1.env" "$peers/$1.sqlite3"*
}

stop_oauth() {
  stop_oauth_server oauth
  stop_oauth_server oauth-grace
}
