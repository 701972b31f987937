#!/usr/bin/env bash
# Installs a build into a temporary folder and builds examples/consumer against
# it, as a project outside this tree would.
#
#   scripts/test-install.sh [BUILD]      BUILD: a finished build, by default build/
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
-h | --help) print_usage "$0"; exit 0 ;;
-*) fail "unknown option '$1' (see $0 --help)" ;;
esac

build=${1:-$XSA_ROOT/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }

# Outside the source tree, so that nothing can be found there by accident.
cp -r "$XSA_ROOT/examples/consumer" "$work/consumer"
launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1 cmake -G Ninja -S "$work/consumer" -B "$work/build" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" "${launcher[@]}"
CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1 cmake --build "$work/build"

"$work/build/consumer-opt" "$work/consumer/example.mlir" --consumer-append-exclusion >"$work/out.mlir"
cat "$work/out.mlir"
[ "$(grep -c xsa.exclude "$work/out.mlir")" = 1 ] || fail "expected one xsa.exclude from the consumer's pass"

if [ -x "$work/prefix/bin/xsa-run" ]; then
  "$work/build/consumer-run"
fi

# The installed tools start, and know the dialect.
"$work/prefix/bin/xsa-opt" "$work/out.mlir" --canonicalize | grep -q xsa.exclude ||
  fail "the installed xsa-opt does not print xsa.exclude"
