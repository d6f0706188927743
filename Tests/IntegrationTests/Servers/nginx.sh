# nginx on loopback, with its own configuration, certificates and files. Sourced by peers.sh.

nginx=${RESTKIT_PEERS_NGINX:-nginx}
nginx_folder_file=$peers/nginx.folder

find_nginx() {
  # On Debian, nginx is in /usr/sbin, which only root's path has.
  PATH=$PATH:/usr/sbin command -v "$nginx"
}

install_nginx() {
  find_nginx >/dev/null || install_package nginx-light
  find_nginx >/dev/null ||
    fail "nginx is needed; install it (Debian: nginx-light) or set RESTKIT_PEERS_NGINX"
  command -v openssl >/dev/null || install_package openssl
  command -v openssl >/dev/null || fail "openssl is needed; install it"
}

nginx_is_running() {
  is_process nginx "-c $(cat "$nginx_folder_file" 2>/dev/null)/nginx.conf"
}

nginx_answers() {
  "$environment/bin/python" - "$(setting nginx RESTKIT_NGINX_URL)" <<'PYTHON' 2>/dev/null
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1] + "/json", timeout=2) as response:
    sys.exit(response.status != 200)
PYTHON
}

write_nginx_files() {
  "$environment/bin/python" - "$1" <<'PYTHON'
import json, os, sys
folder = sys.argv[1]
os.makedirs(folder)
# Byte number n is n % 251, so that a wrong range is noticed.
block = bytes(range(251)) * 4096
size = 32 << 20
with open(folder + "/32m.bin", "wb") as file:
    for _ in range(size // len(block)):
        file.write(block)
    file.write(block[: size % len(block)])
with open(folder + "/1g.bin", "wb") as file:
    file.truncate(1 << 30)
with open(folder + "/list.json", "w") as file:
    json.dump({"result": [{"id": n, "name": "item %d" % n} for n in range(5000)]}, file)
PYTHON
}

# Writes the locations that all servers share: write_nginx_locations FOLDER PLAIN-PORT
write_nginx_locations() {
  local folder=$1 plain=$2
  cat >"$folder/locations.conf" <<LOCATIONS
location = /json {
  default_type application/json;
  return 200 '{"result":{"name":"nginx","number":7}}';
}
# Of the request's headers, those that nginx can name.
location = /echo {
  default_type application/json;
  return 200 '{"method":"\$request_method","target":"\$request_uri","protocol":"\$server_protocol","host":"\$http_host","length":"\$content_length","contentType":"\$content_type","userAgent":"\$http_user_agent","test":"\$http_x_test","via":"\$http_x_via","tls":"\$ssl_protocol","resumed":"\$ssl_session_reused","client":"\$ssl_client_s_dn","connection":"\$connection","requests":"\$connection_requests"}';
}
# Reads the whole body before it answers: nginx keeps it in a file first.
location = /upload {
  proxy_pass http://127.0.0.1:$plain/received;
}
location = /received {
  default_type application/json;
  return 200 '{"method":"\$request_method","length":"\$content_length"}';
}
location /files/ {
  alias $folder/files/;
}
location /slow/ {
  alias $folder/files/;
  limit_rate 65536;
}
location /gzip/ {
  alias $folder/files/;
  gzip on;
  gzip_types *;
  gzip_min_length 1;
}
# A live stream passes as it comes, and ends where its client goes.
location /live/ {
  proxy_pass $(setting events RESTKIT_EVENTS_URL)/;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_buffering off;
  proxy_read_timeout 600s;
}
location = /redirect { return 302 /json; }
location = /to-plain { return 302 http://127.0.0.1:$plain/json; }
location = /error { return 500; }
location = /unavailable { return 503; }
location = /none { return 204; }
LOCATIONS
}

write_nginx_configuration() {
  local folder=$1 plain=$2 tls=$3 http2=$4 expired=$5 future=$6 elsewhere=$7 self_signed=$8
  local client=$9 old=${10} once=${11} once_http2=${12} user=""
  # The workers run as nobody if root starts nginx, and else as the user who starts it.
  [ "$(id -u)" -ne 0 ] || user="user nobody $(id -gn nobody);"
  cat >"$folder/nginx.conf" <<CONFIGURATION
daemon off;
$user
worker_processes 1;
pid $peers/nginx.pid;
error_log $folder/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path $folder/body;
  proxy_temp_path $folder/proxy;
  fastcgi_temp_path $folder/fastcgi;
  uwsgi_temp_path $folder/uwsgi;
  scgi_temp_path $folder/scgi;
  types { application/json json; }
  default_type application/octet-stream;
  sendfile on;
  absolute_redirect off;
  keepalive_requests 1000000;
  client_max_body_size 0;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_certificate $folder/tls/server.pem;
  ssl_certificate_key $folder/tls/server.key;
  server { listen 127.0.0.1:$plain; include $folder/locations.conf; }
  server { listen 127.0.0.1:$tls ssl; include $folder/locations.conf; }
  server { listen 127.0.0.1:$http2 ssl http2; include $folder/locations.conf; }
  server { listen unix:$folder/plain.sock; include $folder/locations.conf; }
  server { listen unix:$folder/tls.sock ssl http2; include $folder/locations.conf; }
  server {
    listen 127.0.0.1:$client ssl;
    ssl_client_certificate $folder/tls/ca-own.pem;
    ssl_verify_client on;
    include $folder/locations.conf;
  }
  server {
    listen 127.0.0.1:$old ssl;
    ssl_protocols TLSv1.2;
    include $folder/locations.conf;
  }
  server {
    listen 127.0.0.1:$once ssl;
    keepalive_requests 1;
    include $folder/locations.conf;
  }
  server {
    listen 127.0.0.1:$once_http2 ssl http2;
    keepalive_requests 1;
    include $folder/locations.conf;
  }
$(bad_server "$folder" "$expired" expired)
$(bad_server "$folder" "$future" future)
$(bad_server "$folder" "$elsewhere" elsewhere)
$(bad_server "$folder" "$self_signed" self-signed)
}
CONFIGURATION
}

bad_server() {
  printf '  server {
    listen 127.0.0.1:%s ssl;
    ssl_certificate %s/tls/%s.pem;
    ssl_certificate_key %s/tls/%s.key;
    include %s/locations.conf;
  }\n' "$2" "$1" "$3" "$1" "$3" "$1"
}

start_nginx_once() {
  local folder ports tls passphrase="pass of the tests"
  # Not under .build-peers, because root's workers cannot read every checkout.
  folder=$(mktemp -d "${TMPDIR:-/tmp}/restkit-nginx.XXXXXX")
  chmod 755 "$folder"
  printf '%s\n' "$folder" >"$nginx_folder_file"
  tls=$folder/tls
  read -r -a ports <<<"$(free_ports 11)"
  make_certificates "$tls" "$passphrase" >>"$log" 2>&1 || fail "no certificates, see $log"
  write_nginx_files "$folder/files"
  mkdir "$folder/files/logs"
  write_nginx_locations "$folder" "${ports[0]}"
  write_nginx_configuration "$folder" "${ports[@]}"
  cat >"$peers/nginx.env" <<SETTINGS
RESTKIT_NGINX_URL=http://127.0.0.1:${ports[0]}
RESTKIT_NGINX_TLS_URL=https://127.0.0.1:${ports[1]}
RESTKIT_NGINX_HTTP2_URL=https://127.0.0.1:${ports[2]}
RESTKIT_NGINX_EXPIRED_URL=https://127.0.0.1:${ports[3]}
RESTKIT_NGINX_FUTURE_URL=https://127.0.0.1:${ports[4]}
RESTKIT_NGINX_WRONG_HOST_URL=https://127.0.0.1:${ports[5]}
RESTKIT_NGINX_SELF_SIGNED_URL=https://127.0.0.1:${ports[6]}
RESTKIT_NGINX_CLIENT_CERTIFICATE_URL=https://127.0.0.1:${ports[7]}
RESTKIT_NGINX_TLS_1_2_URL=https://127.0.0.1:${ports[8]}
RESTKIT_NGINX_ONCE_URL=https://127.0.0.1:${ports[9]}
RESTKIT_NGINX_ONCE_HTTP2_URL=https://127.0.0.1:${ports[10]}
RESTKIT_NGINX_LOGS=$folder/files/logs
RESTKIT_NGINX_SOCKET=$folder/plain.sock
RESTKIT_NGINX_TLS_SOCKET=$folder/tls.sock
RESTKIT_NGINX_CA=$tls/ca-own.pem
RESTKIT_NGINX_OTHER_CA=$tls/ca-other.pem
RESTKIT_NGINX_SELF_SIGNED=$tls/self-signed.pem
RESTKIT_NGINX_PIN=$(public_key_pin "$tls/server.pem")
RESTKIT_NGINX_OTHER_PIN=$(public_key_pin "$tls/elsewhere.pem")
RESTKIT_CLIENT_CERTIFICATE=$tls/client.pem
RESTKIT_CLIENT_KEY=$tls/client.key
RESTKIT_CLIENT_ENCRYPTED_KEY=$tls/client-encrypted.key
RESTKIT_CLIENT_PASSPHRASE=$passphrase
RESTKIT_STRANGER_CERTIFICATE=$tls/stranger.pem
RESTKIT_STRANGER_KEY=$tls/stranger.key
SETTINGS
  run_detached "$(find_nginx)" -p "$folder" -c "$folder/nginx.conf"
  wait_for nginx_answers "$!"
}

start_nginx() {
  # nginx proxies the live streams, so it restarts if their address is newer.
  if nginx_is_running && nginx_answers && [ "$peers/nginx.env" -nt "$peers/events.env" ]; then
    say "nginx runs already"
    return
  fi
  stop_nginx
  start_nginx_once || { stop_nginx && start_nginx_once; } || fail "nginx does not answer, see $log"
}

stop_nginx() {
  if nginx_is_running; then stop_process nginx; fi
  local folder
  folder=$(cat "$nginx_folder_file" 2>/dev/null || true)
  case $folder in
    */restkit-nginx.??????)
      [ ! -s "$folder/error.log" ] || cat "$folder/error.log" >>"$log"
      rm -rf "$folder"
      ;;
  esac
  rm -f "$peers/nginx.pid" "$peers/nginx.env" "$nginx_folder_file"
}
