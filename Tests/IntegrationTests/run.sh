#!/usr/bin/env bash
# Runs the integration tests against real peers: installs and starts them, tests, stops them.
# Arguments go to `swift test`. It fails where a test fails, and where none has run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
output=$(mktemp)

finish() {
  "$here/peers.sh" stop || true
  rm -f "$output"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A proxy cannot reach our loopback; curl reads both spellings, and no_proxy is not read by all.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY no_proxy NO_PROXY

settings=$("$here/peers.sh" start)
while IFS= read -r line; do export "${line?}"; done <<<"$settings"

check() {
  if grep -q '_URL is not set' "$output"; then
    echo "integration: tests were skipped" >&2
    exit 1
  fi
  if ! grep -Eq 'Test run with [1-9][0-9]* tests? .*passed' "$output"; then
    echo "integration: no test was run" >&2
    exit 1
  fi
}

cd "$root"
# What the environment says is read when a process makes its calls, so its proxies have a run of
# their own: to set variables between tests would be a race with whoever reads them.
http_proxy=$RESTKIT_PROXY_URL https_proxy=$RESTKIT_PROXY_URL no_proxy=localhost \
  RESTKIT_TEST_PROXIES_OF_ENVIRONMENT=1 \
  swift test --filter ProxiesOfTheEnvironment "$@" 2>&1 | tee "$output"
check

# Last: with --enable-code-coverage, the counts of the last run are those that stay.
swift test --filter IntegrationTests "$@" 2>&1 | tee "$output"
check
