# Two OAuth 2 servers of oauth.py, under gunicorn. oauth accepts a refresh token once. oauth-grace
# accepts it again for a while, for clients that did not receive the response. Sourced by peers.sh.

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
  # One process, because it keeps the log in memory, with a new database at each start.
  rm -f "$peers/$1.sqlite3"*
  RESTKIT_OAUTH_ADDRESS=http://127.0.0.1:$port \
    RESTKIT_OAUTH_DATABASE=$peers/$1.sqlite3 RESTKIT_OAUTH_GRACE_SECONDS=$4 \
    run_detached "$environment/bin/gunicorn" \
    --pid "$peers/$1.pid" --bind "127.0.0.1:$port" --chdir "$servers" \
    --worker-class gthread --workers 1 --threads 16 --keep-alive 30 \
    --no-control-socket --access-logfile - oauth:application
  wait_for "$2" "$!"
}

# Takes the arguments of start_oauth_once.
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
  # The grace period is longer than a run of the tests.
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
