#!/usr/bin/env bash
# Runs the test of one trace over two processes. Installs a service that OpenTelemetry's SDK traces in a
# virtual environment under .build-peers/, starts it on 127.0.0.1, runs the test, and stops the service.
# Arguments go to `swift test`. The script fails if the test fails or has not run.
# RESTKIT_PEERS_PYTHON names another python3.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
environment=$root/.build-peers/opentelemetry
work=$(mktemp -d)
service=""

finish() {
  if [ -n "$service" ]; then
    kill "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM


if ! cmp -s "$here/requirements.txt" "$environment/requirements.txt"; then
  rm -rf "$environment"
  "${RESTKIT_PEERS_PYTHON:-python3}" -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" >&2
  cp "$here/requirements.txt" "$environment/requirements.txt"
fi
# A proxy cannot reach this machine's loopback.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY no_proxy NO_PROXY

"$environment/bin/python" "$here/service.py" "$work/spans" "$work/address" >&2 &
service=$!
for _ in $(seq 100); do
  [ -e "$work/address" ] && break
  kill -0 "$service" 2>/dev/null || { echo "observability: the service has ended" >&2; exit 1; }
  sleep 0.1
done
[ -e "$work/address" ] || { echo "observability: the service does not answer" >&2; exit 1; }

export RESTKIT_TRACED_URL RESTKIT_TRACED_SPANS=$work/spans
RESTKIT_TRACED_URL=$(cat "$work/address")
cd "$root"
swift test --package-path Integrations --filter TraceOverTwoProcesses "$@" 2>&1 | tee "$work/output"
if grep -q 'RESTKIT_TRACED_URL is not set' "$work/output" \
  || ! grep -Eq 'Test run with [1-9][0-9]* tests? .*passed' "$work/output"; then
  echo "observability: the test has not run" >&2
  exit 1
fi
