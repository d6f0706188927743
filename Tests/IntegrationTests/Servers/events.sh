# The live streams of events.py. Sourced by peers.sh, before nginx.sh, which proxies them.

events_is_running() {
  is_process events "--pid $peers/events.pid"
}

events_answers() {
  answers_no_content "$(setting events RESTKIT_EVENTS_URL)/feed/none?total=0"
}

start_events_once() {
  local port
  port=$(free_ports 1)
  cat >"$peers/events.env" <<SETTINGS
RESTKIT_EVENTS_URL=http://127.0.0.1:$port
RESTKIT_EVENTS_PYTHON=$environment/bin/python
RESTKIT_EVENTS_SERVER=$servers/events.py
SETTINGS
  run_detached "$environment/bin/python" "$servers/events.py" \
    --pid "$peers/events.pid" --port "$port"
  wait_for events_answers "$!"
}

start_events() {
  if events_is_running && events_answers; then
    say "the live streams run already"
    return
  fi
  stop_events
  start_events_once || { stop_events && start_events_once; } ||
    fail "the live streams do not start, see $log"
}

stop_events() {
  if events_is_running; then stop_process events; fi
  rm -f "$peers/events.pid" "$peers/events.env"
}
