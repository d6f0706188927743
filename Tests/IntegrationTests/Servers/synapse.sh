# matrix-synapse with SQLite, access tokens of ten seconds and limits of requests: an instance that
# runs, and one that a test starts, kills and starts again. Sourced by peers.sh.

synapse=$peers/synapse
synapse_restarts=$peers/synapse-restarts
# A user for each test, because the limits are for each user.
synapse_users="waiting limited around inside line joins follower writer media searching devices leaving"
synapse_restarts_users="alice bob"

synapse_is_running() {
  is_process synapse "--config-path $synapse/homeserver.yaml"
}

synapse_answers() {
  "$environment/bin/python" - "$(setting "${1-synapse}" "RESTKIT_SYNAPSE[A-Z_]*URL")" <<'PYTHON' 2>/dev/null
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1] + "/health", timeout=2) as response:
    sys.exit(response.status != 200)
PYTHON
}

synapse_restarts_answers() { synapse_answers synapse-restarts; }

# write_synapse_configuration FOLDER PORT SECRET
write_synapse_configuration() {
  cat >"$1/homeserver.yaml" <<CONFIGURATION
server_name: restkit.test
public_baseurl: "http://127.0.0.1:$2/"
listeners:
  - port: $2
    bind_addresses: [127.0.0.1]
    type: http
    resources: [{names: [client]}]
database: {name: sqlite3, args: {database: "$1/homeserver.sqlite3"}}
log_config: "$1/log.yaml"
signing_key_path: "$1/signing.key"
media_store_path: "$1/media"
registration_shared_secret: "$3"
macaroon_secret_key: "$3"
form_secret: "$3"
report_stats: false
# It asks no other server.
trusted_key_servers: []
federation_domain_whitelist: []
presence: {enabled: false}
user_directory: {search_all_users: true}
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
rc_invites:
  per_room: {per_second: 50, burst_count: 500}
  per_user: {per_second: 50, burst_count: 500}
  per_issuer: {per_second: 50, burst_count: 500}
CONFIGURATION
  cat >"$1/log.yaml" <<'CONFIGURATION'
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

# Makes an instance with its users, and leaves it running:
# start_synapse_instance FOLDER SETTING-OF-ITS-ADDRESS CHECK USER…
start_synapse_instance() {
  local folder=$1 address=$2 check=$3 name port secret
  shift 3
  name=$(basename "$folder")
  port=$(free_ports 1)
  secret=$("$environment/bin/python" -c 'import secrets; print(secrets.token_hex())')
  rm -rf "$folder"
  mkdir -p "$folder"
  write_synapse_configuration "$folder" "$port" "$secret"
  echo "$address=http://127.0.0.1:$port" >"$peers/$name.env"
  "$environment/bin/python" -m synapse.app.homeserver \
    --config-path "$folder/homeserver.yaml" --generate-keys >>"$log" 2>&1 || return 1
  run_detached "$environment/bin/python" -m synapse.app.homeserver \
    --config-path "$folder/homeserver.yaml"
  echo "$!" >"$peers/$name.pid"
  wait_for "$check" "$!" || return 1
  register_synapse_users "http://127.0.0.1:$port" "$secret" "$@"
}

start_synapse_once() {
  # shellcheck disable=SC2086
  start_synapse_instance "$synapse" RESTKIT_SYNAPSE_URL synapse_answers $synapse_users &&
    start_synapse_instance "$synapse_restarts" RESTKIT_SYNAPSE_RESTARTED_URL \
      synapse_restarts_answers $synapse_restarts_users || return 1
  # The test runs it.
  stop_process synapse-restarts
  cat >"$synapse_restarts/serve" <<COMMAND
#!/bin/sh
echo \$\$ >"$peers/synapse-restarts.pid"
exec "$environment/bin/python" -m synapse.app.homeserver --config-path "$synapse_restarts/homeserver.yaml"
COMMAND
  chmod +x "$synapse_restarts/serve"
  echo "RESTKIT_SYNAPSE_SERVE=$synapse_restarts/serve" >>"$peers/synapse-restarts.env"
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
  # A test that was killed leaves its instance.
  if is_process synapse-restarts "--config-path $synapse_restarts/homeserver.yaml"; then
    stop_process synapse-restarts
  fi
  rm -rf "$synapse" "$synapse_restarts" "$peers"/synapse{,-restarts}.{pid,env}
}
