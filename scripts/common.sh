# shellcheck shell=bash disable=SC2034
# Shared by the scripts beside it: where things are, how to speak, how to build.
# To be sourced after `set -euo pipefail`.

XSA_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
XSA_VENV=$XSA_ROOT/.venv
XSA_LLVM_MAJOR=22
# An LLVM/MLIR of one's own: MLIR_DIR=<prefix>/lib/cmake/mlir scripts/test.sh
XSA_MLIR_DIR=${MLIR_DIR:-/usr/lib/llvm-$XSA_LLVM_MAJOR/lib/cmake/mlir}
XSA_LLVM_BIN=$(dirname "$(dirname "$(dirname "$XSA_MLIR_DIR")")")/bin
XSA_JOBS=${XSA_JOBS:-$(nproc)}

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  XSA_BOLD=$'\e[1m' XSA_RED=$'\e[31m' XSA_OFF=$'\e[0m'
else
  XSA_BOLD='' XSA_RED='' XSA_OFF=''
fi

say() { printf '%s==> %s%s\n' "$XSA_BOLD" "$*" "$XSA_OFF"; }
fail() {
  printf '%serror:%s %s\n' "$XSA_RED" "$XSA_OFF" "$*" >&2
  exit 1
}

# Prints the comment block at the top of a script as its help.
print_usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$1"; }

# xsa_configure DIR [cmake arguments]: a configured build directory.
# ccache is used where it is installed; a path of the checkout itself never
# enters its keys, so another clone of the same sources finds its objects. The two
# do not go well together, so headers are precompiled only where there is none.
xsa_configure() {
  local dir=$1
  shift
  local speed=(-DXSA_PRECOMPILE_HEADERS=ON)
  if command -v ccache >/dev/null; then
    export CCACHE_BASEDIR=$XSA_ROOT CCACHE_NOHASHDIR=1
    speed=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache -DXSA_PRECOMPILE_HEADERS=OFF)
  fi
  mkdir -p "$dir"
  if ! cmake -G Ninja -S "$XSA_ROOT" -B "$dir" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG' \
    -DMLIR_DIR="$XSA_MLIR_DIR" -DPython3_EXECUTABLE="$XSA_VENV/bin/python" \
    -DPython_EXECUTABLE="$XSA_VENV/bin/python" "${speed[@]}" "$@" \
    >"$dir/configure.log" 2>&1; then
    cat "$dir/configure.log" >&2
    return 1
  fi
}

# xsa_build DIR [targets]
xsa_build() {
  local dir=$1
  shift
  ninja -C "$dir" -j "$XSA_JOBS" "$@"
}
