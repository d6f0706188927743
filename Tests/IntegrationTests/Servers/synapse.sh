# matrix-synapse with SQLite, access tokens of ten seconds and limits of requests. Sourced by
# peers.sh.

synapse=$peers/synapse
# A user for each test, because the limits are for each user.
synapse_users="waiting limited around inside line joins follower writer"

synapse_is_running() {
  is_process synapse "--config-path $synapse/homeserver.yaml"
}

synapse_answers() {
  "$environment/bin/python" - "$(setting synapse RESTKIT_SYNAPSE_URL)" <<'PYTHON' 2>/dev/null
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1] + "/health", timeout=2) as response:
    sys.exit(response.status != 200)
PYTHON
}

# write_synapse_configuration PORT SECRET
write_synapse_configuration() {
  cat >"$synapse/homeserver.yaml" <<CONFIGURATION
server_name: restkit.test
public_baseurl: "http://127.0.0.1:$1/"
listeners:
  - port: $1
    bind_addresses: [127.0.0.1]
    type: http
    resources: [{names: [client]}]
database: {name: sqlite3, args: {database: "$synapse/homeserver.sqlite3"}}
log_config: "$synapse/log.yaml"
signing_key_path: "$synapse/signing.key"
media_store_path: "$synapse/media"
registration_shared_secret: "$2"
macaroon_secret_key: "$2"
form_secret: "$2"
report_stats: false
# It asks no other server.
trusted_key_servers: []
federation_domain_whitelist: []
presence: {enabled: false}
bcrypt_rounds: 4
refreshable_access_token_lifetime: 10s
refresh_token_lifetime: 24h
session_lifetime: 48h
rc_message: {per_second: 5, burst_count: 10}
# The second join of a user waits longer than two tokens live.
rc_joins: {local: {per_second: 0.045, burst_count: 1}}
rc_login:
  address: {per_second: 50, burst_count: 500}
  account: {per_second: 50, burst_count: 500}
rc_registration: {per_second: 50, burst_count: 500}
rc_room_creation: {per_second: 50, burst_count: 500}
CONFIGURATION
  cat >"$synapse/log.yaml" <<'CONFIGURATION'
version: 1
disable_existing_loggers: false
formatters: {plain: {format: "%(asctime)s %(name)s %(message)s"}}
handlers: {console: {class: logging.StreamHandler, formatter: plain}}
loggers: {synapse.access: {level: INFO}}
root: {level: WARNING, handlers: [console]}
CONFIGURATION
}

# Registers users with their names as passwords: register_synapse_users URL SECRET USER…
register_synapse_users() {
  "$environment/bin/python" - "$@" <<'PYTHON' >>"$log" 2>&1
import hashlib, hmac, json, sys, urllib.request
base, secret, *users = sys.argv[1:]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for user in users:
    with opener.open(base + "/_synapse/admin/v1/register", timeout=10) as response:
        nonce = json.load(response)["nonce"]
    text = "\0".join([nonce, user, user, "notadmin"])
    mac = hmac.new(secret.encode(), text.encode(), hashlib.sha1).hexdigest()
    fields = dict(nonce=nonce, username=user, password=user, admin=False, mac=mac)
    opener.open(base + "/_synapse/admin/v1/register", json.dumps(fields).encode(), timeout=10).close()
PYTHON
}

start_synapse_once() {
  local port secret url pid
  port=$(free_ports 1)
  url=http://127.0.0.1:$port
  secret=$("$environment/bin/python" -c 'import secrets; print(secrets.token_hex())')
  rm -rf "$synapse"
  mkdir -p "$synapse"
  write_synapse_configuration "$port" "$secret"
  echo "RESTKIT_SYNAPSE_URL=$url" >"$peers/synapse.env"
  "$environment/bin/python" -m synapse.app.homeserver \
    --config-path "$synapse/homeserver.yaml" --generate-keys >>"$log" 2>&1 || return 1
  run_detached "$environment/bin/python" -m synapse.app.homeserver \
    --config-path "$synapse/homeserver.yaml"
  pid=$!
  echo "$pid" >"$peers/synapse.pid"
  wait_for synapse_answers "$pid" || return 1
  # shellcheck disable=SC2086
  register_synapse_users "$url" "$secret" $synapse_users
}

start_synapse() {
  if synapse_is_running && synapse_answers; then
    say "synapse runs already"
    return
  fi
  stop_synapse
  start_synapse_once || { stop_synapse && start_synapse_once; } ||
    fail "synapse does not answer, see $log"
}

stop_synapse() {
  if synapse_is_running; then stop_process synapse; fi
  rm -rf "$synapse" "$peers/synapse.pid" "$peers/synapse.env"
}
