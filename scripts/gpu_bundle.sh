#!/usr/bin/env bash
# Packs what a machine with a GPU needs to check and time our kernels: machine
# code and PTX, a program that runs them, and what they should compute. There
# nothing has to be installed but NVIDIA's driver.
#
#   scripts/gpu_bundle.sh OUT                 into a new folder
#   scripts/gpu_bundle.sh OUT.tar.gz          into an archive
#   scripts/gpu_bundle.sh OUT --only TEXT     only cases whose name has this text
#   scripts/gpu_bundle.sh OUT --chips LIST    for these GPUs
#                                             (default: sm_80,sm_90,sm_100,sm_120)
#   scripts/gpu_bundle.sh OUT --no-install    installs nothing before it builds
#
# It needs ptxas, NVIDIA's assembler (PTXAS=<path> names one). docs/gpu-bundle.md
# tells how the bundle is used.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out='' setup_args=() pack_args=()
while [ $# -gt 0 ]; do
  case $1 in
  --no-install) setup_args+=(--no-install) ;;
  --only | --chips)
    [ $# -gt 1 ] || fail "expected a value after $1"
    pack_args+=("$1" "$2")
    shift
    ;;
  -h | --help) print_usage "$0"; exit 0 ;;
  -*) fail "unknown option '$1' (see $0 --help)" ;;
  *)
    [ -z "$out" ] || fail "expected one folder or archive, got '$out' and '$1'"
    out=$1
    ;;
  esac
  shift
done
[ -n "$out" ] || fail "expected a folder or archive to write (see $0 --help)"
[ ! -e "$out" ] || fail "'$out' exists already"

find_ptxas() {
  local candidate
  for candidate in "${PTXAS:-ptxas}" "${CUDA_PATH:-/usr/local/cuda}/bin/ptxas"; do
    command -v "$candidate" && return
  done
  fail "no ptxas, NVIDIA's assembler. It is in the package cuda-nvcc-13-0 of NVIDIA's apt archive
  (https://developer.nvidia.com/cuda-downloads) and, without root, in the Python package nvidia-cuda-nvcc.
  If it is not in PATH: PTXAS=<path> $0 ..."
}
ptxas=$(find_ptxas)
# The first that knows sm_120.
"$ptxas" --version | grep -oE 'release [0-9]+\.[0-9]+' | awk '{ split($2, v, "."); exit !(v[1] * 100 + v[2] >= 1208) }' ||
  fail "$ptxas is older than 12.8, which is the first that knows sm_120"

out=$(realpath -m "$out")
cd "$XSA_ROOT"
scripts/setup.sh "${setup_args[@]}"
say "Building xsa-run and xsa-replay in build/ (some minutes the first time)"
xsa_configure build
xsa_build build xsa-run xsa-replay

folder=$out
if [[ $out = *.tar.gz ]]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  folder=$scratch/$(basename "$out" .tar.gz)
fi
say "Recording kernels (some minutes)"
"$XSA_VENV/bin/python" benchmarks/gpu_bundle.py "$folder" --ptxas "$ptxas" --jobs "$XSA_JOBS" "${pack_args[@]}"
if [ "$folder" != "$out" ]; then
  tar -C "$scratch" -czf "$out" "$(basename "$folder")"
  say "Packed $(du -h "$out" | cut -f1) into $out"
fi
