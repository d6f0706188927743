# httpbin under gunicorn. Sourced by peers.sh.

requirements=$here/requirements.txt
installed=$peers/installed-requirements.txt

# A bare Debian has python3 without ensurepip, which makes a virtual environment without pip.
need_venv() {
  "$python" -c 'import ensurepip, venv' 2>/dev/null && return
  install_package python3-venv
  "$python" -c 'import ensurepip, venv' 2>/dev/null && return
  fail "$python cannot make virtual environments; install its venv module (Debian: python3-venv)"
}

install_httpbin() {
  if [ -x "$environment/bin/gunicorn" ] && cmp -s "$requirements" "$installed"; then
    say "httpbin is installed already"
    return
  fi
  need_python
  need_venv
  # Half an installation is started over.
  rm -rf "$environment" "$installed"
  "$python" -m venv "$environment" >>"$log" 2>&1 || fail "no virtual environment, see $log"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
    --requirement "$requirements" >>"$log" 2>&1 || fail "pip failed, see $log"
  cp "$requirements" "$installed"
  say "httpbin is installed"
}

httpbin_is_running() {
  is_process httpbin "--pid $peers/httpbin.pid"
}

httpbin_answers() {
  "$environment/bin/python" - "$(setting httpbin RESTKIT_HTTPBIN_URL)" <<'PYTHON' 2>/dev/null
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1] + "/status/204", timeout=2) as response:
    sys.exit(response.status != 204)
PYTHON
}

start_httpbin_once() {
  local port
  port=$(free_ports 1)
  printf 'RESTKIT_HTTPBIN_URL=http://127.0.0.1:%s\n' "$port" >"$peers/httpbin.env"
  # An abandoned /delay sleeps on in its thread, so there are many more of them than connections.
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
