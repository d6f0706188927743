# Canaille, an identity provider, as identity.py sets it up, under gunicorn. Sourced by peers.sh.

identity_is_running() {
  is_process identity "--pid $peers/identity.pid"
}

identity_answers() {
  answers_no_content "$(setting identity RESTKIT_IDENTITY_URL)/alive"
}

start_identity_once() {
  local port
  port=$(free_ports 1)
  printf 'RESTKIT_IDENTITY_URL=http://127.0.0.1:%s\n' "$port" >"$peers/identity.env"
  # One process, because all data is in its memory.
  RESTKIT_IDENTITY_HOST=127.0.0.1:$port run_detached "$environment/bin/gunicorn" \
    --pid "$peers/identity.pid" --bind "127.0.0.1:$port" --chdir "$servers" \
    --worker-class gthread --workers 1 --threads 16 --keep-alive 30 \
    --no-control-socket --access-logfile - identity:application
  wait_for identity_answers "$!"
}

start_identity() {
  if identity_is_running && identity_answers; then
    say "identity runs already"
    return
  fi
  stop_identity
  start_identity_once || { stop_identity && start_identity_once; } ||
    fail "identity does not answer, see $log"
}

stop_identity() {
  if identity_is_running; then stop_process identity; fi
  rm -f "$peers/identity.pid" "$peers/identity.env"
}
