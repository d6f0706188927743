# The shells that run curl commands. Sourced by peers.sh.

install_shells() {
  command -v zsh >/dev/null || install_package zsh
  command -v zsh >/dev/null || fail "zsh is needed; install it"
}
