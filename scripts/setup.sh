#!/usr/bin/env bash
# Installs what XSA needs to be built, tested and demonstrated.
#
#   scripts/setup.sh                 install what is missing, then check
#   scripts/setup.sh --no-install    install nothing, only say what is missing
#
# On Debian and Ubuntu the system packages come through apt-get (as root, or
# with sudo); the Python packages of requirements-dev.txt go into .venv in this
# tree. What is already there is left alone, so a second run does nothing.
# MLIR_DIR=<prefix>/lib/cmake/mlir names an LLVM/MLIR 22 of your own; then no
# LLVM package is installed.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install=1
for arg in "$@"; do
  case $arg in
  --no-install) install=0 ;;
  -h | --help) print_usage "$0"; exit 0 ;;
  *) fail "unknown option '$arg' (see $0 --help)" ;;
  esac
done

# What a package is there for is said in docs/dependencies.md.
packages=(g++ cmake ninja-build python3 python3-dev python3-venv libzip-dev zlib1g-dev libboost-context-dev)
if [ -z "${MLIR_DIR:-}" ]; then
  v=$XSA_LLVM_MAJOR
  packages+=("llvm-$v-dev" "llvm-$v-tools" "libmlir-$v-dev" "mlir-$v-tools")
fi

missing_packages() {
  local p
  for p in "${packages[@]}"; do
    # shellcheck disable=SC2016
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || echo "$p"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "to install packages run this as root or install sudo; or install them yourself: $*"
  fi
}

explain_llvm_sources() {
  cat >&2 <<EOF
The configured apt sources have no LLVM/MLIR $XSA_LLVM_MAJOR. Debian 12 carries it in bookworm-security:

  echo 'deb http://deb.debian.org/debian-security bookworm-security main' > /etc/apt/sources.list.d/security.list

Other Debian and Ubuntu releases get it from LLVM's own archive, for example:

  wget -qO /etc/apt/keyrings/llvm.asc https://apt.llvm.org/llvm-snapshot.gpg.key
  echo "deb [signed-by=/etc/apt/keyrings/llvm.asc] http://apt.llvm.org/CODENAME/ llvm-toolchain-CODENAME-$XSA_LLVM_MAJOR main" > /etc/apt/sources.list.d/llvm.list

(CODENAME is what 'lsb_release -cs' prints.) Or build LLVM with MLIR yourself and set MLIR_DIR=<prefix>/lib/cmake/mlir.
EOF
}

install_packages() {
  local missing=("$@")
  say "Updating apt's package lists"
  as_root apt-get update -qq
  local p unavailable=()
  for p in "${missing[@]}"; do
    apt-cache show "$p" >/dev/null 2>&1 || unavailable+=("$p")
  done
  if [ ${#unavailable[@]} -gt 0 ]; then
    [[ " ${unavailable[*]} " != *"-$XSA_LLVM_MAJOR"* ]] || explain_llvm_sources
    fail "no such package in the configured apt sources: ${unavailable[*]}"
  fi
  say "Installing with apt-get: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Programs and files that have to be there, however they came.
check_system() {
  local problems=() tool
  for tool in cmake ninja python3; do
    command -v "$tool" >/dev/null || problems+=("$tool is not in PATH")
  done
  command -v "${CXX:-c++}" >/dev/null || problems+=("no C++ compiler: ${CXX:-c++}")
  [ -e "$XSA_MLIR_DIR/MLIRConfig.cmake" ] || problems+=("no MLIRConfig.cmake in $XSA_MLIR_DIR (set MLIR_DIR)")
  for tool in mlir-tblgen mlir-opt FileCheck not lit; do
    [ -x "$XSA_LLVM_BIN/$tool" ] || problems+=("no $tool in $XSA_LLVM_BIN")
  done
  ! command -v python3 >/dev/null || python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || problems+=("python3 is older than 3.11")
  [ ${#problems[@]} -eq 0 ] && return
  printf 'missing: %s\n' "${problems[@]}" >&2
  echo "On Debian or Ubuntu the packages are: ${packages[*]}" >&2
  fail "some requirements are missing$([ $install = 1 ] || echo ' (run without --no-install to install them)')"
}

# The requirements file itself is the stamp: a change of it reinstalls.
venv_is_current() {
  [ -x "$XSA_VENV/bin/python" ] && cmp -s "$XSA_ROOT/requirements-dev.txt" "$XSA_VENV/requirements.stamp"
}

venv_satisfies() {
  "$XSA_VENV/bin/python" - "$XSA_ROOT/requirements-dev.txt" <<'EOF'
import importlib.metadata as m, sys
bad = []
for line in open(sys.argv[1]):
    name, eq, want = line.split("#")[0].strip().partition("==")
    if eq:
        try:
            have = m.version(name)
        except m.PackageNotFoundError:
            have = "none"
        if have != want:
            bad.append(f"{name}=={want} (found {have})")
if bad:
    sys.exit("missing from .venv: " + ", ".join(bad))
EOF
}

setup_venv() {
  venv_is_current && return
  if [ $install = 0 ]; then
    [ -x "$XSA_VENV/bin/python" ] ||
      fail "no .venv: python3 -m venv .venv && .venv/bin/pip install -r requirements-dev.txt"
    venv_satisfies || fail "update it: .venv/bin/pip install -r requirements-dev.txt"
    return
  fi
  [ -x "$XSA_VENV/bin/pip" ] || python3 -m venv "$XSA_VENV"
  say "Installing into .venv with pip: $(grep -oE '^[A-Za-z_-]+==[^ ]+' "$XSA_ROOT/requirements-dev.txt" | tr '\n' ' ')"
  "$XSA_VENV/bin/pip" install --quiet --disable-pip-version-check -r "$XSA_ROOT/requirements-dev.txt"
  cp "$XSA_ROOT/requirements-dev.txt" "$XSA_VENV/requirements.stamp"
}

if [ $install = 1 ]; then
  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
  else
    say "No apt-get here: nothing is installed, only checked"
  fi
fi
check_system
setup_venv
say "Everything is there: LLVM $("$XSA_LLVM_BIN/mlir-opt" --version | grep -oE 'version [0-9.]+' | head -1), $("${CXX:-c++}" --version | head -1)"
