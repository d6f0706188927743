# The container engine podman, whose API listens at a unix socket. It needs no network, and runs no
# container. Sourced by peers.sh.

podman=${RESTKIT_PEERS_PODMAN:-podman}
podman_folder_file=$peers/podman.folder

# Other systems run podman in a virtual machine, and the tests of its socket are Linux's.
has_podman() { [ "$(uname -s)" = Linux ]; }

install_podman() {
  has_podman || return 0
  command -v "$podman" >/dev/null || install_package podman
  command -v "$podman" >/dev/null ||
    fail "podman is needed; install it (Debian: podman) or set RESTKIT_PEERS_PODMAN"
}

podman_is_running() {
  is_process podman "unix://$(setting podman RESTKIT_PODMAN_SOCKET)"
}

podman_answers() {
  "$environment/bin/python" - "$(setting podman RESTKIT_PODMAN_SOCKET)" <<'PYTHON' 2>/dev/null
import socket, sys
with socket.socket(socket.AF_UNIX) as peer:
    peer.settimeout(2)
    peer.connect(sys.argv[1])
    peer.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
    sys.exit(b" 200 " not in peer.recv(4096))
PYTHON
}

# Writes the settings of an engine that shares nothing with the machine's, and a command that serves
# its API at the socket of its argument: write_podman_configuration FOLDER
write_podman_configuration() {
  cat >"$1/containers.conf" <<CONFIGURATION
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
static_dir = "$1/static"
tmp_dir = "$1/tmp"
volume_path = "$1/volumes"
image_copy_tmp_dir = "$1"
[network]
network_config_dir = "$1/networks"
CONFIGURATION
  # This driver needs neither mounts nor a certain file system.
  cat >"$1/storage.conf" <<CONFIGURATION
[storage]
driver = "vfs"
graphroot = "$1/storage"
runroot = "$1/run"
CONFIGURATION
  cat >"$1/serve" <<COMMAND
#!/bin/sh
export CONTAINERS_CONF="$1/containers.conf" CONTAINERS_STORAGE_CONF="$1/storage.conf" TMPDIR="$1"
exec "$(command -v "$podman")" system service --time=0 "unix://\$1"
COMMAND
  chmod +x "$1/serve"
}

start_podman_once() {
  local folder
  # Short, since the path of a unix socket has 107 bytes at most.
  folder=$(mktemp -d "${TMPDIR:-/tmp}/restkit-podman.XXXXXX")
  echo "$folder" >"$podman_folder_file"
  write_podman_configuration "$folder"
  cat >"$peers/podman.env" <<SETTINGS
RESTKIT_PODMAN_SOCKET=$folder/podman.sock
RESTKIT_PODMAN_SERVE=$folder/serve
SETTINGS
  run_detached "$folder/serve" "$folder/podman.sock"
  echo "$!" >"$peers/podman.pid"
  wait_for podman_answers "$!"
}

start_podman() {
  has_podman || {
    : >"$peers/podman.env"
    return
  }
  if podman_is_running && podman_answers; then
    say "podman runs already"
    return
  fi
  stop_podman
  start_podman_once || { stop_podman && start_podman_once; } ||
    fail "podman does not answer, see $log"
}

stop_podman() {
  if podman_is_running; then stop_process podman; fi
  local folder
  folder=$(cat "$podman_folder_file" 2>/dev/null || true)
  case $folder in
    */restkit-podman.??????) rm -rf "$folder" ;;
  esac
  rm -f "$peers/podman.pid" "$peers/podman.env" "$podman_folder_file"
}
