#!/usr/bin/env bash
# Runs the integration tests against httpbin: installs and starts it, tests, stops it.
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
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

address=$("$here/peers.sh" start)
export RESTKIT_HTTPBIN_URL=${address#RESTKIT_HTTPBIN_URL=}

cd "$root"
swift test --filter IntegrationTests "$@" 2>&1 | tee "$output"

if grep -q 'RESTKIT_HTTPBIN_URL is not set' "$output"; then
  echo "integration: the tests were skipped" >&2
  exit 1
fi
if ! grep -Eq 'Test run with [1-9][0-9]* tests? .*passed' "$output"; then
  echo "integration: no test was run" >&2
  exit 1
fi
