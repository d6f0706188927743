# The virtual environment of the servers written in Python. Sourced by peers.sh.

requirements=$here/requirements.txt
installed=$peers/installed-requirements.txt

# A minimal Debian has python3 without ensurepip, so its virtual environments have no pip.
need_venv() {
  "$python" -c 'import ensurepip, venv' 2>/dev/null && return
  install_package python3-venv
  "$python" -c 'import ensurepip, venv' 2>/dev/null && return
  fail "$python cannot make virtual environments; install its venv module (Debian: python3-venv)"
}

install_python() {
  if [ -x "$environment/bin/gunicorn" ] && cmp -s "$requirements" "$installed"; then
    say "the servers in Python are installed already"
    return
  fi
  need_python
  need_venv
  # A partial installation starts again from the beginning.
  rm -rf "$environment" "$installed"
  "$python" -m venv "$environment" >>"$log" 2>&1 || fail "no virtual environment, see $log"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
    --requirement "$requirements" >>"$log" 2>&1 || fail "pip failed, see $log"
  cp "$requirements" "$installed"
  say "the servers in Python are installed"
}

# Whether GET of a URL returns 204: answers_no_content URL
answers_no_content() {
  "$environment/bin/python" - "$1" <<'PYTHON' 2>/dev/null
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1], timeout=2) as response:
    sys.exit(response.status != 204)
PYTHON
}
