# Shared by the scripts of this folder: where the project is, installing packages, building.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$project"

say() { printf '\n==> %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else echo "error: installing packages needs root or sudo: $*" >&2; exit 1
  fi
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# install_packages NAME...: installs those that are missing, says which.
install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} = 0 ] && return
  say "Installing Debian packages: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

install_build_packages() {
  local packages
  mapfile -t packages < <(grep -v '^#' scripts/packages.txt)
  install_packages "${packages[@]}"
}

# build PRESET [TARGET...]: configures and builds one of CMakePresets.json.
build() {
  local preset=$1
  shift
  say "Building (preset $preset)"
  cmake --preset "$preset" -Wno-dev >/dev/null
  cmake --build --preset "$preset" ${*:+--target "$@"}
}
