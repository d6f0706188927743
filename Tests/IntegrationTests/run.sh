#!/usr/bin/env bash
# Installs and starts the real peers, runs the integration tests against them, and stops them.
# Arguments go to `swift test`. The script fails if a test fails, or if no test has run.
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

# A proxy cannot reach this machine's loopback. curl reads both spellings, and some programs do not
# read no_proxy.
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
# A process reads the proxies of the environment when it makes calls, so their tests have their own
# run. Setting variables between tests would race with the code that reads them.
http_proxy=$RESTKIT_PROXY_URL https_proxy=$RESTKIT_PROXY_URL no_proxy=localhost \
  RESTKIT_TEST_PROXIES_OF_ENVIRONMENT=1 \
  swift test --filter ProxiesOfTheEnvironment "$@" 2>&1 | tee "$output"
check

# These tests wait for most of their time, so they run side by side. Others would measure them.
RESTKIT_TEST_SYNAPSE=1 swift test --filter 'IntegrationTests\.MatrixTests' "$@" 2>&1 | tee "$output"
check

RESTKIT_TEST_SYNAPSE=1 swift test --filter 'IntegrationTests\.MatrixClientTests' "$@" 2>&1 |
  tee "$output"
check

# This run comes last, because --enable-code-coverage keeps the counts of the last run.
swift test --filter IntegrationTests "$@" 2>&1 | tee "$output"
check
